"""Conversions from and to classes: bases, constructors with one parameter, conversion operators."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import TemplateArgument
from analysis.ir.source import Span
from analysis.ir.types import S64, U64, StructType, TemplateType, Type, UnknownType
from analysis.lower.calls import call_method
from analysis.lower.construct import construct
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.conversions import is_arithmetic, is_vague
from analysis.lower.convert import implicit
from analysis.lower.cpp_types import of_library
from analysis.lower.expressions.dispatch import load, temporary
from analysis.lower.expressions.members import upcast
from analysis.lower.functions import generic_signature
from analysis.lower.names import DeclaredType, FunctionDeclaration, Record, TypeName
from analysis.lower.records import constructors_of, methods_named
from analysis.lower.types import spelled


def convert_class(ctx: LoweringContext, value: ValueId, source: Type, type: Type, span: Span) -> ValueId:
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

    for constructor in constructors_of(record):
        if _takes_one(constructor):
            place = construct(ctx, record.type, (value,), span)
            return load(ctx, place, span)
    return None


def _takes_one(constructor: FunctionDeclaration) -> bool:

    signature = generic_signature(constructor)
    if not signature.accepts(1) or not signature.parameters:
        return False
    return not isinstance(signature.parameters[0].declared.type, StructType)


def _converted(ctx: LoweringContext, record: Record, value: ValueId, type: Type, span: Span) -> ValueId | None:
    """By `operator T()`: the one for exactly this type, else the only one."""

    functions = conversion_operators(record)
    operators = [found for found in functions if not found.template_parameters]
    templates = [found for found in functions if found.template_parameters]
    exact = [found for found in operators if generic_signature(found).returns.type == type]
    if templates and (type in _SHARED or not exact):
        return _by_template(ctx, record, value, templates, type, span)
    chosen = exact or (operators if len(operators) == 1 else [])
    if not chosen:
        return None
    if record.is_guess and chosen[0].owner is not record:  # another specialisation may derive from another base
        unknown = ctx.builder.value(type)
        ctx.builder.emit(TemplateArgument(unknown, record.name, span))
        return unknown
    result: Operand = call_method(ctx, temporary(ctx, value, span), record, (chosen[0],), (), (), span)
    loaded = load(ctx, result, span)
    if isinstance(ctx.builder.types[loaded], StructType):
        return None
    return implicit(ctx, loaded, type, span)


def _by_template(
    ctx: LoweringContext,
    record: Record,
    value: ValueId,
    templates: list[FunctionDeclaration],
    type: Type,
    span: Span,
) -> ValueId | None:
    """By `template <class T> operator T()`, which gives just this type; None where a plain one may be as good."""
    only = templates[0]
    parameters = only.template_parameters
    if len(templates) > 1 or type in _SHARED or len(parameters) != 1 or not is_arithmetic(type):
        return None
    if generic_signature(only).returns != DeclaredType(TemplateType(parameters[0].name)):
        return None
    exact = of_library(type)
    wanted = TypeName(DeclaredType(type, spelled=exact))
    result = call_method(ctx, temporary(ctx, value, span), record, (only,), (wanted,), (), span)
    return load(ctx, result, span)


_SHARED: Final = frozenset({S64, U64})
"""What several C++ types are stored as."""


def conversion_operators(record: Record) -> list[FunctionDeclaration]:
    names = [name for name in record.method_nodes if name.startswith("operator ")]
    found = [declaration for name in names for declaration in methods_named(record, name)]
    for base, _ in record.bases:
        found += conversion_operators(base)
    return found
