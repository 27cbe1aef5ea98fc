"""How far to the right does each vertex stand?

Rules    Long links run straight down: where they meet others, those bend.  Four extreme layouts are made (links
         aligned with upper or lower neighbours, packed to the left or to the right) and their middle is taken.
Cost     O(vertices + segments).
Source   Brandes, Koepf: Fast and Simple Horizontal Coordinate Assignment (2001); packing over a graph of blocks as in
         dagre, which keeps boxes of different widths apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import final

from analysis.features.control_flow_graph.layout.ranks import Layers


def horizontal_places(
    layers: Layers, rows: Sequence[Sequence[int]], widths: Sequence[float], gap: float
) -> list[float]:
    """The middle of each vertex; rows keep their order and `gap` between neighbours."""
    count = len(layers.rank)
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in layers.segments:
        below[upper].append(lower)
        above[lower].append(upper)
    conflicts = _conflicts(layers, rows, above)
    candidates: list[list[float]] = []
    for downwards in (True, False):
        for leftwards in (True, False):
            ordered = [list(row) if leftwards else list(row)[::-1] for row in (rows if downwards else rows[::-1])]
            pass_ = _Pass(ordered, above if downwards else below, conflicts, count)
            sign = 1 if leftwards else -1
            candidates.append([sign * x for x in pass_.packed(widths, gap)])
    return _middle(candidates, widths)


def _conflicts(layers: Layers, rows: Sequence[Sequence[int]], above: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Segments that cross one between two waypoints: they must give way."""
    place = {vertex: index for row in rows for index, vertex in enumerate(row)}
    found: set[tuple[int, int]] = set()
    for row in rows:
        segments = sorted((place[vertex], place[upper], upper, vertex) for vertex in row for upper in above[vertex])
        inner = [item for item in segments if item[2] >= layers.boxes and item[3] >= layers.boxes]
        for lower, upper, top, bottom in segments:
            if top >= layers.boxes and bottom >= layers.boxes:
                continue
            if any((lower - other[0]) * (upper - other[1]) < 0 for other in inner):
                found.add((top, bottom))
    return found


@final
class _Pass:
    """One of the four layouts: vertices aligned with neighbours in the row before, packed to the left."""

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        neighbours: Sequence[Sequence[int]],
        conflicts: set[tuple[int, int]],
        count: int,
    ) -> None:
        self._rows = rows
        self._root = list(range(count))
        self._align = list(range(count))
        place = {vertex: index for row in rows for index, vertex in enumerate(row)}
        for row in rows:
            reached = -1
            for vertex in row:
                near = sorted(neighbours[vertex], key=place.__getitem__)
                for other in near[(len(near) - 1) // 2 : len(near) // 2 + 1]:
                    crossing = (other, vertex) in conflicts or (vertex, other) in conflicts
                    if self._align[vertex] == vertex and reached < place[other] and not crossing:
                        self._align[other] = vertex
                        self._root[vertex] = self._root[other]
                        self._align[vertex] = self._root[vertex]
                        reached = place[other]

    def packed(self, widths: Sequence[float], gap: float) -> list[float]:
        root = self._root
        apart: dict[int, dict[int, float]] = {}
        for row in self._rows:
            for left, right in pairwise(row):
                distance = (widths[left] + widths[right]) / 2 + gap
                known = apart.setdefault(root[left], {})
                known[root[right]] = max(known.get(root[right], 0), distance)
        order = _topological({root[vertex] for row in self._rows for vertex in row}, apart)
        x = dict.fromkeys(order, 0.0)
        for block in order:
            for right, distance in apart.get(block, {}).items():
                x[right] = max(x[right], x[block] + distance)
        for block in reversed(order):  # what has room to its right moves towards its right neighbours
            room = min((x[right] - distance for right, distance in apart.get(block, {}).items()), default=x[block])
            x[block] = max(x[block], room)
        return [x.get(root[vertex], 0.0) for vertex in range(len(root))]


def _topological(blocks: set[int], right_of: dict[int, dict[int, float]]) -> list[int]:
    waiting = dict.fromkeys(blocks, 0)
    for rights in right_of.values():
        for block in rights:
            waiting[block] += 1
    ready = sorted(block for block, count in waiting.items() if count == 0)
    order: list[int] = []
    while ready:
        block = ready.pop()
        order.append(block)
        for right in right_of.get(block, {}):
            waiting[right] -= 1
            if waiting[right] == 0:
                ready.append(right)
    return order


def _middle(candidates: Sequence[Sequence[float]], widths: Sequence[float]) -> list[float]:
    """The mean of the two middle ones of four layouts, each moved to the edge that it was packed to."""

    def edges(xs: Sequence[float]) -> tuple[float, float]:
        halves = [width / 2 for width in widths]
        return (
            min(x - half for x, half in zip(xs, halves, strict=True)),
            max(x + half for x, half in zip(xs, halves, strict=True)),
        )

    bounds = [edges(xs) for xs in candidates]
    low, high = min(bounds, key=lambda bound: bound[1] - bound[0])
    moved: list[list[float]] = []
    for index, xs in enumerate(candidates):
        left, right = bounds[index]
        shift = low - left if index % 2 == 0 else high - right
        moved.append([x + shift for x in xs])
    return [sum(sorted(column)[1:3]) / 2 for column in zip(*moved, strict=True)]
