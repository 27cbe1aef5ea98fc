"""What happens where an object's life ends.

Rules   Destructors are not run.  Where an object begins to live whose class, base, member or element has a destructor
        with code, an opaque instruction stands for what that may do: the object goes to it, and with it whatever the
        object refers to.
Limits  It stands where the object begins, not where it ends; what may be changed is changed for the whole function.
        The parameters of a kernel end on the host.
"""

from __future__ import annotations

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Opaque
from analysis.ir.source import Span
from analysis.ir.types import ArrayType, StructType, Type
from analysis.lower.context import LoweringContext
from analysis.lower.names import Record
from analysis.lower.records import has_destructor


def will_end(ctx: LoweringContext, address: ValueId, type: Type, span: Span) -> None:
    """An object of this type begins to live at `address`, and ends in this function."""
    found = _with_destructor(ctx, type, set())
    if found is not None:
        ctx.builder.emit(Opaque(None, f"destructor of {found.name}", (address,), True, span))


def _with_destructor(ctx: LoweringContext, type: Type, seen: set[str]) -> Record | None:
    """The class whose code runs at the end of an object: its own, a base's, a member's, an element's."""
    while isinstance(type, ArrayType):
        type = type.element
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    return None if record is None else _in_record(ctx, record, seen)


def _in_record(ctx: LoweringContext, record: Record, seen: set[str]) -> Record | None:
    if record.name in seen:
        return None
    seen.add(record.name)
    if has_destructor(record):
        return record
    for base, _ in record.bases:
        found = _in_record(ctx, base, seen)
        if found is not None:
            return found
    for member in record.fields:
        if member.declared.is_reference:
            continue
        found = _with_destructor(ctx, member.declared.type, seen)
        if found is not None:
            return found
    return None
