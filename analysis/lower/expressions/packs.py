"""Parameter packs in expressions: single elements, and folds over all of them."""

from __future__ import annotations

from analysis.lower.context import LoweringContext, Operand
from analysis.lower.expressions.dispatch import handles, lower, unsupported
from analysis.lower.packs import PACK_ELEMENT, element_of, fold
from analysis.syntax.tree import Node


@handles(PACK_ELEMENT)
def _element(ctx: LoweringContext, node: Node) -> Operand:
    before = ctx.scope
    ctx.scope, pattern = element_of(before, node)
    try:
        return lower(ctx, pattern)
    finally:
        ctx.scope = before


@handles("fold_expression")
def _fold(ctx: LoweringContext, node: Node) -> Operand:
    found = fold(ctx.scope, node)
    if isinstance(found, Node):
        return lower(ctx, found)
    if found is not None:
        return ctx.builder.constant(found.value, found.type, ctx.span(node))
    sign = node.field("operator")
    if sign is not None and sign.kind == ",":
        return None  # nothing to do for no element
    return unsupported(ctx, node)
