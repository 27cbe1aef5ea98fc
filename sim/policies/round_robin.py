"""Independent thread scheduling: lanes lead in turn, and the lanes that stand where the leader stands run with it.

After every segment the next lane leads, so each lane runs at least once in as many turns as the warp has lanes: a spin
lock finishes.  Lanes come together by chance or at barriers, never because code joins; what that costs shows in the
counts, and is the point of offering it.

Source    NVIDIA, "Tesla V100 GPU architecture", 2017, "Independent thread scheduling"; the order of lanes is ours.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.paths import PathPolicy, Slots
from sim.policies.protocol import SegmentGraph
from sim.policies.turns import next_member


@final
class RoundRobin(PathPolicy):
    name: ClassVar[str] = "round-robin"

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        super().__init__(rows, warp_size, graph)
        self._leader: NDArray[np.uint64] = np.full(rows, warp_size - 1, np.uint64)

    def _pick(self, rows: Rows, at: NDArray[np.int64], lanes: LaneSets) -> Slots:
        leader = next_member(np.bitwise_or.reduce(lanes, axis=0), self._leader[rows])
        self._leader[rows] = leader
        return ((lanes >> leader) & np.uint64(1)).argmax(axis=0)
