"""How often does a loop run on average, if its bounds are numbers and the counters of the loops around it?

Question  `for (i = 1; i < 16; i++) for (j = 0; j < i; j++)`: no single number bounds the inner loop, but over all
          rounds of the outer one it makes 8 on average, and its work is 15 times that.
Rules     An exit compares linear forms that agree in the block.  Their difference moves by a known step in each round
          and holds nothing else but numbers and counters of loops around whose mean is known; a counter stands for its
          own mean, so the mean of what is linear in it is exact, but for steps that do not divide the way.
Gives up  at all other atoms, at bounds that depend on the thread, and where the mean is below 0 (clipped loops).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from analysis.affine.atoms import IterationAtom
from analysis.affine.polynomial import Polynomial
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch, Compare
from analysis.ir.operators import CompareOperator
from analysis.verdict.loops import is_bounded, trips

INCLUSIVE = {
    True: (CompareOperator.LESS_EQUAL, CompareOperator.GREATER_EQUAL),
    False: (CompareOperator.LESS, CompareOperator.GREATER),
}
"""Comparisons that let the loop go on at the bound itself: where it goes on while they hold, and while they do not."""
EQUALITIES = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)


@final
class MeanTrips:
    """Answers about the loops of one function."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._known: dict[CycleId, float | None] = {}

    def of(self, cycle: Cycle) -> float | None:
        """The mean, or the most where the loops around have no say; None where neither is a known number."""
        if cycle.id not in self._known:
            self._known[cycle.id] = None  # for bounds that refer to the loop itself
            found = [mean for mean in self._of_exits(cycle) if mean is not None]
            most = trips(self._affine, cycle) if is_bounded(self._affine, cycle) else None
            self._known[cycle.id] = min(found, default=most)
        return self._known[cycle.id]

    def _of_exits(self, cycle: Cycle) -> Iterator[float | None]:
        for block in self._control.exit_branches(cycle):
            terminator = self._function.blocks[block].terminator
            if isinstance(terminator, Branch):
                yield self._of_exit(cycle, block, terminator)

    def _of_exit(self, cycle: Cycle, block: BasicBlockId, terminator: Branch) -> float | None:
        item = self._divergence.definition(terminator.condition)
        if not isinstance(item, Compare) or item.operator in EQUALITIES:
            return None
        home = self._divergence.home(terminator.condition)
        left, right = self._affine.form_at(item.left, home), self._affine.form_at(item.right, home)
        if left is None or right is None or not (left.is_uniform and right.is_uniform):
            return None
        way = self._way(cycle, left.base - right.base)
        if way is None:
            return None
        goes_on = terminator.if_true in cycle.blocks
        rounds = way + (item.operator in INCLUSIVE[goes_on]) + (block != cycle.header)
        return max(1.0, rounds) if rounds >= 0 else None

    def _way(self, cycle: Cycle, difference: Polynomial) -> float | None:
        """By how many steps the difference is away from 0 at first, if a loop around has a say in it."""
        step, start, is_nested = 0, 0.0, False
        for monomial, coefficient in difference.terms:
            if not monomial:
                start += coefficient
                continue
            counter = monomial[0]
            if len(monomial) > 1 or not isinstance(counter, IterationAtom):
                return None
            if counter.cycle == cycle.id:
                step = coefficient
                continue
            around = self._control.cycles[counter.cycle]
            mean = self.of(around) if cycle.header in around.blocks else None
            if mean is None:
                return None
            start += coefficient * (mean - 1) / 2
            is_nested = True
        return -start / step if step and is_nested else None
