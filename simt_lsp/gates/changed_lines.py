"""Which lines of a text are not as they were?

Rules    Line ends do not count.  Lines that both texts have before and after all changes are set aside first; what lies
         between is compared line by line, and counts as changed as a whole where it is longer than `MAX_LINES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

MAX_LINES: Final = 20_000


def changed_lines(before: bytes, after: bytes) -> frozenset[int]:
    """Lines of `after`, counted from 1, that are new or were changed."""
    old, new = before.splitlines(), after.splitlines()
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(old), len(new)) > MAX_LINES:
        return frozenset(range(first + 1, first + 1 + len(new)))
    found: set[int] = set()
    for kind, _, _, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            found.update(range(first + start + 1, first + end + 1))
    return frozenset(found)


def _common(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    number = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        number += 1
    return number
