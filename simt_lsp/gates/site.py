"""A finding as the gates see it: where it stands, what it is, and what the text around it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Final, final

from analysis.ir.record import record


@final
@record
class Site:
    """One finding; `line` to `end_line` of the file at `path`, which is as it was given.

    `rule` is a code (SYN101), `name` its name (divergent-barrier), `severity` a word of the contract.
    `text` is the first of these lines; `around` says what stands beside it (`neighbourhood`), empty where that is not
    known.  `related` are other lines that explain the finding.
    """

    rule: str
    name: str
    severity: str
    function: str
    path: str
    line: int
    end_line: int
    text: str
    around: str = ""
    related: tuple[tuple[str, int], ...] = ()


def neighbourhood(text_of: Callable[[int], str], line: int, count: int) -> str:
    """One value for the nearest lines above and below that are not blank, white space aside.

    `text_of` gives one of the `count` lines of the file; they count from 0.
    """
    above = _nearest(text_of, range(line - 1, max(-1, line - 1 - _FAR), -1))
    below = _nearest(text_of, range(line + 1, min(count, line + 1 + _FAR)))
    return blake2b(f"{above}\0{below}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _nearest(text_of: Callable[[int], str], lines: Iterable[int]) -> str:
    return next((text for text in ("".join(text_of(line).split()) for line in lines) if text), "")


_FAR: Final = 50
"""So many blank lines are skipped."""
