"""Polynomials with integer coefficients over atoms: the symbolic bases and coefficients of linear forms.

Canonical: monomials are sorted tuples of atoms, terms are sorted by monomial, no coefficient is 0.  So two polynomials
are equal if and only if they compare equal.  The integers are those of mathematics, not of a machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, final

from analysis.affine.atoms import Atom
from analysis.ir.record import record

Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, sorted; the empty product is 1."""
Term: TypeAlias = tuple[Monomial, int]

MAX_TERMS = 12
MAX_DEGREE = 6


@final
@record
class Polynomial:
    """A sum of integer multiples of products of atoms."""

    terms: tuple[Term, ...]

    @property
    def constant(self) -> int | None:
        """The number that this polynomial is; None if it has an atom."""
        terms = self.terms
        if not terms:
            return 0
        return terms[0][1] if len(terms) == 1 and not terms[0][0] else None

    @property
    def constant_term(self) -> int:
        """The summand without atoms."""
        return self.terms[0][1] if self.terms and not self.terms[0][0] else 0

    @property
    def without_constant(self) -> Polynomial:
        """The summands with atoms."""
        return Polynomial(self.terms[1:]) if self.terms and not self.terms[0][0] else self

    @property
    def is_zero(self) -> bool:
        return not self.terms

    @property
    def is_small(self) -> bool:
        """Is it within the bounds that keep the analysis linear?  What is not becomes an atom, or unknown."""
        terms = self.terms
        return len(terms) <= MAX_TERMS and max((len(monomial) for monomial, _ in terms), default=0) <= MAX_DEGREE

    def atoms(self) -> Iterator[Atom]:
        """Every occurrence of an atom."""
        for monomial, _ in self.terms:
            yield from monomial

    def __add__(self, other: Polynomial) -> Polynomial:
        if not other.terms:
            return self
        if not self.terms:
            return other
        sums = dict(self.terms)
        for monomial, coefficient in other.terms:
            sums[monomial] = sums.get(monomial, 0) + coefficient
        return _canonical(sums)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        factor = other.constant
        if factor is not None:
            return self.scaled(factor)
        factor = self.constant
        if factor is not None:
            return other.scaled(factor)
        sums: dict[Monomial, int] = {}
        for left, times in self.terms:
            for right, factor in other.terms:
                monomial = tuple(sorted(left + right))
                sums[monomial] = sums.get(monomial, 0) + times * factor
        return _canonical(sums)

    def __neg__(self) -> Polynomial:
        return self.scaled(-1)

    def scaled(self, factor: int) -> Polynomial:
        if factor == 1:
            return self
        if not factor:
            return ZERO
        return Polynomial(tuple([(monomial, coefficient * factor) for monomial, coefficient in self.terms]))


def _canonical(sums: dict[Monomial, int]) -> Polynomial:
    if len(sums) == 1:
        return Polynomial(tuple([term for term in sums.items() if term[1]]))
    return Polynomial(tuple(sorted([term for term in sums.items() if term[1]])))


ZERO = Polynomial(())
ONE = Polynomial((((), 1),))


def number(value: int) -> Polynomial:
    return Polynomial((((), value),)) if value else ZERO


def variable(atom: Atom) -> Polynomial:
    return Polynomial((((atom,), 1),))
