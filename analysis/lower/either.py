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
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import Branch, TemplateArgument
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, Type
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import load
from analysis.lower.lifetimes import conditionally, result_begins, take_over

MOST: Final = 4


def either(
    ctx: LoweringContext, name: str, calls: Sequence[Callable[[], Operand]], span: Span, *, are_references: bool
) -> Operand:
    """Lowers all `calls`, one of which happens; the result of that one, an object if all of them return references."""
    builder = ctx.builder
    end = builder.new_block()
    kept: tuple[SymbolId, Type] | None = None
    for call in calls[:-1]:
        chosen, other = builder.new_block(), builder.new_block()
        which = builder.value(BOOLEAN)
        builder.emit(TemplateArgument(which, f"which {name}", span))
        builder.terminate(Branch(which, chosen, other, None, span))
        builder.continue_in(chosen)
        with conditionally(ctx, None):
            kept = _keep(ctx, _kept_of(ctx, call(), span, are_references), kept, span)
        builder.jump(end, span)
        builder.continue_in(other)
    with conditionally(ctx, None):
        last = calls[-1]()
    kept = _keep(ctx, _kept_of(ctx, last, span, are_references), kept, span)
    builder.jump(end, span)
    builder.continue_in(end)
    if kept is None:
        return None
    symbol, type = kept
    result = builder.load(builder.symbol_address(symbol, span), type, span)
    if are_references and isinstance(last, LValue):
        return LValue(result, last.type, last.volatile)
    return result_begins(ctx, result, span)


def _kept_of(ctx: LoweringContext, result: Operand, span: Span, is_reference: bool) -> ValueId | None:
    """What to remember of a result: its value, or where the object is that it refers to."""
    if result is None:
        return None
    take_over(ctx, result)
    return result.address if is_reference and isinstance(result, LValue) else load(ctx, result, span)


def _keep(
    ctx: LoweringContext, value: ValueId | None, kept: tuple[SymbolId, Type] | None, span: Span
) -> tuple[SymbolId, Type] | None:
    if value is None:
        return kept
    builder = ctx.builder
    if kept is None:
        type = builder.types[value]
        kept = builder.symbol("which", SymbolKind.LOCAL, type, span), type
    symbol, type = kept
    builder.store(builder.symbol_address(symbol, span), implicit(ctx, value, type, span), span)
    return kept
