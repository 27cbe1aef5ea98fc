"""What comparisons on the way to a place say about the numbers there.

A comparison that decides about an edge holds in every block that the edge's target dominates, if the edge is the only
way into it: neither side can have been computed again in between.  `&&`, `||` and `!` without control flow count too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias, final

from analysis.affine.interval import Interval
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Convert, Instruction, Phi, Unary
from analysis.ir.operators import MIRRORED, NEGATED, BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.pace import paced
from analysis.ir.types import BooleanType, IntegerType, Type

Fact: TypeAlias = tuple[CompareOperator, ValueId]
"""`value operator other`."""
Definition: TypeAlias = Callable[[ValueId], Instruction | Phi | None]
"""What defines a value."""

MAX_FACTS = 16
"""Per condition; a longer chain of `&&` is cut."""
_A_BRANCH: Final = 5
"""What reading a block weighs, in rounds."""


@final
class Guards:
    def __init__(self, function: Function, control: ControlFlow, definition: Definition) -> None:
        self._types = function.types
        self._control = control
        self._definition = definition
        self.in_block: dict[ValueId, list[tuple[BasicBlockId, Fact]]] = {}
        """For a value: blocks, and what holds in everything that they dominate."""
        self.on_edge: dict[tuple[int, int], list[tuple[ValueId, Fact]]] = {}
        for block in paced(control.order, _A_BRANCH):
            self._read_block(function, block)

    def _read_block(self, function: Function, block: BasicBlockId) -> None:
        terminator = function.blocks[block].terminator
        if not isinstance(terminator, Branch) or terminator.if_true == terminator.if_false:
            return
        for target, outcome in ((terminator.if_true, True), (terminator.if_false, False)):
            found = list(self.facts(terminator.condition, outcome))[:MAX_FACTS]
            if found:
                self.on_edge[block, target] = found
                if len(self._control.predecessors[target]) == 1:
                    for value, fact in found:
                        self.in_block.setdefault(value, []).append((target, fact))

    def facts(self, condition: ValueId, outcome: bool, depth: int = 0) -> Iterator[tuple[ValueId, Fact]]:
        """What holds where the condition turned out so."""
        match self._definition(condition):
            case Compare(operator=operator, left=left, right=right):
                if isinstance(self._types[left], IntegerType):
                    holds = operator if outcome else NEGATED[operator]
                    for value in self._same_numbers(left):
                        yield value, (holds, right)
                    for value in self._same_numbers(right):
                        yield value, (MIRRORED[holds], left)
            case Binary(operator=operator, left=left, right=right) if depth < MAX_FACTS:
                both = BinaryOperator.LOGICAL_AND if outcome else BinaryOperator.LOGICAL_OR
                if operator is both:
                    yield from self.facts(left, outcome, depth + 1)
                    yield from self.facts(right, outcome, depth + 1)
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand) if depth < MAX_FACTS:
                yield from self.facts(operand, not outcome, depth + 1)
            case _:
                pass

    def _same_numbers(self, value: ValueId) -> Iterator[ValueId]:
        """The value, and what it was converted from without a change."""
        yield value
        definition = self._definition(value)
        if isinstance(definition, Convert) and keeps_numbers(
            self._types[definition.operand], self._types[definition.result]
        ):
            yield definition.operand


def keeps_numbers(source: Type, target: Type) -> bool:
    """Can every number of one integer type be converted to the other without a change?"""
    if isinstance(source, BooleanType):
        return True
    if not isinstance(source, IntegerType) or not isinstance(target, IntegerType):
        return False
    if source.signed:
        return target.signed and target.bits >= source.bits
    return target.bits - target.signed >= source.bits


def refined(interval: Interval, operator: CompareOperator, other: Interval) -> Interval:
    """The numbers of `interval` that stand in this relation to some number of `other`; unchanged if there are none."""
    low, high = interval.low, interval.high
    if operator is _NOT_EQUAL:
        if other.low == other.high:
            low += low == other.low
            high -= high == other.low
    else:
        above, below = _BOUNDED[operator]
        if above is not None and other.low + above > low:
            low = other.low + above
        if below is not None and other.high + below < high:
            high = other.high + below
    if low > high or (low == interval.low and high == interval.high):
        return interval
    return Interval(low, high)


_NOT_EQUAL: Final = CompareOperator.NOT_EQUAL
_BOUNDED: Final[Mapping[CompareOperator, tuple[int | None, int | None]]] = {
    CompareOperator.LESS: (None, -1),
    CompareOperator.LESS_EQUAL: (None, 0),
    CompareOperator.GREATER: (1, None),
    CompareOperator.GREATER_EQUAL: (0, None),
    CompareOperator.EQUAL: (0, 0),
}
"""How far the least number lies above that of the other side at least, and the largest above its largest at most."""
