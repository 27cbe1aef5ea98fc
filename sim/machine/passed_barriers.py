"""Block barriers that threads went past on their way to the end of the kernel.

A barrier waits for threads that have not exited, so a thread that leaves the kernel lets the others go.  One that
returns before the barrier is allowed to (since compute capability 7.0).  One that runs code which every thread comes to
behind the barrier has passed it by: it took the other arm, or left the loop earlier, and no program may rely on that.
Source    CUDA C++ Programming Guide, "Synchronization Functions" (conditional code).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

import numpy as np

from sim.arrays import LaneSets, Rows
from sim.policies.protocol import EXIT, SegmentGraph


@final
class PassedBarriers:
    """Of one kernel: which lanes left it where."""

    def __init__(self, barriers: Iterable[int], graph: SegmentGraph, rows: int) -> None:
        self._behind = {segment: frozenset(_post_dominators(segment, graph)) for segment in barriers}
        """For each barrier the segments that every thread comes to behind it."""
        self._rows = rows
        self._left: dict[int, LaneSets] = {}

    def leave(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        """These lanes ended the kernel with that segment."""
        if any(segment in behind for behind in self._behind.values()):
            left = self._left.setdefault(segment, np.zeros(self._rows, np.uint64))
            left[rows] |= lanes

    def is_passed(self, barrier: int, rows: Rows, block_slots: Rows) -> bool:
        """Did a thread of these rows' blocks leave the kernel behind the barrier?  `block_slots`: that of each row."""
        left = [lanes for segment, lanes in self._left.items() if segment in self._behind.get(barrier, ())]
        if not left:
            return False
        passed = np.bitwise_or.reduce(left) != 0
        return bool(np.isin(block_slots[passed], block_slots[rows]).any())


def _post_dominators(segment: int, graph: SegmentGraph) -> Iterable[int]:
    while (segment := graph.reconvergence[segment]) != EXIT:
        yield segment
