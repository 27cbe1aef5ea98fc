"""CUDA's types by name: C's scalars on Linux, vectors with their alignments, handles, cooperative groups, `std::`.

Rules    A type without visible contents is a `HandleType`; its name keeps the template arguments in the notation of
         `spelling`, so `cuda::atomic<u32>` can say what it holds.
         Class templates with members (`std::pair`, `std::complex`, wmma fragments) are `StructType`; `builtin_layout`
         gives their members.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from analysis.ir.types import (
    F32,
    F64,
    S16,
    S32,
    S64,
    U32,
    U64,
    ArrayType,
    GroupKind,
    GroupType,
    HandleType,
    IntegerType,
    StructType,
    Type,
    UnknownType,
)
from analysis.lower.builtins.call import TemplateArgumentValue
from analysis.lower.builtins.spelling import spelled_type, template_arguments_in, template_words, with_arguments
from analysis.lower.builtins.type_names import GROUPS, HANDLE_TEMPLATES, HANDLES, NAMED, STRUCT_TEMPLATES, VECTORS

_NAMESPACES: Final[Mapping[str, str]] = {
    "cg": "cooperative_groups",
    "wmma": "nvcuda::wmma",
    "cuda::std": "std",
    "thrust": "std",
    "hip::std": "std",
    "hipcub": "cub",
    "cooperative_groups::experimental": "cooperative_groups",
    "cuda::experimental": "cuda",
    "cuda::device": "cuda",
    "nvcuda::wmma::experimental": "nvcuda::wmma",
    "wmma::precision": "nvcuda::wmma::precision",
}


def canonical(name: str) -> tuple[str, str]:
    """Namespace and last component, aliases of a namespace resolved."""
    name = name.removeprefix("::")
    space, _, last = name.rpartition("::")
    return _NAMESPACES.get(space, space), last


def builtin_type(name: str, template_arguments: tuple[TemplateArgumentValue, ...] = ()) -> Type | None:
    """The CUDA type of that name, qualified or not; None where no header of CUDA declares it."""
    if "<" in name:
        return _spelled_template(name)
    if " " in name:
        return _several_words(name)
    simple = NAMED.get(name) or VECTORS.get(name) or _WORDS.get(name)
    if simple is not None:
        return simple
    space, last = canonical(name)
    if space in ("std", ""):
        simple = NAMED.get(last) or (VECTORS.get(last) if not space else None)
        if simple is not None:
            return simple
    if space in ("cooperative_groups", ""):
        group = _group(last, template_arguments)
        if group is not None:
            return group
    if last == "array" and space == "std" and len(template_arguments) == 2:
        element, length = template_arguments
        if not isinstance(element, int | None):
            return ArrayType(element, length if isinstance(length, int) else None)
    return _object(space, last, template_arguments)


def nested_type(type: Type, name: str) -> Type | None:
    """A type declared inside a CUDA class: `cub::BlockReduce<float, 256>::TempStorage`, `complex<T>::value_type`."""
    if isinstance(type, HandleType | StructType):
        if name in ("value_type", "element_type", "storage_element_type", "difference_type"):
            return element_of_handle(type)
        if name == "arrival_token":
            return U64
        if name in ("TempStorage", "WarpReduce", "storage_type"):
            return HandleType(f"{type.name}::{name}")
    if isinstance(type, ArrayType) and name == "value_type":
        return type.element
    return None


def element_of_handle(type: HandleType | StructType) -> Type | None:
    """The first type among a template's arguments: what a `texture<float4>` or `cuda::atomic<int>` holds."""
    words = template_words(type.name)[1]
    return next((found for word in words if (found := spelled_type(word)) is not None), None)


def _object(space: str, last: str, template_arguments: tuple[TemplateArgumentValue, ...]) -> Type | None:
    qualified = f"{space}::{last}" if space else last
    handle = HANDLES.get(qualified)
    if handle is not None and not template_arguments:
        return HandleType(handle)
    for candidate in (qualified,) if space else (last, f"nvcuda::wmma::{last}", f"cooperative_groups::{last}"):
        if candidate in HANDLE_TEMPLATES:
            return HandleType(with_arguments(candidate, template_arguments))
        if candidate in STRUCT_TEMPLATES:
            return StructType(with_arguments(candidate, template_arguments))
        if candidate in HANDLES:
            return HandleType(HANDLES[candidate])
    if space == "nvcuda::wmma::precision" and last == "tf32":
        return F32
    if space == "cuda" and last == "aligned_size_t":
        return U64
    if space == "nvcuda::wmma" and last in _FRAGMENT_WORDS:
        return HandleType(last)
    return None


_FRAGMENT_WORDS: Final = frozenset(("matrix_a", "matrix_b", "accumulator", "row_major", "col_major"))


def _group(last: str, template_arguments: tuple[TemplateArgumentValue, ...]) -> GroupType | None:
    if last == "thread_block_tile":
        size = template_arguments[0] if template_arguments else None
        return GroupType(GroupKind.TILE, size if isinstance(size, int) else None)
    return GROUPS.get(last)


def _several_words(name: str) -> Type | None:
    """`unsigned long long int`, in any order; qualifiers do not matter."""
    words = [word for word in name.split() if word not in _QUALIFIERS]
    if len(words) == 1:
        return builtin_type(words[0])
    if not words or not _SPECIFIERS.issuperset(words):
        return None
    if "double" in words:
        return F64
    if "char" in words:
        bits = 8
    elif "short" in words:
        bits = 16
    elif "__int128" in words:
        bits = 128
    else:
        bits = 64 if "long" in words else 32
    return IntegerType(bits, signed="unsigned" not in words)


_QUALIFIERS: Final = frozenset(
    ["const", "volatile", "struct", "class", "typename", "register", "static", "constexpr", "enum"]
)
_SPECIFIERS: Final = frozenset(["unsigned", "signed", "long", "short", "int", "char", "double", "__int128"])
_WORDS: Final[Mapping[str, Type]] = {
    "int": S32,
    "unsigned": U32,
    "signed": S32,
    "short": S16,
    "long": S64,
}


def _spelled_template(name: str) -> Type | None:
    """A type whose template arguments are part of the name: `cub::BlockReduce<float, 256>::TempStorage`."""
    match = _SPELLED.match(name)
    if match is None:
        return None
    arguments = tuple(_argument(word) for word in template_arguments_in(match[2]))
    type = builtin_type(match[1], arguments)
    return nested_type(type, match[3]) if type is not None and match[3] else type


_SPELLED: Final = re.compile(r"([\w:]+)\s*<(.*)>(?:\s*::\s*(\w+))?$", re.DOTALL)


def _argument(word: str) -> TemplateArgumentValue:
    if word.isdigit():
        return int(word)
    return spelled_type(word) or builtin_type(word) or UnknownType(word)


def is_known_by_address(type: Type) -> bool:
    """Whether an object's contents are its library's business: what is asked of it depends on which object it is."""
    return isinstance(type, HandleType) and type.name.startswith(_STATES)


_STATES: Final = ("cuda::barrier", "std::barrier", "cuda::latch", "cuda::pipeline", "cub::")
