"""Loops that nobody wrote: over the elements of arrays that are made, zeroed or ended one by one."""

from __future__ import annotations

from collections.abc import Callable

from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Branch
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import S64
from analysis.lower.context import LoweringContext


def count_from(ctx: LoweringContext, begin: ValueId, end: ValueId, body: Callable[[ValueId], None], span: Span) -> None:
    """Emits `body` for each number of 64 bits from `begin` up to `end`, which does not count."""
    builder = ctx.builder
    counter = builder.symbol("", SymbolKind.LOCAL, S64, span)
    builder.store(builder.symbol_address(counter, span), begin, span)
    head, inside, behind = builder.new_block(), builder.new_block(), builder.new_block()
    builder.jump(head, span)
    builder.continue_in(head)
    index = builder.load(builder.symbol_address(counter, span), S64, span)
    limit = builder.convert(end, S64, span)
    builder.terminate(Branch(builder.compare(CompareOperator.LESS, index, limit, span), inside, behind, None, span))
    builder.continue_in(inside)
    body(index)
    following = builder.binary(BinaryOperator.ADD, index, builder.constant(1, S64, span), S64, span)
    builder.store(builder.symbol_address(counter, span), following, span)
    builder.jump(head, span)
    builder.continue_in(behind)


def count_down(ctx: LoweringContext, count: ValueId, body: Callable[[ValueId], None], span: Span) -> None:
    """Emits `body` for each number of 64 bits below `count`, the largest first."""
    builder = ctx.builder
    last = builder.binary(BinaryOperator.SUBTRACT, count, builder.constant(1, S64, span), S64, span)

    def reversed_body(index: ValueId) -> None:
        body(builder.binary(BinaryOperator.SUBTRACT, last, index, S64, span))

    count_from(ctx, builder.constant(0, S64, span), count, reversed_body, span)
