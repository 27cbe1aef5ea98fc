"""The ring of linear forms: sums, multiples, differences."""

from __future__ import annotations

from analysis.affine.atoms import Axis
from analysis.affine.linear_form import Coefficients, LinearForm
from analysis.affine.polynomial import ZERO, Polynomial


def add(left: LinearForm, right: LinearForm) -> LinearForm:
    base, exact = left.base + right.base, left.exact and right.exact
    if not right.coefficients:
        return LinearForm(left.bits, base, left.coefficients, exact)
    if not left.coefficients:
        return LinearForm(left.bits, base, right.coefficients, exact)
    return LinearForm(left.bits, base, add_coefficients(left.coefficients, right.coefficients), exact)


def add_coefficients(left: Coefficients, right: Coefficients) -> Coefficients:
    sums: dict[Axis, Polynomial] = dict(left)
    for axis, coefficient in right:
        known = sums.get(axis)
        sums[axis] = coefficient if known is None else known + coefficient
    return tuple([(axis, sums[axis]) for axis in sorted(sums) if sums[axis].terms])


def subtract(left: LinearForm, right: LinearForm) -> LinearForm:
    return add(left, scale_by(right, -1))


def scale(form: LinearForm, factor: Polynomial) -> LinearForm:
    if not factor.terms:
        return LinearForm(form.bits, ZERO, (), form.exact)
    times = factor.constant
    if times is not None:
        return scale_by(form, times)
    return LinearForm(form.bits, form.base * factor, scale_coefficients(form.coefficients, factor), form.exact)


def scale_by(form: LinearForm, times: int) -> LinearForm:
    if times == 1:
        return form
    if not times:
        return LinearForm(form.bits, ZERO, (), form.exact)
    coefficients = form.coefficients
    if coefficients:
        coefficients = tuple([(axis, coefficient.scaled(times)) for axis, coefficient in coefficients])
    return LinearForm(form.bits, form.base.scaled(times), coefficients, form.exact)


def scale_coefficients(coefficients: Coefficients, factor: Polynomial) -> Coefficients:
    if not factor.terms:
        return ()
    return tuple([(axis, coefficient * factor) for axis, coefficient in coefficients])


def multiply(left: LinearForm, right: LinearForm) -> LinearForm | None:
    """None if both sides differ among threads, or the product is large."""
    if not right.coefficients:
        product = scale(left, right.base)
    elif not left.coefficients:
        product = scale(right, left.base)
    else:
        return None
    if not is_small(product):
        return None
    exact = left.exact and right.exact
    return product if exact == product.exact else LinearForm(product.bits, product.base, product.coefficients, exact)


def quotient(form: LinearForm, divisor: int) -> LinearForm | None:
    """The form divided by a number; None unless it divides every coefficient."""
    polynomials = (form.base, *(coefficient for _, coefficient in form.coefficients))
    if any(factor % divisor for polynomial in polynomials for _, factor in polynomial.terms):
        return None
    coefficients = tuple((axis, _divided(coefficient, divisor)) for axis, coefficient in form.coefficients)
    return LinearForm(form.bits, _divided(form.base, divisor), coefficients, form.exact)


def _divided(polynomial: Polynomial, divisor: int) -> Polynomial:
    return Polynomial(tuple((monomial, factor // divisor) for monomial, factor in polynomial.terms))


def is_small(form: LinearForm) -> bool:
    return form.base.is_small and all(coefficient.is_small for _, coefficient in form.coefficients)
