"""Size and alignment of types, and the layout of structs, by the rules of CUDA on 64-bit Linux.

Limits  None where a type is not known (templates, undeclared types).  A struct with such a member gets offsets as if
        the member had no size; its own size is then not known either (`StructLayout.size` is 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, assert_never, final

from analysis.ir.record import record
from analysis.ir.types import (
    CLASS_NUMBER,
    METHOD_POINTER,
    U8,
    ArrayType,
    BitRange,
    BooleanType,
    Field,
    FloatFormat,
    FloatType,
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

_FLOAT_SIZE = {FloatFormat.HALF: 2, FloatFormat.BFLOAT16: 2, FloatFormat.SINGLE: 4, FloatFormat.DOUBLE: 8}


def size_of(type: Type, structs: Mapping[str, StructLayout]) -> int | None:
    """`sizeof(type)` in bytes, or None where it is not known."""
    return size_and_alignment(type, structs)[0]


def size_and_alignment(type: Type, structs: Mapping[str, StructLayout]) -> tuple[int | None, int]:
    """Size (None: not known) and alignment (at least 1) in bytes."""
    match type:
        case IntegerType(bits=bits):
            return bits // 8, bits // 8
        case FloatType(format=format):
            size = _FLOAT_SIZE[format]
            return size, size
        case BooleanType():
            return 1, 1
        case HandleType(name=name) if name.startswith("cuda::pipeline_shared_state<"):
            return _pipeline_state_size(name), 8
        case PointerType() | HandleType():
            return (16 if type == METHOD_POINTER else 8), 8
        case VectorType(element=element, length=length, alignment=alignment):
            size, _ = size_and_alignment(element, structs)
            return None if size is None else size * length, alignment
        case ArrayType(element=element, length=length):
            size, alignment = size_and_alignment(element, structs)
            return None if size is None or length is None else size * length, alignment
        case StructType(name=name):
            layout = structs.get(name)
            return (None, 1) if layout is None or not layout.size else (layout.size, layout.alignment)
        case VoidType() | GroupType() | TemplateType() | UnknownType():
            return None, 1
        case _:
            assert_never(type)


def _pipeline_state_size(name: str) -> int | None:
    """Two barriers of 8 bytes for each of the stages, whose number ends the name."""
    stages = name.rpartition(",")[2].removesuffix(">")
    return 16 * int(stages) if stages.isdigit() else None


Empties: TypeAlias = frozenset[tuple[int, str]]
"""Offsets and names of the parts of an object that are of empty classes: no two of one class may lie at one place."""


@final
@record
class Member:
    """A member to lay out; `alignment` is what `alignas` asks for in front of it."""

    name: str
    type: Type
    alignment: int = 1
    width: int | None = None
    """Of a bit-field, in bits."""
    empties: Empties = frozenset()


@final
@record
class BasePart:
    """A base: the members from number `first` on are its own, in its order.

    `has_table` tells that its objects begin with a pointer to a table of virtual functions; `is_plain` that nothing is
    put behind its last member, since it is a class as C has them.
    """

    first: int
    layout: StructLayout
    has_table: bool
    is_plain: bool
    empties: Empties = frozenset()


@final
@record
class Laid:
    """A layout, and where its objects have parts of empty classes."""

    layout: StructLayout
    empties: Empties


def lay_out(
    name: str,
    members: Sequence[Member],
    structs: Mapping[str, StructLayout],
    *,
    bases: Sequence[BasePart] = (),
    has_table: bool = False,
    is_union: bool = False,
    is_packed: bool = False,
    alignment: int = 1,
) -> Laid:
    """The layout of a struct with these members; `alignment` is what `alignas`/`__align__` asks for the whole.

    Bases lie as the Itanium C++ ABI has it: the first one with a table begins the object, the others follow in order;
    what comes next begins in the last bytes of a base that are no member's.
    Bit-fields lie as the Itanium C++ ABI for x86-64 has it: in the next bits, unless they would straddle a unit of
    their type.
    """
    spare = 0
    is_known = all(base.layout.size for base in bases)
    placed = _Placed(_POINTER if has_table and not any(base.has_table for base in bases) else 0)
    fields = placed.bases(bases, structs)
    alignment = max([alignment, 8 if has_table else 1, *(base.layout.alignment for base in bases)])
    placed.end = max([placed.end, placed.offset, *(field.offset for field in fields)])
    for member in members[len(fields) :]:
        if member.type == CLASS_NUMBER:
            fields.append(Field(member.name, member.type, 0))
            continue
        size, own = size_and_alignment(member.type, structs)
        is_known = is_known and size is not None
        own = max(1 if is_packed else own, member.alignment)
        if member.width is not None and size is not None:
            field, position = _bit_field(member, size, 0 if is_union else 8 * placed.offset - spare)
            alignment = max(alignment, own if member.name else 1)
            placed.offset, spare = -(-position // 8), -position % 8
            fields.append(field)
            placed.end = max(placed.end, placed.offset)
            continue
        spare = 0
        alignment = max(alignment, own)
        at = placed.free(0 if is_union else placed.offset, own, frozenset() if is_union else member.empties)
        fields.append(Field(member.name, member.type, at))
        placed.take(at, size or 0, member.empties)
    if not members and not has_table and not is_union:
        placed.empties.add((0, name))
    size = -(-max(placed.end, 1) // alignment) * alignment if is_known else 0
    return Laid(StructLayout(name, tuple(fields), size, alignment, is_union), frozenset(placed.empties))


@final
class _Placed:
    """What lies in an object so far: members end at `offset`, all of it at `end`."""

    def __init__(self, offset: int) -> None:
        self.offset = self.end = offset
        self.empties: set[tuple[int, str]] = set()

    def free(self, offset: int, alignment: int, empties: Empties) -> int:
        """The first place from `offset` on where no part of an empty class meets another of its class."""
        offset = -(-offset // alignment) * alignment
        while any((offset + at, name) in self.empties for at, name in empties):
            offset += alignment
        return offset

    def take(self, at: int, size: int, empties: Empties) -> None:
        self.offset = at + size
        self.end = max(self.end, self.offset)
        self.empties |= {(at + inner, name) for inner, name in empties}

    def bases(self, bases: Sequence[BasePart], structs: Mapping[str, StructLayout]) -> list[Field]:
        """The members of the bases, in the order of the bases."""
        begins: dict[int, int] = {}
        primary = next((base for base in bases if base.has_table), None)
        for base in sorted(bases, key=lambda one: one is not primary):
            layout = base.layout
            if not layout.fields and not base.has_table:
                begins[id(base)] = self._take_empty(base)
                continue
            at = begins[id(base)] = self.free(self.offset, layout.alignment, base.empties)
            own = layout.size if base.is_plain else max(_used(layout, structs), _POINTER if base.has_table else 0)
            self.take(at, own, base.empties)
        return [
            Field(field.name, field.type, begins[id(base)] + field.offset, field.bits)
            for base in bases
            for field in base.layout.fields
        ]

    def _take_empty(self, base: BasePart) -> int:
        """An empty base lies at the start; behind the members where one of its class lies there already."""
        at = self.free(0, 1, base.empties)
        if at:
            at = self.free(self.offset, base.layout.alignment, base.empties)
        members = self.offset
        self.take(at, base.layout.size, base.empties)
        self.offset = members
        return at


def _used(layout: StructLayout, structs: Mapping[str, StructLayout]) -> int:
    """The bytes of an object up to the end of its last member."""
    ends = [0]
    for field in layout.fields:
        if field.bits is not None:
            ends.append(field.offset + -(-(field.bits.first + field.bits.width) // 8))
        else:
            ends.append(field.offset + (size_of(field.type, structs) or 0))
    return max(ends)


_POINTER: Final = 8
"""Bytes of a pointer to a table of virtual functions."""


def _bit_field(member: Member, size: int, position: int) -> tuple[Field, int]:
    """Where it lies, if so many bits of the struct are taken before it; and how many are taken then."""
    assert member.width is not None
    unit = 8 * size
    width = min(member.width, unit)
    if not width or position // unit != (position + width - 1) // unit:
        position = -(-position // unit) * unit
    bits = BitRange(position % unit, width) if width else None
    type = U8 if isinstance(member.type, BooleanType) else member.type
    return Field(member.name, type, position // unit * size, bits), position + width
