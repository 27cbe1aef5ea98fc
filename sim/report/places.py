"""From the engine's spans, relative to a declaration, to lines and columns of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from analysis.ir.function import Function
from analysis.ir.ids import FunctionId
from analysis.ir.record import record
from analysis.ir.source import NO_SPAN, Span
from analysis.lower.program import Program
from analysis.syntax.items import Item
from analysis.syntax.line_index import LineIndex, PositionEncoding
from sim.kernel import Kernel
from sim.observers.places import FunctionSpan
from sim.report.model import SourcePlace


@final
@record
class Spot:
    """A line, and the first and the last line of the function around it."""

    path: str
    line: int
    first_line: int
    last_line: int


@final
class SourcePlaces:
    """Of one kernel and everything that it calls."""

    def __init__(self, program: Program, kernel: Kernel) -> None:
        self._program = program
        functions = (kernel.function, *kernel.callees.values())
        self._functions = {str(function.id): function for function in functions}
        self._lines: dict[str, LineIndex] = {}
        self._places: dict[tuple[str, int], SourcePlace] = {}
        self._known: dict[tuple[str, Span], tuple[Item, int, int] | None] = {}

    def place(self, function: str, span: Span) -> SourcePlace | None:
        """Where the span begins; None for what stands nowhere in the source."""
        found = self._found(function, span)
        if found is None:
            return None
        item, start, _ = found
        return self.at(item.path, start)

    def stretch(self, function: str, span: Span) -> tuple[str, int, int] | None:
        """The file and the bytes of it that the span covers."""
        found = self._found(function, span)
        return None if found is None else (found[0].path, found[1], found[2])

    def at(self, path: str, offset: int) -> SourcePlace:
        known = self._places.get((path, offset))
        if known is None:
            line, column = self._index(path).position(offset, PositionEncoding.UTF32)
            known = self._places[path, offset] = SourcePlace(path, line + 1, column + 1)
        return known

    def lines_of(self, item: Item) -> tuple[int, int]:
        """The first and the last line of a declaration."""
        lines = self._index(item.path)
        return lines.line_of(item.span.start) + 1, lines.line_of(max(item.span.start, item.span.end - 1)) + 1

    def of(self, place: FunctionSpan) -> SourcePlace | None:
        return self.place(place.function, place.span)

    def spots(self, place: FunctionSpan) -> Iterator[Spot]:
        """Where it stands, then where that is called, and so on up to the kernel."""
        function, span = self._functions.get(place.function), place.span
        while True:
            found = self._found(place.function, span)
            if function is None or found is None:
                return
            item, start, _ = found
            yield Spot(item.path, self.at(item.path, start).line, *self.lines_of(item))
            frame = function.frames[span.frame]
            if frame.call == span or frame.parent == span.frame:
                return
            span = frame.call

    def line_in(self, path: str, place: FunctionSpan) -> int | None:
        """The line, from 1, of a place in this file; None for one in another file."""
        found = self.of(place)
        return found.line if found is not None and found.path == path else None

    def text(self, function: str, span: Span) -> str:
        """What stands at the span, on one line."""
        found = self._found(function, span)
        if found is None:
            return ""
        item, start, end = found
        text = self._program.unit.text_of(item.path) or b""
        return " ".join(text[start:end].decode("utf-8", "replace").split())

    def _found(self, function: str, span: Span) -> tuple[Item, int, int] | None:
        key = (function, span)
        if key not in self._known:
            self._known[key] = self._find(self._functions.get(function), span)
        return self._known[key]

    def _find(self, function: Function | None, span: Span) -> tuple[Item, int, int] | None:
        if function is None or span == NO_SPAN or span.frame >= len(function.frames):
            return None
        try:
            item = self._program.item_of(FunctionId(function.frames[span.frame].function))
        except KeyError:
            return None
        return item, item.span.start + span.start, item.span.start + span.end

    def _index(self, path: str) -> LineIndex:
        if path not in self._lines:
            self._lines[path] = LineIndex(self._program.unit.text_of(path) or b"")
        return self._lines[path]
