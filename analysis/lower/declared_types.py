"""The type of a declared name: the object's, and what qualifies the name."""

from __future__ import annotations

from dataclasses import field
from typing import Final, final

from analysis.cpp.types.model import QualType, ReferenceType, qualified, qualifiers_of, reference_to
from analysis.ir.record import record
from analysis.ir.types import MemorySpace, PointerType, Type, UnknownType
from analysis.lower.cpp_types import agrees, ir_type, natural


@final
@record
class DeclaredType:
    """A type as a declaration spells it: that of the object (the one referred to), and what qualifies the name."""

    type: Type
    is_reference: bool = False
    is_constant: bool = False
    is_volatile: bool = False
    is_rvalue: bool = False
    """Of a reference: whether it is one to what nobody names any more, `T &&`."""
    spelled: QualType | None = field(default=None, compare=False)
    """The C++ type, where the declaration says it; `exact` is what to ask."""

    @property
    def exact(self) -> QualType | None:
        """The C++ type with all of its qualifiers, a reference for a reference; None where it is not known."""
        if self.spelled is not None:
            return self.spelled if agrees(self.spelled.object, self.type) else None
        known = natural(self.type)
        if known is None:
            return None
        known = qualified(known, constant=self.is_constant, volatile=self.is_volatile)
        return reference_to(known, is_rvalue=self.is_rvalue) if self.is_reference else known

    @property
    def stored(self) -> Type:
        """The type of what a variable declared so holds: an address for a reference."""
        return pointer_to(self) if self.is_reference else self.type


def declared_as(type: QualType) -> DeclaredType:
    """A name of that C++ type."""
    object = type.object
    constant, volatile = qualifiers_of(object)
    is_rvalue = isinstance(type.type, ReferenceType) and type.type.is_rvalue
    return DeclaredType(ir_type(object), type.is_reference, constant, volatile, is_rvalue, spelled=type)


def pointer_to(declared: DeclaredType) -> PointerType:
    return PointerType(declared.type, MemorySpace.GENERIC, declared.is_volatile)


AUTO = UnknownType("auto")
"""The type of a declaration that takes its type from the initialiser."""
DECLTYPE_AUTO = UnknownType("decltype(auto)")
"""The same, a reference where the initialiser is one."""
DECLTYPE = UnknownType("decltype")
"""The type of an expression that is not computed: that of the initialiser, or a reference to that."""
_INFERRED: Final = (AUTO, DECLTYPE_AUTO, DECLTYPE)


def is_inferred(type: Type) -> bool:
    """Whether the initialiser says which type it is."""
    return isinstance(type, UnknownType) and type in _INFERRED
