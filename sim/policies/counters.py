"""Activity counters: per lane, in how many levels from now it runs again.

On structured code a column of the mask stack is ones and then zeros, so its height says everything.  A lane runs while
its counter is 0.

    divergent branch     lanes that were idle count one level more; of the others, all but one path go to 1
    path arrives         its lanes go to 1, those of the next path of the level from 1 to 0 ("else")
    last path arrives    every idle lane counts one level less ("endif")

A counter knows levels, not paths: idle lanes of one level that resume at one place run as one.  Unstructured code may
so reconverge earlier than on the stack, never later.  Where a lane resumes is kept per lane; real machines find that
place in the instructions (if, else, endif, while).  Like the mask stack, it opens no level when the current one already
ends at the same join, and cannot switch.

Source    Keryell and Paris, "Activity counter: new optimization for the dynamic scheduling of SIMD control flow",
          ICPP 1993.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import Lanes, LaneSets, Rows, lane_sets, lanes_of
from sim.policies.protocol import EXIT, NOTHING, SegmentGraph, Split
from sim.policies.splits import doubled, taken_ways, ways_per_row

GONE: Final = 1 << 14
"""The counter of lanes that left or never were; far above any number of levels."""
WAITING: Final = -2
"""Where a lane resumes that waits."""
_LAST: Final = 1 << 30
_FIRST_DEPTH: Final = 8


@final
class Counters:
    name: ClassVar[str] = "counters"
    can_switch: ClassVar[bool] = False
    uses_convergence: ClassVar[bool] = False

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        self._reconvergence = graph.reconvergence
        self._width = warp_size
        self.segment: NDArray[np.int64] = np.full(rows, NOTHING, np.int64)
        self.active: LaneSets = np.zeros(rows, np.uint64)
        self.counters: NDArray[np.int16] = np.full((rows, warp_size), GONE, np.int16)
        """(rows, lanes)"""
        self._resumes: NDArray[np.int32] = np.full((rows, warp_size), NOTHING, np.int32)
        """Where idle lanes go on; that of running lanes is `segment`."""
        self._level: NDArray[np.intp] = np.zeros(rows, np.intp)
        self._joins: NDArray[np.int64] = np.full((_FIRST_DEPTH, rows), EXIT, np.int64)
        """(levels, rows): where each level ends; level 0 is the function."""

    def start(self, rows: Rows, lanes: LaneSets, entry: int) -> None:
        self.segment[rows] = np.where(lanes != 0, entry, NOTHING)
        self.active[rows] = lanes
        self.counters[rows] = np.where(lanes_of(lanes, self._width), 0, GONE)
        self._level[rows] = 0
        self._joins[0, rows] = EXIT

    def follows(self, rows: Rows, target: int) -> bool:
        return target != EXIT and not bool((self._joins[self._level[rows], rows] == target).any())

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        ways = taken_ways(split)
        if len(ways) == 1 and ways[0][0] != EXIT:
            target, lanes = ways[0]
            self.segment[rows] = target
            arrived = self._joins[self._level[rows], rows] == target
            if arrived.any():
                self._go(rows[arrived], [(target, lanes[arrived])])
            return
        self._open_level(rows[ways_per_row(ways, len(rows)) > 1], self._reconvergence[segment])
        self._go(rows, ways)

    def block(self, rows: Rows) -> None:
        running = self.counters[rows] == 0
        self._resumes[rows] = np.where(running, WAITING, self._resumes[rows])
        self.active[rows] = 0
        self.segment[rows] = NOTHING

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        ready = lanes_of(lanes, self._width)
        self._resumes[rows] = np.where(ready, target, self._resumes[rows])
        # Rows that run something else have the lanes further down: they stay idle and go on at the target in time.
        idle = (self.active[rows] == 0) & (lanes != 0)
        rows, ready = rows[idle], ready[idle]
        counters = self.counters[rows]
        top = counters == 0
        # Those of the top that still wait step back, as if a branch had sent them to where they wait.
        some = (top & ready).any(axis=1)
        counters[top & ~ready & some[:, None]] = 1
        self.counters[rows] = counters
        going = rows[some]
        self._go(going, [(target, lane_sets((top & ready)[some]))])

    def make_way(self, rows: Rows, *, at_joins: bool) -> bool:
        rows = rows[(self.active[rows] == 0) & (at_joins | (self._joins[self._level[rows], rows] == EXIT))]
        counters, resumes = self.counters[rows], self._resumes[rows]
        join = self._joins[self._level[rows], rows][:, None]
        found = ((counters == 1) & (resumes >= 0) & (resumes != join)).any(axis=1)
        rows, counters = rows[found], counters[found]
        counters[(counters == 0) & (resumes[found] == WAITING)] = 1
        self.counters[rows] = counters
        self._settle(rows)
        return bool(rows.size)

    def _open_level(self, rows: Rows, join: int) -> None:
        rows = rows[self._joins[self._level[rows], rows] != join]
        if not rows.size:
            return
        counters = self.counters[rows]
        self.counters[rows] = counters + (counters > 0)
        level = self._level[rows] + 1
        if int(level.max()) == len(self._joins):
            self._joins = doubled(self._joins)
        self._level[rows] = level
        self._joins[level, rows] = join

    def _go(self, rows: Rows, ways: Split) -> None:
        """The first path that does not stand at the join runs, the others go idle."""
        joins = self._joins[self._level[rows], rows]
        counters, resumes = self.counters[rows], self._resumes[rows]
        segment, active = np.full(len(rows), NOTHING, np.int64), np.zeros(len(rows), np.uint64)
        for target, sets in ways:
            lanes = lanes_of(sets, self._width)
            if target == EXIT:
                np.copyto(counters, GONE, where=lanes)
                continue
            np.copyto(resumes, target, where=lanes)
            runs = (sets != 0) & (active == 0) & (joins != target)
            segment[runs], active[runs] = target, sets[runs]
            np.copyto(counters, 1, where=lanes & ~runs[:, None])
        self.segment[rows], self.active[rows] = segment, active
        self.counters[rows], self._resumes[rows] = counters, resumes
        self._settle(rows[active == 0])

    def _settle(self, rows: Rows) -> None:
        """Rows without a running lane go on with the next path of the level, or end the level."""
        while rows.size:
            counters, resumes = self.counters[rows], self._resumes[rows]
            join = self._joins[self._level[rows], rows]
            pending = (counters == 1) & (resumes != join[:, None])
            following = np.where(pending, np.where(resumes == WAITING, _LAST, resumes), _LAST + 1).min(axis=1)
            following[following == _LAST] = WAITING
            found = following <= _LAST
            chosen = pending & (resumes == following[:, None])
            ends = ~found & (self._level[rows] > 0)
            counters = np.where(chosen, 0, counters - ((counters > 0) & ends[:, None]))
            self.counters[rows] = counters
            self._level[rows] -= ends
            self._show(rows, np.where(found, following, join), counters == 0)
            rows = rows[ends & ~(counters == 0).any(axis=1)]

    def _show(self, rows: Rows, segment: NDArray[np.int64], running: Lanes) -> None:
        runs = running.any(axis=1) & (segment != WAITING)
        self.segment[rows] = np.where(runs, segment, NOTHING)
        self.active[rows] = np.where(runs, lane_sets(running), 0)
