"""Unary and binary operators on built-in types, pointers, and through overloads.

Rules   Operands are converted to the type of the operation first.  Operators on classes are calls; on values whose type
        is a template's they are plain operations, because that is what they are for the types people pass.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import ElementAddress, PointerDifference
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.source import Span
from analysis.ir.types import (
    BOOLEAN,
    S64,
    ArrayType,
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
from analysis.lower.context import LoweringContext, Operand, Place
from analysis.lower.conversions import arithmetic_type, convert, is_vague, promoted, truth
from analysis.lower.expressions.conditions import lower_logical
from analysis.lower.expressions.dispatch import decayed, handles, load, lower, place, rvalue, unsupported
from analysis.lower.expressions.members import dereference
from analysis.lower.operators import overloaded
from analysis.lower.types import spelled
from analysis.syntax.tree import Node

BINARY: Final = {
    "+": BinaryOperator.ADD,
    "-": BinaryOperator.SUBTRACT,
    "*": BinaryOperator.MULTIPLY,
    "/": BinaryOperator.DIVIDE,
    "%": BinaryOperator.REMAINDER,
    "&": BinaryOperator.AND,
    "|": BinaryOperator.OR,
    "^": BinaryOperator.XOR,
    "<<": BinaryOperator.SHIFT_LEFT,
    ">>": BinaryOperator.SHIFT_RIGHT,
    "bitand": BinaryOperator.AND,
    "bitor": BinaryOperator.OR,
    "xor": BinaryOperator.XOR,
}
COMPARE: Final = {
    "==": CompareOperator.EQUAL,
    "!=": CompareOperator.NOT_EQUAL,
    "not_eq": CompareOperator.NOT_EQUAL,
    "<": CompareOperator.LESS,
    "<=": CompareOperator.LESS_EQUAL,
    ">": CompareOperator.GREATER,
    ">=": CompareOperator.GREATER_EQUAL,
}
CLASS_TYPES: Final = StructType | VectorType | GroupType | HandleType
_SHIFTS: Final = (BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)


@handles("binary_expression")
def _binary_expression(ctx: LoweringContext, node: Node) -> Operand:
    left_node, sign, right_node = node.field("left"), node.field("operator"), node.field("right")
    if left_node is None or sign is None or right_node is None:
        return unsupported(ctx, node)
    spelling = sign.kind
    if spelling in ("&&", "||", "and", "or"):
        return lower_logical(ctx, node)
    left, right = _operand(ctx, left_node), _operand(ctx, right_node)
    return apply_binary(ctx, spelling, left, right, node)


def _operand(ctx: LoweringContext, node: Node) -> Operand:
    """A value, except for objects of class type, which an overload may want by reference."""
    operand = lower(ctx, node)
    if isinstance(operand, Place) and isinstance(operand.type, CLASS_TYPES):
        return operand
    value = load(ctx, operand, ctx.span(node))
    if node.kind not in ("number_literal", "parenthesized_expression"):
        ctx.builder.expression(ctx.span(node), value)
    return value


def apply_binary(ctx: LoweringContext, spelling: str, left: Operand, right: Operand, node: Node) -> Operand:
    """`left spelling right` by the types of both."""
    left_type, right_type = ctx.type_of(left), ctx.type_of(right)
    if isinstance(left_type, CLASS_TYPES) or isinstance(right_type, CLASS_TYPES):
        return overloaded(ctx, spelling, (left, right), node)
    span = ctx.span(node)
    return arithmetic(ctx, spelling, load(ctx, left, span), load(ctx, right, span), span)


def arithmetic(ctx: LoweringContext, spelling: str, left: ValueId, right: ValueId, span: Span) -> ValueId:
    """A built-in operator on two values."""
    builder = ctx.builder
    left_type, right_type = builder.types[left], builder.types[right]
    compare = COMPARE.get(spelling)
    if compare is not None:
        return _compare(ctx, compare, left, right, span)
    operator = BINARY.get(spelling)
    if operator is None:
        return builder.opaque(f"operator {spelling}", (left, right), UnknownType(spelling), span)
    if isinstance(left_type, PointerType) or isinstance(right_type, PointerType):
        return _pointer_arithmetic(ctx, operator, left, right, span)
    if operator in _SHIFTS:
        type = promoted(left_type)
        right = convert(builder, right, promoted(right_type), span)
        return builder.binary(operator, convert(builder, left, type, span), right, type, span)
    type = arithmetic_type(left_type, right_type)
    if isinstance(type, VoidType):
        return builder.opaque(f"operator {spelling} on {spelled(left_type)}", (left, right), type, span)
    return builder.binary(operator, convert(builder, left, type, span), convert(builder, right, type, span), type, span)


def _compare(ctx: LoweringContext, operator: CompareOperator, left: ValueId, right: ValueId, span: Span) -> ValueId:
    builder = ctx.builder
    left_type, right_type = builder.types[left], builder.types[right]
    if isinstance(left_type, PointerType):
        type: Type = left_type
    elif isinstance(right_type, PointerType):
        type = right_type
    else:
        type = arithmetic_type(left_type, right_type) if left_type != right_type else left_type
    return builder.compare(operator, convert(builder, left, type, span), convert(builder, right, type, span), span)


def _pointer_arithmetic(
    ctx: LoweringContext, operator: BinaryOperator, left: ValueId, right: ValueId, span: Span
) -> ValueId:
    builder = ctx.builder
    left_type, right_type = builder.types[left], builder.types[right]
    if isinstance(left_type, PointerType) and isinstance(right_type, PointerType):
        if operator is BinaryOperator.SUBTRACT:
            result = builder.value(S64)
            builder.emit(PointerDifference(result, left, convert(builder, right, left_type, span), span))
            return result
    elif operator is BinaryOperator.ADD and isinstance(right_type, PointerType):
        return offset(ctx, right, left, span)
    elif operator is BinaryOperator.ADD:
        return offset(ctx, left, right, span)
    elif operator is BinaryOperator.SUBTRACT and isinstance(left_type, PointerType):
        return offset(ctx, left, negated(ctx, right, span), span)
    return builder.opaque(f"{operator.value} on pointers", (left, right), left_type, span)


def negated(ctx: LoweringContext, index: ValueId, span: Span) -> ValueId:
    """`-index`, widened first where it is unsigned."""
    builder = ctx.builder
    type = promoted(builder.types[index])
    if isinstance(type, IntegerType) and not type.signed:
        type = S64
    return builder.unary(UnaryOperator.NEGATE, convert(builder, index, type, span), type, span)


def offset(ctx: LoweringContext, pointer: ValueId, index: ValueId, span: Span) -> ValueId:
    """`pointer + index` in elements."""
    builder = ctx.builder
    type = builder.types[pointer]
    assert isinstance(type, PointerType)
    index_type = builder.types[index]
    if not isinstance(index_type, IntegerType) and not is_vague(index_type):
        index = convert(builder, index, promoted(index_type), span)
    result = builder.value(type)
    builder.emit(ElementAddress(result, pointer, index, span))
    return result


@handles("unary_expression")
def _unary_expression(ctx: LoweringContext, node: Node) -> Operand:
    argument, sign = node.field("argument"), node.field("operator")
    if argument is None or sign is None:
        return unsupported(ctx, node)
    operand = _operand(ctx, argument)
    type = ctx.type_of(operand)
    if isinstance(type, CLASS_TYPES):
        return overloaded(ctx, sign.kind, (operand,), node)
    span = ctx.span(node)
    builder = ctx.builder
    value = load(ctx, operand, span)
    match sign.kind:
        case "!" | "not":
            return builder.unary(UnaryOperator.LOGICAL_NOT, truth(builder, value, span), BOOLEAN, span)
        case "-" | "~" | "compl":
            operator = UnaryOperator.NEGATE if sign.kind == "-" else UnaryOperator.COMPLEMENT
            result = promoted(builder.types[value])
            return builder.unary(operator, convert(builder, value, result, span), result, span)
        case "+":
            return convert(builder, value, promoted(builder.types[value]), span)
        case _:
            return unsupported(ctx, node, f"operator {sign.kind}")


@handles("pointer_expression")
def _pointer_expression(ctx: LoweringContext, node: Node) -> Operand:
    """`*pointer` and `&object`."""
    argument, sign = node.field("argument"), node.field("operator")
    if argument is None or sign is None:
        return unsupported(ctx, node)
    span = ctx.span(node)
    if sign.kind == "*":
        operand = _operand(ctx, argument)
        if isinstance(ctx.type_of(operand), CLASS_TYPES):
            return overloaded(ctx, "*", (operand,), node)
        return dereference(ctx, load(ctx, operand, ctx.span(argument)), span)
    found = place(ctx, argument)
    builder = ctx.builder
    type = builder.types[found.address]
    wanted = PointerType(found.type, builder.space_of(found.address), found.volatile)
    return found.address if type == wanted else builder.bitcast(found.address, wanted, span)


@handles("subscript_expression")
def _subscript_expression(ctx: LoweringContext, node: Node) -> Operand:
    argument, indices = node.field("argument"), node.field("indices")
    if argument is None or indices is None or len(indices.children) != 1:
        return unsupported(ctx, node)
    base = lower(ctx, argument)
    span = ctx.span(node)
    type = ctx.type_of(base)
    if isinstance(type, CLASS_TYPES):
        return overloaded(ctx, "[]", (base, _operand(ctx, indices.children[0])), node)
    index = rvalue(ctx, indices.children[0])
    return subscript(ctx, base, index, span)


def subscript(ctx: LoweringContext, base: Operand, index: ValueId, span: Span) -> Operand:
    """`base[index]` for an array or a pointer (or `index[base]`)."""
    builder = ctx.builder
    index_type = builder.types[index]
    if not isinstance(index_type, IntegerType) and not is_vague(index_type) and not isinstance(index_type, PointerType):
        index = convert(builder, index, promoted(index_type), span)
    if isinstance(base, Place) and isinstance(base.type, ArrayType):
        element = base.type.element
        return Place(builder.element_address(base.address, index, element, span), element, base.volatile)
    pointer = load(ctx, base, span)
    type = builder.types[pointer]
    if isinstance(builder.types[index], PointerType) and not isinstance(type, PointerType):
        pointer, index = index, pointer
        type = builder.types[pointer]
    if not isinstance(type, PointerType):
        construct = f"subscript of {spelled(decayed(type))}"
        return builder.opaque(construct, (pointer, index), UnknownType("element"), span)
    return Place(builder.element_address(pointer, index, type.element, span), type.element, type.volatile)
