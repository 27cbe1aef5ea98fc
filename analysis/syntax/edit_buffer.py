"""Apply many edits to one text without copying it, or its line table, for each.

Rules    The line table is split at one line, the gap: starts before the gap are exact, starts after it lag by `_lag`
         bytes.  An edit moves the gap to its place, so a run of edits that goes up or down the file touches each line
         once; edits at random places cost the distance between them.
         An edit re-splits its own lines and one neighbour on each side, because it can join or part a `\\r\\n`.
"""

from bisect import bisect_right
from typing import Final, final

from analysis.ir.record import record
from analysis.syntax.line_index import LineIndex, PositionEncoding, bytes_before, line_starts, without_line_end

Point = tuple[int, int]


@final
@record
class Replacement:
    """What one edit replaced, as tree-sitter wants to hear it: byte offsets, and (row, byte column) points."""

    start: int
    old_end: int
    new_end: int
    start_point: Point
    old_end_point: Point
    new_end_point: Point


_LONGEST_CHARACTER: Final = 4
"""Bytes of one character."""


@final
class EditBuffer:
    """A text under edit."""

    def __init__(self, text: bytes, lines: LineIndex | None = None) -> None:
        self._bytes = bytearray(text)
        index = LineIndex(text) if lines is None else lines
        self._starts = list(index.starts)
        self._gap = len(self._starts)
        self._lag = 0

    def text(self) -> bytes:
        return bytes(self._bytes)

    def replace(self, start: Point, end: Point, encoding: PositionEncoding, text: bytes) -> Replacement:
        """Replace the bytes between two positions; positions clamp, and a reversed range counts as sorted."""
        first, last = sorted((self._offset(start, encoding), self._offset(end, encoding)))
        start_point = self._point(first)
        old_end_point = self._point(last)
        self._splice(start_point[0], old_end_point[0], first, last, text)
        new_end = first + len(text)
        return Replacement(first, last, new_end, start_point, old_end_point, self._point(new_end))

    def _splice(self, first_line: int, last_line: int, start: int, end: int, text: bytes) -> None:
        first_line = max(first_line - 1, 0)
        after = min(last_line + 2, len(self._starts))
        window_start = self._start(first_line)
        window_end = self._start(after) if after < len(self._starts) else len(self._bytes)
        self._move_gap(after)
        self._bytes[start:end] = text
        grown = len(text) - (end - start)
        window = bytes(self._bytes[window_start : window_end + grown])
        fresh = [window_start + offset for offset in line_starts(window)]
        if after < len(self._starts) and len(fresh) > 1:
            fresh.pop()  # the start after the window's last line end: the table has it already
        self._starts[first_line:after] = fresh
        self._gap = first_line + len(fresh)
        self._lag += grown

    def _move_gap(self, line: int) -> None:
        if self._lag:
            low, high, change = (self._gap, line, self._lag) if line > self._gap else (line, self._gap, -self._lag)
            self._starts[low:high] = [start + change for start in self._starts[low:high]]
        self._gap = line

    def _start(self, line: int) -> int:
        return self._starts[line] + (self._lag if line >= self._gap else 0)

    def _line_of(self, offset: int) -> int:
        if self._gap < len(self._starts) and offset >= self._start(self._gap):
            return bisect_right(self._starts, offset - self._lag, lo=self._gap) - 1
        return bisect_right(self._starts, offset, hi=self._gap) - 1

    def _point(self, offset: int) -> Point:
        line = self._line_of(offset)
        return line, offset - self._start(line)

    def _offset(self, position: Point, encoding: PositionEncoding) -> int:
        line, character = position
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self._bytes)
        start = self._start(line)
        end = self._start(line + 1) if line + 1 < len(self._starts) else len(self._bytes)
        end = min(end, start + _LONGEST_CHARACTER * max(character, 0) + _LONGEST_CHARACTER)  # a line may be very long
        return start + bytes_before(without_line_end(bytes(self._bytes[start:end])), character, encoding)
