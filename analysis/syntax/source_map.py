"""From the text of a snippet back to the text it came from.

Rules    A map is a list of segments in snippet order.  A *verbatim* segment is original text, byte for byte.  A
         *replaced* segment stands, as a whole, for one original range: the use of a macro.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from sys import maxsize
from typing import Final, NamedTuple, final

from analysis.ir.record import record
from analysis.ir.source import Span


class Segment(NamedTuple):
    """A range of the snippet: original text `distance` further on, or in place of one original range, `replaced`."""

    start: int
    end: int
    distance: int
    replaced: Span | None


NO_SEGMENT: Final = Segment(0, 0, 0, None)


@final
@record
class SourceMap:
    """Segments as parallel tuples; `origin_ends` is -1 for a verbatim segment. Without segments, the identity."""

    starts: tuple[int, ...] = ()
    origin_starts: tuple[int, ...] = ()
    origin_ends: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> Span:
        """The smallest original range that covers the snippet range `start:end`."""
        starts = self.starts
        if not starts:
            return Span(start, end)
        index = bisect_right(starts, start)
        if index and start < end and (index == len(starts) or end <= starts[index]):  # one segment, as nearly always
            origin, origin_end = self.origin_starts[index - 1], self.origin_ends[index - 1]
            distance = origin - starts[index - 1]
            return Span(start + distance, end + distance) if origin_end < 0 else Span(origin, origin_end)
        first_start, first_end = self._origin(start, max(index - 1, 0), True)
        if end <= start:
            return Span(first_start, first_start)
        last_start, last_end = self._origin(end - 1, max(bisect_right(starts, end - 1, index) - 1, 0), False)
        start = first_start if first_start < last_start else last_start
        return Span(start, first_end if first_end > last_end else last_end)

    def segment(self, offset: int) -> Segment:
        """The segment in which a place of the snippet lies."""
        starts = self.starts
        if not starts:
            return Segment(0, maxsize, 0, None)
        index = max(bisect_right(starts, offset) - 1, 0)
        last = starts[index + 1] if index + 1 < len(starts) else maxsize
        origin, origin_end = self.origin_starts[index], self.origin_ends[index]
        replaced = None if origin_end < 0 else Span(origin, origin_end)
        return Segment(starts[index], last, origin - starts[index], replaced)

    def part(self, start: int, end: int) -> SourceMap:
        """The map of the snippet range `start:end` alone, in which snippet places count from `start`."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = bisect_left(self.starts, end)
        starts, origin_starts = list[int](), list[int]()
        for index in range(first, last):
            begin = max(self.starts[index], start)
            is_verbatim = self.origin_ends[index] < 0
            starts.append(begin - start)
            origin_starts.append(self.origin_starts[index] + (begin - self.starts[index]) * is_verbatim)
        return SourceMap(tuple(starts), tuple(origin_starts), self.origin_ends[first:last])

    def counted_from(self, origin: int) -> SourceMap:
        """The map to places that count from `origin`; no use of a macro in it ends before that."""
        origin_ends = tuple(end if end < 0 else end - origin for end in self.origin_ends)
        return SourceMap(self.starts, tuple(start - origin for start in self.origin_starts), origin_ends)

    def _origin(self, offset: int, index: int, is_start: bool) -> tuple[int, int]:
        """What the byte at `offset`, in that segment, stands for."""
        origin_end = self.origin_ends[index]
        if origin_end >= 0:
            return self.origin_starts[index], origin_end
        distance = offset - self.starts[index]
        origin = self.origin_starts[index] + (distance if distance > 0 else 0)
        return origin, origin if is_start else origin + 1


IDENTITY = SourceMap()


@final
class MapBuilder:
    """Collects the pieces of a new text together with their origins."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0
        self._starts: list[int] = []
        self._origin_starts: list[int] = []
        self._origin_ends: list[int] = []

    def verbatim(self, text: bytes, origin: int) -> None:
        self._add(text, origin, -1)

    def replaced(self, text: bytes, origin: int, origin_end: int) -> None:
        last = len(self._starts) - 1
        if last >= 0 and self._origin_ends[last] == origin_end and self._origin_starts[last] == origin:
            self._parts.append(text)
            self._length += len(text)
        else:
            self._add(text, origin, origin_end)

    def build(self) -> tuple[bytes, SourceMap]:
        return b"".join(self._parts), SourceMap(
            tuple(self._starts), tuple(self._origin_starts), tuple(self._origin_ends)
        )

    def _add(self, text: bytes, origin: int, origin_end: int) -> None:
        if text:
            self._starts.append(self._length)
            self._origin_starts.append(origin)
            self._origin_ends.append(origin_end)
            self._parts.append(text)
            self._length += len(text)
