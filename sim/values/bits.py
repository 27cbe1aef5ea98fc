"""Bit manipulation: CUDA's integer intrinsics on arrays.

Source    CUDA math API, "Integer intrinsics"; PTX ISA for the cases that C leaves open.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.arrays import Values
from sim.values.integers import multiply_high


def _unsigned(value: Values) -> Values:
    return value.view(f"u{value.dtype.itemsize}")


def math_population_count(value: Values) -> Values:
    return np.bitwise_count(_unsigned(value)).astype(np.int32)


def math_count_leading_zeros(value: Values) -> Values:
    bits = _unsigned(value)
    width = value.dtype.itemsize * 8
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < width:
            bits = bits | bits >> bits.dtype.type(shift)
    return (width - np.bitwise_count(bits)).astype(np.int32)


def math_find_first_set(value: Values) -> Values:
    """1 + the position of the lowest set bit; 0 for 0."""
    bits = _unsigned(value)
    lowest = bits & (~bits + bits.dtype.type(1))
    return np.where(bits == 0, 0, np.bitwise_count(lowest - bits.dtype.type(1)).astype(np.int32) + 1).astype(np.int32)


def math_reverse_bits(value: Values) -> Values:
    bits = np.array(_unsigned(value), copy=True)
    width = value.dtype.itemsize * 8
    shift = width // 2
    mask = (1 << width) - 1
    while shift:
        mask ^= (mask << shift) & ((1 << width) - 1)
        low, by = bits.dtype.type(mask), bits.dtype.type(shift)
        bits = bits >> by & low | (bits & low) << by
        shift //= 2
    return bits.view(value.dtype)


def math_byte_permute(left: Values, right: Values, selector: Values) -> Values:
    both = right.astype(np.uint32).astype(np.uint64) << np.uint64(32) | left.astype(np.uint32).astype(np.uint64)
    selector = selector.astype(np.uint32).astype(np.uint64)
    result = np.zeros(np.broadcast_shapes(np.shape(both), np.shape(selector)), np.uint64)
    for index in range(4):
        nibble = selector >> np.uint64(4 * index)
        octet = both >> (nibble & np.uint64(7)) * np.uint64(8) & np.uint64(0xFF)
        sign = np.where(octet & np.uint64(0x80), np.uint64(0xFF), np.uint64(0))
        octet = np.where(nibble & np.uint64(8), sign, octet)
        result = result | octet << np.uint64(8 * index)
    return result.astype(np.uint32)


def _funnel(low: Values, high: Values, shift: Values, *, left: bool, clamp: bool) -> Values:
    word = high.astype(np.uint32).astype(np.uint64) << np.uint64(32) | low.astype(np.uint32).astype(np.uint64)
    count = shift.astype(np.uint32).astype(np.uint64)
    count = np.minimum(count, np.uint64(32)) if clamp else count & np.uint64(31)
    moved = word << count >> np.uint64(32) if left else word >> count
    return moved.astype(np.uint32)


def math_funnel_shift_left(low: Values, high: Values, shift: Values) -> Values:
    return _funnel(low, high, shift, left=True, clamp=False)


def math_funnel_shift_right(low: Values, high: Values, shift: Values) -> Values:
    return _funnel(low, high, shift, left=False, clamp=False)


def math_funnel_shift_left_clamp(low: Values, high: Values, shift: Values) -> Values:
    return _funnel(low, high, shift, left=True, clamp=True)


def math_funnel_shift_right_clamp(low: Values, high: Values, shift: Values) -> Values:
    return _funnel(low, high, shift, left=False, clamp=True)


def math_find_nth_set(mask: Values, base: Values, offset: Values) -> Values:
    """`__fns`: the position of the `offset`-th set bit from `base` up (down if negative); all ones if there is none."""
    bits = mask.astype(np.uint64)
    start = base.astype(np.int64)
    wanted = offset.astype(np.int64)
    shape = np.broadcast_shapes(np.shape(bits), np.shape(start), np.shape(wanted))
    result = np.full(shape, 0xFFFFFFFF, np.uint32)
    seen = np.zeros(shape, np.int64)
    width = mask.dtype.itemsize * 8
    for distance in range(width):
        position = np.where(wanted < 0, start - distance, start + distance)
        inside = (position >= 0) & (position < width)
        is_set = inside & ((bits >> np.clip(position, 0, 63).astype(np.uint64) & np.uint64(1)) != 0)
        seen = seen + is_set
        hit = is_set & (wanted != 0) & (seen == np.abs(wanted)) & (result == 0xFFFFFFFF)
        result = np.where(hit, position, result).astype(np.uint32)
    at_base = (wanted == 0) & ((bits >> np.clip(start, 0, 63).astype(np.uint64) & np.uint64(1)) != 0)
    return np.where(at_base, start, result).astype(np.uint32)


def math_multiply_high(left: Values, right: Values) -> Values:
    return multiply_high(left, right)


def math_multiply_24(left: Values, right: Values) -> Values:
    if left.dtype.kind == "u":
        return (left & 0xFFFFFF) * (right & 0xFFFFFF)
    eight = left.dtype.type(8)
    return (left << eight >> eight) * (right << eight >> eight)


def math_sum_absolute_difference(left: Values, right: Values, addend: Values) -> Values:
    difference = np.where(left > right, left - right, right - left)
    return difference.astype(np.uint32) + addend.astype(np.uint32)


def math_halving_add(left: Values, right: Values) -> Values:
    wide = left.astype(np.int64) + right.astype(np.int64)
    return (wide >> 1).astype(left.dtype)


def math_rounded_halving_add(left: Values, right: Values) -> Values:
    wide = left.astype(np.int64) + right.astype(np.int64) + 1
    return (wide >> 1).astype(left.dtype)


def _lanes_of_word(value: Values, kind: str, count: int) -> list[Values]:
    bits = 32 // count
    unsigned = value.view(np.uint32)
    found: list[Values] = []
    for index in range(count):
        part = (unsigned >> np.uint32(bits * index)).astype(f"u{bits // 8}")
        found.append(part.view(f"{kind}{bits // 8}").astype(np.int64))
    return found


def math_dot_product_4(left: Values, right: Values, addend: Values) -> Values:
    kinds = left.dtype.kind, right.dtype.kind
    total = addend.astype(np.int64)
    for a, b in zip(_lanes_of_word(left, kinds[0], 4), _lanes_of_word(right, kinds[1], 4), strict=True):
        total = total + a * b
    return total.astype(addend.dtype)


def _dot_product_2(left: Values, right: Values, addend: Values, first: int) -> Values:
    octets = _lanes_of_word(right, right.dtype.kind, 4)[first : first + 2]
    total = addend.astype(np.int64)
    for a, b in zip(_lanes_of_word(left, left.dtype.kind, 2), octets, strict=True):
        total = total + a * b
    return total.astype(addend.dtype)


def math_dot_product_2_low(left: Values, right: Values, addend: Values) -> Values:
    return _dot_product_2(left, right, addend, 0)


def math_dot_product_2_high(left: Values, right: Values, addend: Values) -> Values:
    return _dot_product_2(left, right, addend, 2)


def math_bit_field_extract(kind: Any, value: Values, position: Values, length: Values) -> Values:
    """PTX `bfe`: position and length count to 255; bits beyond the word are 0, or its sign."""
    width = value.dtype.itemsize * 8
    start = position.astype(np.int64) & 0xFF
    count = length.astype(np.int64) & 0xFF
    wide = value.astype(np.int64) if value.dtype.kind == "i" else value.astype(np.uint64).view(np.int64)
    is_signed = np.dtype(kind).kind == "i"
    top = np.minimum(start + count - 1, width - 1)
    sign = (wide >> np.clip(top, 0, 63) & 1) if is_signed else np.int64(0)
    shifted = wide.astype(np.uint64) >> np.minimum(start, 63).astype(np.uint64)
    shifted = np.where(start >= width, np.uint64(0), shifted)
    inside = np.clip(np.minimum(count, width - start), 0, 64)
    mask = _low_bits(inside)
    field = shifted & mask
    filled = np.where((sign != 0) & (count > 0), field | ~mask, field)
    return filled.astype(np.dtype(f"u{np.dtype(kind).itemsize}")).view(kind)


def _low_bits(count: Values) -> Values:
    one = np.uint64(1)
    partial = (one << np.minimum(count, 63).astype(np.uint64)) - one
    return np.where(count >= 64, ~np.uint64(0), partial)


def math_bit_field_insert(field: Values, target: Values, position: Values, length: Values) -> Values:
    width = target.dtype.itemsize * 8
    start = position.astype(np.int64) & 0xFF
    count = np.minimum(length.astype(np.int64) & 0xFF, np.maximum(width - start, 0))
    shift = np.minimum(start, 63).astype(np.uint64)
    mask = np.where(start >= width, np.uint64(0), _low_bits(count) << shift)
    return (target.astype(np.uint64) & ~mask | field.astype(np.uint64) << shift & mask).astype(target.dtype)


def math_lookup_3(a: Values, b: Values, c: Values, table: Values) -> Values:
    """PTX `lop3`: any function of three bits, given by its table of eight."""
    a, b, c = a.astype(np.uint32), b.astype(np.uint32), c.astype(np.uint32)
    table = table.astype(np.uint32)
    result = np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c)), np.uint32)
    for index in range(8):
        term = (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
        result = result | np.where(table >> np.uint32(index) & np.uint32(1), term, np.uint32(0))
    return result


def math_extract_bits(value: Values, mask: Values) -> Values:
    """The bits of `value` at the set bits of `mask`, packed."""
    value, mask = np.broadcast_arrays(value, mask)
    result = np.zeros(value.shape, np.uint64)
    filled = np.zeros(value.shape, np.uint64)
    one = np.uint64(1)
    for position in range(value.dtype.itemsize * 8):
        chosen = mask.astype(np.uint64) >> np.uint64(position) & one
        result = result | (value.astype(np.uint64) >> np.uint64(position) & chosen) << filled
        filled = filled + chosen
    return result.astype(value.dtype)
