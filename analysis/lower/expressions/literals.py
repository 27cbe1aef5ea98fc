"""Literals, parentheses, sizeof."""

from __future__ import annotations

from typing import Final

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import Fundamental, QualType, fundamental
from analysis.ir.types import BOOLEAN, S8, U64, VOID, MemorySpace, PointerType
from analysis.lower.constants import evaluate
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.conversions import character_literal, number_literal
from analysis.lower.cpp_types import literal_type
from analysis.lower.expressions.dispatch import handles, lower, record_value, unsupported
from analysis.lower.layouts import size_and_alignment
from analysis.lower.strings import string_text
from analysis.syntax.tree import Node

_STRING: Final = PointerType(S8, MemorySpace.GENERIC)
_COMPUTED: Final = frozenset({"binary_expression", "unary_expression", "conditional_expression", "call_expression"})
"""Expressions that are never arrays, whose size a pointer to them would not tell."""
NULL_POINTER: Final = PointerType(VOID, MemorySpace.GENERIC)


@handles("number_literal")
def _number(ctx: LoweringContext, node: Node) -> Operand:
    literal = number_literal(node.text)
    if literal is None:
        return unsupported(ctx, node, f"literal {node.text.decode('utf-8', 'replace')[:40]}")
    value = ctx.typed(ctx.builder.constant(literal[0], literal[1], ctx.span(node)), literal_type(node.text))
    if literal[0] == 0:
        ctx.zeros.add(value)
    return value


@handles("char_literal")
def _character(ctx: LoweringContext, node: Node) -> Operand:
    value, type = character_literal(node.text)
    exact = fundamental(Fundamental.CHAR) if node.text.startswith(b"'") else None
    return ctx.typed(ctx.builder.constant(value, type, ctx.span(node)), exact)


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
    value = _size_of_computed(ctx, node) if constant is None else int(constant.value)
    return ctx.typed(ctx.builder.constant(value, U64, ctx.span(node)), fundamental(Fundamental.UNSIGNED_LONG))


def _size_of_computed(ctx: LoweringContext, node: Node) -> int | None:
    """`sizeof (a + b)`: lowered where nothing reaches it, for its type."""
    value = node.field("value")
    while value is not None and value.kind == "parenthesized_expression" and len(value.children) == 1:
        value = value.children[0]
    if node.kind != "sizeof_expression" or value is None or value.kind not in _COMPUTED:
        return None
    before = ctx.builder.current
    ctx.builder.continue_in(ctx.builder.new_block())
    type = ctx.type_of(lower(ctx, value))
    ctx.builder.continue_in(before)
    return None if type is None else size_and_alignment(type, ctx.scope.program.layouts)[0]


@handles("requires_expression", "noexcept_expression", "typeid")
def _compile_time(ctx: LoweringContext, node: Node) -> Operand:
    known = evaluate(ctx.scope, node)
    return ctx.builder.constant(None if known is None else bool(known.value), BOOLEAN, ctx.span(node))
