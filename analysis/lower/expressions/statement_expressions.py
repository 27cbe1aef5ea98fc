"""Statements in parentheses, whose last one is the value: `({ int a = f(); a > 0 ? a : 0; })` (GNU)."""

from __future__ import annotations

from analysis.ir.pace import spend
from analysis.ir.types import VoidType
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.copies import copied
from analysis.lower.destruction import full_expression, scope
from analysis.lower.expressions.dispatch import handles, load, lower, temporary
from analysis.lower.lifetimes import ends_by_code, ends_somewhere
from analysis.lower.statements.dispatch import ROUNDS_OF_STATEMENT, statement
from analysis.syntax.tree import Node


@handles("compound_statement")
def _statements(ctx: LoweringContext, node: Node) -> Operand:
    """The last expression, read before what it names goes out of scope; nothing where the last statement is none."""
    statements = [child for child in node.children if child.kind != "comment"]
    with scope(ctx, node):
        for child in statements[:-1]:
            statement(ctx, child)
        last = statements[-1] if statements else None
        values = [] if last is None else [child for child in last.children if child.kind != "comment"]
        if last is None or last.kind != "expression_statement" or len(values) != 1 or values[0].is_error:
            if last is not None:
                statement(ctx, last)
            return None
        spend(ROUNDS_OF_STATEMENT)
        span = ctx.span(node)
        with full_expression(ctx, span):
            operand = copied(ctx, lower(ctx, values[0]), span)
            type = ctx.type_of(operand)
            value = operand if type is None or isinstance(type, VoidType) else load(ctx, operand, span)
    if type is not None and ends_by_code(ctx, type) and isinstance(value, int):
        ends_somewhere(ctx, temporary(ctx, value, span).address, type, span)
    return value
