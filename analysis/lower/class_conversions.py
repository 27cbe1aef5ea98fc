"""Conversions from and to classes: bases, constructors with one parameter, conversion operators.

Rules   Which conversion function makes a value of an object is chosen by the standard's rules (`analysis/cpp`), and it
        is called on the object itself, which it may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from analysis.cpp.conversions.implicit import direct_conversion, implicit_conversion
from analysis.cpp.conversions.model import Argument, UncertainConversion, UserConversion
from analysis.cpp.expressions.model import value_of
from analysis.cpp.expressions.operators import converted_operand
from analysis.cpp.types.model import BOOL, QualType, qualified
from analysis.ir.ids import ValueId
from analysis.ir.instructions import TemplateArgument
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, StructType, Type, UnknownType, VectorType
from analysis.lower.calls import call_method
from analysis.lower.class_knowledge import RecordClasses, conversion_arguments, is_explicit
from analysis.lower.class_numbers import set_class
from analysis.lower.closure_objects import closure_pointer
from analysis.lower.construct import construct
from analysis.lower.context import LoweringContext, LValue
from analysis.lower.conversions import is_vague
from analysis.lower.convert import implicit
from analysis.lower.cpp_types import ir_type, stored_as
from analysis.lower.exact_arguments import as_written, named, structured, structured_argument
from analysis.lower.expressions.dispatch import load, temporary
from analysis.lower.expressions.members import upcast
from analysis.lower.functions import generic_signature
from analysis.lower.names import FunctionDeclaration, Record
from analysis.lower.names import TemplateArgument as NamedArgument
from analysis.lower.overloads import argument_of
from analysis.lower.records import constructors_of, conversion_operators
from analysis.lower.types import FUNCTION_POINTER, spelled


def convert_class(
    ctx: LoweringContext,
    operand: LValue | ValueId,
    type: Type,
    exact: QualType | None,
    span: Span,
    is_direct: bool,
) -> ValueId:
    """An object or value as a `type`, of which `exact` is the C++ type where that is known.

    `is_direct` tells a cast or a condition, for which explicit conversion functions count.
    """
    records, source = ctx.program.records, ctx.type_of(operand)
    given = records.get(source.name) if isinstance(source, StructType) else None
    wanted = records.get(type.name) if isinstance(type, StructType) else None
    if given is not None and wanted is not None:
        seen = upcast(ctx, _as_object(ctx, operand, span), given, wanted, span)
        if seen is not None:
            return _as_whole(ctx, load(ctx, seen, span), wanted, span)
    built = None if wanted is None else _constructed(ctx, wanted, operand, span)
    if built is not None:
        return built
    if given is not None:
        converted = _closure_pointer(ctx, given, type, span)
        if converted is None:
            converted = _by_function(ctx, given, operand, type, exact, span, is_direct=is_direct)
        if converted is not None:
            return converted
    value = load(ctx, operand, span)
    source = ctx.builder.types[value]
    if is_vague(source) or (is_vague(type) and not isinstance(type, UnknownType)):
        return ctx.builder.convert(value, type, span)
    return ctx.builder.opaque(f"conversion of {spelled(source)} to {spelled(type)}", (value,), type, span)


def built_in_operand(ctx: LoweringContext, operand: LValue | ValueId, span: Span) -> ValueId | None:
    """What a built-in operator takes of an object of a class: what its only conversion function gives.

    None where there are several or none, or where that is an object again.
    """
    type = ctx.type_of(operand)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None:
        return None
    classes, objects = RecordClasses(ctx.program), _possible_objects(ctx, operand)
    found = [converted_operand(classes, structured_argument(ctx.program, each)) for each in objects]
    given, exact = found[0], None
    if isinstance(given, Argument) and found.count(given) == len(found):
        exact = named(value_of(given))
        wanted = ir_type(exact)
    elif None in found and len(known := _implicit_operators(record)) == 1:
        wanted = generic_signature(known[0]).returns.type
    else:
        return None
    is_object = isinstance(wanted, StructType | VectorType | UnknownType)
    return None if is_object else implicit(ctx, operand, wanted, span, exact)


def truth_of_object(ctx: LoweringContext, operand: LValue | ValueId, span: Span) -> ValueId | None:
    """An object of a class as a condition; None where no function of the class converts it."""
    type = ctx.type_of(operand)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None or not conversion_operators(record):
        return None
    return implicit(ctx, operand, BOOLEAN, span, BOOL, is_direct=True)


def _implicit_operators(record: Record) -> list[FunctionDeclaration]:
    """The conversion functions that are neither explicit nor templates."""
    return [each for each in conversion_operators(record) if not each.template_parameters and not is_explicit(each)]


def _as_object(ctx: LoweringContext, operand: LValue | ValueId, span: Span) -> LValue:
    return operand if isinstance(operand, LValue) else temporary(ctx, operand, span)


def _as_whole(ctx: LoweringContext, value: ValueId, record: Record, span: Span) -> ValueId:
    """A part of an object as an object of its own."""
    if not any(field.is_class_number for field in record.fields):
        return value
    whole = temporary(ctx, value, span)
    set_class(ctx, whole, record, span)
    return load(ctx, whole, span)


def _closure_pointer(ctx: LoweringContext, record: Record, type: Type, span: Span) -> ValueId | None:
    """The function that a lambda without captures becomes."""
    if type != FUNCTION_POINTER or record.closure is None:
        return None
    return closure_pointer(ctx, record.closure, span)


def _constructed(ctx: LoweringContext, record: Record, operand: LValue | ValueId, span: Span) -> ValueId | None:
    for constructor in constructors_of(record):
        if _takes_one(constructor):
            place = construct(ctx, record.type, (operand,), span)
            return load(ctx, place, span)
    return None


def _takes_one(constructor: FunctionDeclaration) -> bool:
    signature = generic_signature(constructor)
    if not signature.accepts(1) or not signature.parameters:
        return False
    return not isinstance(signature.parameters[0].declared.type, StructType)


def _by_function(
    ctx: LoweringContext,
    record: Record,
    operand: LValue | ValueId,
    type: Type,
    exact: QualType | None,
    span: Span,
    *,
    is_direct: bool,
) -> ValueId | None:
    """What a conversion function gives; None where it is not known which one is meant."""
    chosen = None if isinstance(type, StructType) else _chosen(ctx, record, operand, type, exact, is_direct=is_direct)
    if chosen is None or (explicit := _explicit(ctx, *chosen)) is None:
        return None
    function, _ = chosen
    if record.is_guess and function.owner is not record:  # another specialisation may derive from another base
        unknown = ctx.builder.value(type)
        ctx.builder.emit(TemplateArgument(unknown, record.name, span))
        return unknown
    result = call_method(ctx, _as_object(ctx, operand, span), record, (function,), explicit, (), span)
    loaded = load(ctx, result, span)
    return None if isinstance(ctx.builder.types[loaded], StructType) else implicit(ctx, loaded, type, span)


_Choice: TypeAlias = tuple[FunctionDeclaration, QualType | None]
"""A conversion function; of a template, with what it is to give."""


def _chosen(
    ctx: LoweringContext,
    record: Record,
    operand: LValue | ValueId,
    type: Type,
    exact: QualType | None,
    *,
    is_direct: bool,
) -> _Choice | None:
    """The function that the standard's rules choose.

    Where the type that is wanted is not known, or whether the object is constant, the choice must not depend on that.
    """
    objects, targets = _possible_objects(ctx, operand), stored_as(type) if exact is None else (exact,)
    choices = [_choice(ctx, record, each, type, target, is_direct) for each in objects for target in targets]
    return choices[0] if choices.count(choices[0]) == len(choices) else None


def _possible_objects(ctx: LoweringContext, operand: LValue | ValueId) -> Sequence[Argument]:
    """The object, constant and not where that is not known."""
    given = argument_of(ctx, operand)
    if not given.is_assumed:
        return (given,)
    return [replace(given, type=qualified(given.type, constant=each), is_assumed=False) for each in (False, True)]


def _choice(
    ctx: LoweringContext, record: Record, object: Argument, type: Type, wanted: QualType, is_direct: bool
) -> _Choice | None:
    program, target = ctx.program, structured(ctx.program, wanted)
    convert = direct_conversion if is_direct else implicit_conversion
    classes, argument = RecordClasses(program), structured_argument(program, object)
    found = UncertainConversion() if target is None else convert(classes, argument, target)
    match found:
        case UserConversion(function=FunctionDeclaration(is_constructor=False) as function):
            return function, target if function.template_parameters else None
        case UncertainConversion():
            return _likeliest(record, type)
        case _:
            return None


def _likeliest(record: Record, type: Type) -> _Choice | None:
    """Of a class of which not all is known the function for what is stored so, else the only one."""
    functions = [each for each in conversion_operators(record) if not each.template_parameters]
    fitting = [each for each in functions if generic_signature(each).returns.type == type]
    if not fitting and len(functions) != 1:
        return None
    return (fitting or functions)[0], None


def _explicit(
    ctx: LoweringContext, function: FunctionDeclaration, wanted: QualType | None
) -> tuple[NamedArgument, ...] | None:
    """The arguments of a template of conversion functions; None where scopes cannot declare one of them."""
    given = () if wanted is None else conversion_arguments(ctx.program, function, wanted) or ()
    written = [as_written(ctx.program, argument) for argument in given]
    known = tuple(each for each in written if each is not None)
    return known if len(known) == len(written) else None
