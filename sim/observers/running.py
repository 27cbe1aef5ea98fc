"""Which lanes of each resident warp have not left the kernel yet."""

from __future__ import annotations

from typing import final

import numpy as np

from sim.arrays import LaneSets
from sim.events import Run, SegmentEvent, Wave
from sim.policies.protocol import EXIT


@final
class RunningLanes:
    """`lanes` (rows,) is as it was before an event until `leave` is called with it."""

    def __init__(self, run: Run) -> None:
        kernel = run.kernel.id
        self._leaves = [segment.function.id == kernel for segment in run.segments]
        self.lanes: LaneSets = np.zeros(0, np.uint64)

    def wave(self, wave: Wave) -> None:
        self.lanes = wave.live.copy()

    def leave(self, event: SegmentEvent) -> None:
        """A called function that is left returns to the kernel; its lanes go on running."""
        if self._leaves[event.segment]:
            for target, lanes in event.split:
                if target == EXIT:
                    self.lanes[event.rows] &= ~lanes
