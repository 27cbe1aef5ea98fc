"""Floating-point formats and exact fused multiply-add.

bfloat16 is held as float32 and rounded to nearest even after each operation.
Source    Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd",
          IEEE TC 2008, for the fused multiply-add in double precision.
"""

from __future__ import annotations

import numpy as np

from sim.arrays import Values


def to_bfloat16(value: Values) -> Values:
    """float32 rounded to the nearest bfloat16, as float32."""
    bits = np.asarray(value, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) & np.uint32(0xFFFF0000)
    nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return np.where(nan, np.uint32(0x7FFF0000), rounded).view(np.float32)


def double_to_bfloat16(value: Values) -> Values:
    """Rounded once: float32 rounded to odd keeps what the second rounding needs."""
    number = np.asarray(value, np.float64)
    single = number.astype(np.float32)
    bits = single.view(np.uint32)
    back = single.astype(np.float64)
    inexact = (back != number) & np.isfinite(single)
    away = np.abs(back) > np.abs(number)
    odd = np.where(inexact, (bits - away.astype(np.uint32)) | np.uint32(1), bits)
    return to_bfloat16(odd.view(np.float32))


def long_to_bfloat16(value: Values) -> Values:
    """A 64-bit integer, rounded once: what double precision has no room for becomes one bit in its last place."""
    ends = value & value.dtype.type(0x7FF)
    cut = (value - ends) | ((ends != 0).astype(value.dtype) << value.dtype.type(11))
    is_large = np.abs(value.astype(np.float64)) >= 2.0**53
    return double_to_bfloat16(np.where(is_large, cut, value).astype(np.float64))


def bfloat16_bits(value: Values) -> Values:
    """The 16 bits in memory."""
    return (np.asarray(value, np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)


def bfloat16_from_bits(bits: Values) -> Values:
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)


def fused_multiply_add(left: Values, right: Values, addend: Values) -> Values:
    """`left * right + addend` rounded once."""
    if left.dtype == np.float64:
        return _fma_double(left, right, addend)
    product = left.astype(np.float64) * right.astype(np.float64)
    if left.dtype == np.float16:  # 22-bit product plus 11 bits: exact in 53 unless far apart, then rounded to odd
        return _to_odd_sum(product, addend.astype(np.float64)).astype(np.float16)
    return _to_odd_sum(product, addend.astype(np.float64)).astype(np.float32)


def two_sum(left: Values, right: Values) -> tuple[Values, Values]:
    """The rounded sum and its error, exact (Knuth)."""
    total = left + right
    part = total - left
    return total, (left - (total - part)) + (right - part)


def fused_multiply_add_bfloat16(left: Values, right: Values, addend: Values) -> Values:
    """The same of bfloat16: their products are exact in double."""
    product = left.astype(np.float64) * right.astype(np.float64)
    return double_to_bfloat16(_to_odd_sum(product, addend.astype(np.float64)))


def multiply_bfloat16(left: Values, right: Values) -> Values:
    """Rounded once, below the normal numbers of float32 as well."""
    return double_to_bfloat16(left.astype(np.float64) * right.astype(np.float64))


def divide_bfloat16(left: Values, right: Values) -> Values:
    return double_to_bfloat16(left.astype(np.float64) / right.astype(np.float64))


def _to_odd_sum(left: Values, right: Values) -> Values:
    """The sum in double, its last bit set where it is inexact, so that rounding it to less is rounding once."""
    total, error = two_sum(left, right)
    bits = np.asarray(total).view(np.int64)
    fix = (error != 0) & np.isfinite(total) & np.isfinite(error) & ((bits & 1) == 0)
    towards_zero = (error < 0) != (total < 0)
    return np.where(fix, np.where(towards_zero, bits - 1, bits + 1), bits).view(np.float64)


def _split(value: Values) -> tuple[Values, Values]:
    factor = value * 134217729.0
    high = factor - (factor - value)
    return high, value - high


def _fma_double(left: Values, right: Values, addend: Values) -> Values:
    product = left * right
    (a, b), (c, d) = _split(left), _split(right)
    low = ((a * c - product) + a * d + b * c) + b * d
    total, error = two_sum(addend, low)
    high, rest = two_sum(product, total)
    exact = high + _to_odd_sum(error, rest)
    plain = product + addend
    return np.where(np.isfinite(exact) & np.isfinite(low), exact, plain)
