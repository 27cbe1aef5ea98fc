"""How does a value move along a row of threads?  For values that have no linear form: `i / w`, `min(i, n)`, floats.

Rules     A linear form moves as its coefficient of `threadIdx.x` says.  Of the rest, a thread index rises; sums,
          differences, products, quotients and shifts with what agrees in the block keep the trend, turn it, or leave
          its direction open; minimum and maximum of equal trends keep it.  A phi at the header of a loop has the trend
          of its start, if the one way back keeps it: the threads that execute one instance have made the same steps.
          The lane rises in each warp anew, so it has no trend.
Assumes   index arithmetic does not wrap (`docs/limitations.md`), unless the known numbers alone say that it does: a
          step so large that a row of threads passes the whole width, as in `threadIdx.x << 31`.
Gives up  at joins, loads, bit operations, at values from a loop that threads left in different rounds, and after
          `MAX_LOOKS` values.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, final

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Bitcast, Convert, ElementAddress, Math, Phi, ReadSpecial, Unary
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import FloatType, IntegerType, PointerType, Type

MAX_LOOKS: Final = 100
"""How many values of one condition are looked at; a few frames of the stack each."""
MIN_INDEX_BITS: Final = 16
"""Conversions to less cut indices off, so that they start again."""


class Trend(Enum):
    """Along a row, in one dynamic instance; neither rising nor falling excludes equal neighbours."""

    CONSTANT = "constant"
    RISING = "rising"
    FALLING = "falling"
    EITHER = "either"
    """Rising or falling, the same in the whole block, but not known which."""
    NONE = "none"


THREAD_INDICES: Final = frozenset({SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z})
_GROWING: Final = frozenset({BinaryOperator.MULTIPLY, BinaryOperator.SHIFT_LEFT})
_TURNED: Final = {Trend.RISING: Trend.FALLING, Trend.FALLING: Trend.RISING}


def turned(trend: Trend) -> Trend:
    return _TURNED.get(trend, trend)


def sum_of(left: Trend, right: Trend) -> Trend:
    """The trend of the sum of two values."""
    if left is Trend.CONSTANT:
        return right
    if right is Trend.CONSTANT:
        return left
    return left if left is right and left is not Trend.EITHER else Trend.NONE


@final
class Trends:
    """The trends of one function, as far as they are asked for."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._types = function.types
        self._control = control
        self._divergence = divergence
        self._affine = affine
        shapes = divergence.launch.shapes
        self._longest_row = max((shape.x for shape in shapes), default=MAX_BLOCK_THREADS)
        self._known: dict[ValueId, Trend] = {}
        self._assumed: dict[ValueId, Trend] = {}
        self._looks = 0

    def begin(self) -> None:
        """A new condition is looked at."""
        self._looks = 0

    def at(self, value: ValueId, block: BasicBlockId) -> Trend:
        """Where `block` reads it."""
        if self._divergence.use_level(value, block) <= Level.BLOCK:
            return Trend.CONSTANT
        if value in self._assumed:
            return self._assumed[value]
        if not self.is_of_one_round(value, block):
            return Trend.NONE
        found = self._known.get(value)
        if found is None:
            self._looks += 1
            found = Trend.NONE if self._looks > MAX_LOOKS else self._find(value)
            if not self._assumed:  # else it may rest on what is only assumed
                self._known[value] = found
        return found

    def at_if_monotone(self, value: ValueId, block: BasicBlockId, part: ValueId) -> Trend:
        """The same if `part`, from which it is computed, were monotone along the row."""
        known, self._known = self._known, {}  # what has no trend may have one now
        self._assumed[part] = Trend.EITHER
        found = self.at(value, block)
        del self._assumed[part]
        self._known = known
        return found

    def is_of_one_round(self, value: ValueId, block: BasicBlockId) -> bool:
        """Do all threads of the block that come to `block` bring the value from the same round of its loops?"""
        cycle = self._control.innermost_cycle(self._divergence.home(value))
        while cycle is not None and block not in cycle.blocks:
            if self._divergence.loop_level(cycle) > Level.BLOCK:
                return False
            cycle = None if cycle.parent is None else self._control.cycles[cycle.parent]
        return True

    def is_of_row(self, form: LinearForm, block: BasicBlockId) -> bool:
        """Do the threads of a row, of whatever warp, differ by `threadIdx.x` alone, without passing the width?"""
        if any(axis is Axis.LANE for axis, _ in form.coefficients):
            return False
        step = form.coefficient(Axis.THREAD_X).constant
        if step is not None and abs(step) * (self._longest_row - 1) >= 1 << form.bits:
            return False
        polynomials = (form.base, *(coefficient for _, coefficient in form.coefficients))
        return all(self._is_of_block(atom, block) for polynomial in polynomials for atom in polynomial.atoms())

    def _is_of_block(self, atom: Atom, block: BasicBlockId) -> bool:
        match atom:
            case RegisterAtom(register):
                return register is not SpecialRegister.WARP_INDEX
            case SymbolAtom() | IterationAtom():
                return True
            case ValueAtom(value):
                return self._divergence.use_level(value, block) <= Level.BLOCK
            case ResidualAtom():
                return False

    def _of_form(self, value: ValueId, home: BasicBlockId) -> Trend | None:
        form = self._affine.form_at(value, home)
        if form is None or form.bits < MIN_INDEX_BITS or not self.is_of_row(form, home):
            return None
        step = form.coefficient(Axis.THREAD_X).constant
        if step is None:
            return None
        return Trend.CONSTANT if step == 0 else Trend.RISING if step > 0 else Trend.FALLING

    def _find(self, value: ValueId) -> Trend:
        item = self._divergence.definition(value)
        home = self._divergence.home(value)
        of_form = self._of_form(value, home)
        if of_form is not None:
            return of_form
        match item:
            case ReadSpecial(register=register) if register in THREAD_INDICES:
                return Trend.RISING
            case Convert(operand=operand):
                keeps = self._keeps_order(operand, self._types[value], home)
                return self.at(operand, home) if keeps else Trend.NONE
            case Bitcast(operand=operand):
                pointers = isinstance(self._types[value], PointerType) and isinstance(self._types[operand], PointerType)
                return self.at(operand, home) if pointers else Trend.NONE
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                return turned(self.at(operand, home))
            case Binary():
                return self._of_binary(item, home)
            case ElementAddress(base=base, index=index):
                return sum_of(self.at(base, home), self.at(index, home))
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM, arguments=(left, right)):
                first, second = self.at(left, home), self.at(right, home)
                return sum_of(first, second)
            case Phi():
                return self._of_phi(item, home)
            case _:
                return Trend.NONE

    def _keeps_order(self, operand: ValueId, target: Type, home: BasicBlockId) -> bool:
        """Does the conversion of a number keep the order of numbers?"""
        source = self._types[operand]
        if isinstance(target, FloatType):
            return isinstance(source, IntegerType | FloatType)
        if not isinstance(target, IntegerType):
            return False
        if isinstance(source, FloatType) or target.bits >= MIN_INDEX_BITS:
            return True
        low = -(1 << target.bits - 1) if target.signed else 0
        found = self._affine.range_at(operand, home)
        return low <= found.low and found.high < low + (1 << target.bits)

    def _of_binary(self, item: Binary, home: BasicBlockId) -> Trend:
        if item.operator in _GROWING and self._passes_width(item, home):
            return Trend.NONE
        left, right = self.at(item.left, home), self.at(item.right, home)
        match item.operator:
            case BinaryOperator.ADD:
                return sum_of(left, right)
            case BinaryOperator.SUBTRACT:
                return sum_of(left, turned(right))
            case BinaryOperator.MULTIPLY if left is Trend.CONSTANT:
                return self._scaled(right, item.left, home)
            case BinaryOperator.MULTIPLY | BinaryOperator.DIVIDE if right is Trend.CONSTANT:
                return self._scaled(left, item.right, home)
            case BinaryOperator.SHIFT_LEFT | BinaryOperator.SHIFT_RIGHT if right is Trend.CONSTANT:
                return left
            case _:
                return Trend.NONE

    def _passes_width(self, item: Binary, home: BasicBlockId) -> bool:
        """Is a number that is known to lie in a small range multiplied by one so large that products start again?"""
        type = self._types[item.result]
        if not isinstance(type, IntegerType):
            return False
        for operand, factor in ((item.left, item.right), (item.right, item.left)):
            found, by = self._affine.range_at(operand, home), self._affine.range_at(factor, home)
            if by.low != by.high or found.high - found.low >= 1 << type.bits - 1:
                continue
            is_shift = item.operator is BinaryOperator.SHIFT_LEFT
            if is_shift and (factor is not item.right or not 0 <= by.low < type.bits):
                continue
            step = 1 << by.low if is_shift else abs(by.low)
            if (found.high - found.low) * step >= 1 << type.bits:
                return True
        return False

    def _scaled(self, trend: Trend, factor: ValueId, home: BasicBlockId) -> Trend:
        if trend in (Trend.CONSTANT, Trend.NONE):
            return trend
        if isinstance(self._types[factor], IntegerType):
            found = self._affine.range_at(factor, home)
            if found.low >= 0:
                return trend
            if found.high <= 0:
                return turned(trend)
        return Trend.EITHER

    def _of_phi(self, phi: Phi, home: BasicBlockId) -> Trend:
        cycle = self._control.innermost_cycle(home)
        if cycle is None or cycle.header != home or not cycle.reducible:
            return Trend.NONE
        starts = {value for source, value in phi.incoming if source not in cycle.blocks}
        backs = {value for source, value in phi.incoming if source in cycle.blocks}
        if len(starts) != 1 or len(backs) != 1:  # threads of one round may have come by different ways
            return Trend.NONE
        start, back = self.at(starts.pop(), home), backs.pop()
        if start is Trend.NONE:
            return Trend.NONE
        for trend in (Trend.RISING, Trend.FALLING) if start is Trend.CONSTANT else (start,):
            self._assumed[phi.result] = trend
            found = self.at(back, home)
            del self._assumed[phi.result]
            if found in (trend, Trend.CONSTANT):
                return trend
        return Trend.NONE
