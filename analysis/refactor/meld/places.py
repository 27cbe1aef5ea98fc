"""Where a node of the syntax tree stands in the file, what stands there and between two of them, and what it costs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, final

from analysis.ir.source import Span
from analysis.refactor.meld.knowledge import Price
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.trivia import comments_of, lines_of
from analysis.syntax.source_map import SourceMap
from analysis.syntax.tree import Node


class UnreadableError(Exception):
    """An arm that cannot be taken apart: why, and where."""

    def __init__(self, obstacle: Obstacle, place: Span, message: str) -> None:
        super().__init__(message)
        self.obstacle = obstacle
        self.place = place
        self.message = message


@final
class SourceText:
    """The text of a passage, piece by piece; `indent` is that of the statement that is being read.

    The lines of a statement after the first are kept relative to it.  `length`: of the text with macros expanded.
    """

    def __init__(self, text: bytes, length: int, source_map: SourceMap) -> None:
        self.text = text
        self.indent = ""
        self._length = length
        self._source_map = source_map
        self._places: dict[tuple[int, int], tuple[Span, bool]] = {}

    def slice(self, start: int, end: int) -> str:
        text = self.text[start:end].decode("utf-8", "replace")
        return text.replace(f"\n{self.indent}", "\n") if self.indent and "\n" in text else text

    def indent_at(self, start: int) -> str:
        line = self.text.rfind(b"\n", 0, start) + 1
        before = self.text[line:start]
        return before[: len(before) - len(before.lstrip(b" \t"))].decode("utf-8", "replace")

    def span(self, node: Node) -> Span:
        """The text of the node, with the whole use of each macro that it contains a part of."""
        return self._place(node)[0]

    def is_spelled(self, node: Node) -> bool:
        """Whether a range of the file stands for this node and for nothing else."""
        return self._place(node)[1]

    def spelled(self, node: Node) -> Span:
        span, is_spelled = self._place(node)
        if not is_spelled:
            raise UnreadableError(Obstacle.MACRO, span, "an arm begins or ends inside the use of a macro")
        return span

    def _place(self, node: Node) -> tuple[Span, bool]:
        whole = node.start, node.end
        known = self._places.get(whole)
        if known is None:
            known = self._places[whole] = _place_in(self._source_map, self._length, *whole)
        return known

    def check_text(self, span: Span) -> None:
        found = _DIRECTIVE.search(self.text, span.start, span.end)
        if found:
            place = Span(found.start(), found.end())
            raise UnreadableError(Obstacle.MACRO, place, "an arm contains a preprocessor directive")

    def comments(self, start: int, end: int, *, is_first: bool) -> tuple[str, tuple[str, ...]]:
        """The comment beside the statement before, and the lines of comments and pragmas after it."""
        gap = self.slice(start, end)
        line, newline, rest = gap.partition("\n")
        beside = "" if is_first or not newline else line.strip(" \t\r;")
        lines = lines_of(gap if is_first or not newline else f"\n{rest}")
        if beside and not beside.startswith("/"):
            beside = ""
        while is_first and lines[:1] == [""]:
            lines.pop(0)
        return beside, tuple(lines)

    def opened(self, start: int, end: int, above: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The comment behind an opening brace, which says what the arm is, and the others."""
        line, newline, _ = self.slice(start, end).partition("\n")
        opening = comments_of(line) if newline else []
        if len(opening) == 1 and above[:1] == tuple(opening):
            return opening[0], above[1:]
        return "", above

    def between(self, before: Node, after: Node) -> list[str]:
        return comments_of(self.slice(self.span(before).end, self.span(after).start))


def _place_in(source_map: SourceMap, length: int, start: int, end: int) -> tuple[Span, bool]:
    """Where a range of the expanded text stands in the file, with whole macros, and if that stands for nothing else."""
    span = source_map.span(start, end)
    if not source_map.starts:
        return span, True
    first, last = span.start, span.end
    segments = range(max(bisect_right(source_map.starts, start) - 1, 0), bisect_left(source_map.starts, end))
    for segment in segments:
        if source_map.origin_ends[segment] >= 0:
            first = min(first, source_map.origin_starts[segment])
            last = max(last, source_map.origin_ends[segment])
    left = source_map.span(start - 1, start) if start > 0 else Span(0, 0)
    right = source_map.span(end, end + 1) if end < length else Span(last, last)
    return Span(first, last, span.frame), left.end <= first and right.start >= last


def within(prices: Sequence[Price], span: Span) -> list[Price]:
    """Those of the range; `prices` are sorted by where they start."""
    if len(prices) <= _FEW:
        return [price for price in prices if price.start >= span.start and price.end <= span.end]
    first = bisect_left(prices, span.start, key=_start)
    last = bisect_left(prices, span.end, lo=first, key=_start)
    return [price for price in prices[first:last] if price.end <= span.end]


def _start(price: Price) -> int:
    return price.start


_FEW: Final = 32
"""Of so many prices each is looked at; in longer lists the range is searched."""
_DIRECTIVE: Final = re.compile(rb"^[ \t]*#[ \t]*(?!pragma\b)\w*", re.MULTILINE)
