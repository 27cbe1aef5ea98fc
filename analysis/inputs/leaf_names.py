"""The names of the parts that an argument consists of: `image.plane[1]`, `limits.size.x`.

Rules    A member follows a point; an element of an array is a part of its own, by its number.
         What lies at an index that is not known may be each of the elements.
Limits   At most `MAX_PARTS` at once; parts of longer arrays have no names, and hold zeros.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.ir.types import ArrayType, StructLayout, StructType, Type, VectorType

MAX_PARTS: Final = 64
VECTOR_MEMBERS: Final = ("x", "y", "z", "w")
ELEMENT: Final = "[]"
"""Stands in a path for "some element of the array"."""


def joined(whole: str, part: str) -> str:
    return whole + part if part.startswith("[") else f"{whole}.{part}"


def is_within(leaf: str, whole: str) -> bool:
    """Whether `leaf` is `whole` or a part of it."""
    return leaf == whole or leaf.startswith((f"{whole}.", f"{whole}["))


def parts(type: Type, structs: Mapping[str, StructLayout]) -> Sequence[tuple[str, Type]]:
    """What an object of this type consists of, with the type of each; nothing for a scalar or a long array."""
    match type:
        case VectorType(element=element, length=length):
            return [(name, element) for name in VECTOR_MEMBERS[:length]]
        case ArrayType(element=element, length=length) if length is not None and length <= MAX_PARTS:
            return [(f"[{index}]", element) for index in range(length)]
        case StructType(name=name) if name in structs:
            return [(field.name, field.type) for field in structs[name].fields]
        case _:
            return ()


def named(whole: str, type: Type, path: Sequence[str], structs: Mapping[str, StructLayout]) -> Sequence[str]:
    """The names of all that may lie at a path in an object called `whole`; none where they are too many."""
    found: list[tuple[str, Type]] = [(whole, type)]
    for step in path:
        found = [
            (joined(name, part), inner)
            for name, around in found
            for part, inner in parts(around, structs)
            if step in (part, ELEMENT)
        ]
        if len(found) > MAX_PARTS:
            return ()
    return [name for name, _ in found]
