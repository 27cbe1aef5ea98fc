"""Implicit conversion of a value, user-defined conversions included.

Rules   From a class: to its base, or by its conversion operator.  To a class: by a constructor with one parameter.
        A conversion from or to a type that is not visible may run any code: it is opaque.
"""

from __future__ import annotations

from analysis.cpp.types.model import QualType
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import (
    FUNCTION_POINTERS,
    BooleanType,
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
from analysis.lower.builtins.atomic_objects import is_atomic_reference, read_atomic_reference
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import convert, is_vague, truth
from analysis.lower.expressions.dispatch import load
from analysis.lower.expressions.members import moved_in_class
from analysis.lower.types import spelled


def implicit(
    ctx: LoweringContext,
    operand: Operand,
    type: Type,
    span: Span,
    exact: QualType | None = None,
    *,
    is_direct: bool = False,
) -> ValueId:
    """`operand` as a `type`, as initialisation and argument passing convert it; `exact` is the C++ type, if known.

    An object of a class is not read where a function converts it: that is called on the object.  `is_direct` tells a
    cast or a condition, for which explicit conversion functions count.
    """
    if isinstance(operand, LValue) and isinstance(operand.type, StructType):
        is_same = operand.type is type or operand.type == type or isinstance(type, VoidType)
        if not is_same:
            return ctx.convert_class(ctx, operand, type, exact, span, is_direct)
    value = load(ctx, operand, span)
    source = ctx.builder.types[value]
    if source is type or source == type or isinstance(type, VoidType):
        return value
    if isinstance(source, StructType) or isinstance(type, StructType):
        return ctx.convert_class(ctx, value, type, exact, span, is_direct)
    if isinstance(type, PointerType) and isinstance(source, PointerType):
        value = moved_in_class(ctx, value, source.element, type.element, span)
    if isinstance(type, UnknownType):
        if isinstance(source, UnknownType):
            return ctx.builder.convert(value, type, span)
        return ctx.builder.opaque(f"conversion to {spelled(type)}", (value,), type, span)
    if isinstance(source, VoidType):
        return ctx.builder.undefined(type, span)
    if is_atomic_reference(source):
        return implicit(ctx, read_atomic_reference(ctx.builder, value, span), type, span)
    if isinstance(type, GroupType) or isinstance(source, GroupType):
        return ctx.builder.convert(value, type, span)
    if source in FUNCTION_POINTERS and isinstance(type, BooleanType):
        return truth(ctx.builder, value, span)
    if isinstance(type, VectorType | HandleType) or isinstance(source, VectorType | HandleType):
        if is_vague(source) or is_vague(type) or isinstance(source, PointerType) or isinstance(type, PointerType):
            return ctx.builder.convert(value, type, span)
        if isinstance(type, HandleType | IntegerType) and isinstance(source, HandleType | IntegerType):
            return ctx.builder.convert(value, type, span)
        return ctx.builder.opaque(f"conversion of {spelled(source)} to {spelled(type)}", (value,), type, span)
    return convert(ctx.builder, value, type, span)
