"""Literals, parentheses, sizeof."""

from __future__ import annotations

from typing import Final

from analysis.cpp.literals import character_literal, number_literal
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import SIZE, Fundamental, QualType, fundamental
from analysis.ir.types import BOOLEAN, S8, U64, VOID, MemorySpace, PointerType
from analysis.lower.constants import evaluate
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.cpp_types import ir_type
from analysis.lower.expressions.dispatch import handles, lower, record_value, unsupported
from analysis.lower.strings import string_text
from analysis.syntax.tree import Node

_STRING: Final = PointerType(S8, MemorySpace.GENERIC)
NULL_POINTER: Final = PointerType(VOID, MemorySpace.GENERIC)


@handles("number_literal")
def _number(ctx: LoweringContext, node: Node) -> Operand:
    literal = number_literal(node.text)
    if literal is None:
        return unsupported(ctx, node, f"literal {node.text.decode('utf-8', 'replace')[:40]}")
    value = ctx.typed(ctx.builder.constant(literal.value, ir_type(literal.type), ctx.span(node)), literal.type)
    if literal.value == 0:
        ctx.zeros.add(value)
    return value


@handles("char_literal")
def _character(ctx: LoweringContext, node: Node) -> Operand:
    literal = character_literal(node.text)
    return ctx.typed(ctx.builder.constant(literal.value, ir_type(literal.type), ctx.span(node)), literal.type)


@handles("true", "false")
def _boolean(ctx: LoweringContext, node: Node) -> Operand:
    return ctx.builder.constant(node.kind == "true", BOOLEAN, ctx.span(node))


@handles("null", "nullptr")
def _null(ctx: LoweringContext, node: Node) -> Operand:
    value = ctx.builder.constant(0, NULL_POINTER, ctx.span(node))
    if node.text == b"nullptr":
        ctx.zeros.add(value)
        return ctx.typed(value, cpp.NULL_POINTER)
    return value


@handles("string_literal", "concatenated_string", "raw_string_literal")
def _string(ctx: LoweringContext, node: Node) -> Operand:
    text = string_text(node)
    value = ctx.builder.constant(text, _STRING, ctx.span(node))
    if not node.text.startswith((b'"', b'R"')):
        return value
    character = cpp.qualified(fundamental(Fundamental.CHAR), constant=True)
    length = len(text.encode("utf-8", "surrogateescape")) + 1
    return ctx.typed(value, QualType(cpp.ArrayType(character, length)))


@handles("parenthesized_expression")
def _parenthesized(ctx: LoweringContext, node: Node) -> Operand:
    if len(node.children) != 1:
        return unsupported(ctx, node)
    inner = node.children[0]
    operand = lower(ctx, inner)
    record_value(ctx, inner, operand)  # all of a macro stands in parentheses, and a part of it is not its value
    return operand


@handles("sizeof_expression", "alignof_expression", "offsetof_expression")
def _sizeof(ctx: LoweringContext, node: Node) -> Operand:
    """A constant; `None` stands for a size that is not known, which is still one constant."""
    constant = evaluate(ctx.scope, node)
    value = None if constant is None else int(constant.value)
    return ctx.typed(ctx.builder.constant(value, U64, ctx.span(node)), SIZE)


@handles("requires_expression", "noexcept_expression", "typeid")
def _compile_time(ctx: LoweringContext, node: Node) -> Operand:
    known = evaluate(ctx.scope, node)
    return ctx.builder.constant(None if known is None else bool(known.value), BOOLEAN, ctx.span(node))
