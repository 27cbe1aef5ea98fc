"""Arithmetic on numbers of host code as C does it, as far as their types are known.

Rules    What is stored in a variable is converted to its type: integers are cut and wrapped, `float` is rounded.
         What an unsigned operand would make of a negative number is not computed.
Limits   Expressions have no type of their own; overflow on the way is not modelled.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import Final

from analysis.ir.integers import quotient, remainder
from analysis.ir.types import BooleanType, FloatFormat, FloatType, IntegerType, Type
from analysis.launches.file_constants import Number
from analysis.lower.builtins import builtin_type


def stored(value: Number, type: Type) -> Number | None:
    """What a variable of that type holds after the value was written to it."""
    match type:
        case BooleanType():
            return int(value != 0)
        case IntegerType(bits, signed):
            if not math.isfinite(value):
                return None
            whole = int(value)
            low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
            if low <= whole < high:
                return whole
            return None if isinstance(value, float) else (whole - low) % (1 << bits) + low
        case FloatType(FloatFormat.DOUBLE):
            return float(value)
        case FloatType(FloatFormat.SINGLE):
            return None if math.isnan(rounded(value)) else rounded(value)
        case _:
            return None


def rounded(value: Number) -> float:
    """As a float of 32 bits; what is too large is not a number."""
    try:
        (single,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.nan
    return float(single)


def cast_to(type: bytes, value: Number | None) -> Number | None:
    """Numbers are cut by casts to integers and kept by all others; of pointers only null is known."""
    if value is None or b"*" in type:
        return 0 if value == 0 and isinstance(value, int) else None
    known = builtin_type(type.decode("utf-8", "replace").removeprefix("const ").strip(), ())
    return None if known is None else stored(value, known)


def combined(spelling: str, left: Number, right: Number) -> Number | None:
    """`left spelling right`; a shift by more than a word is not computed."""
    if isinstance(left, int) and isinstance(right, int) and spelling in _FOR_INTEGERS:
        is_far_shift = spelling in ("<<", ">>") and not 0 <= right < 64
        return None if is_far_shift else _FOR_INTEGERS[spelling](left, right)
    function = _FOR_NUMBERS.get(spelling)
    return None if function is None else function(left, right)


_FOR_INTEGERS: Final[Mapping[str, Callable[[int, int], Number]]] = {
    "/": quotient,
    "%": remainder,
    "<<": lambda left, right: left << right,
    ">>": lambda left, right: left >> right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
_FOR_NUMBERS: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "||": lambda left, right: int(bool(left) or bool(right)),
}
OF_ONE: Final[Mapping[str, Callable[[Number], Number]]] = {
    "ceil": lambda value: float(math.ceil(value)),
    "ceilf": lambda value: float(math.ceil(value)),
    "floor": lambda value: float(math.floor(value)),
    "sqrt": lambda value: math.sqrt(value),
    "abs": lambda value: abs(value),
}
OF_TWO: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "min": lambda left, right: min(left, right),
    "max": lambda left, right: max(left, right),
}
