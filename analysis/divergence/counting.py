"""How many static instructions does an analysis variant prove convergent?  (The bars of Lee et al., Fig. 4.)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult

CONVERGENCE_ONLY = DivergenceOptions(assume_barriers=True, use_variance=False)
"""CA"""
WITH_VARIANCE = DivergenceOptions(assume_barriers=True)
"""CA + VA"""
WITH_EXITS = DivergenceOptions(assume_barriers=True, exit_optimization=True)
"""CA + VA + exit; the fourth variant, dynamic preservation, is measured in the simulator."""


@final
@dataclass(frozen=True, slots=True)
class ConvergenceCount:
    """Static instructions (terminators included, phis not) by the widest group their block is convergent for."""

    grid: int
    block: int
    warp: int
    varying: int

    @property
    def total(self) -> int:
        return self.grid + self.block + self.warp + self.varying

    @property
    def convergent_for_warp(self) -> int:
        return self.grid + self.block + self.warp


def count_convergent(result: DivergenceResult) -> ConvergenceCount:
    counts = dict.fromkeys(Level, 0)
    for block in result.control.order:
        counts[result.convergence(block)] += len(result.function.blocks[block].instructions) + 1
    return ConvergenceCount(counts[Level.GRID], counts[Level.BLOCK], counts[Level.WARP], counts[Level.VARYING])
