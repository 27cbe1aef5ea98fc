"""Types as parts of names: `cuda::atomic<u32>` is a handle whose name says what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from analysis.ir.types import (
    BF16,
    BOOLEAN,
    F16,
    F32,
    F64,
    VOID,
    ArrayType,
    BooleanType,
    FloatType,
    GroupType,
    HandleType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)

_TemplateArgument: TypeAlias = Type | int | None

_SCALARS: Final[Mapping[str, Type]] = {
    "void": VOID,
    "bool": BOOLEAN,
    "f16": F16,
    "bf16": BF16,
    "f32": F32,
    "f64": F64,
    **{f"{sign}{bits}": IntegerType(bits, signed=sign == "s") for sign in "su" for bits in (8, 16, 32, 64, 128)},
}
_VECTOR: Final = re.compile(r"(\w+)x([1-4])@(\d+)$")


def spelling(type: Type) -> str:
    """A type as part of a name: `u32`, `f32x4@16`."""
    match type:
        case VoidType():
            return "void"
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed):
            return f"{'s' if signed else 'u'}{bits}"
        case FloatType(format=format):
            return format.value
        case VectorType(element=element, length=length, alignment=alignment):
            return f"{spelling(element)}x{length}@{alignment}"
        case PointerType(element=element):
            return f"{spelling(element)}*"
        case ArrayType(element=element, length=length):
            return f"{spelling(element)}[{'' if length is None else length}]"
        case GroupType(kind=kind):
            return kind.value
        case StructType(name=name) | HandleType(name=name) | TemplateType(name=name):
            return name
        case UnknownType(spelling=text):
            return text


def spelled_type(text: str) -> Type | None:
    """The type that `spelling` wrote, for scalars and vectors; a plain name is a template's parameter."""
    scalar = _SCALARS.get(text)
    if scalar is not None:
        return scalar
    if text.endswith("*"):
        element = spelled_type(text[:-1])
        return None if element is None else PointerType(element, MemorySpace.GENERIC)
    match = _VECTOR.match(text)
    if match is None:
        return None
    element = _SCALARS.get(match[1])
    return None if element is None else VectorType(element, int(match[2]), int(match[3]))


def template_words(name: str) -> tuple[str, list[str]]:
    """`std::pair<u32,f32>` → (`std::pair`, [`u32`, `f32`])."""
    stem, bracket, rest = name.partition("<")
    return stem, template_arguments_in(rest.removesuffix(">")) if bracket else []


def with_arguments(name: str, arguments: tuple[_TemplateArgument, ...]) -> str:
    """`std::pair`, (U32, F32) → `std::pair<u32,f32>`."""
    if not arguments:
        return name
    return f"{name}<{','.join(_word(argument) for argument in arguments)}>"


def _word(argument: _TemplateArgument) -> str:
    if argument is None:
        return "?"
    return str(argument) if isinstance(argument, int) else spelling(argument)


def template_arguments_in(text: str) -> list[str]:
    """The words between a template's brackets, split at the commas of the outermost level."""
    words: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            words.append(text[start:index].strip())
            start = index + 1
    words.append(text[start:].strip())
    return words
