"""Values as vectors of numbers: a `float4` is four of them, a structure those of its members, a pointer one.

Limits   Unions, bfloat16, integers of 128 bits and what nobody knows the contents of have no such form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.types import (
    ArrayType,
    BooleanType,
    FloatFormat,
    FloatType,
    GroupKind,
    GroupType,
    HandleType,
    IntegerType,
    PointerType,
    StructLayout,
    StructType,
    Type,
    VectorType,
)
from analysis.lower.layouts import size_of

MAX_PARTS: Final = 64
"""A value with more is refused: nobody reads so many lines."""
WIDTHS: Final = {
    "bool": 1,
    "f16": 2,
    "f32": 4,
    "f64": 8,
    **{f"{sign}{bits}": bits // 8 for sign in "iu" for bits in (8, 16, 32, 64)},
}
"""Bytes of each element."""
_FLOATS: Final = (FloatFormat.HALF, FloatFormat.SINGLE, FloatFormat.DOUBLE)


@final
@record
class SimdPart:
    """One number of a value: what it is, and where it lies in memory."""

    element: str
    offset: int

    @property
    def width(self) -> int:
        """In bytes."""
        return WIDTHS[self.element]


def element_name(type: Type) -> str | None:
    """`i32`, `u8`, `f32`, `bool`; pointers and handles are `i64`; None for what is not one number."""
    match type:
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed) if bits <= 64:
            return f"{'i' if signed else 'u'}{bits}"
        case FloatType(format=format) if format in _FLOATS:
            return format.value
        case PointerType() | HandleType():
            return "i64"
        case _:
            return None


def parts_of_type(type: Type, structs: Mapping[str, StructLayout], warp_size: int) -> tuple[SimdPart, ...] | None:
    """In the order of memory; None where there is no such form."""
    element = element_name(type)
    if element is not None:
        return (SimdPart(element, 0),)
    found: list[SimdPart] = []
    for member, offset in members_of(type, structs, warp_size) or ():
        inner = parts_of_type(member, structs, warp_size)
        if inner is None or len(found) + len(inner) > MAX_PARTS:
            return None
        found += [SimdPart(one.element, offset + one.offset) for one in inner]
    return tuple(found) or None


def members_of(type: Type, structs: Mapping[str, StructLayout], warp_size: int) -> Sequence[tuple[Type, int]] | None:
    """The members of an aggregate and where each lies."""
    match type:
        case VectorType(element=element, length=int() as length) | ArrayType(element=element, length=int() as length):
            size = size_of(element, structs)
            return None if size is None or length > MAX_PARTS else [(element, size * at) for at in range(length)]
        case StructType(name=name) if name in structs and structs[name].size and not structs[name].is_union:
            layout = structs[name]
            return None if layout.has_bit_fields else [(field.type, field.offset) for field in layout.fields]
        case GroupType(kind=kind):
            return [(IntegerType(8 * width, signed=False), offset) for width, offset in _group(kind, warp_size)]
        case _:
            return None


def _group(kind: GroupKind, warp_size: int) -> Sequence[tuple[int, int]]:
    """Sizes and places of what a group holds: the lanes, and a thread's place among them."""
    if kind is GroupKind.COALESCED and warp_size > 32:
        return (8, 0), (4, 8), (4, 12)
    return ((4, 0), (4, 4), (4, 8)) if kind in (GroupKind.TILE, GroupKind.COALESCED) else ((8, 0),)
