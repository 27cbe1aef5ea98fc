"""All tables together: from a name to what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from analysis.ir.types import GroupType, HandleType, Type
from analysis.lower.builtins import (
    atomics,
    barriers,
    casts,
    collectives,
    complex,
    control,
    copies,
    device_heap,
    device_streams,
    half,
    integer,
    math,
    matrices,
    memory,
    memory_barriers,
    native_barriers,
    objects,
    operators,
    pipelines,
    random,
    standard,
    textures,
    vectors,
    warp,
)
from analysis.lower.builtins.constructors import builtin_constructor
from analysis.lower.builtins.core import BuiltinFunction, BuiltinMethod, Table
from analysis.lower.builtins.groups import tables as groups
from analysis.lower.builtins.types import builtin_type, canonical, element_of_handle

GLOBAL_TABLES: Final[Mapping[str, Table]] = {
    "math": math.TABLE,
    "integer": integer.TABLE,
    "casts": casts.TABLE,
    "half": half.TABLE,
    "vectors": vectors.TABLE,
    "barriers": barriers.TABLE,
    "memory barriers": native_barriers.TABLE,
    "warp": warp.TABLE,
    "atomics": atomics.TABLE,
    "memory": memory.TABLE,
    "copies": copies.TABLE,
    "textures": textures.TABLE,
    "random": random.TABLE,
    "control": control.TABLE,
    "runtime": control.RUNTIME,
    "device heap": device_heap.TABLE,
    "device streams": device_streams.TABLE,
    "operators": operators.TABLE,
}
"""Names outside namespaces; `std::` and `cuda::` before them do not matter."""

NAMESPACE_TABLES: Final[Mapping[str, Table]] = {
    "std": {
        **complex.TABLE,
        **complex.OVERLOADED,
        **integer.STANDARD_TABLE,
        **standard.TABLE,
        **standard.STANDARD_TABLE,
    },
    "std::numeric_limits": standard.NUMERIC_LIMITS,
    "cooperative_groups": {**groups.FUNCTIONS, **copies.COPIES},
    "cuda": {**copies.COPIES, **pipelines.TABLE, **memory_barriers.CUDA_TABLE},
    "cuda::ptx": native_barriers.PTX_TABLE,
    "nvcuda::wmma": matrices.TABLE,
}
"""Names that stand in a namespace or a class, and are nothing without it."""

_GLOBAL: Final[Table] = {name: entry for table in GLOBAL_TABLES.values() for name, entry in table.items()}
_BY_ARGUMENT: Final[Table] = {
    **{name: entry for name, entry in groups.FUNCTIONS.items() if "(group" in entry[1]},
    **memory_barriers.CUDA_TABLE,
}
"""Functions that C++ finds without their namespace, by the type of their first argument."""
_OPEN_NAMESPACES: Final = frozenset(("", "std", "cuda"))


@lru_cache(maxsize=4096)
def builtin_function(name: str) -> BuiltinFunction | None:
    """The function of that name, a type's constructor, or None where CUDA declares neither."""
    limits = _LIMITS.match(name)
    if limits is not None:
        return _limit(limits[1], limits[2])
    space, last = canonical(_TEMPLATE_ARGUMENTS.sub("", name))
    entry = NAMESPACE_TABLES[space].get(last) if space in NAMESPACE_TABLES else None
    is_type_elsewhere = bool(space) and builtin_type(last) is not None  # `float2` is no member of std
    if entry is None and space in _OPEN_NAMESPACES and not is_type_elsewhere:
        entry = _GLOBAL.get(last) or _GLOBAL.get(last.removeprefix("__builtin_"))
    if entry is not None:
        return BuiltinFunction(name, *entry)
    if not space and last in _BY_ARGUMENT:
        return BuiltinFunction(name, *_BY_ARGUMENT[last], is_certain=False)
    type = builtin_type(name)
    return None if type is None else builtin_constructor(type)


def builtin_method(receiver: Type, name: str) -> BuiltinMethod | None:
    """The method of a CUDA object of type `receiver`."""
    table = _methods_of(receiver)
    entry = table.get(name) if table is not None else None
    return None if entry is None else BuiltinFunction(name, *entry)


def _methods_of(receiver: Type) -> Table | None:
    if isinstance(receiver, GroupType):
        return groups.METHODS[receiver.kind]
    if complex.is_complex(receiver):
        return complex.METHODS
    if not isinstance(receiver, HandleType):
        return None
    if receiver.name == "cooperative_groups::thread_group":
        return groups.METHODS[None]
    if receiver.name.startswith("cuda::pipeline"):
        return pipelines.METHODS
    if standard.functor_operator(receiver) is not None:
        return standard.FUNCTOR_METHODS
    return objects.method_table(receiver) or collectives.method_table(receiver)


def _limit(type_name: str, member: str) -> BuiltinFunction | None:
    """`std::numeric_limits<float>::max`: the type stands in the name."""
    entry = standard.NUMERIC_LIMITS.get(member)
    if entry is None:
        return None
    handle = builtin_type(f"std::numeric_limits<{type_name}>")
    type = element_of_handle(handle) if isinstance(handle, HandleType) else None
    return BuiltinFunction(member, standard.limit_of_type(member, type) if type is not None else entry[0], "R()")


_LIMITS: Final = re.compile(r"(?:::)?(?:cuda::std::|cuda::|std::|thrust::)?numeric_limits\s*<(.*)>\s*::\s*(\w+)$")
_TEMPLATE_ARGUMENTS: Final = re.compile(r"<.*>")
