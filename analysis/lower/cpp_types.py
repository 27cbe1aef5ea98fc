"""C++ types and the types of the IR: what a value of a C++ type is stored as, and what a stored value must have been.

Rules   Several C++ types share one IR type: `long` and `long long`, an enumeration and an integer, `const T *` and
        `T *`.  So `natural` answers only where there is one; integers and pointers are known by what declares them.
        Address spaces and the volatility behind pointers do not count in `agrees`: the IR knows more of them.
"""

from __future__ import annotations

from typing import Final, assert_never

from analysis.cpp.types.arithmetic import INTEGERS
from analysis.cpp.types.model import (
    ArrayType,
    ClassType,
    DependentType,
    DeviceType,
    EnumerationType,
    FunctionType,
    Fundamental,
    FundamentalType,
    MemberPointerType,
    OpaqueType,
    PlaceholderType,
    PointerType,
    QualType,
    ReferenceType,
    fundamental,
    pointer_to,
    qualified,
)
from analysis.ir import types as ir

FUNCTION_POINTER: Final = ir.FUNCTION_POINTER
METHOD_POINTER: Final = ir.METHOD_POINTER
_FLOATING: Final = {
    Fundamental.HALF: ir.F16,
    Fundamental.BFLOAT16: ir.BF16,
    Fundamental.FLOAT: ir.F32,
    Fundamental.DOUBLE: ir.F64,
}
_NULL: Final = ir.PointerType(ir.VOID, ir.MemorySpace.GENERIC)
_SHARED: Final = {type: type for type in (ir.S8, ir.S16, ir.S32, ir.S64, ir.U8, ir.U16, ir.U32, ir.U64)}
"""Types that are the same object are compared at once."""


def _integer(bits: int, signed: bool) -> ir.Type:
    type = ir.IntegerType(bits, signed)
    return _SHARED.get(type, type)


_STORED: Final[dict[Fundamental, ir.Type]] = {
    **{kind: _integer(stored.bits, stored.is_signed) for kind, stored in INTEGERS.items()},
    **_FLOATING,
    Fundamental.VOID: ir.VOID,
    Fundamental.BOOL: ir.BOOLEAN,
    Fundamental.NULL_POINTER: _NULL,
}
"""What objects of the fundamental types are stored as."""
_FLOATS: Final = {type.format: fundamental(kind) for kind, type in _FLOATING.items()}
_VOID: Final = fundamental(Fundamental.VOID)
_BOOLEAN: Final = fundamental(Fundamental.BOOL)
_INTEGERS: Final = {
    (8, True): fundamental(Fundamental.CHAR),
    (8, False): fundamental(Fundamental.UNSIGNED_CHAR),
    (16, True): fundamental(Fundamental.SHORT),
    (16, False): fundamental(Fundamental.UNSIGNED_SHORT),
    (32, True): fundamental(Fundamental.INT),
    (32, False): fundamental(Fundamental.UNSIGNED),
}
"""By width and sign."""
_LARGE: Final = {
    64: (Fundamental.UNSIGNED_LONG, Fundamental.LONG),
    128: (Fundamental.UNSIGNED_INT128, Fundamental.INT128),
}
_LONGS: Final[dict[ir.Type, tuple[Fundamental, ...]]] = {
    ir.S64: (Fundamental.LONG, Fundamental.LONG_LONG),
    ir.U64: (Fundamental.UNSIGNED_LONG, Fundamental.UNSIGNED_LONG_LONG),
}
BY_NAME: Final = {
    "void": Fundamental.VOID,
    "bool": Fundamental.BOOL,
    "char": Fundamental.CHAR,
    "wchar_t": Fundamental.WCHAR,
    "char8_t": Fundamental.CHAR8,
    "char16_t": Fundamental.CHAR16,
    "char32_t": Fundamental.CHAR32,
    "int": Fundamental.INT,
    "short": Fundamental.SHORT,
    "long": Fundamental.LONG,
    "unsigned": Fundamental.UNSIGNED,
    "float": Fundamental.FLOAT,
    "double": Fundamental.DOUBLE,
    "nullptr_t": Fundamental.NULL_POINTER,
    "__int64": Fundamental.LONG_LONG,
    "__int128": Fundamental.INT128,
    "__int128_t": Fundamental.INT128,
    "__uint128_t": Fundamental.UNSIGNED_INT128,
    **dict.fromkeys(
        ("size_t", "uintptr_t", "uintmax_t", "uint64_t", "uint_least64_t", "uint_fast64_t", "ulong", "u_long"),
        Fundamental.UNSIGNED_LONG,
    ),
    **dict.fromkeys(
        (
            "ssize_t",
            "ptrdiff_t",
            "intptr_t",
            "intmax_t",
            "int64_t",
            "int_least64_t",
            "int_fast64_t",
            "clock_t",
            "time_t",
        ),
        Fundamental.LONG,
    ),
    **dict.fromkeys(("int8_t", "int_least8_t", "int_fast8_t"), Fundamental.SIGNED_CHAR),
    **dict.fromkeys(("uint8_t", "uint_least8_t", "uint_fast8_t"), Fundamental.UNSIGNED_CHAR),
    "charptr_t": Fundamental.LONG,
    "int16_t": Fundamental.SHORT,
    "uint16_t": Fundamental.UNSIGNED_SHORT,
    "int32_t": Fundamental.INT,
    "uint32_t": Fundamental.UNSIGNED,
}
"""Fundamental types by the names that keywords and the C library have for them, on Linux."""


