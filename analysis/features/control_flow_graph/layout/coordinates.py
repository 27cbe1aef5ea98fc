"""How far to the right does each vertex stand?

Rules    Every vertex wants to stand in the middle of its neighbours in the rows above and below, waypoints of one link
         most of all; a row keeps its order and its gaps.  Row by row the nearest such places (least squares) are
         taken, again and again.  At last long links are made straight where there is room.
Cost     Sweeps times O(vertices + segments).
Source   Least squares under an order: pool adjacent violators (Barlow et al., 1972).  Brandes and Koepf's faster method
         (2001) was tried: on kernels with many loops it drew three times as wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.features.control_flow_graph.layout.ranks import Layers

_LINK: Final = 1.0
_WAYPOINTS: Final = 6.0
_TURN: Final = 0.3
_EFFORT: Final = 60_000
"""Vertices times sweeps: small pictures get more sweeps."""
_SWEEPS: Final = (8, 40)

Neighbours = list[list[tuple[int, float]]]


def horizontal_places(
    layers: Layers, rows: Sequence[Sequence[int]], widths: Sequence[float], gaps: tuple[float, float]
) -> list[float]:
    """The middle of each vertex; `gaps` are those beside a box and between two waypoints."""
    return _Relaxation(layers, rows, widths, gaps).places()


@final
class _Relaxation:
    def __init__(
        self,
        layers: Layers,
        rows: Sequence[Sequence[int]],
        widths: Sequence[float],
        gaps: tuple[float, float],
    ) -> None:
        self._layers = layers
        self._rows = rows
        self._widths = widths
        self._gaps = gaps
        self._above, self._below = _neighbours(layers)
        self._offsets = [self._offsets_in(row) for row in rows]
        self._x = [0.0] * len(layers.rank)

    def places(self) -> list[float]:
        for row, offsets in zip(self._rows, self._offsets, strict=True):
            for vertex, offset in zip(row, offsets, strict=True):
                self._x[vertex] = offset - offsets[-1] / 2
        vertices = sum(map(len, self._rows))
        sweeps = min(max(_EFFORT // max(vertices, 1), _SWEEPS[0]), _SWEEPS[1])
        self._sweep(self._above, downwards=True)
        self._sweep(self._below, downwards=False)
        both = [one + other for one, other in zip(self._above, self._below, strict=True)]
        for sweep in range(sweeps):
            self._sweep(both, downwards=sweep % 2 == 0)
        self._straighten()
        return self._x

    def _apart(self, left: int, right: int) -> float:
        boxes = self._layers.boxes
        gap = self._gaps[1] if left >= boxes and right >= boxes else self._gaps[0]
        return (self._widths[left] + self._widths[right]) / 2 + gap

    def _offsets_in(self, row: Sequence[int]) -> list[float]:
        """The places in a row that is packed to the left."""
        offsets = [0.0]
        for index in range(1, len(row)):
            offsets.append(offsets[-1] + self._apart(row[index - 1], row[index]))
        return offsets

    def _sweep(self, neighbours: Neighbours, *, downwards: bool) -> None:
        x = self._x
        order = range(len(self._rows)) if downwards else range(len(self._rows) - 1, -1, -1)
        for index in order:
            row, offsets = self._rows[index], self._offsets[index]
            wanted: list[tuple[float, float]] = []
            for vertex, offset in zip(row, offsets, strict=True):
                total = sum(weight for _, weight in neighbours[vertex])
                pull = sum(weight * x[other] for other, weight in neighbours[vertex])
                wanted.append((pull / total - offset, total) if total else (x[vertex] - offset, 0.01))
            for vertex, offset, shift in zip(row, offsets, _nondecreasing(wanted), strict=True):
                x[vertex] = shift + offset

    def _straighten(self) -> None:
        """Runs of waypoints of one link get one place wherever their rows leave room for it."""
        position = {vertex: index for row in self._rows for index, vertex in enumerate(row)}
        for chain in self._layers.chains:
            run: list[int] = []
            low, high = float("-inf"), float("inf")
            for vertex in chain.waypoints:
                left, right = self._room(vertex, position[vertex])
                if max(low, left) > min(high, right):
                    self._align(run, low, high)
                    run, low, high = [], float("-inf"), float("inf")
                run.append(vertex)
                low, high = max(low, left), min(high, right)
            self._align(run, low, high)

    def _room(self, vertex: int, position: int) -> tuple[float, float]:
        row = self._rows[self._layers.rank[vertex]]
        low, high = float("-inf"), float("inf")
        if position > 0:
            low = self._x[row[position - 1]] + self._apart(row[position - 1], vertex)
        if position + 1 < len(row):
            high = self._x[row[position + 1]] - self._apart(vertex, row[position + 1])
        return low, max(low, high)

    def _align(self, run: Sequence[int], low: float, high: float) -> None:
        if run:
            mean = sum(self._x[vertex] for vertex in run) / len(run)
            for vertex in run:
                self._x[vertex] = min(max(mean, low), high)


def _neighbours(layers: Layers) -> tuple[Neighbours, Neighbours]:
    """Above and below each vertex, with how strongly they pull."""
    above: Neighbours = [[] for _ in layers.rank]
    below: Neighbours = [[] for _ in layers.rank]
    for upper, lower in layers.segments:
        weight = _WAYPOINTS if upper >= layers.boxes and lower >= layers.boxes else _LINK
        below[upper].append((lower, weight))
        above[lower].append((upper, weight))
    for chain, (source, target) in zip(layers.chains, layers.ends, strict=True):
        if chain.upwards:
            below[chain.waypoints[0]].append((source, _TURN))
            above[chain.waypoints[-1]].append((target, _TURN))
    return above, below


def _nondecreasing(wanted: Sequence[tuple[float, float]]) -> list[float]:
    """The nearest sequence that never falls, by weighted least squares."""
    pools: list[tuple[float, float, int]] = []  # (mean, weight, members)
    for value, weight in wanted:
        count = 1
        while pools and pools[-1][0] > value:
            mean, heavier, members = pools.pop()
            value = (mean * heavier + value * weight) / (heavier + weight)
            weight += heavier
            count += members
        pools.append((value, weight, count))
    return [mean for mean, _, members in pools for _ in range(members)]
