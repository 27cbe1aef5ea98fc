"""Device-side malloc: a heap of bounded size, as on a GPU."""

from __future__ import annotations

from typing import Final, final

import numpy as np

from analysis.ir.types import MemorySpace
from sim.arrays import Lanes, Values
from sim.memory.arena import Arena
from sim.state.deadline import Deadline

HEAP_BYTES: Final = 64 << 20
"""What it has to give, red zones included; 8 MiB on a GPU unless the host asks for more."""


@final
class Heap:
    def __init__(self, arena: Arena, deadline: Deadline) -> None:
        self._arena = arena
        self._deadline = deadline
        self._taken = 0

    def allocate(self, sizes: Values, lanes: Lanes | None) -> Values:
        """One object for each of the `lanes` (None: all): addresses, shaped as `sizes`; null where the heap is full."""
        found = np.zeros(sizes.shape, np.int64)
        for row, lane in np.argwhere(np.ones(sizes.shape, np.bool_) if lanes is None else lanes):
            self._deadline.check()
            size = int(sizes[row, lane])
            taken = self._taken + self._arena.stride_of(size)
            if size >= 0 and taken <= HEAP_BYTES and self._arena.has_room(size):
                self._taken = taken
                found[row, lane] = self._arena.allocate("device heap", MemorySpace.GLOBAL, size).base
        return found
