"""Loops of many rounds in which threads do not meet: a thread is followed for the first rounds and the last one.

Why       A tile is read in a loop of 64 or 256 rounds, and the race with the next tile comes after it.  To follow all
          rounds would use up what a thread may cost.
Which     Loops with one exit, at their header, that compares a counter with a bound; the counter changes by the same
          amount in each round, and neither barrier nor call is inside.
Proof     What a thread does in the rounds that are left out is not seen, which hides races and invents none.  The last
          round is followed, so that a thread that leaves an array on the way does so here too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from typing import Final, assert_never, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    Phi,
    ReadSpecial,
    TemplateArgument,
    Unary,
)
from analysis.ir.operators import MIRRORED, BinaryOperator, CompareOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import IntegerType

FOLLOWED_ROUNDS: Final = 8
_BIG: Final = 1 << 31
"""Counters and bounds below it compare in the same way whatever their type."""
MAX_DEPTH: Final = 8
CHANGING: Final = frozenset(
    {
        SpecialRegister.ACTIVE_MASK,
        SpecialRegister.CLOCK,
        SpecialRegister.GLOBAL_TIMER,
        SpecialRegister.MULTIPROCESSOR,
        SpecialRegister.WARP_INDEX,
    }
)


@final
@record
class Stepped:
    """A phi of the header that changes by the value `by` in each round, times `sign`."""

    value: ValueId
    by: ValueId
    sign: int


@final
@record
class LongLoop:
    """Runs on while `counter operator bound`.  `forgotten` are the phis of the header that change in another way."""

    counter: ValueId
    operator: CompareOperator
    bound: ValueId
    stepped: tuple[Stepped, ...]
    forgotten: tuple[ValueId, ...]


def find_long_loops(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    needed: Iterable[ValueId],
    ordering: Set[BasicBlockId],
) -> Mapping[BasicBlockId, LongLoop]:
    """By header.  `needed` are the values that are followed, `ordering` the blocks in which threads may meet."""
    finder = _Finder(function, control, divergence, frozenset(needed))
    found: dict[BasicBlockId, LongLoop] = {}
    for cycle in control.cycles:
        if not cycle.reducible or not ordering.isdisjoint(cycle.blocks):
            continue
        loop = finder.long_loop(cycle)
        if loop is not None:
            found[cycle.header] = loop
    return found


def skip_rounds(loop: LongLoop, values: dict[ValueId, int]) -> int:
    """Puts the values that the header is entered with to those of the last round; how many rounds are left out."""
    steps = {one.value: values[one.by] * one.sign for one in loop.stepped if one.by in values}
    number, bound, step = values.get(loop.counter), values.get(loop.bound), steps.get(loop.counter)
    if number is None or bound is None or step is None:
        return 0
    left_out = _rounds(loop.operator, number, bound, step) - 1
    if left_out < 1:
        return 0
    for one in loop.stepped:
        moved = None
        if one.value in values and one.value in steps:
            moved = values[one.value] + left_out * steps[one.value]
        if moved is not None and 0 <= moved < _BIG:
            values[one.value] = moved
        else:
            values.pop(one.value, None)
    for value in loop.forgotten:
        values.pop(value, None)
    return left_out


def _rounds(operator: CompareOperator, number: int, bound: int, step: int) -> int:
    """How often the comparison still holds; 0 where that is not certain."""
    if not (0 <= number < _BIG and 0 <= bound < _BIG):
        return 0
    match operator:
        case CompareOperator.LESS if step > 0:
            return -((number - bound) // step)
        case CompareOperator.LESS_EQUAL if step > 0:
            return (bound - number) // step + 1
        case CompareOperator.GREATER if step < 0:
            return -((bound - number) // -step)
        case CompareOperator.GREATER_EQUAL if step < 0:
            return (number - bound) // -step + 1
        case CompareOperator.NOT_EQUAL if step != 0 and (bound - number) % step == 0:
            return (bound - number) // step
        case (
            CompareOperator.LESS
            | CompareOperator.LESS_EQUAL
            | CompareOperator.GREATER
            | CompareOperator.GREATER_EQUAL
            | CompareOperator.NOT_EQUAL
            | CompareOperator.EQUAL
        ):
            return 0
        case _:
            assert_never(operator)


@final
class _Finder:
    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, needed: frozenset[ValueId]
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._needed = needed

    def long_loop(self, cycle: Cycle) -> LongLoop | None:
        header = self._function.blocks[cycle.header]
        terminator = header.terminator
        if self._control.exit_branches(cycle) != (cycle.header,) or not isinstance(terminator, Branch):
            return None
        if terminator.if_true not in cycle.blocks or terminator.if_false in cycle.blocks:
            return None
        phis = [phi for phi in header.phis if phi.result in self._needed]
        stepped = tuple(found for phi in phis if (found := self._stepped(phi, cycle)) is not None)
        counters = {one.value for one in stepped}
        compared = self._comparison(terminator.condition, counters)
        if compared is None or not self._is_invariant(compared[2], cycle):
            return None
        counter, operator, bound = compared
        others = tuple(phi.result for phi in phis if phi.result not in counters)
        return LongLoop(counter, operator, bound, stepped, others)

    def _stepped(self, phi: Phi, cycle: Cycle) -> Stepped | None:
        changed = {value for source, value in phi.incoming if source in cycle.blocks}
        if len(changed) != 1 or not self._is_wide(phi.result):
            return None
        match self._divergence.definition(changed.pop()):
            case Binary(operator=BinaryOperator.ADD, left=left, right=right) if phi.result in (left, right):
                by, sign = right if left == phi.result else left, 1
            case Binary(operator=BinaryOperator.SUBTRACT, left=left, right=by) if left == phi.result:
                sign = -1
            case _:
                return None
        return Stepped(phi.result, by, sign) if self._is_invariant(by, cycle) else None

    def _comparison(
        self, condition: ValueId, counters: Collection[ValueId]
    ) -> tuple[ValueId, CompareOperator, ValueId] | None:
        """The counter first."""
        item = self._divergence.definition(condition)
        if not isinstance(item, Compare):
            return None
        left, right = self._behind_conversions(item.left), self._behind_conversions(item.right)
        if left in counters:
            return left, item.operator, right
        return (right, MIRRORED[item.operator], left) if right in counters else None

    def _behind_conversions(self, value: ValueId) -> ValueId:
        """Conversions between integers of 32 and 64 bits do not change small numbers."""
        item = self._divergence.definition(value)
        while isinstance(item, Convert) and self._is_wide(value) and self._is_wide(item.operand):
            value = item.operand
            item = self._divergence.definition(value)
        return value

    def _is_wide(self, value: ValueId) -> bool:
        kind = self._function.types[value]
        return isinstance(kind, IntegerType) and kind.bits >= 32

    def _is_invariant(self, value: ValueId, cycle: Cycle, depth: int = 0) -> bool:
        """Is it the same in all rounds?  Then what it was in the round before is known."""
        item = self._divergence.definition(value)
        match item:
            case None | Constant() | TemplateArgument():
                return True
            case _ if self._divergence.home(value) not in cycle.blocks:
                return True
            case ReadSpecial(register=register):
                return register not in CHANGING
            case Binary() | Convert() | Unary():
                return depth < MAX_DEPTH and all(self._is_invariant(one, cycle, depth + 1) for one in item.operands)
            case _:
                return False
