"""The floating-point library: NumPy where it has the function, the C library through `math`, series for the rest.

Single precision is computed in single precision where NumPy offers it (at most 4 ulp from the exact result), else in
double and rounded.  Every function returns a new array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from sim.arrays import Values
from sim.values.bessel import bessel_i, bessel_j, bessel_y
from sim.values.floats import fused_multiply_add
from sim.values.integers import from_float


def _each(function: Callable[..., float]) -> Callable[..., Values]:
    """A function of Python numbers on arrays: in double, rounded to the first operand's type."""

    def safe(*arguments: float) -> float:
        try:
            return function(*arguments)
        except (OverflowError, ZeroDivisionError):
            return math.inf
        except ValueError:
            return math.nan

    vectorised = np.frompyfunc(safe, function.__code__.co_argcount if hasattr(function, "__code__") else 1, 1)

    def on_arrays(*arguments: Values) -> Values:
        wide = [np.asarray(argument, np.float64) for argument in arguments]
        return np.asarray(vectorised(*wide)).astype(np.float64).astype(arguments[0].dtype)

    return on_arrays


def math_minimum(left: Values, right: Values) -> Values:
    return np.fmin(left, right)


def math_maximum(left: Values, right: Values) -> Values:
    return np.fmax(left, right)


def math_clamp(value: Values, low: Values, high: Values) -> Values:
    return np.fmin(np.fmax(value, low), high)


def math_saturate(value: Values) -> Values:
    """Into [0, 1]; NaN becomes 0."""
    kind = value.dtype.type
    return np.fmin(np.fmax(value, kind(0)), kind(1))


def math_absolute(value: Values) -> Values:
    return np.abs(value) if value.dtype.kind != "u" else value.copy()


def math_fast_divide(left: Values, right: Values) -> Values:
    return left / right


def math_reciprocal(value: Values) -> Values:
    return value.dtype.type(1) / value


def math_rsqrt(value: Values) -> Values:
    return value.dtype.type(1) / np.sqrt(value)


def math_rcbrt(value: Values) -> Values:
    return value.dtype.type(1) / np.cbrt(value)


def math_dim(left: Values, right: Values) -> Values:
    return np.where(left > right, left - right, np.where(np.isnan(left + right), left + right, left.dtype.type(0)))


def math_fused_multiply_add(left: Values, right: Values, addend: Values) -> Values:
    if left.dtype.kind != "f":
        return left * right + addend
    return fused_multiply_add(left, right, addend)


def math_ieee_remainder(left: Values, right: Values) -> Values:
    return _REMAINDER(left, right)


def math_ldexp(value: Values, exponent: Values) -> Values:
    return np.ldexp(value, np.clip(exponent.astype(np.int64), -5000, 5000).astype(np.int32))


def _root_of_squares(*values: Values) -> Values:
    total = sum(np.square(value.astype(np.float64)) for value in values)
    return np.sqrt(total).astype(values[0].dtype)


def math_norm3(x: Values, y: Values, z: Values) -> Values:
    return _root_of_squares(x, y, z)


def math_norm4(x: Values, y: Values, z: Values, w: Values) -> Values:
    return _root_of_squares(x, y, z, w)


def math_reciprocal_hypot(x: Values, y: Values) -> Values:
    return math_reciprocal(np.hypot(x, y))


def math_reciprocal_norm3(x: Values, y: Values, z: Values) -> Values:
    return math_reciprocal(_root_of_squares(x, y, z))


def math_reciprocal_norm4(x: Values, y: Values, z: Values, w: Values) -> Values:
    return math_reciprocal(_root_of_squares(x, y, z, w))


def math_exp10(value: Values) -> Values:
    return np.power(np.float64(10), value.astype(np.float64)).astype(value.dtype)


def math_logb(value: Values) -> Values:
    _, exponent = np.frexp(value)
    result = (exponent - 1).astype(value.dtype)
    infinity = value.dtype.type(np.inf)
    return np.where(value == 0, -infinity, np.where(np.isfinite(value), result, np.abs(value)))


def math_ilogb(value: Values) -> Values:
    _, exponent = np.frexp(value)
    special = np.where(np.isinf(value), 0x7FFFFFFF, -0x80000000)
    return np.where(np.isfinite(value) & (value != 0), exponent - 1, special).astype(np.int32)


def math_sinpi(value: Values) -> Values:
    return np.sin(np.pi * np.fmod(value.astype(np.float64), 2.0)).astype(value.dtype)


def math_cospi(value: Values) -> Values:
    return np.cos(np.pi * np.fmod(value.astype(np.float64), 2.0)).astype(value.dtype)


def math_round(value: Values) -> Values:
    whole = np.trunc(value)
    return np.where(np.abs(value - whole) >= 0.5, whole + np.copysign(value.dtype.type(1), value), whole)


def math_nan(kind: Any, *_: Values) -> Values:
    return kind(np.nan)


def math_sign_bit(value: Values) -> Values:
    return np.signbit(value)


# -- conversions with a rounding mode ---------------------------------------------------------------------------------


