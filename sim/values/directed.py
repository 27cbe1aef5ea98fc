"""Rounding towards zero, up and down: conversions with a rounding mode, and `__fadd_rz` and its like.

The nearest result is moved to its neighbour where it lies on the wrong side of the exact one.  Single precision is
decided in double, where products are exact and sums keep their error; double precision in rational numbers.
Source    IEEE 754-2019, 4.3.2; PTX ISA, "Rounding Modifiers" and `cvt`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import Any, Final

import numpy as np

from analysis.ir.operators import Rounding
from sim.arrays import Values
from sim.values.floats import double_to_bfloat16, fused_multiply_add, long_to_bfloat16, two_sum
from sim.values.integers import from_float

BFLOAT16: Final = "bf16"
"""Stands for the type where NumPy has none."""


def _moved(near: Values, error: Values, mode: Rounding) -> Values:
    """`near` or its neighbour; `error` has the sign of the exact result minus `near`."""
    infinity = near.dtype.type(np.inf)
    match mode:
        case Rounding.ZERO:
            wrong, goal = np.where(np.signbit(near), error > 0, error < 0), near.dtype.type(0)
        case Rounding.UP:
            wrong, goal = error > 0, infinity
        case Rounding.DOWN:
            wrong, goal = error < 0, -infinity
    return np.where(wrong, np.nextafter(near, goal), near)


# -- conversions ------------------------------------------------------------------------------------------------------


def math_convert_round(kind: Any, value: Values) -> Values:
    """To the nearest integer, ties to even; other conversions round so anyway."""
    if _is_integer(kind, value):
        return _to_integer(kind, np.rint(value))
    if kind != BFLOAT16:
        return value.astype(kind)
    is_long = value.dtype.kind != "f" and value.dtype.itemsize == 8
    return long_to_bfloat16(value) if is_long else double_to_bfloat16(value.astype(np.float64))


def math_convert_floor(kind: Any, value: Values) -> Values:
    return _to_integer(kind, np.floor(value)) if _is_integer(kind, value) else _narrowed(kind, value, Rounding.DOWN)


def math_convert_ceil(kind: Any, value: Values) -> Values:
    return _to_integer(kind, np.ceil(value)) if _is_integer(kind, value) else _narrowed(kind, value, Rounding.UP)


def math_convert_trunc(kind: Any, value: Values) -> Values:
    return _to_integer(kind, np.trunc(value)) if _is_integer(kind, value) else _narrowed(kind, value, Rounding.ZERO)


def _is_integer(kind: Any, value: Values) -> bool:
    return kind != BFLOAT16 and np.dtype(kind).kind != "f" and value.dtype.kind == "f"


def _to_integer(kind: Any, whole: Values) -> Values:
    """`cvt` clamps to the range of small integers too."""
    target = np.dtype(kind)
    if target.itemsize >= 4:
        return from_float(whole, kind)
    bounds = np.iinfo(target)
    return np.clip(from_float(whole, np.int32), bounds.min, bounds.max).astype(target)


def _narrowed(kind: Any, value: Values, mode: Rounding) -> Values:
    """To a floating-point format, or between integers."""
    if kind == BFLOAT16:  # rounding twice in the same direction is rounding once
        return _to_bfloat16(_narrowed(np.float32, value, mode), mode)
    near = value.astype(kind)
    if near.dtype.kind != "f":
        return near
    if value.dtype.kind == "f":
        exact, back = value.astype(np.float64), near.astype(np.float64)
        return _moved(near, np.where(back == exact, 0.0, np.where(back < exact, 1.0, -1.0)), mode)
    return _moved(near, _integer_error(value, near), mode)


def _integer_error(value: Values, near: Values) -> Values:
    """Compared as integers: 64 bits do not fit a double."""
    beyond = np.isinf(near) | (np.abs(near.astype(np.float64)) >= 2.0 ** (63 if value.dtype.kind == "i" else 64))
    back = from_float(np.where(beyond, near.dtype.type(0), near), np.int64 if value.dtype.kind == "i" else np.uint64)
    wide = value.astype(back.dtype)
    inside = np.where(back == wide, 0.0, np.where(back < wide, 1.0, -1.0))
    least = np.iinfo(value.dtype).min
    is_least = (value == least) & (near.astype(np.float64) == float(least))
    return np.where(beyond, np.where(is_least, 0.0, np.where(near > 0, -1.0, 1.0)), inside)


def _to_bfloat16(value: Values, mode: Rounding) -> Values:
    """float32 to bfloat16, kept as float32."""
    bits = np.asarray(value, np.float32).view(np.uint32)
    negative = bits >> np.uint32(31) != 0
    away = {Rounding.ZERO: np.False_, Rounding.UP: ~negative, Rounding.DOWN: negative}[mode]
    step = np.where(away & (bits & np.uint32(0xFFFF) != 0), np.uint32(0x10000), np.uint32(0))
    moved = ((bits & np.uint32(0xFFFF0000)) + step).view(np.float32)
    return np.where(np.isfinite(value), moved, value)


# -- arithmetic -------------------------------------------------------------------------------------------------------


def _with_error(near: Values, operands: tuple[Values, ...], mode: Values, single: Values, exact: Any) -> Values:
    """`single` is the sign of the error, good for float32; `exact` computes it from numbers for float64."""
    error = single if near.dtype != np.float64 else np.asarray(exact(*operands, near)).astype(np.float64)
    finite = np.logical_and.reduce([np.isfinite(operand) for operand in np.broadcast_arrays(*operands)])
    overflown = np.where(np.isinf(near), -np.sign(near), error)
    return _moved(near, np.where(finite, overflown, 0.0), Rounding(int(np.asarray(mode).flat[0])))


def _rational(difference: Callable[..., Fraction], count: int) -> Any:
    """The sign of an exact difference of `count` doubles; 0 where one of them is not finite."""

    def sign(*numbers: float) -> int:
        if not all(isfinite(number) for number in numbers):
            return 0
        found = difference(*(Fraction(number) for number in numbers))
        return (found > 0) - (found < 0)

    return np.frompyfunc(sign, count, 1)


def _sign_of_sum(left: Values, right: Values, near: Values) -> Values:
    """Of `left + right - near`, where `near` is the sum in single precision."""
    total, rest = two_sum(left, right)
    difference = total - near
    return np.where(difference != 0, np.sign(difference), np.sign(rest))


def _negative_zero(result: Values, left: Values, right: Values, mode: Values) -> Values:
    """An exact zero of terms with different signs is negative if rounding goes down."""
    if Rounding(int(np.asarray(mode).flat[0])) is not Rounding.DOWN:
        return result
    zero = (result == 0) & (np.signbit(left) != np.signbit(right))
    return np.where(zero, -np.abs(result), result)


def _sum_error(a: Fraction, b: Fraction, near: Fraction) -> Fraction:
    return a + b - near


def _product_error(a: Fraction, b: Fraction, near: Fraction) -> Fraction:
    return a * b - near


def _quotient_error(a: Fraction, b: Fraction, near: Fraction) -> Fraction:
    return a / b - near if b else Fraction(0)


def _root_error(a: Fraction, near: Fraction) -> Fraction:
    return a - near * near


def _fused_error(a: Fraction, b: Fraction, c: Fraction, near: Fraction) -> Fraction:
    return a * b + c - near


_SUM: Final = _rational(_sum_error, 3)
_PRODUCT: Final = _rational(_product_error, 3)
_QUOTIENT: Final = _rational(_quotient_error, 3)
_ROOT: Final = _rational(_root_error, 2)
_FUSED: Final = _rational(_fused_error, 4)


def math_directed_add(left: Values, right: Values, mode: Values) -> Values:
    near, (a, b) = left + right, _wide(left, right)
    moved = _with_error(near, (left, right), mode, _sign_of_sum(a, b, near.astype(np.float64)), _SUM)
    return _negative_zero(moved, left, right, mode)


def math_directed_multiply(left: Values, right: Values, mode: Values) -> Values:
    near, (a, b) = left * right, _wide(left, right)
    return _with_error(near, (left, right), mode, np.sign(a * b - near), _PRODUCT)


def math_directed_divide(left: Values, right: Values, mode: Values) -> Values:
    near, (a, b) = left / right, _wide(left, right)
    moved = _with_error(near, (left, right), mode, np.sign(a - near.astype(np.float64) * b) * np.sign(b), _QUOTIENT)
    return np.where(right == 0, near, moved)


def math_directed_sqrt(value: Values, mode: Values) -> Values:
    near, (a,) = np.sqrt(value), _wide(value)
    return _with_error(near, (value,), mode, np.sign(a - np.square(near.astype(np.float64))), _ROOT)


def math_directed_fused_multiply_add(left: Values, right: Values, addend: Values, mode: Values) -> Values:
    near, (a, b, c) = fused_multiply_add(left, right, addend), _wide(left, right, addend)
    single = _sign_of_sum(a * b, c, near.astype(np.float64))
    moved = _with_error(near, (left, right, addend), mode, single, _FUSED)
    return _negative_zero(moved, left * right, addend, mode)


def _wide(*values: Values) -> tuple[Values, ...]:
    return tuple(np.asarray(value, np.float64) for value in values)
