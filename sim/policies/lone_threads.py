"""Warps without a stack: together until threads part, then each thread alone, together again at a `syncwarp`.

A lane that comes alone to convergent code waits there for all lanes of the warp that have not left.  The compiler needs
a `syncwarp` only where a predecessor is divergent: elsewhere in convergent code the warp is together anyway, and waits
for nobody.  So do lanes that a barrier or an exchange releases while no other can run: they go on together.  In between
lanes take turns, each with its own program counter, and no two run as one even where they stand at the same segment.

Early exit     Where only some lanes return, those with work left are the warp (section 3.4): if lanes wait at different
               convergent segments, the first of them goes on as one and the rest wait for it.  Lanes that have nothing
               left to do but return do so when the rest of the warp waits for a barrier, which they would hold up.

Source    Lee et al., "Convergence and scalarization for data-parallel architectures", CGO 2013, sections 3.4, 4.1, 5.2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows, lane_sets, lanes_of
from sim.policies.protocol import EXIT, NOTHING, SegmentGraph, Split
from sim.policies.splits import taken_ways, ways_per_row
from sim.policies.turns import next_member

_ONE: Final = np.uint64(1)
_NOWHERE: Final = np.iinfo(np.int64).max


class LoneThreads(ABC):
    name: ClassVar[str]
    can_switch: ClassVar[bool] = True
    uses_convergence: ClassVar[bool] = True

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        self.segment: NDArray[np.int64] = np.full(rows, NOTHING, np.int64)
        self.active: LaneSets = np.zeros(rows, np.uint64)
        self._width = warp_size
        self._convergent = graph.convergent
        self._returning = np.array(sorted(graph.returning), np.int64)
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
        return target != EXIT and self._stays_together(target) and bool(self._whole(rows).all())

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        ways = taken_ways(split)
        if len(ways) == 1 and ways[0][0] != EXIT and self._stays_together(ways[0][0]):
            target, lanes = ways[0]
            whole = self._whole(rows)
            self.segment[rows[whole]] = target
            rows, lanes = rows[~whole], lanes[~whole]
            if not rows.size:
                return
            ways = [(target, lanes)]
        part = ways_per_row([way for way in ways if way[0] != EXIT], len(rows)) > 1
        self._together[rows[part]] = False
        for target, lanes in ways:
            if target == EXIT:
                self._ready[rows] &= ~lanes
            else:
                self._arrive(rows, lanes, target)
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
        self._meet(rows)
        self._choose(rows)

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        some = lanes != 0
        rows, lanes = rows[some], lanes[some]
        self._together[rows] = (self._ready[rows] == 0) & (self._blocked[rows] == lanes)
        self._blocked[rows] &= ~lanes
        self._ready[rows] |= lanes
        self._arrive(rows, lanes, target)
        self._meet(rows)
        self._choose(rows)

    def make_way(self, rows: Rows, *, at_joins: bool) -> bool:
        return False  # whoever can run has had a turn

    def _whole(self, rows: Rows) -> NDArray[np.bool_]:
        """The rows that are together, with nobody who waits."""
        return self._together[rows] & ((self._gathered[rows] | self._blocked[rows]) == 0)

    def _alive(self, rows: Rows) -> LaneSets:
        return self._ready[rows] | self._gathered[rows] | self._blocked[rows]

    def _arrive(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        """The lanes stand at `target`, and wait there if it is convergent and the warp is not all there."""
        going = lanes != 0
        rows, lanes = rows[going], lanes[going]
        self._counters[rows] = np.where(lanes_of(lanes, self._width), target, self._counters[rows])
        self._together[rows] &= self._stays_together(target)
        if target in self._convergent:
            waits = ~self._together[rows] | (self._gathered[rows] != 0)
            self._ready[rows[waits]] &= ~lanes[waits]
            self._gathered[rows[waits]] |= lanes[waits]

    def _meet(self, rows: Rows) -> None:
        """Where nothing else can run, the lanes that wait at the first convergent segment go on as one."""
        rows = rows[(self._ready[rows] == 0) & (self._gathered[rows] != 0)]
        if not rows.size:
            return
        gathered = lanes_of(self._gathered[rows], self._width)
        standing = np.where(gathered, self._counters[rows], _NOWHERE)
        held_up = (self._blocked[rows] != 0)[:, None]
        standing[held_up & ~np.isin(standing, self._returning)] = _NOWHERE
        first = standing.min(axis=1)
        here = gathered & (standing == first[:, None])
        go = first != _NOWHERE
        rows, lanes = rows[go], lane_sets(here[go])
        self._gathered[rows] &= ~lanes
        self._ready[rows] = lanes
        self._together[rows] = True

    def _choose(self, rows: Rows) -> None:
        ready = self._ready[rows]
        leader = next_member(ready, self._leader[rows])
        self._leader[rows] = leader
        active = np.where(self._together[rows] | (ready == 0), ready, _ONE << leader)
        self.active[rows] = active
        self.segment[rows] = np.where(active != 0, self._counters[rows, leader % self._width], NOTHING)
