"""Casts: C-style, functional, `static_cast` and its siblings, compound literals.

Rules   A cast to a pointer keeps the address space it comes from.  A cast to a reference is the same object seen as
        another type.
"""

from __future__ import annotations

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types import model as cpp
from analysis.cpp.types.arithmetic import is_arithmetic
from analysis.cpp.types.model import EnumerationType, QualType
from analysis.ir.ids import ValueId
from analysis.ir.source import Span
from analysis.ir.types import (
    ArrayType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from analysis.lower.construct import construct, initialise_list, new_object
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.deduced_classes import deduced_object
from analysis.lower.expressions.dispatch import (
    converted_from,
    discard,
    handles,
    load,
    lower,
    place,
    temporary,
    unsupported,
)
from analysis.lower.expressions.members import moved_in_class
from analysis.lower.function_values import meant_as
from analysis.lower.lifetimes import temporary_begins
from analysis.lower.names import DeclaredType, LambdaName
from analysis.lower.packs import expanded
from analysis.lower.types import descriptor_type, resolve_type
from analysis.syntax.tree import Node


@handles("cast_expression")
def _cast_expression(ctx: LoweringContext, node: Node) -> Operand:
    type_node, value = node.field("type"), node.field("value")
    if type_node is None or value is None:
        return unsupported(ctx, node)
    return cast(ctx, descriptor_type(ctx.scope, type_node), value, node)


def cast(
    ctx: LoweringContext, declared: DeclaredType, value: Node, node: Node, *, reinterprets: bool = False
) -> Operand:
    """`(declared) value`; a lambda stays what it is, as in `static_cast<F &&>(f)`.

    `reinterprets` tells casts that never convert: they see the same object as another type.
    """
    span = ctx.span(node)
    if value.kind == "identifier" and isinstance(ctx.scope.find(value.text.decode("utf-8", "replace")), LambdaName):
        return lower(ctx, value)
    if declared.is_reference:
        target = place(ctx, value)
        if not reinterprets and _is_converted(ctx, declared, target):
            exact = declared.exact
            made = _converted(ctx, target, declared.type, span, exact)
            target = temporary(ctx, ctx.typed(made, None if exact is None else exact.object), span)
        wanted = PointerType(declared.type, ctx.builder.space_of(target.address), declared.is_volatile)
        address = moved_in_class(ctx, target.address, target.type, declared.type, span)
        exact = declared.exact
        return LValue(
            ctx.builder.bitcast(address, wanted, span),
            declared.type,
            declared.is_volatile,
            category=ValueCategory.XVALUE if declared.is_rvalue else ValueCategory.LVALUE,
            whole=target.temporary,
            spelled=None if exact is None else exact.object,
        )
    if isinstance(declared.type, VoidType):
        discard(ctx, value)
        return None
    if isinstance(declared.type, StructType):
        return construct(ctx, declared.type, (lower(ctx, value),), span)
    return converted(ctx, declared, value, span)


def _is_converted(ctx: LoweringContext, declared: DeclaredType, target: LValue) -> bool:
    """Whether a cast to a reference makes a new number of another type, to which it refers ([expr.static.cast]).

    A pointer becomes a truth value so; other pointers are seen as they are.
    """
    exact, source = declared.exact, ctx.exact_type(target)
    if exact is None or source is None or not (declared.is_rvalue or exact.object.is_constant):
        return False
    wanted = exact.object
    is_truth = isinstance(wanted.type, cpp.FundamentalType) and wanted.type.kind is cpp.Fundamental.BOOL
    if is_truth and isinstance(source.type, cpp.PointerType | cpp.ArrayType):
        return True
    numbers = all(is_arithmetic(type) or isinstance(type.type, EnumerationType) for type in (wanted, source))
    return numbers and (wanted.type != source.type or target.bits is not None)


def converted(ctx: LoweringContext, declared: DeclaredType, value: Node, span: Span) -> Operand:
    type, exact = declared.type, declared.exact
    if isinstance(type, VectorType):
        return construct(ctx, type, (lower(ctx, value),), span)
    operand = converted_from(ctx, lower(ctx, value), value)
    meant = meant_as(ctx, operand, exact, span)
    operand = meant if isinstance(meant, int) else operand
    return ctx.typed(_converted(ctx, operand, type, span, exact), None if exact is None else exact.unqualified)


def _converted(
    ctx: LoweringContext, operand: LValue | ValueId, type: Type, span: Span, exact: QualType | None
) -> ValueId:
    builder = ctx.builder
    if isinstance(operand, LValue) and isinstance(operand.type, StructType):
        return implicit(ctx, operand, type, span, exact, is_direct=True)
    operand = load(ctx, operand, span)
    source = builder.types[operand]
    if isinstance(type, PointerType) and isinstance(source, PointerType):
        space = source.space if type.space is MemorySpace.GENERIC else type.space
        operand = moved_in_class(ctx, operand, source.element, type.element, span)
        return builder.bitcast(operand, PointerType(type.element, space, type.volatile), span)
    if isinstance(type, IntegerType) and isinstance(source, PointerType):
        return builder.bitcast(operand, type, span)
    return implicit(ctx, operand, type, span, exact, is_direct=True)


@handles("compound_literal_expression")
def _compound_literal(ctx: LoweringContext, node: Node) -> Operand:
    """`T{...}` and `(T){...}`."""
    type_node, value = node.field("type"), node.field("value")
    if type_node is None or value is None:
        return unsupported(ctx, node)
    declared = (
        descriptor_type(ctx.scope, type_node)
        if type_node.kind == "type_descriptor"
        else resolve_type(ctx.scope, type_node)
    )
    span = ctx.span(node)
    type = declared.type
    deduced = deduced_object(ctx, type_node, type, value, span)
    if deduced is not None:
        return deduced
    if isinstance(type, ArrayType) and type.length is None:
        type = ArrayType(type.element, len(expanded(ctx.scope, value.children)))
    target = new_object(ctx, type, span)
    initialise_list(ctx, target, value, span)
    return temporary_begins(ctx, target, span)


@handles("initializer_list")
def _bare_list(ctx: LoweringContext, node: Node) -> Operand:
    """A list where a value is expected and no type is known: `f({1, 2})`; of one element, that element."""
    if len(node.children) == 1:
        return lower(ctx, node.children[0])
    for child in node.children:
        load(ctx, lower(ctx, child), ctx.span(child))
    return unsupported(ctx, node, "initialiser list without a type")
