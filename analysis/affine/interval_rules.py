"""C's integer operations on intervals.

Each rule gives the exact interval of the operation in the integers of mathematics, or None where nothing but the type
is known.  Whoever asks compares it with the type: what leaves it may have wrapped.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub

from analysis.affine.interval import BOOLEAN_RANGE, Interval
from analysis.ir.integers import quotient
from analysis.ir.operators import BinaryOperator, MathFunction

IntervalRule = Callable[[Interval, Interval], Interval | None]

MAX_SHIFT = 63


def divide(left: Interval, right: Interval) -> Interval | None:
    """Rounded toward zero.  Division by zero is undefined, and left to the type."""
    if right.low <= 0:
        return None
    corners = [quotient(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(corners), max(corners))


def remainder(left: Interval, right: Interval) -> Interval | None:
    """The sign of the left side."""
    if right.low <= 0:
        return None
    most = right.high - 1
    return Interval(max(-most, min(left.low, 0)), min(most, max(left.high, 0)))


def bitwise_and(left: Interval, right: Interval) -> Interval | None:
    highs = [side.high for side in (left, right) if side.low >= 0]
    return Interval(0, min(highs)) if highs else None


def bitwise_or(left: Interval, right: Interval) -> Interval | None:
    if left.low < 0 or right.low < 0:
        return None
    return Interval(max(left.low, right.low), _all_ones(left, right))


def bitwise_xor(left: Interval, right: Interval) -> Interval | None:
    return None if left.low < 0 or right.low < 0 else Interval(0, _all_ones(left, right))


def _all_ones(left: Interval, right: Interval) -> int:
    return (1 << max(left.high, right.high).bit_length()) - 1


def shift_left(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0 or right.high > MAX_SHIFT:
        return None
    return left * Interval(1 << right.low, 1 << right.high)


def shift_right(left: Interval, right: Interval) -> Interval | None:
    if right.low < 0:
        return None
    least, most = min(right.low, MAX_SHIFT), min(right.high, MAX_SHIFT)
    corners = [left.low >> least, left.low >> most, left.high >> least, left.high >> most]
    return Interval(min(corners), max(corners))


def truth(left: Interval, right: Interval) -> Interval:
    del left, right
    return BOOLEAN_RANGE


BINARY_RULES: dict[BinaryOperator, IntervalRule] = {
    BinaryOperator.ADD: add,
    BinaryOperator.SUBTRACT: sub,
    BinaryOperator.MULTIPLY: mul,
    BinaryOperator.DIVIDE: divide,
    BinaryOperator.REMAINDER: remainder,
    BinaryOperator.AND: bitwise_and,
    BinaryOperator.OR: bitwise_or,
    BinaryOperator.XOR: bitwise_xor,
    BinaryOperator.SHIFT_LEFT: shift_left,
    BinaryOperator.SHIFT_RIGHT: shift_right,
    BinaryOperator.LOGICAL_AND: truth,
    BinaryOperator.LOGICAL_OR: truth,
}


def math(function: MathFunction, operands: list[Interval]) -> Interval | None:
    match function:
        case MathFunction.MINIMUM:
            return Interval(min(side.low for side in operands), min(side.high for side in operands))
        case MathFunction.MAXIMUM:
            return Interval(max(side.low for side in operands), max(side.high for side in operands))
        case MathFunction.ABSOLUTE:
            (side,) = operands
            most = max(abs(side.low), abs(side.high))
            return Interval(0 if 0 in side else min(abs(side.low), abs(side.high)), most)
        case MathFunction.POPULATION_COUNT:
            return Interval(0, 64)
        case _:
            return None
