"""Code for accesses to `object[index]`, where it is known which object that is: a way that is tried before the usual
one.  It makes no addresses (`sim.memory.elements`).

e_3 = elements_3(f, rows, mask, v33) if elements_3 else None
if e_3 is None:
    ...                                                         # the address, its checks, v47 = arena.u4.take(...)
else:
    v47 = arena.u4.take(e_3)
"""

from __future__ import annotations

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic, ElementAddress, Instruction, Load, Store, SymbolAddress
from analysis.ir.types import IntegerType, PointerType
from analysis.lower.layouts import size_and_alignment
from sim.code.placement import ParameterRoot, SymbolRoot
from sim.code.writer import Unit, Writer
from sim.events import Segment
from sim.values.scalars import Part


def element_addresses(unit: Unit, segment: Segment) -> dict[ValueId, Instruction]:
    """The addresses that only the segment's accesses ask for, and only where the shortcut is none."""
    accesses = (one for one in segment.instructions if isinstance(one, Load | Store | Atomic))
    found = {one.address: _element_of(unit, one.address) for one in accesses}
    return {address: one for address, one in found.items() if one is not None}


def places(writer: Writer, address: ValueId, number: int, parts: tuple[Part, ...]) -> str | None:
    """Writes the question; the name of the answer.  None where the address is no such element."""
    unit = writer.unit
    one = _element_of(unit, address)
    if one is None or unit.observes_values or len(parts) != 1 or not _is_whole(unit, address, parts[0]):
        return None
    unit.imports[f"elements_{number}"] = f"m.access({number}).elements"
    index = writer.read_one(one.index)
    where = unit.placement.roots[address], index, parts[0].width
    known = writer.elements.get(where)
    is_held = "" if index in writer.fresh else ", True"
    found = known or f"elements_{number}(f, rows, mask, {index}{is_held})"
    writer.line(f"e_{number} = {found} if elements_{number} else None")
    writer.elements[where] = f"e_{number}"
    return f"e_{number}"


def _element_of(unit: Unit, address: ValueId) -> ElementAddress | None:
    """What makes the address, where it counts from the start of a variable or from what a parameter points to, and no
    other segment reads it."""
    one = unit.made.get(address)
    if not isinstance(one, ElementAddress) or address in unit.first_register:
        return None
    match unit.placement.roots.get(address):
        case ParameterRoot(value=value):
            is_start = one.base == value
        case SymbolRoot():
            is_start = isinstance(unit.placement.recomputed.get(one.base), SymbolAddress)
        case None:
            is_start = False
    return one if is_start and isinstance(unit.function.types[one.index], IntegerType) else None


def _is_whole(unit: Unit, address: ValueId, part: Part) -> bool:
    """Whether the access reads or writes the element and nothing else."""
    type = unit.function.types[address]
    assert isinstance(type, PointerType)
    return not part.offset and size_and_alignment(type.element, unit.function.structs)[0] == part.width