def ir_type(type: QualType) -> ir.Type:
    """What an object of that type is stored as; a reference as an address."""
    inner = type.type
    match inner:
        case FundamentalType(kind=kind):
            return _STORED[kind]
        case EnumerationType(underlying=underlying):
            return ir_type(QualType(underlying))
        case ClassType(name=name):
            return ir.StructType(name)
        case DeviceType(object=object):
            return object
        case PointerType(pointee=pointee, space=space):
            if isinstance(pointee.type, FunctionType):
                return FUNCTION_POINTER
            return ir.PointerType(ir_type(pointee), space, pointee.is_volatile)
        case ReferenceType(referred=referred):
            return ir.PointerType(ir_type(referred), ir.MemorySpace.GENERIC, referred.is_volatile)
        case ArrayType(element=element, length=length):
            return ir.ArrayType(ir_type(element), None if isinstance(length, str) else length)
        case FunctionType():
            return FUNCTION_POINTER
        case MemberPointerType(member=member):
            return METHOD_POINTER if isinstance(member.type, FunctionType) else FUNCTION_POINTER
        case DependentType(name=name):
            return ir.TemplateType(name)
        case OpaqueType(spelling=spelling):
            return ir.UnknownType(spelling)
        case PlaceholderType(kind=kind):
            return ir.UnknownType(kind.value)
        case _:
            assert_never(inner)


def natural(type: ir.Type) -> QualType | None:
    """The only C++ type that is stored so, without qualifiers; None where there are several, or none."""
    match type:
        case ir.PointerType() | ir.IntegerType():
            return None
        case ir.FloatType(format=format):
            return _FLOATS[format]
        case ir.BooleanType():
            return _BOOLEAN
        case ir.VoidType():
            return _VOID
        case ir.StructType():
            return QualType(ClassType(type.name))
        case ir.TemplateType():
            return QualType(DependentType(type.name))
        case ir.VectorType(element=element):
            return None if element in (ir.S64, ir.U64) else QualType(DeviceType(type))
        case ir.GroupType():
            return QualType(DeviceType(type))
        case ir.HandleType():
            return None if type in ir.FUNCTION_POINTERS else QualType(DeviceType(type))
        case ir.ArrayType() | ir.UnknownType():
            return None
        case _:
            assert_never(type)


def of_library(type: ir.Type) -> QualType | None:
    """The C++ type of what a table of CUDA's own functions, variables and types declares: never an enumeration."""
    if isinstance(type, ir.IntegerType):
        return _INTEGERS.get((type.bits, type.signed))
    return natural(type)


def assumed(type: ir.Type) -> QualType:
    """The likeliest C++ type of what is stored so: an enumeration for its integer, say."""
    known = of_library(type)
    if known is not None:
        return known
    match type:
        case ir.IntegerType(bits=bits, signed=is_signed):
            return fundamental(_LARGE[bits][is_signed]) if bits in _LARGE else QualType(OpaqueType(repr(type)))
        case ir.VectorType():
            return QualType(DeviceType(type))
        case ir.PointerType(element=element, volatile=is_volatile):
            return pointer_to(qualified(assumed(element), volatile=is_volatile))
        case ir.ArrayType(element=element, length=length):
            return QualType(ArrayType(assumed(element), length))
        case ir.UnknownType(spelling=spelling):
            return QualType(OpaqueType(spelling))
        case _:
            return QualType(OpaqueType(repr(type)))


def stored_as(type: ir.Type) -> tuple[QualType, ...]:
    """The types of numbers that are stored so; of anything else the likeliest type."""
    kinds = _LONGS.get(type)
    return (assumed(type),) if kinds is None else tuple(map(fundamental, kinds))


def named_by_library(name: str, type: ir.Type) -> QualType | None:
    """The C++ type that a name of the C, C++ or CUDA library stands for; None where that is not known."""
    kind = BY_NAME.get(name.rpartition("::")[2])
    return of_library(type) if kind is None else fundamental(kind)


def agrees(type: QualType, stored: ir.Type) -> bool:
    """Whether an object of that C++ type may be stored as `stored`."""
    inner = type.type
    if isinstance(inner, FundamentalType):
        own = _STORED[inner.kind]
        return own is stored or _same(own, stored)
    if isinstance(inner, PointerType) and isinstance(stored, ir.PointerType):
        return not isinstance(inner.pointee.type, FunctionType) and agrees(inner.pointee, stored.element)
    if isinstance(inner, ReferenceType) and isinstance(stored, ir.PointerType):
        return agrees(inner.referred, stored.element)
    if isinstance(inner, ArrayType) and isinstance(stored, ir.ArrayType):
        length = None if isinstance(inner.length, str) else inner.length
        return length == stored.length and agrees(inner.element, stored.element)
    if isinstance(inner, ClassType) and isinstance(stored, ir.StructType):
        return inner.name == stored.name
    if isinstance(inner, DeviceType):
        return inner.object is stored or inner.object == stored
    if isinstance(inner, DependentType):
        return isinstance(stored, ir.TemplateType) and inner.name == stored.name
    return _same(ir_type(type), stored)


def _same(one: ir.Type, other: ir.Type) -> bool:
    if one is other:
        return True
    match one, other:
        case ir.PointerType(element=left), ir.PointerType(element=right):
            return _same(left, right)
        case ir.StructType(), ir.TemplateType():
            return True  # an instance of a template template parameter
        case ir.ArrayType(element=left, length=length), ir.ArrayType(element=right, length=other_length):
            return length == other_length and _same(left, right)
        case _:
            return one == other
