"""Does the text of a function give a variable another value than its first?

Rules   What counts is `name =` that is no member's, `&name` that is not the address of a part of it, and `swap(name)`.
        `*name = x;` assigns to what a pointer points to.
Limits  Names are not told apart by scope; comments and strings count.  Both err on the side of yes.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.ir.pace import spend


def is_reassigned(text: bytes, name: bytes, initialisers: int) -> bool:
    """Whether `text` assigns to `name` more often than it initialises it, or takes its address."""
    assigned = 0
    start = text.find(name) if name else -1
    while start >= 0:
        spend(1)
        end = start + len(name)
        before = text[start - 1 : start]
        if before not in _WORD and text[end : end + 1] not in _WORD:
            if _is_addressed(text, start, end):
                return True
            assigned += before not in _MEMBER and _ASSIGNS.match(text, end) is not None
        start = text.find(name, end)
    if assigned > initialisers and assigned - _DEREFERENCED.findall(text).count(name) > initialisers:
        return True
    return b"swap" in text.lower() and any(name in _NAMES.findall(call) for call in _SWAPPED.findall(text))


def _is_addressed(text: bytes, start: int, end: int) -> bool:
    sign = start
    while text[sign - 1 : sign].isspace():
        sign -= 1
    return text[sign - 1 : sign] == b"&" != text[sign - 2 : sign - 1] and _PART.match(text, end) is None


_WORD: Final = frozenset(bytes([byte]) for byte in range(128) if chr(byte).isalnum() or byte == ord("_"))
_MEMBER: Final = frozenset({b".", b">"})
_ASSIGNS: Final = re.compile(rb"\s*=(?!=)")
_PART: Final = re.compile(rb"\s*(?:\[|\.|->|\()")
_DEREFERENCED: Final = re.compile(rb"[;{}]\s*\*+\s*(\w+)\s*=(?!=)")
_SWAPPED: Final = re.compile(rb"[sS][wW][aA][pP]\s*\(([^()]*)\)")
_NAMES: Final = re.compile(rb"\w+")
