"""What stands between the statements of an arm: comments, pragmas and empty lines."""

from __future__ import annotations

import re
from typing import Final


def lines_of(gap: str) -> list[str]:
    """The comments and pragmas, with one empty line where there are any."""
    found: list[str] = []
    end = 0
    for each in _TRIVIA.finditer(gap):
        if _BLANK_LINE.search(gap, end, each.start()):
            found.append("")
        found.append(each[0].rstrip())
        end = each.end()
    return [*found, ""] if _BLANK_LINE.search(gap, end) else found


def comments_of(gap: str) -> list[str]:
    """The comments and pragmas."""
    return [found[0].rstrip() for found in _TRIVIA.finditer(gap)]


def after_head(head: str) -> str:
    """The comments between the parenthesis that closes the head of a loop and its body, with the spaces around."""
    found = _AFTER_HEAD.search(head)
    return "" if found is None else found[0]


_AFTER_HEAD: Final = re.compile(r"(?<=\))\s*(?://[^\n]*\s*|/\*(?:[^*]|\*(?!/))*\*/\s*)+$")
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n")
_TRIVIA: Final = re.compile(r"//[^\n]*|/\*.*?\*/|#[ \t]*pragma[^\n]*", re.DOTALL)
