"""Types as a CUDA programmer writes them."""

from __future__ import annotations

from typing import Final, assert_never

from analysis.ir.types import (
    ArrayType,
    BooleanType,
    FloatFormat,
    FloatType,
    GroupType,
    HandleType,
    IntegerType,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)

_INTEGERS: Final = {
    (8, True): "signed char",
    (8, False): "unsigned char",
    (16, True): "short",
    (16, False): "unsigned short",
    (32, True): "int",
    (32, False): "unsigned int",
    (64, True): "long long",
    (64, False): "unsigned long long",
    (128, True): "__int128",
    (128, False): "unsigned __int128",
}
_FLOATS: Final = {
    FloatFormat.HALF: "__half",
    FloatFormat.BFLOAT16: "__nv_bfloat16",
    FloatFormat.SINGLE: "float",
    FloatFormat.DOUBLE: "double",
}
_VECTOR_STEMS: Final = {
    "signed char": "char",
    "unsigned char": "uchar",
    "unsigned short": "ushort",
    "unsigned int": "uint",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "__half": "half",
    "__nv_bfloat16": "__nv_bfloat16",
}


def spell_type(type: Type) -> str:
    """The type in C++ spelling; for hovers, not for compilers."""
    match type:
        case VoidType():
            return "void"
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed):
            return _INTEGERS.get((bits, signed), f"{'' if signed else 'u'}int{bits}")
        case FloatType(format=format):
            return _FLOATS[format]
        case VectorType(element=element, length=length):
            stem = spell_type(element)
            return f"{_VECTOR_STEMS.get(stem, stem)}{length}"
        case PointerType(element=element, volatile=volatile):
            return f"{'volatile ' if volatile else ''}{spell_type(element)}*"
        case ArrayType(element=element, length=length):
            return f"{spell_type(element)}[{'' if length is None else length}]"
        case StructType(name=name) | HandleType(name=name) | TemplateType(name=name):
            return name
        case GroupType(kind=kind, size=size):
            return f"{kind.value} group" if size is None else f"{kind.value} group of {size}"
        case UnknownType(spelling=spelling):
            return spelling
        case _:
            assert_never(type)
