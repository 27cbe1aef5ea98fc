"""The type of a declared name: the object's, and what qualifies the name."""

from __future__ import annotations

from typing import Final, final

from analysis.ir.record import record
from analysis.ir.types import MemorySpace, PointerType, Type, UnknownType


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

    @property
    def stored(self) -> Type:
        """The type of what a variable declared so holds: an address for a reference."""
        return pointer_to(self) if self.is_reference else self.type


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
    return type in _INFERRED
