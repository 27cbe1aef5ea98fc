"""`new`, `delete`, inline assembly, `throw` as an expression."""

from __future__ import annotations

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Allocate, Opaque
from analysis.ir.operators import BinaryOperator
from analysis.ir.source import Span
from analysis.ir.types import U64, ArrayType, MemorySpace, PointerType, StructType, Type
from analysis.lower.builtins import builtin_function
from analysis.lower.calls import call_builtin, unknown_call
from analysis.lower.construct import construct, construct_at, needs_construction
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import convert
from analysis.lower.destruction import end_pointee
from analysis.lower.expressions.arguments import argument_operands
from analysis.lower.expressions.dispatch import handles, load, rvalue, unsupported
from analysis.lower.layouts import size_of
from analysis.lower.lifetimes import ends_somewhere
from analysis.lower.types import base_type, declare, spelled
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
    element = type.element if isinstance(type, ArrayType) else type
    if placement is None:
        result = _allocated(ctx, type, element, count, span)
    else:
        operands = argument_operands(ctx, placement)
        at = load(ctx, operands[0], span) if operands else None
        pointer = None if at is None else ctx.builder.types[at]
        if at is None or len(operands) != 1 or not isinstance(pointer, PointerType):
            return unknown_call(ctx, "placement new", operands, span)
        if count is not None:
            rvalue(ctx, count)
        result = ctx.builder.bitcast(at, PointerType(element, pointer.space), span)
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    arguments = node.field("arguments")
    if count is not None:
        if needs_construction(ctx, element):
            shown = spelled(element)
            ctx.builder.emit(Opaque(None, f"construction of an array of {shown}", (result,), True, span))
        return result
    operands = [] if arguments is None else argument_operands(ctx, arguments)
    if record is not None:
        construct_at(ctx, LValue(result, type), record, operands, span)
    elif operands:
        ctx.builder.store(result, load(ctx, construct(ctx, type, operands, span), span), span)
    return result


def _allocated(ctx: LoweringContext, type: Type, element: Type, count: Node | None, span: Span) -> ValueId:
    builder = ctx.builder
    size = builder.constant(size_of(type, ctx.program.layouts), U64, span)
    if count is not None:
        number = convert(builder, rvalue(ctx, count), U64, span)
        size = builder.binary(BinaryOperator.MULTIPLY, number, size, U64, span)
    result = builder.value(PointerType(element, MemorySpace.GLOBAL))
    builder.emit(Allocate(result, size, span))
    return result


@handles("delete_expression")
def _delete(ctx: LoweringContext, node: Node) -> Operand:
    span = ctx.span(node)
    operands = [child for child in node.children if child.kind not in ("delete", "[", "]")]
    is_array = any(b"[" in node.source[node.start : operand.start] for operand in operands)
    values = [rvalue(ctx, operand) for operand in operands]
    for value in values:
        type = ctx.builder.types[value]
        if isinstance(type, PointerType) and is_array:
            ends_somewhere(ctx, value, type.element, span)
        elif isinstance(type, PointerType):
            end_pointee(ctx, value, type, span)
    builtin = builtin_function("free")
    if builtin is not None and len(values) == 1:
        return call_builtin(ctx, builtin, values, (), span)
    return unknown_call(ctx, "delete", values, span)


@handles("throw_statement", "co_await_expression", "co_yield_statement")
def _throw(ctx: LoweringContext, node: Node) -> Operand:
    return unsupported(ctx, node, node.children[0].kind if node.children else "throw")
