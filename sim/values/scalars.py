"""How values of IR types are held: every type is a sequence of *parts*, each a NumPy scalar at an offset in memory.

A `float4` has four parts, a struct those of its members, a pointer one (its address as int64).  A union is held as
its bytes.  bfloat16 is held as float32 whose low 16 bits are zero: every operation rounds (24 >= 2 * 8 + 2 bits, so
rounding twice is rounding once), and loads and stores shift.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never, final

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
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)
from analysis.lower.layouts import size_and_alignment

MAX_PARTS: Final = 8192
"""A value with more parts is refused: generated code names each of them."""


@final
@record
class Part:
    """One scalar of a value.  `held` is the NumPy type code in registers, `stored` the one in memory."""

    held: str
    stored: str
    offset: int
    type: Type

    @property
    def width(self) -> int:
        """Bytes in memory."""
        return 1 if self.stored == "b1" else int(self.stored[1:])

    @property
    def is_bfloat16(self) -> bool:
        return isinstance(self.type, FloatType) and self.type.format is FloatFormat.BFLOAT16


class NoParts(Exception):
    """The type has no known contents; the message names it."""


_FLOATS: Final = {
    FloatFormat.HALF: ("f2", "f2"),
    FloatFormat.BFLOAT16: ("f4", "u2"),
    FloatFormat.SINGLE: ("f4", "f4"),
    FloatFormat.DOUBLE: ("f8", "f8"),
}
_GROUP_PARTS: Final = {GroupKind.TILE: ("u4", "u4", "u4"), GroupKind.COALESCED: ("u8", "u4", "u4")}


def parts_of(type: Type, structs: Mapping[str, StructLayout], warp_size: int = 32) -> tuple[Part, ...]:
    """The parts of a value of that type in memory order; NoParts where its contents are not known."""
    found: list[Part] = []
    _collect(type, structs, 0, found, warp_size)
    return tuple(found)


def storage_of(type: Type, structs: Mapping[str, StructLayout]) -> tuple[int, int]:
    """Size and alignment in bytes; NoParts where the size is not known."""
    if isinstance(type, GroupType):
        return 16, 8
    if isinstance(type, ArrayType) and type.length is not None and isinstance(type.element, GroupType):
        return 16 * type.length, 8
    size, alignment = size_and_alignment(type, structs)
    if size is None:
        raise NoParts(f"an object of type {_name(type)}")
    return size, alignment


def member_ranges(type: Type, structs: Mapping[str, StructLayout], warp_size: int = 32) -> tuple[tuple[int, int], ...]:
    """For each member of an aggregate (in IR numbering) the range of parts that hold it."""
    ranges: list[tuple[int, int]] = []
    position = 0
    for member in members_of(type, structs, warp_size):
        count = len(parts_of(member, structs, warp_size))
        ranges.append((position, position + count))
        position += count
    return tuple(ranges)


def members_of(type: Type, structs: Mapping[str, StructLayout], warp_size: int = 32) -> tuple[Type, ...]:
    match type:
        case VectorType(element=element, length=length):
            return (element,) * length
        case ArrayType(element=element, length=length) if length is not None:
            return (element,) * length
        case StructType(name=name) if name in structs:
            return tuple(field.type for field in structs[name].fields)
        case GroupType(kind=kind):
            codes = _GROUP_PARTS.get(kind, ("i8",))
            if kind is GroupKind.COALESCED and warp_size <= 32:
                codes = ("u4", "u4", "u4")
            return tuple(IntegerType(int(code[1:]) * 8, signed=code[0] == "i") for code in codes)
        case _:
            raise NoParts(f"a value of type {_name(type)}")


def is_union(type: Type, structs: Mapping[str, StructLayout]) -> bool:
    return isinstance(type, StructType) and type.name in structs and structs[type.name].is_union


def _collect(type: Type, structs: Mapping[str, StructLayout], offset: int, found: list[Part], warp_size: int) -> None:
    if len(found) > MAX_PARTS:
        raise NoParts("a value of more than 8,192 parts")
    match type:
        case VoidType():
            pass
        case BooleanType():
            found.append(Part("b1", "b1", offset, type))
        case IntegerType(bits=bits, signed=signed) if bits <= 64:
            code = f"{'i' if signed else 'u'}{bits // 8}"
            found.append(Part(code, code, offset, type))
        case FloatType(format=format):
            found.append(Part(*_FLOATS[format], offset, type))
        case PointerType() | HandleType():
            found.append(Part("i8", "i8", offset, type))
        case StructType(name=name):
            layout = structs.get(name)
            if layout is None or not layout.size:
                raise NoParts(f"a value of type {name}")
            if layout.is_union:
                byte = IntegerType(8, signed=False)
                found.extend(Part("u1", "u1", offset + index, byte) for index in range(layout.size))
            else:
                for field in layout.fields:
                    _collect(field.type, structs, offset + field.offset, found, warp_size)
        case VectorType() | ArrayType() | GroupType():
            at = offset
            for member in members_of(type, structs, warp_size):
                _collect(member, structs, at, found, warp_size)
                at += storage_of(member, structs)[0]
        case IntegerType() | TemplateType() | UnknownType():
            raise NoParts(f"a value of type {_name(type)}")
        case _:
            assert_never(type)


def _name(type: Type) -> str:
    match type:
        case UnknownType(spelling=spelling):
            return spelling
        case StructType(name=name) | TemplateType(name=name) | HandleType(name=name):
            return name
        case IntegerType(bits=bits):
            return f"{bits}-bit integer"
        case ArrayType(element=element):
            return f"array of {_name(element)}"
        case _:
            return type.__class__.__name__.removesuffix("Type").lower()
