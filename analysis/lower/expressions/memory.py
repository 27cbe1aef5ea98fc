"""`new`, `delete`, inline assembly, `throw` as an expression."""

from __future__ import annotations

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Allocate
from analysis.ir.operators import BinaryOperator
from analysis.ir.source import Span
from analysis.ir.types import U8, U64, ArrayType, MemorySpace, PointerType, StructType, Type
from analysis.lower.allocated_arrays import behind_length, bytes_in_front, end_elements, make_elements
from analysis.lower.builtins import builtin_function
from analysis.lower.calls import call_builtin, unknown_call
from analysis.lower.constants import constant_integer
from analysis.lower.construct import construct, construct_at
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import convert
from analysis.lower.destruction import end_pointee
from analysis.lower.expressions.arguments import argument_operands
from analysis.lower.expressions.dispatch import handles, load, rvalue, unsupported
from analysis.lower.layouts import size_of
from analysis.lower.types import base_type, declare
from analysis.syntax.tree import Node


@handles("new_expression")
def _new(ctx: LoweringContext, node: Node) -> Operand:
    span = ctx.span(node)
    type_node = node.field("type")
    if type_node is None:
        return unsupported(ctx, node)
    declared = base_type(ctx.scope, node)
    declarator = node.field("declarator")
    placement = node.field("placement")
    count: Node | None = None
    type: Type = declared.type
    if declarator is not None:
        count = declarator.field("length")
        if count is None:
            type = declare(ctx.scope, declared, declarator).declared.type
    given = node.field("arguments")
    if count is not None and declarator is not None:
        return _new_array(ctx, _rows(ctx, type, declarator), count, placement, given, span)
    element = type.element if isinstance(type, ArrayType) else type
    if placement is None:
        size = ctx.builder.constant(size_of(type, ctx.program.layouts), U64, span)
        result = _allocated(ctx, element, size, span)
    else:
        at = _placed(ctx, placement)
        if at is None:
            return unknown_call(ctx, "placement new", argument_operands(ctx, placement), span)
        result = ctx.builder.bitcast(at, PointerType(element, ctx.builder.space_of(at)), span)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    operands = [] if given is None else argument_operands(ctx, given)
    if record is not None:
        construct_at(ctx, LValue(result, type), record, operands, span)
    elif operands:
        ctx.builder.store(result, load(ctx, construct(ctx, type, operands, span), span), span)
    return result


def _rows(ctx: LoweringContext, type: Type, declarator: Node) -> Type:
    """The type of the elements of `new T[n][2][3]`, which are arrays."""
    lengths: list[int | None] = []
    inner = declarator.child("new_declarator")
    while inner is not None:
        length = inner.field("length")
        lengths.append(None if length is None else constant_integer(ctx.scope, length))
        inner = inner.child("new_declarator")
    for length in reversed(lengths):
        type = ArrayType(type, length)
    return type


def _new_array(
    ctx: LoweringContext, element: Type, count: Node, placement: Node | None, given: Node | None, span: Span
) -> Operand:
    """`new T[n]`, with a list or empty brackets behind it perhaps."""
    builder = ctx.builder
    if placement is not None:
        at = _placed(ctx, placement)
        if at is None:
            return unknown_call(ctx, "placement new", argument_operands(ctx, placement), span)
        number = convert(builder, rvalue(ctx, count), U64, span)
        result = builder.bitcast(at, PointerType(element, builder.space_of(at)), span)
    else:
        number = convert(builder, rvalue(ctx, count), U64, span)
        one = builder.constant(size_of(element, ctx.program.layouts), U64, span)
        size = builder.binary(BinaryOperator.MULTIPLY, number, one, U64, span)
        front = bytes_in_front(ctx, element)
        if front:
            size = builder.binary(BinaryOperator.ADD, size, builder.constant(front, U64, span), U64, span)
        memory = _allocated(ctx, U8 if front else element, size, span)
        result = behind_length(ctx, memory, element, number, span) if front else memory
    make_elements(ctx, result, element, number, constant_integer(ctx.scope, count), given, span)
    return result


def _placed(ctx: LoweringContext, placement: Node) -> ValueId | None:
    """The pointer in `new (pointer) T`; None for any other placement."""
    nodes = placement.children
    at = rvalue(ctx, nodes[0]) if len(nodes) == 1 else None
    return at if at is not None and isinstance(ctx.builder.types[at], PointerType) else None


def _allocated(ctx: LoweringContext, element: Type, size: ValueId, span: Span) -> ValueId:
    result = ctx.builder.value(PointerType(element, MemorySpace.GLOBAL))
    ctx.builder.emit(Allocate(result, size, span))
    return result


@handles("delete_expression")
def _delete(ctx: LoweringContext, node: Node) -> Operand:
    span = ctx.span(node)
    operands = [child for child in node.children if child.kind not in ("delete", "[", "]")]
    is_array = any(b"[" in node.source[node.start : operand.start] for operand in operands)
    values = [rvalue(ctx, operand) for operand in operands]
    for index, value in enumerate(values):
        type = ctx.builder.types[value]
        if isinstance(type, PointerType) and is_array:
            values[index] = end_elements(ctx, value, type.element, span)
        elif isinstance(type, PointerType):
            end_pointee(ctx, value, type, span)
    builtin = builtin_function("free")
    if builtin is not None and len(values) == 1:
        return call_builtin(ctx, builtin, values, (), span)
    return unknown_call(ctx, "delete", values, span)


@handles("throw_statement", "co_await_expression", "co_yield_statement")
def _throw(ctx: LoweringContext, node: Node) -> Operand:
    return unsupported(ctx, node, node.children[0].kind if node.children else "throw")
