"""The tables that the analysis fills, and questions about polynomials over its atoms."""

from __future__ import annotations

from typing import assert_never, final

from analysis.affine.atoms import (
    REGISTER_OF_AXIS,
    Atom,
    IterationAtom,
    RegisterAtom,
    ResidualAtom,
    SymbolAtom,
    ValueAtom,
)
from analysis.affine.interval import Interval, type_range
from analysis.affine.launch_bounds import LaunchBounds
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Monomial, Polynomial
from analysis.affine.ranges import Ranges, whole_range
from analysis.affine.uniformity import Uniformity
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.integers import MAX_ALIGNMENT, power_of_two_in
from analysis.ir.types import U64, PointerType
from analysis.lower.layouts import size_and_alignment

ANY_NUMBER = Interval(-(1 << 80), 1 << 80)
"""For what has no bound that is worth keeping."""


@final
class AffineFacts:
    """Filled once by the passes, then only read."""

    def __init__(
        self,
        function: Function,
        divergence: DivergenceResult,
        bounds: LaunchBounds,
        ranges: Ranges,
        uniformity: Uniformity,
    ) -> None:
        self.function = function
        self.divergence = divergence
        self.bounds = bounds
        self.ranges = ranges
        self.uniformity = uniformity
        self.forms: list[LinearForm | None] = [None] * len(function.types)
        self.proven = bytearray(len(function.types))
        """1 where value and form are equal as integers, not only modulo the width (assuming what `exact` assumes)."""
        self.residual_ranges: dict[ValueId, Interval] = {}
        self.residual_alignments: dict[ValueId, int] = {}
        self.iteration_ranges: dict[int, Interval] = {}
        self.own_alignments: dict[ValueId, int] = {}
        """Of values that are atoms, where an operation or a type says more than the atom."""

    def take_over(self, other: AffineFacts) -> None:
        """What was found out about the same function under other levels."""
        self.forms[:] = other.forms
        self.proven[:] = other.proven
        self.residual_ranges.update(other.residual_ranges)
        self.residual_alignments.update(other.residual_alignments)
        self.iteration_ranges.update(other.iteration_ranges)
        self.own_alignments.update(other.own_alignments)

    # -- ranges -----------------------------------------------------------------------------------------------------

    def atom_range(self, atom: Atom) -> Interval:
        match atom:
            case RegisterAtom(register):
                return self.bounds.registers.get(register, type_range(U64))
            case SymbolAtom():
                return type_range(U64)
            case ValueAtom(value):
                return self.ranges.of(value)
            case ResidualAtom(value):
                return self.residual_ranges.get(value, ANY_NUMBER)
            case IterationAtom(cycle):
                return self.iteration_ranges.get(cycle, Interval(0, ANY_NUMBER.high))
            case _:
                assert_never(atom)

    def polynomial_range(self, polynomial: Polynomial) -> Interval:
        low = high = 0
        for monomial, coefficient in polynomial.terms:
            bound = self._monomial_range(monomial)
            if coefficient > 0:
                low += bound.low * coefficient
                high += bound.high * coefficient
            else:
                low += bound.high * coefficient
                high += bound.low * coefficient
        return Interval(low, high)

    def _monomial_range(self, monomial: Monomial) -> Interval:
        if not monomial:
            return Interval(1, 1)
        if len(monomial) == 2:
            left, right = monomial
            if isinstance(left, RegisterAtom) and isinstance(right, RegisterAtom):
                known = self.bounds.product(left.register, right.register)
                if known is not None:
                    return known
        found = self.atom_range(monomial[0])
        for atom in monomial[1:]:
            found *= self.atom_range(atom)
        return found

    def form_range(self, form: LinearForm) -> Interval:
        """Of the form as an integer, which the value is if nothing wrapped."""
        base = self.polynomial_range(form.base)
        return base + self.thread_range(form) if form.coefficients else base

    def thread_range(self, form: LinearForm) -> Interval:
        """Of the sum over the axes."""
        found = Interval(0, 0)
        for axis, coefficient in form.coefficients:
            found += self.polynomial_range(coefficient) * self.bounds.registers[REGISTER_OF_AXIS[axis]]
        return found

    def is_bounded(self, polynomial: Polynomial) -> bool:
        """Is every atom known to be smaller than its type?"""
        return all(self._has_bound(atom) for atom in polynomial.atoms())

    def _has_bound(self, atom: Atom) -> bool:
        if isinstance(atom, RegisterAtom):
            return atom.register in self.bounds.registers
        if isinstance(atom, ValueAtom):
            return self.ranges.of(atom.value) != whole_range(self.function.types[atom.value])
        return isinstance(atom, ResidualAtom) and atom.value in self.residual_ranges

    # -- alignments -------------------------------------------------------------------------------------------------

    def atom_alignment(self, atom: Atom) -> int:
        match atom:
            case RegisterAtom():
                return self.bounds.alignment(atom)
            case SymbolAtom(symbol):
                return self.symbol_alignment(symbol)
            case ValueAtom(value):
                return self.value_alignment(value)
            case ResidualAtom(value):
                return self.residual_alignments.get(value, 1)
            case IterationAtom():
                return 1
            case _:
                assert_never(atom)

    def polynomial_alignment(self, polynomial: Polynomial) -> int:
        found = MAX_ALIGNMENT
        for monomial, coefficient in polynomial.terms:
            found = min(found, self.term_alignment(monomial, coefficient))
        return found

    def term_alignment(self, monomial: Monomial, coefficient: int) -> int:
        product = power_of_two_in(coefficient)
        for atom in monomial:
            product *= self.atom_alignment(atom)
        return product

    def value_alignment(self, value: ValueId) -> int:
        """Of the value itself, whatever the thread: the base and every coefficient count."""
        form = self.forms[value]
        if form is None or not form.exact:
            return 1
        if form.base.terms == (((ValueAtom(value),), 1),):
            return self._own_alignment(value)
        found = self.polynomial_alignment(form.base)
        for _, coefficient in form.coefficients:
            found = min(found, self.polynomial_alignment(coefficient))
        return found

    def _own_alignment(self, value: ValueId) -> int:
        """Of a value that is an atom: of a pointer, what its type demands."""
        type_ = self.function.types[value]
        if isinstance(type_, PointerType):
            return power_of_two_in(size_and_alignment(type_.element, self.function.structs)[1])
        return self.own_alignments.get(value, 1)

    def symbol_alignment(self, symbol: SymbolId) -> int:
        """Of a variable's address: its type's, as the compiler must lay it out."""
        return power_of_two_in(size_and_alignment(self.function.symbols[symbol].type, self.function.structs)[1])
