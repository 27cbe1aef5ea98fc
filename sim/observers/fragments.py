"""Accesses to fragments of matrices (`nvcuda::wmma::fragment`): these lie in registers, and move no memory.

Rules    An access is one to a fragment where its address is an element or member of a local variable that is a
         fragment, or an array of them (which compilers unroll).
Limits   A fragment behind a pointer that is passed to a real call counts as memory.
"""

from __future__ import annotations

from typing import Final, final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import FunctionId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Bitcast,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Store,
    SymbolAddress,
)
from analysis.ir.types import ArrayType, StructType, Type
from sim.events import AccessSite

_FRAGMENT: Final = "nvcuda::wmma::fragment<"


@final
class Fragments:
    def __init__(self) -> None:
        self._definitions: dict[FunctionId, dict[ValueId, Instruction]] = {}
        self._sites: dict[int, tuple[AccessSite, bool]] = {}

    def has(self, site: AccessSite) -> bool:
        """Whether the site's accesses go to a fragment."""
        known = self._sites.get(id(site))
        if known is None:
            known = self._sites[id(site)] = (site, self._is_fragment(site))
        return known[1]

    def _is_fragment(self, site: AccessSite) -> bool:
        if not isinstance(site.instruction, Load | Store | Atomic):
            return False
        definitions = self._definitions_of(site.function)
        found = definitions.get(site.instruction.address)
        while isinstance(found, ElementAddress | FieldAddress | Bitcast):
            found = definitions.get(found.operand if isinstance(found, Bitcast) else found.base)
        if not isinstance(found, SymbolAddress):
            return False
        symbol = site.function.symbol(found.symbol)
        return symbol.kind is SymbolKind.LOCAL and _holds_fragments(symbol.type)

    def _definitions_of(self, function: Function) -> dict[ValueId, Instruction]:
        known = self._definitions.get(function.id)
        if known is None:
            found = (one for _, one in function.instructions())
            known = self._definitions[function.id] = {one.result: one for one in found if one.result is not None}
        return known


def _holds_fragments(type: Type) -> bool:
    while isinstance(type, ArrayType):
        type = type.element
    return isinstance(type, StructType) and type.name.startswith(_FRAGMENT)
