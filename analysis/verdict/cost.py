"""What does a split warp lose at a branch?  An estimate, in issue slots (`latency.py`).

Branches  The *arms* are the blocks that run on one side only, between the blocks that decide and the place where the
          paths meet again, in one round of the loops around.  A split warp runs all arms, one after the other; it would
          have run the longest anyway.  So the price is the sum of the others: of two arms the cheaper one.  Of an `if`
          without `else` it is 0: the lanes that skip it only wait.
Idle      half of what the longest arm takes longer than the next one: the lanes that wait for it, taking half of the
          lanes to wait; each time, since many short waits in a loop are no long one.  Not counted where an arm leaves
          a loop: the loop bears that.
Loops     one round's slots times the rounds that early lanes wait (`loops.py`).
Weights   Blocks count as often as the loops around them run, so what a branch in a loop serializes is paid in every
          round.
Nothing   is lost at selects (both sides are computed in any case), in code that a lane runs alone (`alone.py`), and in
          loops that only wait for a time or for another thread.
Contract  Branches whose lanes all agree are left out; every other branch has a cost, maybe 0.
Source    Coutinho et al., PACT 2011, and Saumya et al., CGO 2022, estimate the gain of melding arms in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function, SourceBranchKind
from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.record import record
from analysis.verdict.alone import SingleLanes
from analysis.verdict.loops import cycle_of, excess_trips, only_waits
from analysis.verdict.weights import BlockWeights


@final
@record
class BranchCost:
    """Issue slots per split warp: `serialized` runs one after the other, in `idle` some lanes wait for others."""

    serialized: int
    idle: int


FREE = BranchCost(0, 0)


def estimate_costs(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    weights: BlockWeights,
) -> Mapping[SourceBranchId, BranchCost]:
    """The cost of every source branch at which lanes of a warp may part."""
    model = _Model(function, control, divergence, affine, weights)
    found: dict[SourceBranchId, BranchCost] = {}
    for number, branch in enumerate(function.branches):
        here = SourceBranchId(number)
        if branch.kind is SourceBranchKind.LOOP:
            cycle = cycle_of(function, control, divergence, here)
            if cycle is not None and divergence.loop_level(cycle) is Level.VARYING:
                found[here] = model.of_loop(cycle)
                continue
        if divergence.branch_level(here) is Level.VARYING:
            found[here] = model.of_branch(here)
    return found


@final
class _Model:
    """The function with what the analyses say of it."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        weights: BlockWeights,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._single = SingleLanes(function, control, divergence, affine)
        self._weights = weights

    # -- loops ------------------------------------------------------------------------------------------------------

    def of_loop(self, cycle: Cycle) -> BranchCost:
        if self._single.runs_alone(cycle.header) or only_waits(self._function, cycle):
            return FREE
        whole = sum(map(self._weights.weight, cycle.blocks))
        excess = excess_trips(self._function, self._control, self._divergence, self._affine, cycle)
        return BranchCost(whole // self._weights.trips[cycle.id] * excess, 0)

    # -- branches ---------------------------------------------------------------------------------------------------

    def of_branch(self, branch: SourceBranchId) -> BranchCost:
        deciders = [block for block, condition in self._divergence.branch_sites(branch) if condition is None]
        if not deciders:
            return FREE
        first = min(deciders, key=self._control.rank.__getitem__)
        if self._single.runs_alone(first):
            return FREE
        arms = self._arms(first, deciders)
        if len(arms) < 2:
            return FREE
        seen: set[BasicBlockId] = set()
        shared: set[BasicBlockId] = set()
        for arm in arms.values():
            shared |= seen & arm
            seen |= arm
        slots = sorted(sum(map(self._weights.weight, arm - shared)) for arm in arms.values())
        if self._leaves_loop(first, arms):
            return BranchCost(sum(slots[:-1]), 0)
        return BranchCost(sum(slots[:-1]), (slots[-1] - slots[-2]) // 2 // self._weights.rounds(first))

    def _arms(
        self, first: BasicBlockId, deciders: Sequence[BasicBlockId]
    ) -> Mapping[BasicBlockId, frozenset[BasicBlockId]]:
        """The blocks of each arm by where it begins, without what only evaluates the rest of the condition."""
        control = self._control
        ends = {cycle.header for cycle in control.cycles_around(first)}
        meet = control.immediate_post_dominator(first)
        if meet is not None:
            ends.add(meet)
        inside = set(deciders)
        arms: dict[BasicBlockId, frozenset[BasicBlockId]] = {}
        for decider in deciders:
            for begin in control.successors[decider]:
                if begin in arms or begin in inside:
                    continue
                arm = self._reach(begin, ends, inside)
                if arm is not None:
                    arms[begin] = arm
        return arms

    def _reach(
        self, begin: BasicBlockId, ends: set[BasicBlockId], deciders: set[BasicBlockId]
    ) -> frozenset[BasicBlockId] | None:
        """What runs from `begin` to the ends; None if another decision of the same branch follows."""
        found: set[BasicBlockId] = set()
        waiting = [begin]
        while waiting:
            block = waiting.pop()
            if block in deciders:
                return None
            if block not in found and block not in ends and not self._control.doomed[block]:
                found.add(block)
                waiting.extend(self._control.successors[block])
        self._control.spend(len(found))
        return frozenset(found)

    def _leaves_loop(self, first: BasicBlockId, arms: Mapping[BasicBlockId, frozenset[BasicBlockId]]) -> bool:
        cycle = self._control.innermost_cycle(first)
        return cycle is not None and any(
            begin not in cycle.blocks or not cycle.blocks.issuperset(arm) for begin, arm in arms.items()
        )
