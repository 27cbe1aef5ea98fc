"""Which lanes come to a basic block: what its guards let through.

Rules     A block runs for the threads that its controlling branch sends there, if that branch runs for them.  A guard
          that agrees in each warp stops no lane of a warp that comes.  A function of thread indices and constants is
          kept as an expression, to be evaluated for each thread.  A comparison of a linear form with a uniform value
          (`i < n`) lets all lanes through away from the bound, except for equality, which singles out one thread.
Gives up  where several varying branches lead to one block (`a || b`, a loop with `break`), at switches and at data:
          UNKNOWN.
"""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.access.addresses import Addresses
from analysis.access.model import Participation
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import Expression
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.record import record

Condition: TypeAlias = tuple[Expression, bool]
"""A function of the thread index, and which way the threads that come have taken."""


@final
@record
class Participants:
    """Threads that fulfil all `conditions`; `certainty` says how well the other guards are known."""

    certainty: Participation
    conditions: tuple[Condition, ...] = ()


ALL = Participants(Participation.FULL)
ANY = Participants(Participation.UNKNOWN)
_EQUALITY = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)


@final
class Guards:
    """Answers for one function, kept per block."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, addresses: Addresses
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._addresses = addresses
        self._known: dict[BasicBlockId, Participants] = {}

    def of(self, block: BasicBlockId) -> Participants:
        if block not in self._known:
            self._known[block] = ANY  # a loop guards itself: what is asked while the answer is sought says nothing
            self._known[block] = self._find(block)
        return self._known[block]

    def _find(self, block: BasicBlockId) -> Participants:
        if self._divergence.convergence(block) <= Level.WARP:
            return ALL
        splitting = [
            controller
            for controller in self._control.controllers(block)
            if controller != block and self._divergence.terminator_level(controller) > Level.WARP
        ]
        above = [controller for controller in self._control.controllers(block) if controller != block]
        if len(above) != 1:
            return ANY if splitting or not above else self._worst([self.of(controller) for controller in above])
        outer = self.of(above[0])
        return outer if not splitting else self._guarded(outer, splitting[0], block)

    def _worst(self, found: list[Participants]) -> Participants:
        same = set(found)
        return same.pop() if len(same) == 1 else ANY

    def _guarded(self, outer: Participants, controller: BasicBlockId, block: BasicBlockId) -> Participants:
        terminator = self._function.blocks[controller].terminator
        if not isinstance(terminator, Branch) or outer.certainty is Participation.UNKNOWN:
            return ANY
        ways = [self._control.post_dominates(block, way) for way in (terminator.if_true, terminator.if_false)]
        if ways[0] == ways[1]:
            return ANY
        table = self._addresses.structured.get(terminator.condition)
        if table is not None:
            return Participants(outer.certainty, (*outer.conditions, (table, ways[0])))
        if self._is_bound(terminator.condition, controller, ways[0]):
            return Participants(Participation.BOUNDED, outer.conditions)
        return ANY

    def _is_bound(self, condition: ValueId, block: BasicBlockId, wanted: bool, depth: int = 0) -> bool:
        """Does it let all lanes through, away from a bound?"""
        if self._divergence.use_level(condition, block) <= Level.WARP:
            return True
        match self._divergence.definition(condition):
            case Compare(operator=operator, left=left, right=right):
                if operator in _EQUALITY and (operator is CompareOperator.EQUAL) == wanted:
                    return False
                return all(self._addresses.form(side, block) is not None for side in (left, right))
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return depth < 8 and self._is_bound(operand, block, not wanted, depth + 1)
            case Binary(
                operator=BinaryOperator.LOGICAL_AND
                | BinaryOperator.LOGICAL_OR
                | BinaryOperator.AND
                | BinaryOperator.OR,
                left=left,
                right=right,
            ):
                return depth < 8 and all(self._is_bound(side, block, wanted, depth + 1) for side in (left, right))
            case _:
                return False
