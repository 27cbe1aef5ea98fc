"""Which texts stand around a place?

Rules    Texts may nest, overlap and be equal; answers come in the order in which the texts were given.
Cost     O(n log n) to make; O(log n) for each text that is found.
How      The texts are sorted by where they start.  Above their ends stands a tree of the largest end of two, of four,
         and so on: what starts in time and ends too early is passed over in whole branches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Generic, TypeVar, final

from analysis.ir.pace import paced

Item = TypeVar("Item")


@final
class SpanIndex(Generic[Item]):
    """Made once from (start, end, item)."""

    def __init__(self, spans: Iterable[tuple[int, int, Item]]) -> None:
        given = [(start, number, end, item) for number, (start, end, item) in enumerate(paced(spans))]
        given.sort(key=lambda one: one[0])
        self._starts = [start for start, _, _, _ in paced(given)]
        self._items = [(number, start, end, item) for start, number, end, item in paced(given)]
        self._largest: list[list[int]] = [[end for _, _, end, _ in paced(given)]]
        while len(self._largest[-1]) > 1:
            below = self._largest[-1]
            self._largest.append([max(below[index : index + 2]) for index in paced(range(0, len(below), 2))])

    def around(self, start: int, end: int) -> list[tuple[int, int, Item]]:
        """All that begin at or before `start` and end at or behind `end`."""
        last = bisect_right(self._starts, start)
        found: list[tuple[int, int, int, Item]] = []
        branches = [(len(self._largest) - 1, 0)] if last else []
        while branches:
            level, index = branches.pop()
            if self._largest[level][index] < end:
                continue
            if not level:
                found.append(self._items[index])
                continue
            below, first = level - 1, 2 * index
            children = range(first, min(first + 2, len(self._largest[below])))
            branches.extend((below, child) for child in children if child << below < last)
        found.sort(key=lambda one: one[0])
        return [(start, end, item) for _, start, end, item in found]
