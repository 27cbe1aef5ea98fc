"""Linear forms, evaluated for the threads of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, assert_never, final

import numpy as np

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Polynomial
from analysis.affine.result import AffineResult
from analysis.ir.ids import ValueId
from benchmarks.claims.agreement import Words

AtomWords: TypeAlias = Callable[[Atom], Words | None]
"""The words of an atom that is no residual; None where the run does not tell."""
AxisWords: TypeAlias = Callable[[Axis], Words]


@final
class Evaluator:
    """Of one event: all arrays broadcast to (rows, lanes), numbers are modulo 2^64."""

    def __init__(self, affine: AffineResult, atom: AtomWords, axis: AxisWords) -> None:
        self._affine = affine
        self._atom = atom
        self._axis = axis

    def thread_part(self, form: LinearForm) -> Words | None:
        """`sum(coefficient * axis)`."""
        total: Words = np.zeros((1, 1), np.uint64)
        for axis, coefficient in form.coefficients:
            factor = self.polynomial(coefficient)
            if factor is None:
                return None
            total = total + factor * self._axis(axis)
        return total

    def whole(self, form: LinearForm) -> Words | None:
        base, thread_part = self.polynomial(form.base), self.thread_part(form)
        return None if base is None or thread_part is None else base + thread_part

    def polynomial(self, polynomial: Polynomial) -> Words | None:
        total: Words = np.zeros((1, 1), np.uint64)
        for monomial, coefficient in polynomial.terms:
            term: Words = np.full((1, 1), coefficient & ((1 << 64) - 1), np.uint64)
            for atom in monomial:
                words = self._of_atom(atom)
                if words is None:
                    return None
                term = term * words
            total = total + term
        return total

    def _of_atom(self, atom: Atom) -> Words | None:
        if not isinstance(atom, ResidualAtom):
            return self._atom(atom)
        form = self._affine.form(atom.value)
        whole = self._atom(ValueAtom(atom.value))
        thread_part = None if form is None else self.thread_part(form)
        return None if whole is None or thread_part is None else whole - thread_part


def values_in(form: LinearForm) -> Iterator[ValueId]:
    """The values that have to be kept to evaluate it."""
    for polynomial in (form.base, *(coefficient for _, coefficient in form.coefficients)):
        for atom in polynomial.atoms():
            match atom:
                case ValueAtom(value=value) | ResidualAtom(value=value):
                    yield value
                case RegisterAtom() | SymbolAtom() | IterationAtom():
                    pass
                case _:
                    assert_never(atom)
