"""Implicit conversion of a value, user-defined conversions included.

Rules   From a class: to its base, or by its conversion operator.  To a class: by a constructor with one parameter.
        A conversion from or to a type that is not visible may run any code: it is opaque.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import (
    GroupType,
    HandleType,
    IntegerType,
    PointerType,
    StructType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.conversions import convert, is_vague
from analysis.lower.expressions.dispatch import load, temporary
from analysis.lower.expressions.members import upcast
from analysis.lower.types import spelled

if TYPE_CHECKING:
    from analysis.lower.functions import FunctionDeclaration
    from analysis.lower.records import Record


def implicit(ctx: LoweringContext, value: ValueId, type: Type, span: Span) -> ValueId:
    """`value` as a `type`, as initialisation and argument passing convert it."""
    source = ctx.builder.types[value]
    if source == type or isinstance(type, VoidType):
        return value
    if isinstance(source, StructType) or isinstance(type, StructType):
        return _through_class(ctx, value, source, type, span)
    if isinstance(type, UnknownType):
        if isinstance(source, UnknownType):
            return ctx.builder.convert(value, type, span)
        return ctx.builder.opaque(f"conversion to {spelled(type)}", (value,), type, span)
    if isinstance(source, VoidType):
        return ctx.builder.undefined(type, span)
    if isinstance(type, GroupType) or isinstance(source, GroupType):
        return ctx.builder.convert(value, type, span)
    if isinstance(type, VectorType | HandleType) or isinstance(source, VectorType | HandleType):
        if is_vague(source) or is_vague(type) or isinstance(source, PointerType) or isinstance(type, PointerType):
            return ctx.builder.convert(value, type, span)
        if isinstance(type, HandleType | IntegerType) and isinstance(source, HandleType | IntegerType):
            return ctx.builder.convert(value, type, span)
        return ctx.builder.opaque(f"conversion of {spelled(source)} to {spelled(type)}", (value,), type, span)
    return convert(ctx.builder, value, type, span)


def _through_class(ctx: LoweringContext, value: ValueId, source: Type, type: Type, span: Span) -> ValueId:
    records = ctx.program.records
    if isinstance(source, StructType) and isinstance(type, StructType):
        derived, base = records.get(source.name), records.get(type.name)
        if derived is not None and base is not None:
            seen = upcast(ctx, temporary(ctx, value, span), derived, base, span)
            if seen is not None:
                return load(ctx, seen, span)
    if isinstance(type, StructType):
        record = records.get(type.name)
        built = None if record is None else _constructed(ctx, record, value, span)
        if built is not None:
            return built
    if isinstance(source, StructType):
        record = records.get(source.name)
        converted = None if record is None else _converted(ctx, record, value, type, span)
        if converted is not None:
            return converted
    if is_vague(source) or (is_vague(type) and not isinstance(type, UnknownType)):
        return ctx.builder.convert(value, type, span)
    return ctx.builder.opaque(f"conversion of {spelled(source)} to {spelled(type)}", (value,), type, span)


def _constructed(ctx: LoweringContext, record: Record, value: ValueId, span: Span) -> ValueId | None:
    from analysis.lower.construct import construct

    for constructor in record.constructors:
        if _takes_one(constructor):
            place = construct(ctx, record.type, (value,), span)
            return load(ctx, place, span)
    return None


def _takes_one(constructor: FunctionDeclaration) -> bool:
    from analysis.lower.functions import generic_signature

    signature = generic_signature(constructor)
    if not signature.accepts(1) or not signature.parameters:
        return False
    return not isinstance(signature.parameters[0].declared.type, StructType)


def _converted(ctx: LoweringContext, record: Record, value: ValueId, type: Type, span: Span) -> ValueId | None:
    """By `operator T()`: the one for exactly this type, else the only one."""
    from analysis.lower.calls import call_method
    from analysis.lower.functions import generic_signature

    operators = conversion_operators(record)
    exact = [found for found in operators if generic_signature(found).returns.type == type]
    chosen = exact or (operators if len(operators) == 1 else [])
    if not chosen:
        return None
    result: Operand = call_method(ctx, temporary(ctx, value, span), record, (chosen[0],), (), (), span)
    loaded = load(ctx, result, span)
    if isinstance(ctx.builder.types[loaded], StructType):
        return None
    return implicit(ctx, loaded, type, span)


def conversion_operators(record: Record) -> list[FunctionDeclaration]:
    names = [name for name in record.method_nodes if name.startswith("operator ")]
    found = [declaration for name in names for declaration in record.methods_named(name)]
    for base, _ in record.bases:
        found += conversion_operators(base)
    return found
