"""Warps without a stack: together until threads part, then each thread alone, together again at a `syncwarp`.

A `syncwarp` stands at the start of convergent code with a divergent predecessor.  Lanes that arrive there wait for
all lanes of the warp that have not left.  So do lanes that a barrier or an exchange releases, all at once: they are
together.  In between lanes take turns, each with its own program counter, and no two run as one even where they stand
at the same segment.

Source    Lee et al., "Convergence and scalarization for data-parallel architectures", CGO 2013, sections 4.1 and 5.2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import Lanes, LaneSets, Rows, lanes_of
from sim.policies.protocol import EXIT, NOTHING, SegmentGraph, Split
from sim.policies.splits import taken_ways, ways_per_row
from sim.policies.turns import next_member

_ONE: Final = np.uint64(1)


@lru_cache(maxsize=16)
def syncwarps(graph: SegmentGraph) -> frozenset[int]:
    """The convergent segments that a divergent one leads to (section 5.2)."""
    return frozenset(
        target
        for segment, successors in enumerate(graph.successors)
        if segment not in graph.convergent
        for target in successors
        if target in graph.convergent
    )


class LoneThreads(ABC):
    name: ClassVar[str]
    can_switch: ClassVar[bool] = True

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        self.segment: NDArray[np.int64] = np.full(rows, NOTHING, np.int64)
        self.active: LaneSets = np.zeros(rows, np.uint64)
        self._width = warp_size
        self._syncwarps = syncwarps(graph)
        self._counters: NDArray[np.int64] = np.full((rows, warp_size), NOTHING, np.int64)
        """(rows, lanes): where each lane stands; out of date in rows that are together, and for lanes that left."""
        self._together: NDArray[np.bool_] = np.zeros(rows, np.bool_)
        self._ready: LaneSets = np.zeros(rows, np.uint64)
        self._gathered: LaneSets = np.zeros(rows, np.uint64)
        """Lanes that wait at a `syncwarp`."""
        self._blocked: LaneSets = np.zeros(rows, np.uint64)
        """Lanes that the engine told to wait."""
        self._leader: NDArray[np.uint64] = np.full(rows, warp_size - 1, np.uint64)

    @abstractmethod
    def _stays_together(self, target: int) -> bool:
        """Whether a warp whose lanes all go to `target` goes there as one."""

    def counters(self, row: int) -> list[int]:
        """The program counter of each lane; NOTHING for those that left."""
        here = lanes_of(self._alive(np.array([row])), self._width)[0]
        together, segment = bool(self._together[row]), int(self.segment[row])
        standing = [segment if together and segment != NOTHING else int(at) for at in self._counters[row]]
        return [at if alive else NOTHING for at, alive in zip(standing, here, strict=True)]

    def start(self, rows: Rows, lanes: LaneSets, entry: int) -> None:
        self._gathered[rows] = 0
        self._blocked[rows] = 0
        self._ready[rows] = lanes
        self._counters[rows] = entry
        self._together[rows] = self._stays_together(entry)
        self._choose(rows)

    def follows(self, rows: Rows, target: int) -> bool:
        return target != EXIT and self._stays_together(target) and bool(self._together[rows].all())

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        ways = taken_ways(split)
        if len(ways) == 1 and self.follows(rows, ways[0][0]):
            self.segment[rows] = ways[0][0]
            return
        taken = ways_per_row([way for way in ways if way[0] != EXIT], len(rows))
        alone = ~self._together[rows] | (taken > 1)
        for target, lanes in ways:
            going = lanes != 0
            if target == EXIT:
                self._ready[rows] &= ~lanes
                continue
            self._arrive(rows[going], lanes[going], target)
            self._together[rows[going]] &= self._stays_together(target)
            if target in self._syncwarps:
                self._gather(rows[going & alone], lanes[going & alone])
        self._together[rows[taken > 1]] = False
        self._meet(rows)
        self._choose(rows)

    def block(self, rows: Rows) -> None:
        # Of a row that is together only the common counter was kept.
        standing = np.where(self._together[rows], self.segment[rows], NOTHING)
        running = lanes_of(self.active[rows], self._width) & (standing != NOTHING)[:, None]
        self._counters[rows] = np.where(running, standing[:, None], self._counters[rows])
        self._blocked[rows] |= self.active[rows]
        self._ready[rows] &= ~self.active[rows]
        self._together[rows] = False
        self._choose(rows)

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        some = lanes != 0
        rows, lanes = rows[some], lanes[some]
        whole = lanes == self._alive(rows)
        self._blocked[rows] &= ~lanes
        self._ready[rows] |= lanes
        self._arrive(rows, lanes, target)
        self._together[rows[whole]] = self._stays_together(target)
        if target in self._syncwarps:
            self._gather(rows[~whole], lanes[~whole])
            self._meet(rows)
        self._choose(rows)

    def _alive(self, rows: Rows) -> LaneSets:
        return self._ready[rows] | self._gathered[rows] | self._blocked[rows]

    def _arrive(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        going: Lanes = lanes_of(lanes, self._width)
        self._counters[rows] = np.where(going, target, self._counters[rows])

    def _gather(self, rows: Rows, lanes: LaneSets) -> None:
        self._ready[rows] &= ~lanes
        self._gathered[rows] |= lanes

    def _meet(self, rows: Rows) -> None:
        """Rows whose lanes have all come to a `syncwarp` are together.

        If they came to different ones, which convergent code rules out for programs that meet legally at barriers, the
        lanes at the first go on: a wait of ours is never the reason that a warp stands still.
        """
        rows = rows[(self._ready[rows] == 0) & (self._blocked[rows] == 0) & (self._gathered[rows] != 0)]
        if not rows.size:
            return
        gathered = lanes_of(self._gathered[rows], self._width)
        first = np.where(gathered, self._counters[rows], np.iinfo(np.int64).max).min(axis=1)
        here = gathered & (self._counters[rows] == first[:, None])
        self._together[rows] = (here == gathered).all(axis=1)
        weights = _ONE << np.arange(self._width, dtype=np.uint64)
        lanes = np.where(here, weights, np.uint64(0)).sum(axis=1, dtype=np.uint64)
        self._gathered[rows] &= ~lanes
        self._ready[rows] = lanes

    def _choose(self, rows: Rows) -> None:
        ready = self._ready[rows]
        leader = next_member(ready, self._leader[rows])
        self._leader[rows] = leader
        active = np.where(self._together[rows] | (ready == 0), ready, _ONE << leader)
        self.active[rows] = active
        self.segment[rows] = np.where(active != 0, self._counters[rows, leader % self._width], NOTHING)
