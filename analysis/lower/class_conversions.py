"""Conversions from and to classes: bases, constructors with one parameter, conversion operators."""

from __future__ import annotations

from typing import Final

from analysis.cpp.conversions.implicit import implicit_conversion
from analysis.cpp.conversions.model import Argument, UserConversion
from analysis.cpp.types.model import ClassType, QualType
from analysis.ir.ids import ValueId
from analysis.ir.instructions import TemplateArgument
from analysis.ir.source import Span
from analysis.ir.types import S64, U64, StructType, TemplateType, Type, UnknownType
from analysis.lower.calls import call_method
from analysis.lower.class_knowledge import RecordClasses, conversion_arguments
from analysis.lower.class_numbers import set_class
from analysis.lower.closure_objects import closure_pointer
from analysis.lower.construct import construct
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.conversions import is_arithmetic, is_vague
from analysis.lower.convert import implicit
from analysis.lower.cpp_types import of_library
from analysis.lower.exact_arguments import as_written, structured
from analysis.lower.expressions.dispatch import load, temporary
from analysis.lower.expressions.members import upcast
from analysis.lower.functions import generic_signature
from analysis.lower.names import DeclaredType, FunctionDeclaration, Record, TypeName
from analysis.lower.names import TemplateArgument as NamedArgument
from analysis.lower.records import constructors_of, conversion_operators
from analysis.lower.types import FUNCTION_POINTER, spelled


def convert_class(ctx: LoweringContext, value: ValueId, type: Type, exact: QualType | None, span: Span) -> ValueId:
    """The value as a `type`, of which `exact` is the C++ type where that is known."""
    records, source = ctx.program.records, ctx.builder.types[value]
    if isinstance(source, StructType) and isinstance(type, StructType):
        derived, base = records.get(source.name), records.get(type.name)
        if derived is not None and base is not None:
            seen = upcast(ctx, temporary(ctx, value, span), derived, base, span)
            if seen is not None:
                return _as_whole(ctx, load(ctx, seen, span), base, span)
    if isinstance(type, StructType):
        record = records.get(type.name)
        built = None if record is None else _constructed(ctx, record, value, span)
        if built is not None:
            return built
    if isinstance(source, StructType):
        record = records.get(source.name)
        if type == FUNCTION_POINTER and record is not None and record.closure is not None:
            pointer = closure_pointer(ctx, record.closure, span)
            if pointer is not None:
                return pointer
        converted = None if record is None else _chosen(ctx, record, value, type, exact, span)
        if converted is None and record is not None:
            converted = _converted(ctx, record, value, type, span)
        if converted is not None:
            return converted
    if is_vague(source) or (is_vague(type) and not isinstance(type, UnknownType)):
        return ctx.builder.convert(value, type, span)
    return ctx.builder.opaque(f"conversion of {spelled(source)} to {spelled(type)}", (value,), type, span)


def _as_whole(ctx: LoweringContext, value: ValueId, record: Record, span: Span) -> ValueId:
    """A part of an object as an object of its own."""
    if not any(field.is_class_number for field in record.fields):
        return value
    whole = temporary(ctx, value, span)
    set_class(ctx, whole, record, span)
    return load(ctx, whole, span)


def _chosen(
    ctx: LoweringContext, record: Record, value: ValueId, type: Type, exact: QualType | None, span: Span
) -> ValueId | None:
    """By the function that the standard's rules choose; None where they choose none, or the types are not known."""
    program = ctx.program
    own = structured(program, QualType(ClassType(record.name)))
    wanted = None if exact is None or isinstance(type, StructType) else structured(program, exact)
    if own is None or wanted is None or record.is_guess:
        return None
    found = implicit_conversion(RecordClasses(program), Argument(own), wanted)
    function = found.function if isinstance(found, UserConversion) else None
    if not isinstance(function, FunctionDeclaration) or function.is_constructor:
        return None
    explicit: list[NamedArgument] = []
    for argument in conversion_arguments(program, function, wanted) or () if function.template_parameters else ():
        written = as_written(program, argument)
        if written is None:
            return None
        explicit.append(written)
    result = call_method(ctx, temporary(ctx, value, span), record, (function,), tuple(explicit), (), span)
    loaded = load(ctx, result, span)
    return None if isinstance(ctx.builder.types[loaded], StructType) else implicit(ctx, loaded, type, span)


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
