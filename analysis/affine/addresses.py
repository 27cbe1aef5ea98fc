"""How far do element and field steps move an address, in bytes?"""

from __future__ import annotations

from analysis.affine.atoms import ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.facts import AffineFacts
from analysis.affine.linear_form import LinearForm
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import FieldAddress
from analysis.ir.types import PointerType, StructType, VectorType
from analysis.lower.layouts import size_of


def element_size(function: Function, pointer: ValueId) -> int | None:
    """The size of what a pointer points to; None where it is not known."""
    type_ = function.types[pointer]
    return size_of(type_.element, function.structs) if isinstance(type_, PointerType) else None


def field_offset(function: Function, field: FieldAddress) -> int | None:
    type_ = function.types[field.base]
    match type_.element if isinstance(type_, PointerType) else type_:
        case StructType(name=name):
            layout = function.structs.get(name)
            if layout is None or not layout.size or field.field >= len(layout.fields):
                return None
            return layout.fields[field.field].offset
        case VectorType(element=element):
            size = size_of(element, function.structs)
            return None if size is None else size * field.field
        case _:
            return None


def is_address(facts: AffineFacts, form: LinearForm) -> bool:
    """Is it made from a pointer?"""
    types = facts.function.types
    return any(
        isinstance(atom, SymbolAtom)
        or (isinstance(atom, ValueAtom | ResidualAtom) and isinstance(types[atom.value], PointerType))
        for atom in form.base.atoms()
    )
