"""What arrivals and waits at split barriers order: named ones, and those in memory.

Within a block   each thread that finds a phase complete is ordered after those who arrived in it (`thread_clocks.py`).
Across blocks    a barrier in global memory orders as a strong operation behind a fence does (`release_order.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

import numpy as np

from analysis.ir.types import MemorySpace
from sim.arrays import lanes_of
from sim.events import ArrivalEvent, PhaseEvent
from sim.observers.happens_before import HappensBefore
from sim.observers.race_shadow import Integers
from sim.observers.release_order import ReleaseOrder
from sim.observers.spaces import AccessSpaces

TICKS: Final = 2
"""The moments that an event takes: an arrival in global memory passes its fence before it."""


@final
class SplitBarriers:
    """`release` is None where the kernel has no fence, and so no barrier in memory; `unit` are bytes of a place."""

    def __init__(
        self, order: HappensBefore, release: ReleaseOrder | None, spaces: AccessSpaces, unit: int, width: int
    ) -> None:
        self._order = order
        self._release = release
        self._spaces = spaces
        self._unit = unit
        self._width = width

    def arrive(self, event: ArrivalEvent, first_warp: int, time: int) -> None:
        """`time` is the last moment that the event takes."""
        for barrier, parity, threads, is_global in self._phases(event, first_warp):
            if not is_global:
                self._order.arrive(barrier, parity, threads, time)
            elif self._release is not None:
                self._release.fence(threads, time - 1, is_device=True)
                units = np.full(len(threads), barrier // self._unit)
                self._release.strong(MemorySpace.GLOBAL, units, threads, time, reads=False, writes=True)

    def end_phase(self, event: PhaseEvent, first_warp: int, time: int) -> None:
        for barrier, parity, threads, is_global in self._phases(event, first_warp):
            if not is_global:
                self._order.end_phase(barrier, parity, threads, time)
            elif self._release is not None:
                units = np.full(len(threads), barrier // self._unit)
                self._release.strong(MemorySpace.GLOBAL, units, threads, time, reads=True, writes=False)

    def _phases(self, event: ArrivalEvent | PhaseEvent, first_warp: int) -> Iterator[tuple[int, int, Integers, bool]]:
        """Barrier, parity, threads, whether blocks share it: of each barrier the phases in their order."""
        lanes = lanes_of(event.active, self._width)
        threads = (((first_warp + event.rows) * self._width)[:, None] + np.arange(self._width))[lanes]
        barriers, parities = event.barriers[lanes], event.parities[lanes].astype(np.int64)
        for barrier in np.unique(barriers).tolist():
            here = np.flatnonzero(barriers == barrier)
            is_global = barrier >= 0 and self._spaces.of_addresses(np.array([barrier]))[0][0] is MemorySpace.GLOBAL
            for part in np.split(here, np.flatnonzero(np.diff(parities[here])) + 1):
                yield barrier, int(parities[part[0]]), threads[part], is_global
