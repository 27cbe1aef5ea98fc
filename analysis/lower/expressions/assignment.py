"""Assignments, compound assignments, increments and decrements."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Opaque
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import S32, BooleanType, FloatType, PointerType, StructType, VectorType
from analysis.lower.bit_fields import store_to
from analysis.lower.builtins.atomic_objects import held_by_atomic
from analysis.lower.class_numbers import classes_in
from analysis.lower.construct import initialise_list
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import convert, promoted
from analysis.lower.convert import implicit
from analysis.lower.copies import assignment_operator, assigns_itself, part_with_assignment
from analysis.lower.expressions.arithmetic import offset
from analysis.lower.expressions.dispatch import handles, load, lower, place, unsupported
from analysis.lower.expressions.operators import CLASS_TYPES, apply_binary
from analysis.lower.expressions.pass_through import assign_tied, tied
from analysis.lower.function_values import meant_as
from analysis.lower.operators import overloaded, try_overload
from analysis.syntax.tree import Node

_COMPOUND: Final = {f"{sign}=": sign for sign in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")} | {
    "and_eq": "&",
    "or_eq": "|",
    "xor_eq": "^",
}


@handles("assignment_expression")
def _assignment(ctx: LoweringContext, node: Node) -> Operand:
    left, sign, right = node.three("left", "operator", "right")
    if left is None or sign is None or right is None:
        return unsupported(ctx, node)
    if sign.kind == "=":
        return _simple(ctx, node, left, right)
    spelling = _COMPOUND.get(sign.kind)
    if spelling is None:
        return unsupported(ctx, node, f"operator {sign.kind}")
    return _compound(ctx, node, left, spelling, right)


def _simple(ctx: LoweringContext, node: Node, left: Node, right: Node) -> Operand:
    span = ctx.span(node)
    if right.kind == "initializer_list":
        target = place(ctx, left)
        initialise_list(ctx, target, right, span)
        return target
    targets = tied(ctx, left)
    if targets is not None:
        return assign_tied(ctx, targets, lower(ctx, right), node)
    value = lower(ctx, right)
    type = ctx.type_of(value)
    if not (isinstance(value, LValue) and isinstance(type, CLASS_TYPES)):
        read_at = ctx.span(right)
        value = load(ctx, value, read_at)
        ctx.builder.expression(read_at, value)
    target = place(ctx, left)
    if isinstance(target.type, StructType):
        found, result = _assign_operator(ctx, target, value, node)
        if found:
            return result
    if held_by_atomic(target.type) is not None and ctx.type_of(value) != target.type:
        return overloaded(ctx, "=", (target, value), node)
    exact = ctx.exact_type(target)
    given = meant_as(ctx, value, exact, span)
    stored = implicit(ctx, given, target.type, span, exact)
    classes = classes_in(ctx, target, span)
    assigned = assign(ctx, target, stored, node)
    for address, number in classes:
        ctx.builder.store(address, number, span)
    return target.holding(None) if classes else _assigned(target, assigned)


def _assign_operator(ctx: LoweringContext, target: LValue, value: Operand, node: Node) -> tuple[bool, Operand]:
    """A user-written `operator=`; a defaulted one copies like none, but for those of bases and members."""
    assert isinstance(target.type, StructType)
    record = ctx.program.records.get(target.type.name)
    if record is None:
        return False, None
    is_copy = ctx.type_of(value) == target.type and not assigns_itself(record)
    if not is_copy and (assignment_operator(record) is not None or "operator=" in record.introduced):
        return try_overload(ctx, "=", (target, value), node)
    part = part_with_assignment(record)
    if part is None or ctx.type_of(value) != target.type:
        return False, None
    construct = f"assignment of {record.name}, in which {part.name} is assigned by code"
    ctx.builder.emit(Opaque(None, construct, (target.address,), False, ctx.span(node)))
    return True, target


def assign(ctx: LoweringContext, target: LValue, value: ValueId, node: Node) -> ValueId:
    """Stores `value`, which has the target's type; the assignment has that value."""
    span = ctx.span(node)
    store_to(ctx.builder, target, value, span)
    if target.variable is not None:
        ctx.builder.defined(target.variable, value, span)
    return value


def _assigned(target: LValue, value: ValueId) -> LValue:
    """The object after an assignment; what a bit-field kept of the value is read again."""
    return target.holding(None if target.bits is not None else value)


def _compound(ctx: LoweringContext, node: Node, left: Node, spelling: str, right: Node) -> Operand:
    operand = lower(ctx, right)
    span = ctx.span(node)
    if not (isinstance(operand, LValue) and isinstance(operand.type, CLASS_TYPES)):
        read_at = ctx.span(right)
        operand = load(ctx, operand, read_at)
        ctx.builder.expression(read_at, operand)
    target = place(ctx, left)
    if isinstance(target.type, CLASS_TYPES):
        found, result = try_overload(ctx, f"{spelling}=", (target, operand), node)
        if found:
            return result
        if not isinstance(target.type, VectorType):
            return overloaded(ctx, f"{spelling}=", (target, operand), node)
    read_at = ctx.span(left)
    before = load(ctx, target, read_at)
    ctx.builder.expression(read_at, before)
    result = load(ctx, apply_binary(ctx, spelling, before, operand, node), span)
    return _assigned(target, assign(ctx, target, implicit(ctx, result, target.type, span), node))


@handles("update_expression")
def _update(ctx: LoweringContext, node: Node) -> Operand:
    """`++x`, `x++`, `--x`, `x--`."""
    argument, sign = node.field("argument"), node.field("operator")
    if argument is None or sign is None:
        return unsupported(ctx, node)
    target = place(ctx, argument)
    is_postfix = argument.start < sign.start
    if isinstance(target.type, CLASS_TYPES):
        operands: tuple[Operand, ...] = (target,)
        if is_postfix:
            operands = (target, ctx.builder.constant(0, S32, ctx.span(node)))
        return overloaded(ctx, sign.kind, operands, node)
    before = load(ctx, target, ctx.span(argument))
    after = _stepped(ctx, before, sign.kind == "++", node)
    after = implicit(ctx, after, target.type, ctx.span(node))
    assign(ctx, target, after, node)
    return before if is_postfix else _assigned(target, after)


def _stepped(ctx: LoweringContext, value: ValueId, is_up: bool, node: Node) -> ValueId:
    builder = ctx.builder
    span = ctx.span(node)
    type = builder.types[value]
    if isinstance(type, PointerType):
        return offset(ctx, value, builder.constant(1 if is_up else -1, S32, span), span)
    if isinstance(type, BooleanType):
        return builder.constant(True, type, span)
    wide = promoted(type)
    one = builder.constant(1.0 if isinstance(wide, FloatType) else 1, wide, span)
    operator = BinaryOperator.ADD if is_up else BinaryOperator.SUBTRACT
    return builder.binary(operator, convert(builder, value, wide, span), one, wide, span)
