"""Path list, depth-first: the list is a stack, the path that was inserted last runs.

A path that arrives where paths meet lets those go first that have to come by there, and is fused with them.  On
structured code this is the order of the mask stack, with no levels to keep: the list never has more paths than lanes.
Unlike a mask stack it can run another path while lanes wait for a barrier; but lanes that left a spin loop wait for
those inside, so a spin lock livelocks here too.

Source    Collange, lecture "SIMT control flow management", 2020, "Depth-first graph traversal".
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.paths import PathPolicy, Slots, first_without_wait
from sim.policies.post_dominance import post_dominance
from sim.policies.protocol import EXIT, SegmentGraph


@final
class PathListDepth(PathPolicy):
    name: ClassVar[str] = "path-list-depth"

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        super().__init__(rows, warp_size, graph)
        self._order = post_dominance(graph)

    def _pick(self, rows: Rows, at: NDArray[np.int64], lanes: LaneSets) -> Slots:
        return first_without_wait(-self._since.take(rows, axis=1), at, lanes, lanes != 0, self._order)

    def follows(self, rows: Rows, target: int) -> bool:
        if target == EXIT or not self._several[rows].any():
            return target != EXIT
        return (
            not self._order.joins[target] and not ((self._at.take(rows, axis=1) == target) & self._others(rows)).any()
        )
