"""All tables together: from a name to what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from analysis.ir.types import Type
from analysis.lower.builtins import (
    atomics,
    barriers,
    casts,
    control,
    half,
    integer,
    math,
    memory,
    random,
    standard,
    textures,
    vectors,
    warp,
)
from analysis.lower.builtins.core import BuiltinFunction, BuiltinMethod, Table
from analysis.lower.builtins.types import canonical

GLOBAL_TABLES: Final[Mapping[str, Table]] = {
    "math": math.TABLE,
    "integer": integer.TABLE,
    "casts": casts.TABLE,
    "half": half.TABLE,
    "vectors": vectors.TABLE,
    "barriers": barriers.TABLE,
    "warp": warp.TABLE,
    "atomics": atomics.TABLE,
    "memory": memory.TABLE,
    "textures": textures.TABLE,
    "random": random.TABLE,
    "control": control.TABLE,
    "standard": standard.TABLE,
    "opaque": control.OPAQUE_TABLE,
}
"""Names outside namespaces, and those of `std::` that mean the same without it."""

NAMESPACE_TABLES: Final[Mapping[str, Table]] = {
    "std": standard.STANDARD_TABLE,
    "std::numeric_limits": standard.NUMERIC_LIMITS,
}
"""Names that stand in a namespace or a class."""

_GLOBAL: Final[Table] = {name: entry for table in GLOBAL_TABLES.values() for name, entry in table.items()}


@lru_cache(maxsize=4096)
def builtin_function(name: str) -> BuiltinFunction | None:
    """The function of that name, or None where CUDA declares none."""
    space, last = canonical(_TEMPLATE_ARGUMENTS.sub("", name))
    entry = NAMESPACE_TABLES[space].get(last) if space in NAMESPACE_TABLES else None
    if entry is None and space in _OPEN_NAMESPACES:
        entry = _GLOBAL.get(last)
    return None if entry is None else BuiltinFunction(name, *entry)


def builtin_method(receiver: Type, name: str) -> BuiltinMethod | None:
    """The method of a CUDA object of type `receiver`."""
    return None


_TEMPLATE_ARGUMENTS: Final = re.compile(r"<.*>")
_OPEN_NAMESPACES: Final = frozenset(("", "std", "cuda"))
