"""A launch with fewer blocks for the policies after the first, where the whole one would take them long.

Rules     A launch of at most `LONGEST_WHOLE` warp instructions is run whole under every policy.
          Else the grids of `GRIDS` are tried in order, with the block and all inputs as they are: the first with which
          the kernel ends, its branch splits a warp and every arm has a thread is taken.
          One that does nearly as much as the whole launch is no help: the blocks share the work of a whole grid.
Limits    Threads of the blocks that are left out are compared under the first policy only.
Cost      A run of the version before under the first policy for each grid that is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from analysis.ir.index3 import Index3
from sim.equivalence.allowance import Allowance
from sim.equivalence.inputs import Planned
from sim.equivalence.model import BranchPlace, Goal
from sim.equivalence.runs import Observed, observed
from sim.launch.planner import Plan
from sim.policies.protocol import PolicyFactory
from sim.refusals import LaunchError, Refusal
from sim.report.places import SourcePlaces

LONGEST_WHOLE: Final = 10_000
"""Other policies issue up to ten times as many, and one with few warps takes ten microseconds each."""
GRIDS: Final = ((1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1))
MOST_PART: Final = 0.75
"""Of the instructions of the whole launch."""


def with_fewer_blocks(
    planned: Planned,
    places: SourcePlaces,
    policy: PolicyFactory,
    allowance: Allowance,
    branch: BranchPlace | None,
    goal: Goal,
) -> tuple[Plan, Observed] | None:
    """The smaller launch and its run; None where the whole one is short, or no smaller one does."""
    _, plan, whole = planned
    if whole.result.warp_instructions <= LONGEST_WHOLE:
        return None
    for grid in _smaller(plan.specification.grid):
        if allowance.is_over:
            return None
        launch = replace(plan.specification, grid=grid)
        try:
            run = observed(
                plan.kernel, launch, policy, allowance.left / 4, allowance, places=places, branch=branch, goal=goal
            )
        except (LaunchError, Refusal):
            return None
        is_shorter = run.result.warp_instructions <= MOST_PART * whole.result.warp_instructions
        is_complete = run.result.truncated is None and run.stop is None
        if is_shorter and is_complete and (branch is None or run.is_exercised):
            return replace(plan, specification=launch), run
    return None


def _smaller(whole: Index3) -> Iterator[Index3]:
    blocks = whole[0] * whole[1] * whole[2]
    for x, y, z in GRIDS:
        if x <= whole[0] and y <= whole[1] and x * y * z < blocks:
            yield x, y, z
