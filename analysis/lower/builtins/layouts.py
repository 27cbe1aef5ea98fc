"""Members of CUDA's and the standard library's struct-like class templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from analysis.ir.types import U64, VOID, ArrayType, MemorySpace, PointerType, StructLayout, StructType, Type
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins.spelling import spelled_type, template_words
from analysis.lower.builtins.types import builtin_type
from analysis.lower.layouts import Member, lay_out, size_of

_Members: TypeAlias = list[tuple[str, Type]]


def builtin_layout(type: Type) -> StructLayout | None:
    """The members of a struct that `builtin_type` made; None for other types and for arguments of unknown type."""
    if not isinstance(type, StructType):
        return None
    stem, words = template_words(type.name)
    rule = _RULES.get(stem)
    members = rule(words) if rule is not None else None
    if members is None:
        return None
    alignment = 2 * (size_of(members[0][1], {}) or 1) if stem == "std::complex" else 1
    return lay_out(type.name, [Member(name, kind) for name, kind in members], {}, alignment=alignment).layout


def static_member(type: Type, name: str) -> int | None:
    """The value of a static constant member: `fragment.num_elements`."""
    layout = builtin_layout(type) if name in ("num_elements", "num_storage_elements") else None
    elements = layout.fields[0].type if layout is not None else None
    return elements.length if isinstance(elements, ArrayType) else None


def declared_in(builder: FunctionBuilder, type: Type) -> StructLayout | None:
    """The layout, entered into the function that uses the type."""
    if not isinstance(type, StructType):
        return None
    known = builder.structs.get(type.name)
    if known is not None:
        return known
    layout = builtin_layout(type)
    if layout is not None:
        builder.structs[type.name] = layout
    return layout


def _pair(words: list[str]) -> _Members | None:
    types = _types(words)
    return None if types is None or len(types) != 2 else list(zip(("first", "second"), types, strict=True))


def _key_and_value(words: list[str]) -> _Members | None:
    types = _types(words)
    return None if types is None or len(types) != 2 else list(zip(("key", "value"), types, strict=True))


def _tuple(words: list[str]) -> _Members | None:
    types = _types(words)
    return [(f"_{index}", type) for index, type in enumerate(types)] if types else None


def _sizes(*names: str) -> Callable[[list[str]], _Members | None]:
    return lambda words: None if words else [(name, U64) for name in names]


def _pitched(words: list[str]) -> _Members | None:
    sizes = [(name, U64) for name in ("pitch", "xsize", "ysize")]
    return None if words else [("ptr", PointerType(VOID, MemorySpace.GLOBAL)), *sizes]


def _complex(words: list[str]) -> _Members | None:
    types = _types(words[:1])
    return [("re", types[0]), ("im", types[0])] if types else None


def _fragment(words: list[str]) -> _Members | None:
    """`fragment<use, m, n, k, T, layout?>`: each lane holds its share of the matrix."""
    shape = fragment_shape(words)
    element = _types(words[4:5])
    if shape is None or not element:
        return None
    rows, columns = shape
    count = max(rows * columns // 32, 1)
    return [("x", ArrayType(element[0], count))]


def fragment_shape(words: list[str]) -> tuple[int, int] | None:
    """Rows and columns of the matrix a fragment holds."""
    if len(words) < 5 or not all(word.isdigit() for word in words[1:4]):
        return None
    m, n, k = (int(word) for word in words[1:4])
    use = words[0].rpartition("::")[2]
    return {"matrix_a": (m, k), "matrix_b": (k, n), "accumulator": (m, n)}.get(use)


def _types(words: list[str]) -> list[Type] | None:
    types = [spelled_type(word) or builtin_type(word) for word in words]
    known = [type for type in types if type is not None]
    return known if known and len(known) == len(types) else None


_RULES: Final[Mapping[str, Callable[[list[str]], _Members | None]]] = {
    "std::pair": _pair,
    "cub::KeyValuePair": _key_and_value,
    "std::tuple": _tuple,
    "std::complex": _complex,
    "nvcuda::wmma::fragment": _fragment,
    "cudaExtent": _sizes("width", "height", "depth"),
    "cudaPos": _sizes("x", "y", "z"),
    "cudaPitchedPtr": _pitched,
}
