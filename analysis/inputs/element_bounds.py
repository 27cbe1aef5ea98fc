"""The numbers that elements of an array hold where nothing is known of them, by what the kernel uses them for."""

from __future__ import annotations

from typing import Final, TypeAlias

from analysis.inputs.array_uses import Role
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type

MAX_COUNT: Final = 9
MAX_DATA: Final = 100

Path: TypeAlias = tuple[str, ...]
"""The members that lead from an element to a number."""
Bounds: TypeAlias = tuple[float, float]
"""[low, high)."""


def default_bounds(scalar: Type, role: Role, below: int) -> Bounds:
    """The range [low, high) of numbers that nothing else is known of."""
    match scalar:
        case FloatType():
            return 0.0, 1.0
        case BooleanType():
            return 0, 2
        case IntegerType(bits=bits, signed=signed):
            most = 1 << bits - signed
            match role:
                case Role.INDEX | Role.LINK:
                    return 0, min(below, most)
                case Role.COUNT:
                    return 0, MAX_COUNT
                case _:
                    return (-most if signed else 0, most) if bits == 8 else (0, MAX_DATA)
        case _:
            return 0, 1
