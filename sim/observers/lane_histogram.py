"""Active lanes: how many warp instructions ran with 1, 2, ... all lanes?"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from sim.arrays import population
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent


@final
@record
class LaneHistogram:
    """`warp_instructions[n]` were executed with n active lanes; the last entry is the full warp."""

    warp_instructions: tuple[int, ...]

    @property
    def mean(self) -> float:
        """Active lanes of the average instruction; 0 for an empty run."""
        total = sum(self.warp_instructions)
        return sum(n * count for n, count in enumerate(self.warp_instructions)) / total if total else 0.0


@final
class LaneHistogramObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self) -> None:
        self._issued: list[int] = []
        self._counts: NDArray[np.int64] = np.zeros(0, np.int64)

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._issued = [segment.issued for segment in run.segments]
        self._counts = np.zeros(run.launch.warp_size + 1, np.int64)

    def segment(self, event: SegmentEvent) -> None:
        warps = np.bincount(population(event.active), minlength=len(self._counts))
        self._counts += warps * self._issued[event.segment]

    def answer(self) -> LaneHistogram:
        return LaneHistogram(tuple(self._counts.tolist()))
