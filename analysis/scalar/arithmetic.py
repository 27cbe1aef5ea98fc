"""Immediate operands: what a compiler computes before the program runs, and what it does not compute at all."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from analysis.ir.types import BooleanType, FloatType, IntegerType, Type
from analysis.scalar.machine import Immediate, Operand

NEUTRAL = {"iadd": 0, "isub": 0, "shl": 0, "imul": 1}
"""The right operand with which the result is the left one."""


LARGEST = 2**31 - 1
"""Larger results are left to the compiler, which knows the width."""
COMPARISONS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def number(value: int) -> Immediate:
    return Immediate(str(value), value)


def simplified(mnemonic: str, operands: Sequence[Operand]) -> Operand | None:
    """The operand that an integer instruction merely repeats, or the number it makes; None if it must be executed."""
    match mnemonic, *operands:
        case (("iadd" | "isub" | "shl" | "imul"), left, Immediate(number=int() as amount)) if (
            amount == NEUTRAL[mnemonic]
        ):
            return left
        case ("iadd", Immediate(number=0), right) | ("imul", Immediate(number=1), right):
            return right
        case ("imul", Immediate(number=0), _) | ("imul", _, Immediate(number=0)) | ("shl", Immediate(number=0), _):
            return number(0)
        case _, *numbers if numbers and all(isinstance(o, Immediate) and o.number is not None for o in numbers):
            known = [o.number for o in numbers if isinstance(o, Immediate) and o.number is not None]
            result = _computed(mnemonic, known)
            return None if result is None or abs(result) > LARGEST else number(result)
        case _:
            return None


def converted(operand: Immediate, type_: Type) -> Immediate:
    """A constant under another type."""
    if operand.number is None:
        return operand
    match type_:
        case IntegerType(bits=bits, signed=signed):
            value = operand.number % 2**bits
            return number(value - 2**bits if signed and value >= 2 ** (bits - 1) else value)
        case BooleanType():
            return number(int(operand.number != 0))
        case FloatType():
            return Immediate(repr(float(operand.number)))
        case _:
            return operand


def retyped(operand: Operand, type_: Type) -> Operand:
    """What holds the same bits under another type: a constant is another number then."""
    return converted(operand, type_) if isinstance(operand, Immediate) else operand


def _computed(mnemonic: str, values: Sequence[int]) -> int | None:
    match mnemonic, *values:
        case "iadd", left, right:
            return left + right
        case "isub", left, right:
            return left - right
        case "imul", left, right:
            return left * right
        case "shl", left, right if 0 <= right < 64:
            return left << right
        case "and", left, right:
            return left & right
        case "or", left, right:
            return left | right
        case "xor", left, right:
            return left ^ right
        case "ineg", value:
            return -value
        case str() as name, left, right if name.startswith("iset.s"):
            return int(COMPARISONS[name.rpartition(".")[2]](left, right))
        case _:
            return None
