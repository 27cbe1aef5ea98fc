"""Where objects begin that will have to end, and who takes over a temporary.

Rules   A class *ends by code* if leaving its scope runs some: its destructor has a body with statements or is not
        visible, or a base, member or element has such a class.  All other objects end without a trace.
        A variable ends with its scope, a temporary with its full expression, in reverse order of their beginnings.
        A temporary that initialises a variable, a member or a result becomes it and does not end; one that a local
        reference is bound to ends with the reference.
        An object of such a class is passed by its address: the caller makes it and ends it, as compilers do.
Limits  Where it is not known when an object ends, an opaque instruction stands for what that may do: the object goes
        to it, and with it whatever the object refers to.  The parameters of a kernel end on the host.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from analysis.cpp.conversions.model import ValueCategory
from analysis.ir.function import SymbolKind
from analysis.ir.ids import SourceBranchId, ValueId
from analysis.ir.instructions import Opaque
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, ArrayType, StructType, Type
from analysis.lower.builtins import builtin_layout
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.endings import Ending, Temporary
from analysis.lower.names import Closure, Declarations, DeclaredType, Record
from analysis.lower.records import has_destructor


def ends_by_code(ctx: LoweringContext, type: Type | None) -> bool:
    return type is not None and ending_class(ctx, type) is not None


def ending_class(ctx: LoweringContext, type: Type) -> str | None:
    """The class whose code runs at the end of an object: its own, a base's, a member's, an element's."""
    while isinstance(type, ArrayType):
        type = type.element
    if not isinstance(type, StructType):
        return None
    if type.name not in ctx.ending_classes:
        ctx.ending_classes[type.name] = _in_class(ctx.program, type, set())
    return ctx.ending_classes[type.name]


def _in_class(program: Declarations, type: Type, seen: set[str]) -> str | None:
    while isinstance(type, ArrayType):
        type = type.element
    if not isinstance(type, StructType) or type.name in seen:
        return None
    seen.add(type.name)
    record = program.records.get(type.name)
    if record is None:
        layout = builtin_layout(type)
        parts = () if layout is None else tuple(member.type for member in layout.fields)
    elif has_destructor(record):
        return record.name
    else:
        parts = part_types(record)
    return next((found for part in parts if (found := _in_class(program, part, seen)) is not None), None)


def part_types(record: Record) -> tuple[Type, ...]:
    """The classes of the bases, and the types of the own members that are objects."""
    members = record.fields[record.own_fields :]
    owned = [member.declared.type for member in members if not member.declared.is_reference]
    return (*(base.type for base, _ in record.bases), *([] if record.is_union else owned))


def is_passed_by_address(ctx: LoweringContext, declared: DeclaredType) -> bool:
    """Whether a parameter of a device function that is declared as a value is the caller's object."""
    return not declared.is_reference and isinstance(declared.type, StructType) and ends_by_code(ctx, declared.type)


def variable_begins(ctx: LoweringContext, address: ValueId, type: Type) -> None:
    """An object of the scope begins to live: it ends where the scope is left."""
    if ends_by_code(ctx, type):
        ctx.endings = Ending(address, type, ctx.endings)


def temporary_begins(ctx: LoweringContext, made: LValue, span: Span) -> LValue:
    """An object that an expression makes begins to live: it ends with the full expression, unless it is taken over."""
    made = replace(made, category=ValueCategory.PRVALUE)
    if not ends_by_code(ctx, made.type):
        return made
    full = ctx.full_expression
    if full is None:
        ends_somewhere(ctx, made.address, made.type, span)
    elif not full.deciding:
        full.temporaries.append(Temporary(made.address, made.type))
    else:
        flag = ctx.builder.flag(span)
        ctx.builder.store(ctx.builder.symbol_address(flag, span), ctx.builder.constant(True, BOOLEAN, span), span)
        full.temporaries.append(Temporary(made.address, made.type, flag, full.deciding[-1]))
    return made


def result_begins(ctx: LoweringContext, result: Operand, span: Span) -> Operand:
    """What a call gave back: an object, where its class ends by code."""
    if isinstance(result, Closure | LValue) or result is None or not ends_by_code(ctx, ctx.builder.types[result]):
        return result
    type = ctx.builder.types[result]
    address = ctx.builder.symbol_address(ctx.builder.symbol("", SymbolKind.LOCAL, type, span), span)
    ctx.builder.store(address, result, span)
    return temporary_begins(ctx, LValue(address, type), span)


def made_since(ctx: LoweringContext, count: int, type: Type) -> LValue | None:
    """The temporary of this type that was made last, unless there were `count` of them before already."""
    full = ctx.full_expression
    made = full.temporaries[-1] if full is not None and len(full.temporaries) > count else None
    if made is None or made.type != type:
        return None
    return LValue(made.address, type, category=ValueCategory.PRVALUE)


def count_of_temporaries(ctx: LoweringContext) -> int:
    return 0 if ctx.full_expression is None else len(ctx.full_expression.temporaries)


def take_over(ctx: LoweringContext, operand: Operand) -> bool:
    """Whether `operand` is a temporary that may become what it initialises; then it does not end any more."""
    if not isinstance(operand, LValue) or not operand.is_temporary:
        return False
    full = ctx.full_expression
    if full is not None:
        full.temporaries = [one for one in full.temporaries if one.address != operand.address]
    return True


def extend(ctx: LoweringContext, operand: Operand) -> None:
    """A local reference is bound to `operand`: a temporary, or one that it is a part of, lives as long as the scope."""
    full = ctx.full_expression
    if full is None or not isinstance(operand, LValue):
        return
    whole = operand.address if operand.whole is None else operand.whole
    kept = next((one for one in full.temporaries if one.address == whole), None)
    if kept is not None:
        full.temporaries.remove(kept)
        ctx.endings = Ending(kept.address, kept.type, ctx.endings)


@contextmanager
def conditionally(ctx: LoweringContext, branch: SourceBranchId | None) -> Generator[None]:
    """What is evaluated inside is evaluated only where `branch` says so."""
    full = ctx.full_expression
    if full is None:
        yield
        return
    full.deciding.append(branch)
    yield
    full.deciding.pop()


def ends_somewhere(ctx: LoweringContext, address: ValueId, type: Type, span: Span) -> None:
    """An object ends, it is not known where: what may be changed is changed for the whole function."""
    found = ending_class(ctx, type)
    if found is not None:
        ctx.builder.emit(Opaque(None, f"destructor of {found}", (address,), True, span))
