"""Do lanes wait for few rounds of many, because a loop's rounds follow the index of the thread in the whole grid?

Question  `for (i = 0; i < blockIdx.x * blockDim.x + threadIdx.x; i++)`: lanes of a warp leave up to 31 rounds apart,
          but over the grid the loop runs from none to as many rounds as there are threads.
Rules     Every exit that lanes take apart compares a number that moves by one step in each round with one that is
          linear in an index, and the index holds `blockIdx.x`.  Integers have linear forms; of floating-point numbers
          sums and products with what agrees in the grid are looked through, and conversions.
Waited    Rounds are never less than none, so a number of rounds that is linear in the index is at least half of its
          span on average; lanes wait for half of what the first and the last of a warp are apart.  So the part that is
          waited for is the index's way along a warp, divided by its way along the grid.
Assumes   grids of few, of typically many, or of many blocks, as of loops (`shares.py`); where the block is not known,
          one of `USUAL_THREADS`; that a warp lies in a row.
Gives up  at indices that differ along y, z or the lane, and at all other conditions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Polynomial
from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Convert, Phi
from analysis.ir.operators import BinaryOperator, CompareOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import IntegerType
from analysis.verdict.shares import FEW, MANY, TYPICAL
from analysis.verdict.steady import Steadiness

USUAL_THREADS: Final = 128
"""Of a row of a block."""
MAX_STEPS: Final = 16
"""Operations between a comparison and an index, or a counter."""
MIN_INDEX_BITS: Final = 32
"""Conversions to less cut indices off, so that they start again."""
_EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
_ADDITIVE: Final = (BinaryOperator.ADD, BinaryOperator.SUBTRACT)
_LINEAR: Final = (*_ADDITIVE, BinaryOperator.MULTIPLY)
_UNBOUNDED: Final = 1 << 32
_BLOCK: Final = RegisterAtom(SpecialRegister.BLOCK_X)
_ROW: Final = RegisterAtom(SpecialRegister.BLOCK_DIM_X)


@final
class GridRounds:
    """Answers about the loops of one function."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._steady = Steadiness(function, divergence)

    def waited(self, cycle: Cycle, exits: Iterable[BasicBlockId]) -> tuple[float, float, float] | None:
        """The part that lanes wait for in grids of many, of typical and of few blocks; None: rounds follow no index.

        `exits`: the decisions at which lanes leave apart.
        """
        if self._divergence.launch.has_several_blocks is False:
            return None
        found: list[_Way] = []
        for block in exits:
            index = self._index_of_exit(cycle, block)
            way = None if index is None else self._way(index)
            if way is None:
                return None
            found.append(way)
        if not found:
            return None
        many, typical, few = (max(way.waited(blocks) for way in found) for blocks in (MANY, TYPICAL, FEW))
        return many, typical, few

    def _way(self, index: _Index) -> _Way | None:
        form = index.form
        if any(not form.coefficient(axis).is_zero for axis in Axis if axis is not Axis.THREAD_X):
            return None
        along_row, by_block = form.coefficient(Axis.THREAD_X).constant, self._by_block(form.base)
        if not along_row or not by_block or not all(map(self._is_of_grid, form.base.atoms())):
            return None
        return _Way(abs(along_row) * (self._divergence.launch.warp_size - 1), by_block, index.most)

    def _by_block(self, base: Polynomial) -> int:
        """How far the index moves from one block to the next; 0 where that is not known."""
        factors = [(monomial, coefficient) for monomial, coefficient in base.terms if _BLOCK in monomial]
        match factors:
            case [((_,), coefficient)]:
                return abs(coefficient)
            case [((_, _) as monomial, coefficient)] if _ROW in monomial:
                return abs(coefficient) * USUAL_THREADS
            case _:
                return 0

    def _is_of_grid(self, atom: Atom) -> bool:
        """What differs from block to block beside its index could cancel it."""
        match atom:
            case ValueAtom(value):
                return self._divergence.level(value) is Level.GRID
            case ResidualAtom():
                return False
            case RegisterAtom() | SymbolAtom() | IterationAtom():
                return True

    def _index_of_exit(self, cycle: Cycle, block: BasicBlockId) -> _Index | None:
        terminator = self._function.blocks[block].terminator
        if not isinstance(terminator, Branch):
            return None
        item = self._divergence.definition(terminator.condition)
        if not isinstance(item, Compare) or item.operator in _EQUALITIES:
            return None
        home = self._divergence.home(terminator.condition)
        left, right = self._affine.form_at(item.left, home), self._affine.form_at(item.right, home)
        if left is not None and right is not None:
            difference = _difference(left, right)
            return _Index(difference, _UNBOUNDED) if _is_stepping(difference.base, cycle) else None
        for counter, bound in ((item.left, item.right), (item.right, item.left)):
            if self._counts(counter, cycle):
                return self._index(bound, home, cycle)
        return None

    # -- numbers without a linear form ------------------------------------------------------------------------------

    def _counts(self, value: ValueId, cycle: Cycle) -> bool:
        """Does it move by one step that agrees in the grid, from a start that does?"""
        item = self._divergence.definition(value)
        for _ in range(MAX_STEPS):
            match item:
                case Convert(operand=operand):
                    item = self._divergence.definition(operand)
                case Phi(result=result, incoming=incoming) if self._divergence.home(result) == cycle.header:
                    starts = [taken for source, taken in incoming if source not in cycle.blocks]
                    nexts = [taken for source, taken in incoming if source in cycle.blocks]
                    return all(self._agrees(start, cycle.header) for start in starts) and all(
                        self._is_step(following, result, cycle) for following in nexts
                    )
                case _:
                    return False
        return False

    def _is_step(self, following: ValueId, counter: ValueId, cycle: Cycle) -> bool:
        item = self._divergence.definition(following)
        if not isinstance(item, Binary) or item.operator not in _ADDITIVE:
            return False
        if item.left == counter:
            step = item.right
        elif item.right == counter and item.operator is BinaryOperator.ADD:
            step = item.left
        else:
            return False
        return self._agrees(step, cycle.header) and self._steady.is_steady(step, cycle)

    def _index(self, value: ValueId, home: BasicBlockId, cycle: Cycle) -> _Index | None:
        """The index in which the value is linear, with factors that agree in the grid and stay in the loop."""
        for _ in range(MAX_STEPS):
            form = self._affine.form_at(value, home)
            if form is not None and not form.is_uniform:
                known = self._affine.range_at(value, home)
                return _Index(form, known.high - known.low) if self._steady.is_steady(value, cycle) else None
            following = self._differing_operand(value, home, cycle)
            if following is None:
                return None
            value = following
        return None

    def _differing_operand(self, value: ValueId, home: BasicBlockId, cycle: Cycle) -> ValueId | None:
        type_ = self._function.types[value]
        if isinstance(type_, IntegerType) and type_.bits < MIN_INDEX_BITS:
            return None
        match self._divergence.definition(value):
            case Convert(operand=operand):
                return operand
            case Binary(operator=operator, left=left, right=right) if operator in _LINEAR:
                if self._is_fixed(right, home, cycle):
                    return left
                return right if self._is_fixed(left, home, cycle) else None
            case Binary(operator=BinaryOperator.DIVIDE, left=left, right=right):
                return left if self._is_fixed(right, home, cycle) else None
            case _:
                return None

    def _is_fixed(self, value: ValueId, home: BasicBlockId, cycle: Cycle) -> bool:
        return self._agrees(value, home) and self._steady.is_steady(value, cycle)

    def _agrees(self, value: ValueId, block: BasicBlockId) -> bool:
        return self._divergence.use_level(value, block) is Level.GRID


@final
@record
class _Index:
    """`most`: by how much it can differ in the grid."""

    form: LinearForm
    most: int


@final
@record
class _Way:
    """How far an index moves along a warp, from one block to the next, and at most along the grid."""

    along_warp: int
    by_block: int
    most: int

    def waited(self, blocks: int) -> float:
        return min(1.0, self.along_warp / max(1, min(self.most, self.by_block * blocks)))


def _difference(left: LinearForm, right: LinearForm) -> LinearForm:
    differences = [(axis, left.coefficient(axis) - right.coefficient(axis)) for axis in Axis]
    coefficients = tuple((axis, difference) for axis, difference in differences if not difference.is_zero)
    return LinearForm(left.bits, left.base - right.base, coefficients)


def _is_stepping(base: Polynomial, cycle: Cycle) -> bool:
    """Does it move by a known step in each round?"""
    counter = IterationAtom(cycle.id)
    return [monomial for monomial, _ in base.terms if counter in monomial] == [(counter,)]
