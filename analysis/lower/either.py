"""A call that means one of several functions: which one is decided when a template gets its arguments.

Rules   Overloads are chosen at compile time, so all threads call the same one: a branch on a constant of the whole grid
        whose value is not known leads to each.  What holds whichever is called, holds.
        The result has the type of the first; the others are converted to it.
Limits  More than `MOST` candidates are not followed: the caller makes the call opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from analysis.ir.function import SymbolKind
from analysis.ir.ids import SymbolId
from analysis.ir.instructions import Branch, TemplateArgument
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, Type
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import load

MOST: Final = 4


def either(ctx: LoweringContext, name: str, calls: Sequence[Callable[[], Operand]], span: Span) -> Operand:
    """Lowers all `calls`, one of which happens; the result of that one."""
    builder = ctx.builder
    end = builder.new_block()
    kept: tuple[SymbolId, Type] | None = None
    for call in calls[:-1]:
        chosen, other = builder.new_block(), builder.new_block()
        which = builder.value(BOOLEAN)
        builder.emit(TemplateArgument(which, f"which {name}", span))
        builder.terminate(Branch(which, chosen, other, None, span))
        builder.continue_in(chosen)
        kept = _keep(ctx, call(), kept, span)
        builder.jump(end, span)
        builder.continue_in(other)
    kept = _keep(ctx, calls[-1](), kept, span)
    builder.jump(end, span)
    builder.continue_in(end)
    if kept is None:
        return None
    symbol, type = kept
    return builder.load(builder.symbol_address(symbol, span), type, span)


def _keep(
    ctx: LoweringContext, result: Operand, kept: tuple[SymbolId, Type] | None, span: Span
) -> tuple[SymbolId, Type] | None:
    if result is None:
        return kept
    builder = ctx.builder
    value = load(ctx, result, span)
    if kept is None:
        type = builder.types[value]
        kept = builder.symbol("which", SymbolKind.LOCAL, type, span), type
    symbol, type = kept
    builder.store(builder.symbol_address(symbol, span), implicit(ctx, value, type, span), span)
    return kept
