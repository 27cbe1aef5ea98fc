"""The types of values: C's scalars with exact widths, pointers with spaces, aggregates, what is not known.

Struct types are named; their layouts stand in `Function.structs`, so a struct may point to itself.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias, final

from analysis.ir.enumeration import Enumeration
from analysis.ir.record import record


class MemorySpace(Enumeration):
    """The address space a pointer points into; GENERIC is "one of the others, not known which"."""

    GENERIC = "generic"
    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"


class FloatFormat(Enumeration):
    """The binary floating-point formats of CUDA."""

    HALF = "f16"
    BFLOAT16 = "bf16"
    SINGLE = "f32"
    DOUBLE = "f64"


class GroupKind(Enum):
    """Which cooperative group an object denotes (CUDA's `cooperative_groups`)."""

    BLOCK = "block"
    GRID = "grid"
    MULTI_GRID = "multi-grid"
    CLUSTER = "cluster"
    TILE = "tile"
    COALESCED = "coalesced"


@final
@record
class VoidType:
    """No value."""


@final
@record
class BooleanType:
    """`bool`, one byte in memory; also the type of comparisons."""


@final
@record
class IntegerType:
    """An integer of exactly `bits` bits (8, 16, 32, 64, 128), two's complement."""

    bits: int
    signed: bool


@final
@record
class FloatType:
    """A binary floating-point number."""

    format: FloatFormat


@final
@record
class VectorType:
    """CUDA's built-in vectors (`float4`, `uint2`, `dim3` = 3 x u32): fields x, y, z, w are indices 0 to 3."""

    element: Type
    length: int
    alignment: int


@final
@record
class PointerType:
    """The address of an `element` in `space`; C++ references are pointers too.

    `volatile` qualifies the element: loads and stores through the pointer may not be merged or trusted.
    """

    element: Type
    space: MemorySpace
    volatile: bool = False


@final
@record
class ArrayType:
    """`length` consecutive elements; None where the length is not known (`extern __shared__ T s[]`)."""

    element: Type
    length: int | None


@final
@record
class StructType:
    """A struct, class or union by name; `Function.structs` holds the layout."""

    name: str


@final
@record
class GroupType:
    """A cooperative group object; `size` in threads for tiles whose size is a constant."""

    kind: GroupKind
    size: int | None = None


@final
@record
class HandleType:
    """An object without visible contents: textures, surfaces, random-number states, pipelines."""

    name: str


@final
@record
class TemplateType:
    """A template's type parameter, or a type that depends on one, in an analysis without arguments."""

    name: str


@final
@record
class UnknownType:
    """A type whose declaration is not visible; `spelling` is the source text."""

    spelling: str


Type: TypeAlias = (
    VoidType
    | BooleanType
    | IntegerType
    | FloatType
    | VectorType
    | PointerType
    | ArrayType
    | StructType
    | GroupType
    | HandleType
    | TemplateType
    | UnknownType
)


@final
@record
class BitRange:
    """Bits of an integer; `first` counts from the lowest."""

    first: int
    width: int


@final
@record
class Field:
    """One member of a struct; `offset` in bytes.  A bit-field is some `bits` of an integer of `type` there."""

    name: str
    type: Type
    offset: int
    bits: BitRange | None = None


@final
@record
class StructLayout:
    """Members in declaration order (all at offset 0 for a union), base-class members first."""

    name: str
    fields: tuple[Field, ...]
    size: int
    alignment: int
    is_union: bool = False

    @property
    def has_bit_fields(self) -> bool:
        return any(field.bits is not None for field in self.fields)


VOID = VoidType()
BOOLEAN = BooleanType()
S8, S16, S32, S64 = (IntegerType(bits, signed=True) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (IntegerType(bits, signed=False) for bits in (8, 16, 32, 64))
FUNCTION_POINTER = HandleType("function")
"""A pointer to a function, or to a member that is data: the number of one."""
METHOD_POINTER = HandleType("method")
"""A pointer to a method: the number of one, and as much room again for what compilers add to `this`."""
FUNCTION_POINTERS = FUNCTION_POINTER, METHOD_POINTER
CLASS_NUMBER = HandleType("class")
"""What an object with virtual functions begins with, in place of a pointer to their table: which class it is of."""
F16 = FloatType(FloatFormat.HALF)
BF16 = FloatType(FloatFormat.BFLOAT16)
F32 = FloatType(FloatFormat.SINGLE)
F64 = FloatType(FloatFormat.DOUBLE)
