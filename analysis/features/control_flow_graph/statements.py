"""Which statement does a piece of IR come from, as text?

Rules    A statement ends at `;`, at braces, at lines for the preprocessor, and at the parentheses of `if`, `for`,
         `while` and `switch`; each of the three parts in a `for` is one.  Braces of initialisers do not count.  What
         stands in comments and strings is not looked at.
         An operand of `?:`, `&&` or `||` that is a branch of its own ends at its operator.
Cost     One walk over the function's text; a question is two binary searches.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, final

from analysis.ir.function import SourceBranch, SourceBranchKind
from analysis.ir.source import Span
from analysis.syntax.lexing import HIDDEN, without_comments

_SIGNIFICANT: Final = re.compile(rb"[(){};]")
_HEAD: Final = re.compile(rb"\b(?:if(?:\s+constexpr)?|for|while|switch)\s*$")
_BLOCK_BEFORE: Final = re.compile(rb"(?:[){};:]|\b(?:else|do|try|const|noexcept|mutable))\s*$")
_LEADING: Final = re.compile(r"^(?:(?:else|do)\b|case\b[^:?]*:(?!:)|default\s*:(?!:))\s*")
_LEAD: Final = re.compile(rb"(?:[\s{};]|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
"""What stands before a statement: a comment behind the one before it is not where it starts."""
_BLANKS: Final = re.compile(r"\s+")
_LOOK_BACK: Final = 40
_DIRECTIVE: Final = re.compile(rb"^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*$", re.MULTILINE)


@final
class Statements:
    """The statements of one function's text."""

    def __init__(self, text: bytes, branches: Iterable[SourceBranch]) -> None:
        self._text = text
        blanked = HIDDEN.sub(_blanks, text)
        directives = list(_DIRECTIVE.finditer(blanked))
        around = (place for directive in directives for place in directive.span())
        self._breaks = sorted({0, *_breaks(_DIRECTIVE.sub(_blanks, blanked)), *around, len(text)})
        self._body = blanked.find(b"{")
        self._pieces = list(_pieces(blanked, branches))

    def around(self, span: Span) -> Span | None:
        """The statement, or the operand, that contains a span of this text; None if there is no text."""
        if span.end <= self._body:  # a parameter is no statement
            return None
        breaks = self._breaks
        first = max(bisect_right(breaks, span.start) - 1, 0)
        last = min(bisect_left(breaks, span.end), len(breaks) - 1)
        start, end = breaks[first], breaks[last]
        for piece in self._pieces:
            if piece.start <= span.start and span.end <= piece.end:
                start, end = max(start, piece.start), min(end, piece.end)
        led = _LEAD.match(self._text, start, end)
        start = start if led is None else led.end()
        return Span(start, end) if start < end else None

    def text(self, span: Span) -> str:
        """The statement at a span on one line, without comments and what only leads to it (`else`, `case 1:`)."""
        source = without_comments(self._text[span.start : span.end]).decode("utf-8", "replace")
        flat = _BLANKS.sub(" ", source).strip(" ;{}")
        while (led := _LEADING.sub("", flat)) != flat:
            flat = led
        return flat


def _blanks(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


def _breaks(text: bytes) -> Iterator[int]:
    """Where statements start and end."""
    heads: list[bool] = []  # for each open parenthesis: does it belong to `if`, `for`, ...
    for match in _SIGNIFICANT.finditer(text):
        offset = match.start()
        before = text[max(offset - _LOOK_BACK, 0) : offset]
        match match[0]:
            case b"(":
                heads.append(_HEAD.search(before) is not None)
                if heads[-1]:
                    yield offset + 1
            case b")":
                if heads and heads.pop():
                    yield offset
                    yield offset + 1
            case b";":
                if not heads or heads[-1]:
                    yield offset + 1
            case b"{":
                if _BLOCK_BEFORE.search(before):
                    yield offset + 1
            case _:
                if not heads:
                    yield offset
                    yield offset + 1


def _pieces(blanked: bytes, branches: Iterable[SourceBranch]) -> Iterator[Span]:
    """The operands of the operators that are branches, the outer ones first."""
    operators = [
        branch
        for branch in branches
        if branch.kind in (SourceBranchKind.CONDITIONAL, SourceBranchKind.SHORT_CIRCUIT)
        and branch.extent.start < branch.keyword.start < branch.keyword.end < branch.extent.end
    ]
    for branch in sorted(operators, key=lambda branch: branch.extent.start - branch.extent.end):
        yield Span(branch.extent.start, branch.keyword.start)
        end = branch.extent.end
        if branch.kind is SourceBranchKind.CONDITIONAL:
            colon = _colon(blanked, branch.keyword.end, end)
            yield Span(branch.keyword.end, colon)
            yield Span(min(colon + 1, end), end)
        else:
            yield Span(branch.keyword.end, end)


def _colon(text: bytes, start: int, end: int) -> int:
    """The `:` that belongs to the `?` before `start`; `end` if there is none."""
    depth = 0
    for match in re.compile(rb"::|[()\[\]{}?:]").finditer(text, start, end):
        token = match[0]
        if token in (b"(", b"[", b"{", b"?"):
            depth += 1
        elif token == b":" and depth == 0:
            return match.start()
        elif token != b"::":
            depth -= 1
    return end
