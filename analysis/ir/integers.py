"""C's integer arithmetic on numbers of any size: quotients towards zero, numbers as so many bits hold them, and what
divides them."""

from __future__ import annotations

from typing import Final


def quotient(left: int, right: int) -> int:
    """`left / right` in C, rounded towards zero; `right` is not zero."""
    magnitude = abs(left) // abs(right)
    return magnitude if (left < 0) == (right < 0) else -magnitude


def remainder(left: int, right: int) -> int:
    """`left % right` in C: it has the sign of `left`."""
    return left - right * quotient(left, right)


def wrapped(number: int, bits: int, is_signed: bool) -> int:
    """The number modulo `2 ** bits`, as a signed or unsigned integer of so many bits holds it."""
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if is_signed and low >> (bits - 1) else low


MAX_ALIGNMENT: Final = 1 << 64
"""What 0 is a multiple of."""


def power_of_two_in(number: int) -> int:
    """The largest power of two that divides a number."""
    return number & -number if number else MAX_ALIGNMENT
