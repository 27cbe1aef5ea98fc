"""Unary and binary operators and commas on built-in types, pointers, and through overloads.

Rules   Operands are converted to the type of the operation first.  Operators on classes are calls; on values whose type
        is a template's they are plain operations, because that is what they are for the types people pass.
"""

from __future__ import annotations

from typing import Final

from analysis.cpp.expressions.operators import SPELLINGS
from analysis.cpp.types.model import pointer_to
from analysis.ir.types import (
    GroupType,
    HandleType,
    StructType,
    VectorType,
)
from analysis.lower.closure_objects import closure_pointer
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.expressions.arithmetic import arithmetic, subscript, unary_arithmetic
from analysis.lower.expressions.conditions import lower_logical
from analysis.lower.expressions.declared_operators import is_declared
from analysis.lower.expressions.dispatch import (
    converted_from,
    discard,
    handles,
    handles_object,
    load,
    lower,
    lower_object,
    place,
    unsupported,
)
from analysis.lower.expressions.member_pointers import named_member
from analysis.lower.expressions.members import pointee
from analysis.lower.expressions.places import address_of, variable_place
from analysis.lower.lookup import constant_part, find
from analysis.lower.names import Closure, FunctionSet, LocalVariable
from analysis.lower.operators import overloaded, try_overload
from analysis.lower.types import FUNCTION_POINTER
from analysis.syntax.tree import Node

CLASS_TYPES: Final = (StructType, VectorType, GroupType, HandleType)


@handles("binary_expression")
def _binary_expression(ctx: LoweringContext, node: Node) -> Operand:
    left_node, sign, right_node = node.three("left", "operator", "right")
    if left_node is None or sign is None or right_node is None:
        return unsupported(ctx, node)
    spelling = sign.kind
    if spelling in ("&&", "||", "and", "or") and not is_declared(ctx, node, spelling):
        return lower_logical(ctx, node)
    spelling = SPELLINGS.get(spelling, spelling)
    left_object = lower(ctx, left_node)
    left = _used(ctx, left_object, left_node)
    right_object = lower(ctx, right_node)
    right = _used(ctx, right_object, right_node)
    # Beside an object of a class, an overload may want the other one by reference, too.
    if isinstance(left, LValue) and isinstance(left.type, StructType) and isinstance(right_object, LValue):
        right = right_object if right_object.bits is None else right
    elif isinstance(right, LValue) and isinstance(right.type, StructType) and isinstance(left_object, LValue):
        left = left_object if left_object.bits is None else left
    return apply_binary(ctx, spelling, left, right, node)


def _operand(ctx: LoweringContext, node: Node) -> Operand:
    """A value, except for objects of class type, which an overload may want by reference."""
    return _used(ctx, lower(ctx, node), node)


def _used(ctx: LoweringContext, operand: Operand, node: Node) -> Operand:
    if isinstance(operand, LValue) and isinstance(operand.type, CLASS_TYPES):
        return operand
    span = ctx.span(node)
    value = operand if isinstance(operand, int) else load(ctx, operand, span)
    if node.kind not in ("number_literal", "parenthesized_expression"):
        ctx.builder.expression(span, value)
    return value


def apply_binary(ctx: LoweringContext, spelling: str, left: Operand, right: Operand, node: Node) -> Operand:
    """`left spelling right` by the types of both."""
    if isinstance(ctx.type_of(left), CLASS_TYPES) or isinstance(ctx.type_of(right), CLASS_TYPES):
        return overloaded(ctx, spelling, (left, right), node)
    span = ctx.span(node)
    if not isinstance(left, int):
        left = load(ctx, left, span)
    if not isinstance(right, int):
        right = load(ctx, right, span)
    return arithmetic(ctx, spelling, left, right, span)


