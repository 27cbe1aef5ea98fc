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
    """Rounded once in single precision, as `__frsqrt_rn` is."""
    return (1.0 / np.sqrt(value.astype(np.float64))).astype(value.dtype)


def math_rcbrt(value: Values) -> Values:
    return (1.0 / np.cbrt(value.astype(np.float64))).astype(value.dtype)


def math_expm1(value: Values) -> Values:
    return np.expm1(value.astype(np.float64)).astype(value.dtype)


def math_sinh(value: Values) -> Values:
    """NumPy's in double precision is off by 4 ulps."""
    return np.copysign(_SINH(np.abs(value)), value) if value.dtype == np.float64 else np.sinh(value)


def math_power(base: Values, exponent: Values) -> Values:
    if exponent.dtype.kind == "f":
        return np.power(base, exponent)
    return np.power(base.astype(np.float64), exponent.astype(np.float64)).astype(base.dtype)


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


def _root_of_squares(*values: Values, inverse: bool = False) -> Values:
    """Infinite as soon as one is, NaN or not; scaled, so that no square is too large or too small."""
    sizes = [np.abs(value.astype(np.longdouble)) for value in values]
    largest = np.fmax.reduce(np.broadcast_arrays(*sizes))
    scale = np.where((largest > 0) & np.isfinite(largest), np.exp2(np.floor(np.log2(largest))), 1.0)
    root = np.sqrt(sum(np.square(size / scale) for size in sizes)) * scale
    root = np.where(np.isinf(largest), np.inf, root)
    return (1.0 / root if inverse else root).astype(values[0].dtype)


def math_norm3(x: Values, y: Values, z: Values) -> Values:
    return _root_of_squares(x, y, z)


def math_norm4(x: Values, y: Values, z: Values, w: Values) -> Values:
    return _root_of_squares(x, y, z, w)


def math_reciprocal_hypot(x: Values, y: Values) -> Values:
    return math_reciprocal(np.hypot(x, y))


def math_reciprocal_norm3(x: Values, y: Values, z: Values) -> Values:
    return _root_of_squares(x, y, z, inverse=True)


def math_reciprocal_norm4(x: Values, y: Values, z: Values, w: Values) -> Values:
    return _root_of_squares(x, y, z, w, inverse=True)


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
    """Exactly zero at whole numbers, with the sign of the argument."""
    rest = np.fmod(value.astype(np.float64), 2.0)
    zero = np.copysign(0.0, rest)
    return np.where(rest == np.trunc(rest), zero, np.sin(np.pi * _folded(rest))).astype(value.dtype)


def math_cospi(value: Values) -> Values:
    """Exactly zero half way between whole numbers."""
    rest = np.abs(np.fmod(value.astype(np.float64), 2.0))
    near_half = np.where(rest < 1.0, 0.5 - rest, rest - 1.5)  # exact, and cos(pi x) = sin(pi (1/2 - x))
    small = np.abs(near_half) < 0.25
    whole = np.rint(rest)
    far = np.where(whole == 1.0, -1.0, 1.0) * np.cos(np.pi * (rest - whole))
    wave = np.where(small, np.sin(np.pi * np.where(small, near_half, 0.0)), far)
    return np.where(near_half == 0, 0.0, wave).astype(value.dtype)


def _folded(rest: Values) -> Values:
    """The angle in [-1/2, 1/2] with the same sine; `rest` lies in (-2, 2)."""
    size = np.abs(rest)
    folded = np.where(size > 1.5, size - 2.0, np.where(size > 0.5, 1.0 - size, size))
    return np.copysign(1.0, rest) * folded


def math_round(value: Values) -> Values:
    whole = np.trunc(value)
    return np.where(np.abs(value - whole) >= 0.5, whole + np.copysign(value.dtype.type(1), value), whole)


def math_nan(kind: Any, *_: Values) -> Values:
    return kind(np.nan)


def math_sign_bit(value: Values) -> Values:
    return np.signbit(value)


# -- special functions ------------------------------------------------------------------------------------------------


def _erfcx(value: float) -> float:
    """exp(x^2) erfc(x); a continued fraction where erfc is small."""
    if value < -27.0:
        return math.inf
    if value < 6.0:
        high = float(np.float32(value))  # whose square is exact: an error of x^2 is one of its power
        return math.exp(high * high) * math.exp((value - high) * (value + high)) * math.erfc(value)
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


_SQRT_HALF: Final = math.sqrt(0.5)
_SQRT_HALF_REST: Final = -4.833646656726457e-17
"""What the square root of a half has beyond double precision."""


def _normcdf(value: float) -> float:
    """Far to the left a rounding error of the argument would be multiplied: it is made good to first order."""
    argument = -value * _SQRT_HALF
    if not 1.0 < argument < 28.0:
        return 0.5 * math.erfc(argument)
    rest = _product_error(-value, _SQRT_HALF, argument) - value * _SQRT_HALF_REST
    slope = 2.0 / math.sqrt(math.pi) * math.exp(-argument * argument)
    return 0.5 * (math.erfc(argument) - rest * slope)


def _product_error(left: float, right: float, product: float) -> float:
    """`left * right - product`, exactly (Dekker)."""
    split = 134217729.0
    high, other = split * left - (split * left - left), split * right - (split * right - right)
    low, rest = left - high, right - other
    return ((high * other - product) + high * rest + low * other) + low * rest


def _remainder(left: float, right: float) -> float:
    return math.remainder(left, right)


def _logarithm_of_gamma(value: float) -> float:
    is_pole = value <= 0.0 and value == math.floor(value)
    return math.inf if is_pole or math.isinf(value) else math.lgamma(value)


def _gamma(value: float) -> float:
    return math.copysign(math.inf, value) if value == 0.0 else math.gamma(value)


_SINH: Final = _each(math.sinh)
_REMAINDER: Final = _each(_remainder)
math_erf = _each(math.erf)
math_erfc = _each(math.erfc)
math_erfcx = _each(_erfcx)
math_erfinv = _each(_erfinv)
math_erfcinv = _each(_erfcinv)
math_normcdf = _each(_normcdf)
math_normcdfinv = _each(_normal_quantile)
math_lgamma = _each(_logarithm_of_gamma)
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


def _in_double(function: Callable[[Values], Values]) -> Callable[[Values], Values]:
    """CUDA allows 1 ulp, and NumPy's own functions of single precision may be off by 4 with wide vectors."""
    return lambda value: function(value.astype(np.float64)).astype(value.dtype)


math_atan2 = np.arctan2
math_fmod = np.fmod
math_copysign = np.copysign
math_hypot = np.hypot
math_next_after = np.nextafter
math_sqrt = np.sqrt
math_cbrt = _in_double(np.cbrt)
math_exp = np.exp
math_exp2 = np.exp2
math_log = _in_double(np.log)
math_log2 = _in_double(np.log2)
math_log10 = np.log10
math_log1p = _in_double(np.log1p)
math_sin = np.sin
math_cos = np.cos
math_tan = np.tan
math_asin = np.arcsin
math_acos = np.arccos
math_atan = np.arctan
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
