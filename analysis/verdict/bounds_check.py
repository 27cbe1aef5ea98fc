"""Is a condition a bounds check: how many warps of a row can it split?

Question  Along a row (threads that differ in `threadIdx.x` alone), at how many places can a value change?
Rules     A comparison of two linear forms whose difference has a thread part changes once: from false to true, or at
          one thread.  A comparison of values with a trend (`trend.py`) changes once; so does an equality where one side
          cannot pass the other, else nothing is said: `(t + n) / 31 == 0` has two ends, in two warps.  What has a trend
          on each of two ways (`if (x > n) x = 2 * n - x;`) changes once in each interval of a row and between.  One of
          forms that differ by what agrees in the warp never changes (proven if no wrap is possible).  Any function of
          values that change m and n times changes at most m + n times; so does a phi, with the decisions that lead to
          it.  The atoms must agree in the block: with a bound of its own, each warp of a row would split.
Contract  A warp of a row can split only where the value changes.  Where a row is no multiple of the warp, one more warp
          may split: the one in which two rows meet.  `None`: not known.
Assumes   index arithmetic in 16 bits or more does not wrap (`docs/limitations.md`), where the known numbers do not say
          that it does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from analysis.affine.linear_form import LinearForm
from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Convert, Math, Phi, Select, Switch, Unary
from analysis.ir.operators import CompareOperator
from analysis.ir.types import IntegerType
from analysis.verdict.cancelling import Cancelling
from analysis.verdict.rounds import Rounds
from analysis.verdict.trend import MAX_LOOKS, MIN_INDEX_BITS, Trend, Trends, sum_of, turned

EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
MAX_REGION: Final = 32
"""Blocks between a phi and the block that decides first about it."""


@final
class BoundsChecks:
    """Answers about the conditions of one function."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        rounds: Rounds | None = None,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._rounds = rounds or Rounds(function, control, divergence, affine)
        self._trends = Trends(function, control, divergence, affine)
        self._cancelling = Cancelling(control, divergence)
        self._looks = 0

    def changes(self, value: ValueId, block: BasicBlockId) -> int | None:
        """The most places in a row at which the value, as `block` reads it, can change inside a warp; 0: aligned."""
        self._looks = 0
        self._trends.begin()
        return self._changes(value, block)

    def is_linear(self, item: Compare, block: BasicBlockId) -> bool:
        """Does it compare numbers that are linear in the thread index, whatever agrees in the warp besides?"""
        return self._forms(item, block) is not None

    def is_of_one_round(self, value: ValueId, block: BasicBlockId) -> bool:
        return self._trends.is_of_one_round(value, block)

    def _changes(self, value: ValueId, block: BasicBlockId) -> int | None:
        self._looks += 1
        if self._looks > MAX_LOOKS:
            return None
        if self._divergence.use_level(value, block) <= Level.WARP:
            return 0
        if not self._trends.is_of_one_round(value, block):
            return None
        item, home = self._divergence.definition(value), self._divergence.home(value)
        match item:
            case Compare():
                known = self._of_comparison(item, home)
                if known is None:
                    known = self._sum(item.operands, home)
                return self._rounds.changes(item, home) if known is None else known
            case Binary() | Unary() | Convert() | Select() | Math():
                return self._sum(item.operands, home)
            case Phi():
                return self._of_phi(item, home)
            case _:
                return None

    def _sum(self, values: Iterable[ValueId], block: BasicBlockId) -> int | None:
        total = 0
        for value in values:
            changes = self._changes(value, block)
            if changes is None:
                return None
            total += changes
        return total

    # -- comparisons ------------------------------------------------------------------------------------------------

    def _of_comparison(self, item: Compare, block: BasicBlockId) -> int | None:
        forms = self._forms(item, block)
        if forms is not None:
            left, right = forms
            if left.coefficients == right.coefficients:
                return 0 if self._is_exact(item, left, right) else 1
            if self._trends.is_of_row(left, block) and self._trends.is_of_row(right, block):
                return 1
        first, second = self._trends.at(item.left, block), self._trends.at(item.right, block)
        if Trend.NONE not in (first, second) and sum_of(first, turned(second)) is not Trend.NONE:
            return 1 if item.operator not in EQUALITIES or self._has_one_end(item, block) else None
        return 1 if self._cancelling.agrees(item.left, item.right, block) else self._of_folded(item, block)

    def _of_folded(self, item: Compare, block: BasicBlockId) -> int | None:
        """Of a number that has a trend in each of a few intervals of a row, such as `if (x > n / 2) x = n - x;`."""
        choice = self._choice(item, block)
        if choice is None or item.operator in EQUALITIES:
            return None
        home = self._divergence.home(choice.result)
        first, second = (self._trends.at_if_monotone(side, block, choice.result) for side in item.operands)
        if Trend.NONE in (first, second) or sum_of(first, turned(second)) is Trend.NONE:
            return None
        if any(self._trends.at(value, home) is Trend.NONE for value in _chosen(choice)):
            return None
        cuts = self._changes_between(home) if isinstance(choice, Phi) else self._changes(choice.condition, home)
        return None if cuts is None else 2 * cuts + 1  # once in each interval, and where two of them meet

    def _choice(self, item: Compare, block: BasicBlockId) -> Phi | Select | None:
        """The one choice between two ways that keeps the sides of a comparison from having a trend."""
        found: dict[ValueId, Phi | Select] = {}
        waiting = [side for side in item.operands if self._trends.at(side, block) is Trend.NONE]
        for _ in range(MAX_LOOKS):
            if not waiting:
                break
            value = waiting.pop()
            match self._divergence.definition(value):
                case Phi() | Select() as choice:
                    found[value] = choice
                case Binary(operands=operands) | Unary(operands=operands) | Convert(operands=operands):
                    home = self._divergence.home(value)
                    waiting += [one for one in operands if self._trends.at(one, home) is Trend.NONE]
                case _:
                    return None
        if waiting or len(found) != 1:
            return None
        ((value, choice),) = found.items()
        around = self._control.innermost_cycle(self._divergence.home(value))
        return choice if around is self._control.innermost_cycle(block) else None

    def _has_one_end(self, item: Compare, block: BasicBlockId) -> bool:
        """Of two sides that may be equal: does one never pass the other, so that they are equal at one end of a row?"""
        left, right = self._affine.range_at(item.left, block), self._affine.range_at(item.right, block)
        is_ordered = left.low >= right.high or left.high <= right.low
        return is_ordered and all(isinstance(self._function.types[side], IntegerType) for side in item.operands)

    def _forms(self, item: Compare, block: BasicBlockId) -> tuple[LinearForm, LinearForm] | None:
        left, right = self._affine.form_at(item.left, block), self._affine.form_at(item.right, block)
        if left is None or right is None or min(left.bits, right.bits) < MIN_INDEX_BITS:
            return None
        return left, right

    def _is_exact(self, item: Compare, left: LinearForm, right: LinearForm) -> bool:
        if not (left.exact and right.exact and left.bits == right.bits):
            return False
        is_integral = self._affine.is_integral(item.left) and self._affine.is_integral(item.right)
        return is_integral or item.operator in EQUALITIES

    # -- phis -------------------------------------------------------------------------------------------------------

    def _of_phi(self, phi: Phi, home: BasicBlockId) -> int | None:
        """The phi is a function of what comes in and of the decisions since the ways parted."""
        decisions = self._changes_between(home)
        total = self._sum((value for _, value in phi.incoming), home)
        return None if decisions is None or total is None else decisions + total

    def _changes_between(self, join: BasicBlockId) -> int | None:
        """At how many places of a row the way to a join can change, since the ways parted."""
        region = self.ways_to(join)
        if region is None:
            return None
        total = 0
        for block in region:
            terminator = self._function.blocks[block].terminator
            if isinstance(terminator, Branch | Switch):
                changes = self._sum(terminator.operands, block)
                if changes is None:
                    return None
                total += changes
        return total

    def ways_to(self, join: BasicBlockId) -> set[BasicBlockId] | None:
        """The blocks between the immediate dominator, included, and the join; None if a loop is entered or left."""
        control = self._control
        first, cycle = control.immediate_dominator(join), control.innermost_cycle(join)
        if first is None or (cycle is not None and cycle.header == join):
            return None
        found: set[BasicBlockId] = set()
        waiting = [join]
        while waiting:
            for source in control.predecessors[waiting.pop()]:
                block = BasicBlockId(source)
                if block in found or not control.is_reachable(block):
                    continue
                if control.innermost_cycle(block) is not cycle or len(found) >= MAX_REGION:
                    return None
                found.add(block)
                if block != first:
                    waiting.append(block)
        return found


def _chosen(choice: Phi | Select) -> tuple[ValueId, ...]:
    if isinstance(choice, Select):
        return choice.if_true, choice.if_false
    return tuple(value for _, value in choice.incoming)
