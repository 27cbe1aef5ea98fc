"""C's integer arithmetic where NumPy's differs: NumPy floors quotients, and leaves INT_MIN / -1 to the platform.

Division by zero gives all ones and the remainder its dividend, as NVIDIA's code sequences do.  Shifts by the width or
more give 0 (or the sign), as PTX defines them and NumPy computes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.arrays import Values


def divide(left: Values, right: Values) -> Values:
    """`left / right`, rounded towards zero."""
    if not (left.ndim or right.ndim) and right:
        return _divide_numbers(left, right)
    quotient = left // right
    if np.issubdtype(left.dtype, np.signedinteger):
        inexact = (quotient * right != left) & ((left < 0) != (right < 0))
        quotient = quotient + inexact
        least = np.iinfo(left.dtype).min
        quotient = np.where((left == least) & (right == -1), left, quotient)
    if (right == 0).any():
        quotient = np.where(right == 0, _by_zero(left), quotient)
    return quotient


def _divide_numbers(left: Values, right: Values) -> Values:
    """The same for two numbers on which all threads agree: a few operations of Python in place of ten of NumPy."""
    above, below = int(left), int(right)
    if below == -1:  # the least number has no opposite, and NumPy's wraps
        return np.negative(left)
    quotient = abs(above) // abs(below)
    return left.dtype.type(quotient if (above < 0) == (below < 0) else -quotient)


def _by_zero(left: Values) -> Values:
    """All ones; what fits into 32 bits is divided as 32 bits are."""
    ones = ~np.zeros_like(left)
    if left.dtype.itemsize < 8:
        return ones
    return np.where(left.astype(np.uint64) >> np.uint64(32) == 0, left.dtype.type(0xFFFF_FFFF), ones)


def remainder(left: Values, right: Values) -> Values:
    """`left % right`, with the sign of `left`."""
    result = np.fmod(left, right)
    if (right == 0).any():
        result = np.where(right == 0, left, result)
    return result


def shift_left(value: Values, count: Values) -> Values:
    return np.left_shift(value, _count(value, count))


def shift_right(value: Values, count: Values) -> Values:
    return np.right_shift(value, _count(value, count))


def _count(value: Values, count: Values) -> Values:
    """The count in the value's type; what does not fit shifts everything out.

    Of a count of 64 bits the machine takes the lower half.
    """
    if count.dtype.itemsize == 8:
        count = count.astype(np.uint32)
    if count.dtype == value.dtype:
        return count
    width = value.dtype.itemsize * 8
    return np.where((count < 0) | (count >= width), width, count).astype(value.dtype)


def from_float(value: Values, kind: Any) -> Values:
    """C's conversion of a floating-point number: towards zero; PTX's where C has none: saturating.

    NaN is 0, but the least signed number (1 << (bits - 1)) from double precision and to 64 bits (PTX ISA, `cvt`).
    """
    target = np.dtype(kind)
    if target.itemsize < 4:  # converted to 32 bits, then cut off
        wide: Any = np.int32 if target.kind == "i" else np.uint32
        return from_float(value, wide).astype(target)
    bounds = np.iinfo(target)
    number = value.astype(np.float64)
    top = float(bounds.max) if target.itemsize == 4 else float(2.0 ** (63 if target.kind == "i" else 64))
    inside = (number > float(bounds.min) - 1.0) & (number < top + 1.0 if target.itemsize == 4 else number < top)
    if target.itemsize == 8:
        inside &= number >= float(bounds.min) if target.kind == "i" else number > -1.0
    if inside.all():
        return number.astype(target)
    converted = np.where(inside, number, 0.0).astype(target)
    limits = np.array([bounds.min, 0, bounds.max], target)
    beyond = limits.take(1 + np.sign(np.nan_to_num(number)).astype(np.intp))
    if value.dtype == np.float64 or target.itemsize == 8:
        nan = np.array(1, f"u{target.itemsize}") << np.uint8(8 * target.itemsize - 1)
        beyond = np.where(np.isnan(number), nan.astype(target), beyond)
    return np.where(inside, converted, beyond)


def multiply_high(left: Values, right: Values) -> Values:
    """The upper half of the double-width product."""
    bits = left.dtype.itemsize * 8
    if bits <= 32:
        wide: Any = np.int64 if left.dtype.kind == "i" else np.uint64
        return (left.astype(wide) * right.astype(wide) >> wide(bits)).astype(left.dtype)
    unsigned = _high_64(left.astype(np.uint64), right.astype(np.uint64))
    if left.dtype.kind == "u":
        return unsigned
    return unsigned.astype(np.int64) - right * (left < 0) - left * (right < 0)


def _high_64(left: Values, right: Values) -> Values:
    low_mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = left >> half, left & low_mask
    c, d = right >> half, right & low_mask
    middle = (b * d >> half) + (a * d & low_mask) + (b * c & low_mask)
    return a * c + (a * d >> half) + (b * c >> half) + (middle >> half)
