"""The object that `c ? T() : object` makes.

Rules   It is a temporary where an arm is one, which becomes it; an object of the other arm is copied.  Where both arms
        are objects with names, one of them is meant and nothing is made.
Source  C++ standard, "Conditional operator".
"""

from __future__ import annotations

from analysis.ir.function import SymbolKind
from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.source import Span
from analysis.ir.types import StructType
from analysis.lower.calls import copy_object
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.copies import copies_by_code
from analysis.lower.expressions.dispatch import load
from analysis.lower.lifetimes import conditionally, ends_by_code, take_over, temporary_begins


def made_object(
    ctx: LoweringContext,
    ends: list[tuple[BasicBlockId, Operand, Span]],
    end: BasicBlockId,
    branch: SourceBranchId,
    span: Span,
) -> Operand:
    """The temporary that `c ? T() : object` is, where objects of the class are copied or end by code; else None.

    A temporary of an arm becomes it, an object of the other arm is copied.
    """
    operands = [operand for _, operand, _ in ends]
    type = ctx.type_of(operands[0])
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None or ctx.type_of(operands[1]) != type or type is None:
        return None
    if not any(isinstance(operand, LValue) and operand.is_temporary for operand in operands):
        return None
    if not (ends_by_code(ctx, type) or copies_by_code(ctx.program, type)):
        return None
    target = LValue(ctx.builder.symbol_address(ctx.builder.symbol("", SymbolKind.LOCAL, type, span), span), type)
    for block, operand, arm in ends:
        ctx.builder.continue_in(block)
        with conditionally(ctx, branch):
            if isinstance(operand, LValue) and not take_over(ctx, operand):
                copy_object(ctx, target, record, operand, arm)
            else:
                ctx.builder.store(target.address, load(ctx, operand, arm), arm)
        ctx.builder.jump(end, arm)
    ctx.builder.continue_in(end)
    return temporary_begins(ctx, target, span)
