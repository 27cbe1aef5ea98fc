"""C's integer operations on Python integers, exactly: what a thread computes, or None where C leaves it undefined.

Values are canonical: a value of an unsigned type is in `0 .. 2^bits - 1`, of a signed type in `-2^(bits-1) ..`.
Signed overflow wraps, as every GPU does it; division by zero and shifts by the width or more are None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, UnaryOperator
from analysis.ir.types import BooleanType, IntegerType

ScalarType = IntegerType | BooleanType

COMPARISONS: dict[CompareOperator, Callable[[int, int], int]] = {
    CompareOperator.EQUAL: operator.eq,
    CompareOperator.NOT_EQUAL: operator.ne,
    CompareOperator.LESS: operator.lt,
    CompareOperator.LESS_EQUAL: operator.le,
    CompareOperator.GREATER: operator.gt,
    CompareOperator.GREATER_EQUAL: operator.ge,
}

EXACT: dict[BinaryOperator, Callable[[int, int], int]] = {
    BinaryOperator.ADD: operator.add,
    BinaryOperator.SUBTRACT: operator.sub,
    BinaryOperator.MULTIPLY: operator.mul,
    BinaryOperator.AND: int.__and__,
    BinaryOperator.OR: int.__or__,
    BinaryOperator.XOR: int.__xor__,
    BinaryOperator.LOGICAL_AND: lambda a, b: int(bool(a) and bool(b)),
    BinaryOperator.LOGICAL_OR: lambda a, b: int(bool(a) or bool(b)),
}


def wrap(value: int, type_: ScalarType) -> int:
    """A conversion to `type_`."""
    if isinstance(type_, BooleanType):
        return int(value != 0)
    value &= (1 << type_.bits) - 1
    if type_.signed and value >> (type_.bits - 1):
        value -= 1 << type_.bits
    return value


def binary(operator: BinaryOperator, left: int, right: int, type_: ScalarType) -> int | None:
    """`left operator right` where `left` and the result have `type_`."""
    exact = EXACT.get(operator)
    if exact is not None:
        return wrap(exact(left, right), type_)
    if operator in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER):
        if right == 0:
            return None
        quotient = abs(left) // abs(right)
        if (left < 0) != (right < 0):
            quotient = -quotient
        return wrap(quotient if operator is BinaryOperator.DIVIDE else left - quotient * right, type_)
    bits = 1 if isinstance(type_, BooleanType) else type_.bits
    if not 0 <= right < bits:
        return None
    return wrap(left << right if operator is BinaryOperator.SHIFT_LEFT else left >> right, type_)


def unary(operator: UnaryOperator, operand: int, type_: ScalarType) -> int:
    match operator:
        case UnaryOperator.NEGATE:
            return wrap(-operand, type_)
        case UnaryOperator.COMPLEMENT:
            return wrap(~operand, type_)
        case UnaryOperator.LOGICAL_NOT:
            return int(operand == 0)


MATH_FUNCTIONS = frozenset(
    {MathFunction.MINIMUM, MathFunction.MAXIMUM, MathFunction.ABSOLUTE, MathFunction.POPULATION_COUNT}
)


def math(function: MathFunction, operands: tuple[int, ...], type_: ScalarType) -> int | None:
    """The integer forms of a few library functions."""
    match function:
        case MathFunction.MINIMUM:
            return min(operands)
        case MathFunction.MAXIMUM:
            return max(operands)
        case MathFunction.ABSOLUTE:
            return wrap(abs(operands[0]), type_)
        case MathFunction.POPULATION_COUNT:
            return (operands[0] & (1 << 64) - 1).bit_count() if operands[0] >= 0 else None
        case _:
            return None
