"""The condition of a branch as the programmer wrote it, for messages.

Rules    Found from the text: what stands in the brackets after `if`, `while` and `switch`, between the semicolons of
         `for`, after the body of `do`, before `?`, `&&` and `||`.
Cost     Of an `if`, the text up to the end of its condition: a long ladder is not read again at each of its branches.
Limits   None where the brackets do not match, where a macro hides the keyword, and for `for (x : range)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.facts.model import BranchFact
from analysis.ir.function import SourceBranchKind
from analysis.ir.source import Span
from analysis.rules.source_text import FunctionText, one_line
from analysis.syntax.lexing import COMMENT, HIDDEN

_OPENING: Final = b"([{"
_CLOSING: Final = b")]}"
_OPENS: Final = re.compile(rb"(?:\s|constexpr\b|" + COMMENT + rb")*\(", re.DOTALL)


def condition_text(source: FunctionText, branch: BranchFact) -> str | None:
    """The condition on one line, or None where it cannot be told from the text."""
    match branch.kind:
        case SourceBranchKind.CONDITIONAL | SourceBranchKind.SHORT_CIRCUIT:
            text = source.bytes(Span(branch.extent.start, branch.keyword.start))
        case SourceBranchKind.CALL:
            text = source.bytes(branch.extent)
        case SourceBranchKind.IF | SourceBranchKind.SWITCH:
            text = _bracketed(_after_keyword(source, branch))
        case SourceBranchKind.LOOP:
            text = _loop_condition(source.bytes(branch.keyword), _after_keyword(source, branch))
    if text is None:
        return None
    return one_line(_blanked_comments(text)) or None


def keyword_text(source: FunctionText, branch: BranchFact) -> str:
    """`if`, `for`, `?:`, `&&`: what people call the branch; its kind where a macro hides the keyword."""
    word = source.bytes(branch.keyword).decode("utf-8", "replace").strip()
    if word == "?":
        return "?:"
    return word if word in _KEYWORDS else branch.kind.value


_KEYWORDS: Final = frozenset({"if", "for", "while", "do", "switch", "&&", "||", "and", "or"})


def _after_keyword(source: FunctionText, branch: BranchFact) -> bytes:
    return source.bytes(Span(branch.keyword.end, max(branch.extent.end, branch.keyword.end)))


def _blanked_comments(text: bytes) -> bytes:
    """The text with comments as blanks, at equal length."""
    return HIDDEN.sub(lambda match: b" " * len(match[0]) if match[0][:1] == b"/" else match[0], text)


def _bracketed(text: bytes) -> bytes | None:
    opened = _OPENS.match(text)
    if opened is None:
        return None
    end = _closing_bracket(text, opened.end() - 1)
    return None if end is None else text[opened.end() : end]


def _loop_condition(keyword: bytes, after: bytes) -> bytes | None:
    if keyword == b"do":
        return _after_body(after)
    inside = _bracketed(after)
    if inside is None or keyword != b"for":
        return inside
    first = _semicolon(inside, 0)
    second = None if first is None else _semicolon(inside, first + 1)
    return None if first is None or second is None else inside[first + 1 : second]


def _after_body(text: bytes) -> bytes | None:
    """The condition of `do ... while (condition)`: the extent ends with it."""
    text = _blanked_comments(text)
    start = text.rfind(b"while")
    return None if start < 0 else _bracketed(text[start + len(b"while") :])


def _closing_bracket(text: bytes, opened: int) -> int | None:
    depth = 0
    for offset in _significant(text, opened):
        if text[offset] in _OPENING:
            depth += 1
        elif text[offset] in _CLOSING:
            depth -= 1
            if depth == 0:
                return offset
    return None


def _semicolon(text: bytes, start: int) -> int | None:
    depth = 0
    for offset in _significant(text, start):
        if text[offset] in _OPENING:
            depth += 1
        elif text[offset] in _CLOSING:
            depth -= 1
        elif depth == 0 and text[offset] == 0x3B:
            return offset
    return None


_SIGNIFICANT: Final = re.compile(HIDDEN.pattern + rb"|([(){}\[\];])", re.DOTALL)


def _significant(text: bytes, start: int) -> Iterator[int]:
    """Offsets of brackets and semicolons that are not inside strings."""
    return (match.start() for match in _SIGNIFICANT.finditer(text, start) if match[match.re.groups] is not None)
