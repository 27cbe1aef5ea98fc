"""Which row does each box stand in, and what does each link pass on its way?

Rules    The row is the length of the longest path from a box without predecessors, links that lead back not counted.
         A link over several rows gets a waypoint in each row between.  One that leads back leaves its box downwards
         and arrives from above like every other, so it gets waypoints in the rows of both ends as well, and while the
         order is sought one more at each turn, which keeps it close to its ends.
Cost     O(boxes + waypoints).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import final

from analysis.features.control_flow_graph.layout.model import Link
from analysis.ir.record import record


@final
@record
class Chain:
    """The waypoints of one link from its source to its target; `turns` are the two extra ones of a link upwards."""

    waypoints: tuple[int, ...]
    upwards: bool
    turns: tuple[int, int] | None


@final
@record
class Layers:
    """Vertices by row: the boxes keep their numbers, waypoints are numbered after them.

    `segments` connect vertices of neighbouring rows, the upper first; `ends` are source and target of each link.
    """

    rank: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    chains: tuple[Chain, ...]
    segments: tuple[tuple[int, int], ...]
    ends: tuple[tuple[int, int], ...]
    boxes: int


def make_layers(boxes: int, links: Sequence[Link]) -> Layers:
    ranks = _longest_paths(boxes, links)
    builder = _Builder(ranks)
    chains = tuple(builder.chain(link) for link in links)
    rows: list[list[int]] = [[] for _ in range(max(builder.rank, default=-1) + 1)]
    for vertex, rank in enumerate(builder.rank):
        rows[rank].append(vertex)
    ends = tuple((link.source, link.target) for link in links)
    return Layers(tuple(builder.rank), tuple(map(tuple, rows)), chains, tuple(builder.segments), ends, boxes)


def _longest_paths(boxes: int, links: Sequence[Link]) -> list[int]:
    rank = [0] * boxes
    for link in sorted(links, key=lambda link: link.source):
        if link.target > link.source:
            rank[link.target] = max(rank[link.target], rank[link.source] + 1)
    return rank


@final
class _Builder:
    def __init__(self, rank: list[int]) -> None:
        self.rank = rank
        self.segments: list[tuple[int, int]] = []

    def chain(self, link: Link) -> Chain:
        first, last = self.rank[link.source], self.rank[link.target]
        if last > first:
            waypoints = [self._vertex(row) for row in range(first + 1, last)]
            path = [link.source, *waypoints, link.target]
            self.segments += pairwise(path)
            return Chain(tuple(waypoints), False, None)
        waypoints = [self._vertex(row) for row in range(first, last - 1, -1)]
        below, above = self._vertex(first + 1), self._vertex(last - 1) if last else None
        self.segments += [(link.source, below), (waypoints[0], below)]
        self.segments += [(upper, lower) for lower, upper in pairwise(waypoints)]
        if above is not None:
            self.segments += [(above, waypoints[-1]), (above, link.target)]
        return Chain(tuple(waypoints), True, (below, below if above is None else above))

    def _vertex(self, rank: int) -> int:
        self.rank.append(rank)
        return len(self.rank) - 1
