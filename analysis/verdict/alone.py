"""Does a lane run a block alone?  Behind `if (threadIdx.x == 0)` no warp can split, whatever the data say.

Rules     A block whose dominators include the true side of an equality between linear forms (or the false side of an
          inequality) runs for one thread of a row, if their difference moves by a number other than 0 from thread to
          thread.  `a && b` being true, both are.
Assumes   that a warp lies in a row: good enough for an estimate, not for a proof.
"""

from __future__ import annotations

from typing import final

from analysis.affine.atoms import Axis
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator

MAX_DEPTH = 8


@final
class SingleLanes:
    """Answers for the blocks of one function, each asked once along the tree of dominators."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._known: dict[BasicBlockId, bool] = {}

    def runs_alone(self, block: BasicBlockId) -> bool:
        """Does at most one lane of a warp run the block?"""
        path: list[BasicBlockId] = []
        current: BasicBlockId | None = block
        while current is not None and current not in self._known:
            path.append(current)
            current = self._control.immediate_dominator(current)
        alone = current is not None and self._known[current]
        for below in reversed(path):
            alone = self._known[below] = alone or self._is_guarded(below)
        return alone

    def _is_guarded(self, block: BasicBlockId) -> bool:
        """By the branch that leads here, if it is the only way."""
        sources = self._control.predecessors[block]
        if len(sources) != 1:
            return False
        terminator = self._function.blocks[sources[0]].terminator
        if not isinstance(terminator, Branch) or terminator.if_true == terminator.if_false:
            return False
        return self._singles_out(terminator.condition, BasicBlockId(sources[0]), terminator.if_true == block, 0)

    def _singles_out(self, condition: ValueId, block: BasicBlockId, wanted: bool, depth: int) -> bool:
        if depth > MAX_DEPTH:
            return False
        match self._divergence.definition(condition):
            case Compare(operator=CompareOperator.EQUAL | CompareOperator.NOT_EQUAL as operator) as item:
                return (operator is CompareOperator.EQUAL) == wanted and self._moves(item, block)
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return self._singles_out(operand, block, not wanted, depth + 1)
            case Binary(operator=BinaryOperator.LOGICAL_AND | BinaryOperator.AND, left=left, right=right) if wanted:
                return any(self._singles_out(side, block, wanted, depth + 1) for side in (left, right))
            case Binary(operator=BinaryOperator.LOGICAL_OR | BinaryOperator.OR, left=left, right=right) if not wanted:
                return any(self._singles_out(side, block, wanted, depth + 1) for side in (left, right))
            case _:
                return False

    def _moves(self, item: Compare, block: BasicBlockId) -> bool:
        left, right = self._affine.form_at(item.left, block), self._affine.form_at(item.right, block)
        if left is None or right is None:
            return False
        steps = [(left.coefficient(axis) - right.coefficient(axis)).constant for axis in (Axis.THREAD_X, Axis.LANE)]
        return None not in steps and any(steps)
