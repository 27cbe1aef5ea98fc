"""Threads that leave a block early: whose elements do those who stay read?

Rules     Threads leave *from some index on* if the branch compares two linear forms whose difference grows along x, and
          those stay for which it is small: `if (i >= n) return;`; several such comparisons may be joined.  Who stays is
          then a beginning of each row.
          With one row, an element `a*q + b` that thread q writes and thread p reads as `c*p + d` (0 <= c <= a) has
          q <= p if `d + width - b <= a`; if p has stayed, so has q.  Thread 0 of the row stays if any does, so what it
          alone writes is there as well: a write behind `if (threadIdx.x == 0)`.
Assumes   that index arithmetic in 16 bits or more does not wrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.affine.atoms import Axis
from analysis.affine.linear_form import LinearForm
from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Convert, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.types import BooleanType
from analysis.races.disjoint import Disjoint
from analysis.races.model import MemoryUse
from analysis.verdict.trend import MIN_INDEX_BITS
from analysis.verdict.witness import Witness

MAX_DEPTH: Final = 8
_JOINING: Final = frozenset(
    {BinaryOperator.LOGICAL_AND, BinaryOperator.LOGICAL_OR, BinaryOperator.AND, BinaryOperator.OR}
)
_BELOW: Final = frozenset({CompareOperator.LESS, CompareOperator.LESS_EQUAL})
_ABOVE: Final = frozenset({CompareOperator.GREATER, CompareOperator.GREATER_EQUAL})


@final
class Leavers:
    """Answers for one function."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        disjoint: Disjoint,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._disjoint = disjoint

    def leave_from_some_index_on(self, block: BasicBlockId, staying: Sequence[BasicBlockId]) -> bool:
        terminator = self._function.blocks[block].terminator
        if not isinstance(terminator, Branch) or len(staying) != 1 or terminator.if_true == terminator.if_false:
            return False
        return self._holds_below(terminator.condition, terminator.if_true == staying[0], block, MAX_DEPTH)

    def _holds_below(self, condition: ValueId, wanted: bool, block: BasicBlockId, depth: int) -> bool:
        """Of two threads of a row, does the one with the smaller index decide as `wanted` if the other one does?"""
        if depth == 0:
            return False
        if self._divergence.use_level(condition, block) <= Level.BLOCK:
            return True
        match self._divergence.definition(condition):
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return self._holds_below(operand, not wanted, block, depth - 1)
            case Binary(operator=operator, left=left, right=right) if operator in _JOINING:
                return all(self._holds_below(side, wanted, block, depth - 1) for side in (left, right))
            case Compare() as item:
                return self._is_bound_above(item, wanted, block)
            case _:
                return False

    def _is_bound_above(self, item: Compare, wanted: bool, block: BasicBlockId) -> bool:
        left, right = self._affine.form_at(item.left, block), self._affine.form_at(item.right, block)
        if left is None or right is None or min(left.bits, right.bits) < MIN_INDEX_BITS:
            return False
        slope = (left.coefficient(Axis.THREAD_X) - right.coefficient(Axis.THREAD_X)).constant
        has_lanes = bool(left.coefficient(Axis.LANE).terms or right.coefficient(Axis.LANE).terms)
        if not slope or has_lanes or not (self._disjoint.is_fixed(left) and self._disjoint.is_fixed(right)):
            return False
        return item.operator in (_BELOW if (slope > 0) == wanted else _ABOVE)

    def reads_not_above(self, read: MemoryUse, write: MemoryUse) -> bool:
        """Is what a thread reads always written by one with an index that is not greater?  For blocks of one row."""
        if not self._disjoint.has_one_row:
            return False
        if self._is_of_first_thread(write.block):
            return True
        forms = self._forms(read, write)
        if forms is None:
            return False
        step, other, distance = forms
        return 0 <= step <= other and other > 0 and distance + read.width <= other

    def _is_of_first_thread(self, block: BasicBlockId) -> bool:
        """Does only thread 0 of a row run it?"""
        inner: BasicBlockId | None = block
        while inner is not None:
            outer = self._control.immediate_dominator(inner)
            if outer is not None and self._control.predecessors[inner] == [outer]:
                terminator = self._function.blocks[outer].terminator
                if not isinstance(terminator, Branch) or terminator.if_true == terminator.if_false:
                    return False
                if self._means_first(terminator.condition, terminator.if_true == inner, outer):
                    return True
            inner = outer
        return False

    def _means_first(self, condition: ValueId, wanted: bool, block: BasicBlockId) -> bool:
        """Does only thread 0 of a row decide as `wanted`?"""
        match self._divergence.definition(condition):
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return self._means_first(operand, not wanted, block)
            case Convert(operand=operand) if isinstance(self._function.types[condition], BooleanType):
                return not wanted and self._is_index(operand, block)
            case Compare(operator=CompareOperator.EQUAL | CompareOperator.NOT_EQUAL as operator) as item:
                left, right = self._affine.form_at(item.left, block), self._affine.form_at(item.right, block)
                if (operator is CompareOperator.EQUAL) != wanted or left is None or right is None:
                    return False
                steps = [_step_along_x(form) for form in (left, right)]
                return None not in steps and steps[0] != steps[1] and (left.base - right.base).is_zero
            case _:
                return False

    def _is_index(self, value: ValueId, block: BasicBlockId) -> bool:
        """`!threadIdx.x` asks whether it is 0."""
        form = self._affine.form_at(value, block)
        return form is not None and form.base.is_zero and bool(_step_along_x(form))

    def meet(self, read: MemoryUse, write: MemoryUse, witness: Witness, *, by_missing: bool = False) -> bool:
        """Does a thread of the witness that arrives read what one that is missing would write?  Or the other way."""
        forms = self._forms(read, write)
        if forms is None or witness.shape.y * witness.shape.z > 1:
            return False
        step, other, distance = forms
        readers, writing = witness.arriving, witness.missing
        if by_missing:
            readers, writing = writing, readers
        writers = {thread for first, last in writing for thread in range(first, last + 1)}
        if other == 0:  # those that read it write it as well
            return False
        for first, last in readers:
            for thread in range(first, last + 1):
                writer, rest = divmod(step * thread + distance, other)
                if rest == 0 and writer in writers:
                    return True
        return False

    def _forms(self, read: MemoryUse, write: MemoryUse) -> tuple[int, int, int] | None:
        """Bytes from thread to thread of the read and of the write, and how far the read begins behind the write."""
        forms = [self._disjoint.form_of(use) for use in (read, write)]
        one, other = forms
        if one is None or other is None:
            return None
        steps = [_step_along_x(form) for form in (one, other)]
        distance = (one.base - other.base).constant
        if steps[0] is None or steps[1] is None or distance is None:
            return None
        return steps[0], steps[1], distance


def _step_along_x(form: LinearForm) -> int | None:
    """None if another axis has a say."""
    if any(axis is not Axis.THREAD_X for axis, _ in form.coefficients):
        return None
    return form.coefficient(Axis.THREAD_X).constant