@handles("comma_expression")
def _comma_expression(ctx: LoweringContext, node: Node) -> Operand:
    left_node, right_node = node.field("left"), node.field("right")
    if left_node is None or right_node is None:
        return unsupported(ctx, node)
    left = discard(ctx, left_node)
    right = lower(ctx, right_node)
    if is_declared(ctx, node, ","):
        found, result = try_overload(ctx, ",", (left, right), node)
        return result if found else right
    return right


@handles("unary_expression")
def _unary_expression(ctx: LoweringContext, node: Node) -> Operand:
    argument, sign = node.field("argument"), node.field("operator")
    if argument is None or sign is None:
        return unsupported(ctx, node)
    if sign.kind == "+" and argument.kind == "lambda_expression":
        named = lower(ctx, argument)
        pointer = closure_pointer(ctx, named, ctx.span(node)) if isinstance(named, Closure) else None
        if pointer is not None:
            return pointer
    operand = _operand(ctx, argument)
    type = ctx.type_of(operand)
    if isinstance(type, CLASS_TYPES):
        return overloaded(ctx, sign.kind, (operand,), node)
    span = ctx.span(node)
    result = unary_arithmetic(ctx, sign.kind, load(ctx, operand, span), span)
    return unsupported(ctx, node, f"operator {sign.kind}") if result is None else result


@handles("pointer_expression")
def _pointer_expression(ctx: LoweringContext, node: Node) -> Operand:
    """`*pointer` and `&object`."""
    argument, sign = node.field("argument"), node.field("operator")
    if argument is None or sign is None:
        return unsupported(ctx, node)
    span = ctx.span(node)
    if sign.kind == "*":
        operand = _operand(ctx, argument)
        if ctx.type_of(operand) == FUNCTION_POINTER:
            return operand  # a function is its own address
        if isinstance(ctx.type_of(operand), CLASS_TYPES):
            return overloaded(ctx, "*", (operand,), node)
        return pointee(ctx, argument, operand)
    if _names_function(ctx, argument):
        function = lower(ctx, argument)
        known = ctx.exact_type(function)
        if isinstance(function, int):
            ctx.typed(function, None if known is None else pointer_to(known))
        return function
    member = named_member(ctx, argument, span)
    return address_of(ctx, place(ctx, argument), span) if member is None else member


def _names_function(ctx: LoweringContext, node: Node) -> bool:
    """Whether `node` is the name of a function of the program, which is no method."""
    if node.kind not in ("identifier", "qualified_identifier", "template_function"):
        return False
    entity = find(ctx.scope, node)
    return isinstance(entity, FunctionSet) and bool(entity.declarations) and not entity.declarations[0].has_this


@handles("subscript_expression")
def _subscript_expression(ctx: LoweringContext, node: Node) -> Operand:
    argument, indices = node.field("argument"), node.field("indices")
    if argument is None or indices is None or len(indices.children) != 1:
        return unsupported(ctx, node)
    entity = ctx.scope.find(argument.text.decode("utf-8", "replace")) if argument.kind == "identifier" else None
    if isinstance(entity, LocalVariable) and entity.object is None:
        base: Operand = variable_place(ctx, entity, ctx.span(argument))
    else:
        constant = constant_part(ctx.scope, node)
        if constant is not None:
            value = ctx.builder.constant(constant.value, constant.type, ctx.span(node))
            return ctx.typed(value, constant.exact)
        base = lower(ctx, argument)
    span = ctx.span(node)
    type = ctx.type_of(base)
    if isinstance(type, CLASS_TYPES):
        return overloaded(ctx, "[]", (base, _operand(ctx, indices.children[0])), node)
    index = converted_from(ctx, lower(ctx, indices.children[0]), indices.children[0])
    return subscript(ctx, base, index, span)


@handles_object("comma_expression")
def _comma_object(ctx: LoweringContext, node: Node) -> Operand:
    """`(x, c ? a : b) = value`"""
    left, right = node.field("left"), node.field("right")
    if left is None or right is None or is_declared(ctx, node, ","):
        return lower(ctx, node)
    discard(ctx, left)
    return lower_object(ctx, right)
