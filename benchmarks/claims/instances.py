"""Which dynamic instance of its block does each lane execute?

A *dynamic instance* is the block together with the iteration numbers of the loops around it: a loop's number is 0 when
it is entered and rises at each return to its header (Rosemann, Moll and Hack, POPL 2021).  It does not depend on when
lanes run, so what the analyses claim of instances can be compared under every policy.
"""

from __future__ import annotations

from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.ids import BasicBlockId
from benchmarks.claims.agreement import Words
from sim.arrays import Lanes, Rows

_FACTORS: Final = np.random.default_rng(7).integers(1 << 62, 1 << 63, 4096, np.uint64) | np.uint64(1)


@final
class Instances:
    """Iteration numbers of the resident lanes."""

    def __init__(self, control: ControlFlow, warp_size: int) -> None:
        self._warp_size = warp_size
        self._around = [tuple(control.cycles_around(BasicBlockId(b)))[::-1] for b in range(len(control.successors))]
        self._numbers = [np.zeros((0, warp_size), np.uint64) for _ in control.cycles]

    def wave(self, rows: int) -> None:
        self._numbers = [np.zeros((rows, self._warp_size), np.uint64) for _ in self._numbers]

    def around(self, block: int) -> tuple[Cycle, ...]:
        """Outermost first."""
        return self._around[block]

    def number(self, cycle: int, rows: Rows) -> Words:
        """(rows, lanes): the iteration of a loop that each lane is in, or was in last."""
        return self._numbers[cycle][rows]

    def key(self, block: int, rows: Rows) -> Words:
        """(rows, lanes): one word for each instance of the block."""
        return self._key(self._around[block], rows)

    def outer_key(self, cycle: Cycle, rows: Rows) -> Words:
        """One word for the instance in which a loop was entered."""
        around = self._around[cycle.header]
        return self._key(around[: around.index(cycle)], rows)

    def _key(self, around: tuple[Cycle, ...], rows: Rows) -> Words:
        key: NDArray[np.uint64] = np.zeros((len(rows), self._warp_size), np.uint64)
        for cycle in around:
            key += self._numbers[cycle.id][rows] * _FACTORS[cycle.id % len(_FACTORS)]
        return key

    def move(self, source: int, target: int, rows: Rows, lanes: Lanes) -> None:
        """`lanes` of `rows` took the edge from one block to another."""
        for cycle in self._around[target]:
            numbers = self._numbers[cycle.id]
            if source not in cycle.blocks:
                numbers[rows] = np.where(lanes, np.uint64(0), numbers[rows])
            elif target == cycle.header:
                numbers[rows] += lanes
