"""In which order do the vertices of a row stand, so that few links cross?

Rules    Start with the order in which a depth-first walk from the first box meets them; then sweep down and up, each
         row sorted by the mean place of its neighbours in the row before; neighbours are exchanged where that saves
         crossings; the order with the fewest crossings counts.
Cost     Sweeps times O(segments log segments).
Source   Gansner, Koutsofios, North, Vo: A Technique for Drawing Directed Graphs (1993), section 3.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from typing import Final

from analysis.features.control_flow_graph.layout.ranks import Layers

_SWEEPS: Final = 10
_PATIENCE: Final = 4

Rows = list[list[int]]


def order_rows(layers: Layers) -> Rows:
    """The rows of `layers`, each in its order from left to right."""
    count = len(layers.rank)
    above: Rows = [[] for _ in range(count)]
    below: Rows = [[] for _ in range(count)]
    for upper, lower in layers.segments:
        below[upper].append(lower)
        above[lower].append(upper)
    rows = _as_met(layers, above, below)
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    idle = 0
    for sweep in range(_SWEEPS):
        if fewest == 0 or idle == _PATIENCE:
            break
        downwards = sweep % 2 == 0
        _sweep(rows, above if downwards else below, downwards=downwards)
        _exchange(rows, above, below)
        crossings = _crossings(rows, below)
        idle += 1
        if crossings < fewest:
            best, fewest, idle = [list(row) for row in rows], crossings, 0
    return best


def _as_met(layers: Layers, above: Rows, below: Rows) -> Rows:
    rows: Rows = [[] for _ in layers.rows]
    seen = [False] * len(layers.rank)
    for start in range(len(layers.rank)):
        pending = [start]
        while pending:
            vertex = pending.pop()
            if not seen[vertex]:
                seen[vertex] = True
                rows[layers.rank[vertex]].append(vertex)
                pending += reversed([*below[vertex], *above[vertex]])
    return rows


def _sweep(rows: Rows, neighbours: Rows, *, downwards: bool) -> None:
    place = _places(rows, len(neighbours))
    for row in rows if downwards else rows[::-1]:
        weight = {
            vertex: sum(place[other] for other in neighbours[vertex]) / len(neighbours[vertex])
            if neighbours[vertex]
            else place[vertex]
            for vertex in row
        }
        row.sort(key=weight.__getitem__)
        for index, vertex in enumerate(row):
            place[vertex] = index


def _exchange(rows: Rows, above: Rows, below: Rows) -> None:
    """Exchanges neighbours in a row once where fewer links cross then."""
    place = _places(rows, len(above))
    for row in rows:
        for index in range(len(row) - 1):
            left, right = row[index], row[index + 1]
            saved = sum(
                _between(place, side[left], side[right]) - _between(place, side[right], side[left])
                for side in (above, below)
            )
            if saved > 0:
                row[index], row[index + 1] = right, left
                place[left], place[right] = index + 1, index


def _between(place: Sequence[int], lefts: Sequence[int], rights: Sequence[int]) -> int:
    """How many links of two neighbours cross."""
    return sum(place[one] > place[other] for one in lefts for other in rights)


def _crossings(rows: Rows, below: Rows) -> int:
    place = _places(rows, len(below))
    total = 0
    for row in rows:
        ends: list[int] = []
        for vertex in row:
            targets = [place[other] for other in below[vertex]]
            total += sum(len(ends) - bisect_right(ends, target) for target in targets)
            for target in targets:
                insort(ends, target)
    return total


def _places(rows: Rows, count: int) -> list[int]:
    place = [0] * count
    for row in rows:
        for index, vertex in enumerate(row):
            place[vertex] = index
    return place
