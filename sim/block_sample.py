"""Which blocks of a large grid are run where all would take too long: the first, the last, and some between.

Rules    The blocks between are cut into stretches of the same length, and of each one block is drawn: at equal
         distances all could lie on a diagonal of the grid, or in one column.
Weights  The first and the last stand for themselves, a drawn one for its stretch; with these weights a sum over the
         sample is expected to be the sum over the grid.
"""

from __future__ import annotations

from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from sim.specification import LaunchSpecification

Numbers: TypeAlias = NDArray[np.intp]


@final
@record
class BlockSample:
    """Linear numbers of blocks, ascending, and how many of the grid each of them stands for."""

    numbers: Numbers
    stands_for: Numbers


def blocks_run(launch: LaunchSpecification) -> BlockSample:
    """Each stands for itself where all are run that are wanted."""
    count, wanted = launch.candidate_blocks, launch.blocks_to_run
    if wanted == count:
        return BlockSample(np.arange(count), np.ones(count, np.intp))
    edges = np.linspace(1, count - 1, wanted - 1).astype(np.intp)
    lengths = np.diff(edges)
    drawn = edges[:-1] + np.random.default_rng([launch.seed, 0xB10C]).integers(0, lengths)
    return BlockSample(
        np.concatenate(([0], drawn, [count - 1])).astype(np.intp), np.concatenate(([1], lengths, [1])).astype(np.intp)
    )
