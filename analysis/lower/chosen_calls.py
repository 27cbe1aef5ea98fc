"""A call whose function is chosen at run time: a switch over the functions that may be meant.

Question  What does `(*pointer)(x)` do, or a virtual call on an object that memory holds?
Form      The value that says which function it is, is compared with the number of each candidate; each arm is a plain
          call.  So a pointer that differs between threads parts them as a written `switch` does, and whatever
          understands calls and branches needs to know nothing else.
Rules     Where all candidates are known, no other value comes here in a correct program: one that does fails an
          assertion, and the last candidate is as good as any behind that.  Otherwise the call may do anything then.
          The result has the type of the first candidate that gives one.
Cost      One arm per candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, final

from analysis.ir.function import SourceBranch, SourceBranchKind, SymbolKind
from analysis.ir.ids import SourceBranchId, SymbolId, ValueId
from analysis.ir.instructions import Assert, Switch, SwitchCase
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, S64, Type
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.dispatch import load
from analysis.lower.lifetimes import conditionally, result_begins, take_over

Call: TypeAlias = Callable[[], Operand]


@final
@record
class Arm:
    """What runs where the value is one of `numbers`."""

    numbers: tuple[int, ...]
    call: Call


def call_one(
    ctx: LoweringContext,
    value: ValueId,
    arms: Sequence[Arm],
    otherwise: Call | None,
    chosen_by: Span,
    span: Span,
    *,
    are_references: bool = False,
) -> Operand:
    """The call of the arm that `value`, what stands at `chosen_by`, says; `otherwise` for all other values, if any."""
    builder = ctx.builder
    number = implicit(ctx, value, S64, span)
    branch = builder.source_branch(SourceBranch(SourceBranchKind.CALL, chosen_by, chosen_by))
    if otherwise is None and len(arms) == 1:
        assert_is_one(ctx, number, arms[0].numbers, span)
        return arms[0].call()
    blocks = [builder.new_block() for _ in arms]
    other, end = builder.new_block(), builder.new_block()
    cases = tuple(SwitchCase(one, block) for arm, block in zip(arms, blocks, strict=True) for one in arm.numbers)
    builder.terminate(Switch(number, cases, other, branch, span))
    result = _Result(ctx, span, are_references)
    if otherwise is None:
        builder.continue_in(other)
        builder.emit(Assert(builder.constant(False, BOOLEAN, span), span, of_callee=True))
        builder.jump(blocks[-1], span)
    for arm, block in zip(arms, blocks, strict=True):
        builder.continue_in(block)
        result.keep(arm.call, branch)
        builder.jump(end, span)
    if otherwise is not None:
        builder.continue_in(other)
        result.keep(otherwise, branch)
        builder.jump(end, span)
    builder.continue_in(end)
    return result.operand()


def assert_is_one(ctx: LoweringContext, value: ValueId, numbers: Sequence[int], span: Span) -> None:
    """Any other value is an error of the program."""
    builder = ctx.builder
    constants = [builder.constant(number, S64, span) for number in numbers]
    tests = [builder.compare(CompareOperator.EQUAL, value, known, span) for known in constants]
    whole = tests[0]
    for test in tests[1:]:
        whole = builder.binary(BinaryOperator.LOGICAL_OR, whole, test, BOOLEAN, span)
    builder.emit(Assert(whole, span, of_callee=True))


@final
class _Result:
    """What the arms give, in one variable; an object if all of them give references."""

    def __init__(self, ctx: LoweringContext, span: Span, are_references: bool) -> None:
        self._ctx = ctx
        self._span = span
        self._are_references = are_references
        self._kept: tuple[SymbolId, Type] | None = None
        self._last: Operand = None

    def keep(self, call: Call, branch: SourceBranchId) -> None:
        """Lowers one call, and stores its result."""
        ctx, builder, span = self._ctx, self._ctx.builder, self._span
        with conditionally(ctx, branch):
            result = call()
            if result is None:
                return
            take_over(ctx, result)
            is_object = self._are_references and isinstance(result, LValue)
            value = result.address if is_object and isinstance(result, LValue) else load(ctx, result, span)
            if self._kept is None:
                type = builder.types[value]
                self._kept = builder.symbol("", SymbolKind.LOCAL, type, span), type
            symbol, type = self._kept
            builder.store(builder.symbol_address(symbol, span), implicit(ctx, value, type, span), span)
            self._last = result

    def operand(self) -> Operand:
        """The result of the call."""
        if self._kept is None:
            return None
        builder, (symbol, type) = self._ctx.builder, self._kept
        value = builder.load(builder.symbol_address(symbol, self._span), type, self._span)
        if self._are_references and isinstance(self._last, LValue):
            return LValue(value, self._last.type, self._last.volatile)
        if not isinstance(self._last, LValue):
            self._ctx.typed(value, self._ctx.exact_type(self._last))
        return result_begins(self._ctx, value, self._span)