def _directed(kind: Any, value: Values, to_whole: Callable[[Values], Values], towards: float | None) -> Values:
    """To an integer by `to_whole`; to a narrower float by nudging what was rounded the wrong way."""
    target = np.dtype(kind)
    if value.dtype.kind != "f" and target.kind != "f":
        return value.astype(target)
    if target.kind != "f":
        return from_float(to_whole(value), kind)
    near = value.astype(target)
    if towards is None:
        return near
    wide: Any = np.longdouble if value.dtype.kind != "f" else np.float64
    exact, back = value.astype(wide), near.astype(wide)
    wrong = back > exact if towards == -math.inf else back < exact
    if towards == 0.0:
        wrong = np.abs(back) > np.abs(exact)
    return np.where(wrong, np.nextafter(near, target.type(towards)), near)


def math_convert_round(kind: Any, value: Values) -> Values:
    return _directed(kind, value, np.rint, None)


def math_convert_floor(kind: Any, value: Values) -> Values:
    return _directed(kind, value, np.floor, -math.inf)


def math_convert_ceil(kind: Any, value: Values) -> Values:
    return _directed(kind, value, np.ceil, math.inf)


def math_convert_trunc(kind: Any, value: Values) -> Values:
    return _directed(kind, value, np.trunc, 0.0)


# -- special functions ------------------------------------------------------------------------------------------------


def _erfcx(value: float) -> float:
    """exp(x^2) erfc(x); a continued fraction where erfc underflows."""
    if value < 25.0:
        return math.exp(value * value) * math.erfc(value)
    fraction = 0.0
    for term in range(60, 0, -1):
        fraction = term / 2 / (value + fraction)
    return 1.0 / (math.sqrt(math.pi) * (value + fraction))


_NORMAL: Final = NormalDist()


def _normal_quantile(probability: float) -> float:
    if probability in (0.0, 1.0):
        return math.copysign(math.inf, probability - 0.5)
    return _NORMAL.inv_cdf(probability)


def _erfcinv(value: float) -> float:
    if value in (0.0, 2.0):
        return math.copysign(math.inf, 1.0 - value)
    guess = -_normal_quantile(value / 2) / math.sqrt(2.0)
    slope = -2.0 / math.sqrt(math.pi) * math.exp(-guess * guess)
    return guess - (math.erfc(guess) - value) / slope if slope else guess


def _erfinv(value: float) -> float:
    if abs(value) == 1.0:
        return math.copysign(math.inf, value)
    if abs(value) > 0.5:
        return math.copysign(_erfcinv(1.0 - abs(value)), value)
    guess = _normal_quantile((value + 1.0) / 2.0) / math.sqrt(2.0)
    for _ in range(2):
        guess -= (math.erf(guess) - value) * math.sqrt(math.pi) / 2.0 * math.exp(guess * guess)
    return guess


def _normcdf(value: float) -> float:
    return 0.5 * math.erfc(-value / math.sqrt(2.0))


def _remainder(left: float, right: float) -> float:
    return math.remainder(left, right)


def _gamma(value: float) -> float:
    return math.copysign(math.inf, value) if value == 0.0 else math.gamma(value)


_REMAINDER: Final = _each(_remainder)
math_erf = _each(math.erf)
math_erfc = _each(math.erfc)
math_erfcx = _each(_erfcx)
math_erfinv = _each(_erfinv)
math_erfcinv = _each(_erfcinv)
math_normcdf = _each(_normcdf)
math_normcdfinv = _each(_normal_quantile)
math_lgamma = _each(math.lgamma)
math_tgamma = _each(_gamma)


def math_bessel_j0(value: Values) -> Values:
    return bessel_j(0, value)


def math_bessel_j1(value: Values) -> Values:
    return bessel_j(1, value)


def math_bessel_jn(order: Values, value: Values) -> Values:
    return _by_order(bessel_j, order, value)


def math_bessel_y0(value: Values) -> Values:
    return bessel_y(0, value)


def math_bessel_y1(value: Values) -> Values:
    return bessel_y(1, value)


def math_bessel_yn(order: Values, value: Values) -> Values:
    return _by_order(bessel_y, order, value)


def math_cyl_bessel_i0(value: Values) -> Values:
    return bessel_i(0, value)


def math_cyl_bessel_i1(value: Values) -> Values:
    return bessel_i(1, value)


def _by_order(function: Callable[[int, Values], Values], order: Values, value: Values) -> Values:
    shape = np.broadcast_shapes(np.shape(order), np.shape(value))
    orders, values = np.broadcast_to(order, shape), np.broadcast_to(value, shape)
    result = np.zeros(shape, value.dtype)
    for one in np.unique(orders):
        result = np.where(orders == one, function(int(one), values), result)
    return result


# -- one to one -------------------------------------------------------------------------------------------------------

math_power = np.power
math_atan2 = np.arctan2
math_fmod = np.fmod
math_copysign = np.copysign
math_hypot = np.hypot
math_next_after = np.nextafter
math_sqrt = np.sqrt
math_cbrt = np.cbrt
math_exp = np.exp
math_exp2 = np.exp2
math_expm1 = np.expm1
math_log = np.log
math_log2 = np.log2
math_log10 = np.log10
math_log1p = np.log1p
math_sin = np.sin
math_cos = np.cos
math_tan = np.tan
math_asin = np.arcsin
math_acos = np.arccos
math_atan = np.arctan
math_sinh = np.sinh
math_cosh = np.cosh
math_tanh = np.tanh
math_asinh = np.arcsinh
math_acosh = np.arccosh
math_atanh = np.arctanh
math_floor = np.floor
math_ceil = np.ceil
math_trunc = np.trunc
math_rint = np.rint
math_is_nan = np.isnan
math_is_infinite = np.isinf
math_is_finite = np.isfinite
