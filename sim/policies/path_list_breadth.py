"""Path list, breadth-first: the list is a queue, and a path that ran one segment goes to its end.

A path that arrives where paths meet is passed over while others still have to come by there; but not for longer than
`PATIENCE` turns if those only poll (`polling` of the graph).  So whoever is waited for makes progress, and a spin lock
finishes.

Source    Collange, lecture "SIMT control flow management", 2020, "Breadth-first graph traversal"; the bounded wait is
          ours, for a plain queue almost never brings together sides of different length.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.paths import PATIENCE, PathPolicy, Slots, first_without_wait
from sim.policies.post_dominance import post_dominance
from sim.policies.protocol import SegmentGraph


@final
class PathListBreadth(PathPolicy):
    name: ClassVar[str] = "path-list-breadth"

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        super().__init__(rows, warp_size, graph)
        self._order = post_dominance(graph)

    def _pick(self, rows: Rows, at: NDArray[np.int64], lanes: LaneSets) -> Slots:
        awaited = lanes != 0
        if self._ever_polls:
            awaited &= ~self._polling[at] | (self._polls[rows] < PATIENCE)
        return first_without_wait(self._since.take(rows, axis=1), at, lanes, awaited, self._order)
