"""A program counter per lane; the lowest is the warp's, and the lanes that match it run.

Code is laid out so that loops are contiguous and joins come after the sides they join (`layout.py`): lanes further
behind run first, so those ahead wait where paths meet.  Of min(SP:PC) the stack pointer is implicit: a real call runs
to its end for the lanes that call before anything else of the warp goes on.

Pure min(PC) starves a lane that holds a lock while others spin at a lower address.  When a warp has only polled for
`PATIENCE` turns, the path that has not run for longest gets as many turns of its own, and loses them when it meets
another path.  Where nothing polls this is pure min(PC).

Source    Collange, "Stack-less SIMT reconvergence at low cost", 2011; ageing is ours.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.layout import code_addresses
from sim.policies.paths import PATIENCE, PathPolicy, Slots
from sim.policies.protocol import EXIT, SegmentGraph

_LAST: Final = 1 << 40


@final
class MinPc(PathPolicy):
    name: ClassVar[str] = "min-pc"

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        super().__init__(rows, warp_size, graph)
        self._addresses = code_addresses(graph)
        self._favoured: LaneSets = np.zeros(rows, np.uint64)
        """The lanes of a path that has turns of its own."""
        self._until: NDArray[np.int64] = np.zeros(rows, np.int64)

    def _pick(self, rows: Rows, at: NDArray[np.int64], lanes: LaneSets) -> Slots:
        there = lanes != 0
        slot: Slots = np.where(there, self._addresses[at], _LAST).argmin(axis=0)
        if not self._ever_polls:
            return slot
        others = there.copy()
        others[slot, np.arange(len(rows))] = False
        due = np.flatnonzero((self._polls[rows] >= PATIENCE) & others.any(axis=0) & (self._favoured[rows] == 0))
        if due.size:
            since = np.where(others[:, due], self._since[:, rows[due]], _LAST)
            self._favoured[rows[due]] = lanes[since.argmin(axis=0), due]
            self._until[rows[due]] = self._turn[rows[due]] + PATIENCE
        favoured = self._favoured[rows]
        if favoured.any():
            mine = there & ((lanes & ~favoured) == 0)
            keeps = mine.any(axis=0) & (self._turn[rows] < self._until[rows])
            self._favoured[rows] = np.where(keeps, favoured, 0)
            slot = np.where(keeps, mine.argmax(axis=0), slot)
        return slot

    def follows(self, rows: Rows, target: int) -> bool:
        if target == EXIT or not self._several[rows].any():
            return target != EXIT
        if self._polling[target] or self._favoured[rows].any():
            return False
        others = np.where(self._others(rows), self._addresses[self._at.take(rows, axis=1)], _LAST)
        return bool((others > self._addresses[target]).all())
