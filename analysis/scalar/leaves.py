"""Which registers hold a value: one per scalar member of a vector or struct.

A value of up to 64 bits takes one register, as in Fig. 1 of Lee et al.  What is too large for registers, and objects
without visible members, count as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from analysis.ir.types import ArrayType, StructLayout, StructType, Type, VectorType, VoidType

MAX_LEAVES = 16


@final
class Leaves:
    """Remembers the leaves of the types of one function."""

    def __init__(self, structs: Mapping[str, StructLayout]) -> None:
        self._structs = structs
        self._known: dict[Type, tuple[Type, ...]] = {}

    def of(self, type_: Type) -> tuple[Type, ...]:
        """The types of the registers that hold a value of this type."""
        found = self._known.get(type_)
        if found is None:
            members = self.members(type_)
            parts = None if members is None else [leaf for member in members for leaf in self.of(member)]
            found = (type_,) if parts is None or len(parts) > MAX_LEAVES else tuple(parts)
            found = self._known[type_] = () if isinstance(type_, VoidType) else found
        return found

    def is_split(self, type_: Type) -> bool:
        """Has each member registers of its own?"""
        return self.of(type_) != (type_,)

    def place(self, type_: Type, index: int) -> slice:
        """Which of the leaves belong to member `index` of a type that is split."""
        members = self.members(type_) or ()
        start = sum(len(self.of(member)) for member in members[:index])
        return slice(start, start + len(self.of(members[index])) if index < len(members) else start)

    def members(self, type_: Type) -> tuple[Type, ...] | None:
        match type_:
            case VectorType(element=element, length=length):
                return (element,) * length
            case ArrayType(element=element, length=int() as length) if length <= MAX_LEAVES:
                return (element,) * length
            case StructType(name=name):
                layout = self._structs.get(name)
                if layout is None or layout.is_union or not layout.fields:
                    return None
                return tuple(field.type for field in layout.fields)
            case _:
                return None
