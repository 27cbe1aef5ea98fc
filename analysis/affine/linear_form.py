"""Linear forms: a value as `base + sum(coefficient * axis)`, and how to write one in the words of the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

from analysis.affine.atoms import Atom, Axis
from analysis.affine.polynomial import ZERO, Polynomial
from analysis.ir.record import record

Coefficients: TypeAlias = tuple[tuple[Axis, Polynomial], ...]
"""Sorted by axis; no coefficient is zero."""

AtomNames: TypeAlias = Callable[[Atom], str]


@final
@record
class LinearForm:
    """`value = base + sum(coefficient * axis)` modulo `2 ** bits`; of a pointer in bytes, with 64 bits.

    Among the threads of one warp that execute one dynamic instance of the value's definition, every atom has one
    value, so the threads differ by their axes alone.
    `exact` is False where the form holds only if index arithmetic did not wrap before it was widened.
    """

    bits: int
    base: Polynomial
    coefficients: Coefficients = ()
    exact: bool = True

    @property
    def is_uniform(self) -> bool:
        """The same in all threads of a warp."""
        return not self.coefficients

    def coefficient(self, axis: Axis) -> Polynomial:
        for other, polynomial in self.coefficients:
            if other is axis:
                return polynomial
        return ZERO


AXIS_NAMES = {
    Axis.THREAD_X: "threadIdx.x",
    Axis.THREAD_Y: "threadIdx.y",
    Axis.THREAD_Z: "threadIdx.z",
    Axis.LANE: "lane",
}


def format_form(form: LinearForm, names: AtomNames) -> str:
    """`4*threadIdx.x + 4*n + p`; `names` spells the atoms."""
    parts: list[str] = []
    for axis, coefficient in form.coefficients:
        word, factor = AXIS_NAMES[axis], coefficient.constant
        if factor is None:
            text = format_polynomial(coefficient, names)
            parts.append(f"{text}*{word}" if len(coefficient.terms) == 1 else f"({text})*{word}")
        else:
            parts.append(_times(factor, word))
    if form.base.terms or not parts:
        parts.append(format_polynomial(form.base, names))
    return _sum(parts)


def format_polynomial(polynomial: Polynomial, names: AtomNames) -> str:
    """`4*n*m + p + 7`: the number last."""
    terms = [term for term in polynomial.terms if term[0]]
    parts = [_times(coefficient, "*".join(map(names, monomial))) for monomial, coefficient in terms]
    if polynomial.constant_term or not parts:
        parts.append(str(polynomial.constant_term))
    return _sum(parts)


def _times(factor: int, word: str) -> str:
    return word if factor == 1 else f"-{word}" if factor == -1 else f"{factor}*{word}"


def _sum(parts: list[str]) -> str:
    text = parts[0]
    for part in parts[1:]:
        text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
    return text
