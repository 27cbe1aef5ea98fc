"""Path lists: a warp is a list of paths, each a segment and the lanes that stand there.

    lanes 0..7 at 12 17 4 17 17 17 4 17      is the list      4: {2, 6}   12: {0}   17: {1, 3, 4, 5, 7}

A vector of program counters and a list of paths say the same.  A branch that diverges inserts paths, two paths at one
segment are fused, and a policy is a choice of the path that runs next.  Lanes that wait are on no path until they are
released, so the other paths of the warp go on.

Source    Collange, "Stack-less SIMT reconvergence at low cost", 2011; "Simty: generalized SIMT execution on RISC-V",
          2017.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.post_dominance import PostDominance
from sim.policies.protocol import EXIT, NOTHING, SegmentGraph, Split
from sim.policies.splits import doubled, taken_ways

Slots = NDArray[np.intp]
"""(rows,): one path of each row."""
Turns = NDArray[np.int64]

PATIENCE: Final = 16
"""For how many turns in a row, in policies that promise progress, a warp may only poll before its other paths go on.
Short, for each of 32 lanes may hold a lock in turn; a lane that stops polling starts the count anew."""

_FIRST_SLOTS: Final = 4
_LAST: Final = 1 << 40


class PathPolicy(ABC):
    """Paths lie in slots, in any order; `_since` is the turn of its row in which a path came to where it stands."""

    name: ClassVar[str]
    can_switch: ClassVar[bool] = True
    uses_convergence: ClassVar[bool] = False

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        self.segment: NDArray[np.int64] = np.full(rows, NOTHING, np.int64)
        self.active: LaneSets = np.zeros(rows, np.uint64)
        self._at: NDArray[np.int64] = np.full((_FIRST_SLOTS, rows), NOTHING, np.int64)
        self._lanes: LaneSets = np.zeros((_FIRST_SLOTS, rows), np.uint64)
        self._since: Turns = np.zeros((_FIRST_SLOTS, rows), np.int64)
        self._turn: Turns = np.zeros(rows, np.int64)
        self._slot: Slots = np.zeros(rows, np.intp)
        """The path that runs."""
        self._several: NDArray[np.bool_] = np.zeros(rows, np.bool_)
        """Whether the row has more than one path."""
        self._polling: NDArray[np.bool_] = np.isin(np.arange(len(graph.successors)), list(graph.polling))
        self._ever_polls = bool(graph.polling)
        self._polls: Turns = np.zeros(rows, np.int64)
        """For how many turns the row has done nothing but poll."""

    @abstractmethod
    def _pick(self, rows: Rows, at: NDArray[np.int64], lanes: LaneSets) -> Slots:
        """The paths that run next; `at` and `lanes` are (slots, len(rows)).  Rows without paths: any slot."""

    def paths(self, row: int) -> list[tuple[int, int]]:
        """(segment, lanes) of each path, the latest first."""
        slots = np.flatnonzero(self._lanes[:, row])
        latest = sorted(slots, key=lambda slot: -int(self._since[slot, row]))
        return [(int(self._at[slot, row]), int(self._lanes[slot, row])) for slot in latest]

    def start(self, rows: Rows, lanes: LaneSets, entry: int) -> None:
        self._lanes[:, rows] = 0
        self._insert(rows, lanes, entry)
        self._choose(rows)

    def follows(self, rows: Rows, target: int) -> bool:
        return target != EXIT and not bool(self._several[rows].any())

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        ways = taken_ways(split)
        if len(ways) == 1 and ways[0][0] != EXIT:
            target, lanes = ways[0]
            alone = ~self._several[rows]
            # A row with one path has nothing to choose.
            self._go_on(rows[alone], target)
            rows, lanes = rows[~alone], lanes[~alone]
            if not rows.size:
                return
            if self.follows(rows, target):
                self._go_on(rows, target)
                return
            ways = [(target, lanes)]
        self._lanes[self._slot[rows], rows] = 0
        if self._ever_polls:
            self._polls[rows] += 1
        for target, lanes in reversed(ways):
            if target != EXIT:
                self._insert(rows, lanes, target)
        self._choose(rows)

    def _go_on(self, rows: Rows, target: int) -> None:
        """The running path stays the running path."""
        self._at[self._slot[rows], rows] = target
        self.segment[rows] = target
        if self._ever_polls:
            self._polls[rows] = 0

    def block(self, rows: Rows) -> None:
        self._lanes[self._slot[rows], rows] = 0
        self._choose(rows)

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        self._insert(rows, lanes, target)
        self._choose(rows)

    def make_way(self, rows: Rows, *, at_joins: bool) -> bool:
        return False  # whoever can run has had a turn

    def _insert(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        """Adds a path where `lanes` has any, or fuses it with the path that stands there."""
        some = lanes != 0
        rows, lanes = rows[some], lanes[some]
        there = self._lanes.take(rows, axis=1) != 0
        same = there & (self._at.take(rows, axis=1) == target)
        usable = same | ~(there | same.any(axis=0))
        slot = usable.argmax(axis=0)
        full = ~usable.any(axis=0)
        if full.any():
            slot[full] = len(usable)
            self._grow()
        turn = self._turn[rows] + 1
        self._turn[rows] = turn
        self._lanes[slot, rows] |= lanes
        self._at[slot, rows] = target
        self._since[slot, rows] = turn
        if self._ever_polls and not self._polling[target]:
            self._polls[rows] = 0

    def _grow(self) -> None:
        self._at = doubled(self._at)
        self._lanes = doubled(self._lanes)
        self._since = doubled(self._since)

    def _choose(self, rows: Rows) -> None:
        at, lanes = self._at.take(rows, axis=1), self._lanes.take(rows, axis=1)
        slot = self._pick(rows, at, lanes)
        self._slot[rows] = slot
        each = np.arange(len(rows), dtype=np.intp)
        active = lanes[slot, each]
        self.active[rows] = active
        self.segment[rows] = np.where(active != 0, at[slot, each], NOTHING)
        self._several[rows] = (lanes != 0).sum(axis=0) > 1

    def _others(self, rows: Rows) -> NDArray[np.bool_]:
        """(slots, rows): the paths that do not run."""
        others = self._lanes.take(rows, axis=1) != 0
        others[self._slot[rows], np.arange(len(rows))] = False
        return others


def first_without_wait(
    key: NDArray[np.int64], at: NDArray[np.int64], lanes: LaneSets, awaited: NDArray[np.bool_], order: PostDominance
) -> Slots:
    """The path with the lowest key; but a path that stands at a join lets those go first that still come by there.

    All arrays are (slots, rows); paths that are not `awaited` nobody waits for.  There is always a path that need not
    wait, because the tree of post-dominators has no cycle.
    """
    key = np.where(lanes != 0, key, _LAST)
    slot = key.argmin(axis=0)
    each = np.arange(at.shape[1], dtype=np.intp)
    rows = np.flatnonzero(order.joins[at[slot, each]])
    while rows.size:
        chosen = slot[rows]
        join, others = at[chosen, rows], at[:, rows]
        on_the_way = (order.enter[join] < order.enter[others]) & (order.enter[others] < order.leave[join])
        waits = (on_the_way & awaited[:, rows]).any(axis=0)
        rows, chosen = rows[waits], chosen[waits]
        key[chosen, rows] = _LAST
        slot[rows] = key[:, rows].argmin(axis=0)
        rows = rows[order.joins[at[slot[rows], rows]]]
    return slot
