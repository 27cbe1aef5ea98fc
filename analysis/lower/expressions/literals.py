"""Literals, parentheses, commas, sizeof."""

from __future__ import annotations

from typing import Final

from analysis.ir.types import BOOLEAN, S8, U64, MemorySpace, PointerType
from analysis.lower.constants import evaluate
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.conversions import character_literal, number_literal
from analysis.lower.expressions.dispatch import discard, handles, lower, unsupported
from analysis.lower.strings import string_text
from analysis.syntax.tree import Node

_STRING: Final = PointerType(S8, MemorySpace.GENERIC)
NULL_POINTER: Final = PointerType(S8, MemorySpace.GENERIC)


@handles("number_literal")
def _number(ctx: LoweringContext, node: Node) -> Operand:
    literal = number_literal(node.text)
    if literal is None:
        return unsupported(ctx, node, f"literal {node.text.decode('utf-8', 'replace')[:40]}")
    return ctx.builder.constant(literal[0], literal[1], ctx.span(node))


@handles("char_literal")
def _character(ctx: LoweringContext, node: Node) -> Operand:
    value, type = character_literal(node.text)
    return ctx.builder.constant(value, type, ctx.span(node))


@handles("true", "false")
def _boolean(ctx: LoweringContext, node: Node) -> Operand:
    return ctx.builder.constant(node.kind == "true", BOOLEAN, ctx.span(node))


@handles("null", "nullptr")
def _null(ctx: LoweringContext, node: Node) -> Operand:
    return ctx.builder.constant(0, NULL_POINTER, ctx.span(node))


@handles("string_literal", "concatenated_string", "raw_string_literal")
def _string(ctx: LoweringContext, node: Node) -> Operand:
    return ctx.builder.constant(string_text(node), _STRING, ctx.span(node))


@handles("parenthesized_expression")
def _parenthesized(ctx: LoweringContext, node: Node) -> Operand:
    return lower(ctx, node.children[0]) if len(node.children) == 1 else unsupported(ctx, node)


@handles("comma_expression")
def _comma(ctx: LoweringContext, node: Node) -> Operand:
    left, right = node.field("left"), node.field("right")
    if left is None or right is None:
        return unsupported(ctx, node)
    discard(ctx, left)
    return lower(ctx, right)


@handles("sizeof_expression", "alignof_expression", "offsetof_expression")
def _sizeof(ctx: LoweringContext, node: Node) -> Operand:
    """A constant; `None` stands for a size that is not known, which is still one constant."""
    constant = evaluate(ctx.scope, node)
    value = None if constant is None else int(constant.value)
    return ctx.builder.constant(value, U64, ctx.span(node))


@handles("requires_expression", "noexcept_expression", "typeid")
def _compile_time(ctx: LoweringContext, node: Node) -> Operand:
    return ctx.builder.constant(None, BOOLEAN, ctx.span(node))
