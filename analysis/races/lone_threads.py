"""Which code does one thread alone run: `if (threadIdx.x == 0)`, `if (blockIdx.x * blockDim.x + threadIdx.x == 0)`?

Question  Are two accesses surely of one thread of a block, or of one block of a grid, whenever they are made?
Rules     A guard lets through who finds two numbers equal.  Their difference is a linear form that stays what it is
          while the kernel runs; if it is another number in each thread of a block, it is 0 in one of them at most, and
          so it is in one block at most if it is another one in each.  What two accesses share of such guards decides.
Exact     only forms that hold whatever arithmetic does, with steps so small that no two threads are one round of
          numbers apart.
Why       Such pairs race with nobody, and to look for two threads that do would take as long as it may.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from analysis.affine.arithmetic import subtract
from analysis.affine.atoms import ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator
from analysis.races.disjoint import Disjoint
from analysis.races.grid_forms import grows_along_the_grid, lies_apart_in_blocks

MAX_DEPTH: Final = 8
"""Operators between a guard and the comparisons that it is made of."""
_FEW_BITS: Final = 16
"""Of a step: with fewer than 2^15 threads in reach no two of them are one round of 32 bits apart."""
_AND: Final = frozenset({BinaryOperator.LOGICAL_AND, BinaryOperator.AND})
_OR: Final = frozenset({BinaryOperator.LOGICAL_OR, BinaryOperator.OR})


@final
class LoneThreads:
    """Answers for the blocks of one function, each asked once along the tree of dominators."""

    def __init__(
        self,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        launch: LaunchKnowledge,
        disjoint: Disjoint,
    ) -> None:
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._launch = launch
        self._disjoint = disjoint
        self._known: dict[BasicBlockId, frozenset[LinearForm]] = {}

    def are_one_thread(self, one: BasicBlockId, other: BasicBlockId) -> bool:
        """Does one thread at most of each block of the grid come to these two, and the same one to both?"""
        return any(self._disjoint.differs_in_each_thread(form) for form in self._zero_in(one) & self._zero_in(other))

    def are_one_block(self, one: BasicBlockId, other: BasicBlockId) -> bool:
        """Do threads of one block of the grid at most come to these two, and of the same one to both?"""
        return any(self._differs_in_each_block(form) for form in self._zero_in(one) & self._zero_in(other))

    def _differs_in_each_block(self, form: LinearForm) -> bool:
        values = (atom.value for atom in form.base.atoms() if isinstance(atom, ValueAtom))
        return all(self._divergence.level(value) is Level.GRID for value in values) and (
            grows_along_the_grid(form) or lies_apart_in_blocks(form, 1, self._launch.shapes)
        )

    def _zero_in(self, block: BasicBlockId) -> frozenset[LinearForm]:
        """The forms that are 0 in every thread that comes to the block."""
        path: list[BasicBlockId] = []
        current: BasicBlockId | None = block
        while current is not None and current not in self._known:
            path.append(current)
            current = self._control.immediate_dominator(current)
        found = frozenset[LinearForm]() if current is None else self._known[current]
        for below in reversed(path):
            found = self._known[below] = found.union(self._guarding(below))
        return found

    def _guarding(self, block: BasicBlockId) -> Iterator[LinearForm]:
        """Those of the branch that leads here, if it is the only way."""
        sources = self._control.predecessors[block]
        if len(sources) != 1:
            return
        source = BasicBlockId(sources[0])
        terminator = self._control.function.blocks[source].terminator
        if isinstance(terminator, Branch) and terminator.if_true != terminator.if_false:
            yield from self._equalities(terminator.condition, source, terminator.if_true == block, 0)

    def _equalities(self, condition: ValueId, block: BasicBlockId, wanted: bool, depth: int) -> Iterator[LinearForm]:
        """The differences that are 0 where a condition is as it is wanted."""
        if depth > MAX_DEPTH:
            return
        match self._divergence.definition(condition):
            case Compare(operator=CompareOperator.EQUAL | CompareOperator.NOT_EQUAL as operator) as item:
                form = self._difference(item, block) if (operator is CompareOperator.EQUAL) == wanted else None
                if form is not None:
                    yield form
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                yield from self._equalities(operand, block, not wanted, depth + 1)
            case Binary(operator=operator, left=left, right=right) if operator in (_AND if wanted else _OR):
                for side in (left, right):
                    yield from self._equalities(side, block, wanted, depth + 1)
            case _:
                pass

    def _difference(self, item: Compare, block: BasicBlockId) -> LinearForm | None:
        """Of two integers, if it stays what it is while the kernel runs and its steps are small."""
        left, right = self._affine.form_at(item.left, block), self._affine.form_at(item.right, block)
        if left is None or right is None or left.bits != right.bits:
            return None
        form = subtract(left, right)
        factors = [coefficient.constant for _, coefficient in form.coefficients]
        factors += [factor for monomial, factor in form.base.terms if monomial]
        is_small = all(factor is not None and abs(factor) < 1 << form.bits - _FEW_BITS for factor in factors)
        return form if form.bits >= 32 and form.exact and is_small and self._disjoint.is_fixed(form) else None
