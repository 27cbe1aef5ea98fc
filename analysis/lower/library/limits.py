"""`std::numeric_limits<T>`: its constants."""

from __future__ import annotations

from typing import Final

from analysis.cpp.types.model import INT
from analysis.ir.types import BOOLEAN, S32, BooleanType, FloatFormat, FloatType, IntegerType, Type
from analysis.lower.names import ConstantName

_NAMES: Final = frozenset(
    (
        "is_specialized",
        "is_integer",
        "is_exact",
        "is_signed",
        "is_bounded",
        "has_infinity",
        "has_quiet_NaN",
        "digits",
        "digits10",
        "max_exponent",
        "min_exponent",
        "radix",
    )
)
_FLOATING: Final = {
    FloatFormat.HALF: (11, 3, 16, -13),
    FloatFormat.BFLOAT16: (8, 2, 128, -125),
    FloatFormat.SINGLE: (24, 6, 128, -125),
    FloatFormat.DOUBLE: (53, 15, 1024, -1021),
}
"""Digits in base 2 and in base 10, greatest and least exponent."""


def is_limit(name: str) -> bool:
    """Whether `numeric_limits` has a constant of that name."""
    return name in _NAMES


def limit(name: str, type: Type) -> ConstantName | None:
    """The constant of that name for `type`; None for types that are no numbers."""
    if isinstance(type, FloatType):
        digits, decimals, most, least = _FLOATING[type.format]
        numbers = {"digits": digits, "digits10": decimals, "max_exponent": most, "min_exponent": least, "radix": 2}
        is_true = name not in ("is_integer", "is_exact")
    elif isinstance(type, IntegerType | BooleanType):
        is_signed = isinstance(type, IntegerType) and type.signed
        bits = (type.bits if isinstance(type, IntegerType) else 1) - is_signed
        numbers = {"digits": bits, "digits10": bits * 643 // 2136, "max_exponent": 0, "min_exponent": 0, "radix": 2}
        is_true = is_signed if name == "is_signed" else not name.startswith("has_")
    else:
        return None
    number = numbers.get(name)
    return ConstantName(is_true, BOOLEAN) if number is None else ConstantName(number, S32, INT)
