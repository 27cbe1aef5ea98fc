"""A program counter per lane; the lowest is the warp's, and the lanes that match it run.

Code is laid out so that loops are contiguous and joins come after the sides they join (`layout.py`): lanes further
behind run first, so those ahead wait where paths meet.  Of min(SP:PC) the stack pointer is implicit: a real call runs
to its end for the lanes that call before anything else of the warp goes on.

Pure min(PC) starves a lane that holds a lock while others spin at a lower address.  A path that has not run for
`PATIENCE` turns gets as many turns of its own, and loses them when it meets another path.

Source    Collange, "Stack-less SIMT reconvergence at low cost", 2011; ageing is ours.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.layout import code_addresses
from sim.policies.paths import PATIENCE, PathPolicy, Slots
from sim.policies.protocol import SegmentGraph

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
        age = np.where(there, self._age(rows), 0)
        due = np.flatnonzero((age.max(axis=0) >= PATIENCE) & (self._favoured[rows] == 0))
        if due.size:
            self._favoured[rows[due]] = lanes[age[:, due].argmax(axis=0), due]
            self._until[rows[due]] = self._turn[rows[due]] + PATIENCE
        favoured = self._favoured[rows]
        if favoured.any():
            mine = there & ((lanes & ~favoured) == 0)
            keeps = mine.any(axis=0) & (self._turn[rows] < self._until[rows])
            self._favoured[rows] = np.where(keeps, favoured, 0)
            slot = np.where(keeps, mine.argmax(axis=0), slot)
        return slot
