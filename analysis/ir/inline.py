"""Replaces calls of known device functions by their bodies, for analyses that follow values through calls.

Numbering   One `Frame` per inlined body: value `v` of the callee is `value_base + v` in the result, its source branch
            `b` is `branch_base + b`, its variable `w` is `variable_base + w`; its spans keep their offsets and get the
            frame's id.  Values of the caller keep their ids.  A callee's parameter has no definition of its own: the
            argument takes its place (also in the records), and its id becomes a hole of type void.
Objects     LOCAL symbols are new in each body.  A SHARED object of a device function is one object however often it is
            called.  GLOBAL, CONSTANT and TEXTURE objects are merged by kind and name, DYNAMIC_SHARED ones by name.
Blocks      A body without control flow costs no block.  The caller continues in the callee's returning block where
            there is one, else in a block of its own, with a phi if the returned values differ.
Refusals    Recursion, the budget and unknown bodies leave an `Opaque` (or the call, on request) and a `RefusedCall`.
            The opaque may contain a barrier unless every function that the callee can reach is known and has none.
Cost        O(instructions of the result).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias, final

from analysis.ir.function import Function
from analysis.ir.inlined_body import Inlining, OpenBlock
from analysis.ir.instructions import (
    BlockBarrier,
    Call,
    FunctionId,
    GridBarrier,
    NamedBarrier,
    Opaque,
    PhaseWait,
    WarpBarrier,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import VoidType

Resolve: TypeAlias = Callable[[FunctionId], Function | None]


class RefusalReason(Enum):
    """Why a call was not inlined; the value is what the opaque instruction says."""

    RECURSIVE = "recursive"
    BUDGET = "too large"
    UNKNOWN = "unknown"


@final
@record
class InlineBudget:
    """`max_instructions` bounds the result, `max_depth` the chain of calls."""

    max_instructions: int = 20_000
    max_depth: int = 16


@final
@record
class RefusedCall:
    """A call that became opaque; `call` is its span, in the frame of the body that contains it."""

    call: Span
    callee: FunctionId
    reason: RefusalReason


@final
@record
class InlineResult:
    function: Function
    refused: tuple[RefusedCall, ...]


DEFAULT_BUDGET = InlineBudget()


def inline_calls(
    function: Function, resolve: Resolve, budget: InlineBudget = DEFAULT_BUDGET, *, keep_refused: bool = False
) -> InlineResult:
    """`function` with every call that the budget allows replaced by the callee's body; callees must be in SSA form.

    With `keep_refused`, a call of a known function that is not inlined stays a call instead of becoming opaque.
    """
    if not any(type(instruction) is Call for _, instruction in function.instructions()):
        return InlineResult(function, ())
    inliner = _Inliner(function, resolve, budget, keep_refused)
    return InlineResult(inliner.run(), tuple(inliner.refused))


@final
class _Inliner:
    """Decides about each call; `Inlining` does the copying."""

    def __init__(self, function: Function, resolve: Resolve, budget: InlineBudget, keep_refused: bool) -> None:
        self._keep_refused = keep_refused
        self._function = function
        self._resolve = resolve
        self._budget = budget
        self._size = _size(function)
        self._sizes: dict[FunctionId, int] = {}
        self._chain: list[FunctionId] = [function.id]
        self._barriers = _BarrierScan(resolve)
        self.refused: list[RefusedCall] = []

    def run(self) -> Function:
        out = Inlining(self._function, self._call)
        out.copy_caller()
        return out.finish()

    def _call(self, out: Inlining, call: Call, block: OpenBlock) -> OpenBlock:
        """Handles a call whose operands are already renamed; returns the block in which the caller goes on."""
        callee = self._resolve(call.callee)
        reason = self._reason_against(call, callee)
        if callee is None or reason is not None:
            self._refuse(call, reason or RefusalReason.UNKNOWN, block)
            return block
        self._size += self._size_of(callee)
        self._chain.append(call.callee)
        after = out.copy_callee(callee, call, block)
        self._chain.pop()
        return after

    def _reason_against(self, call: Call, callee: Function | None) -> RefusalReason | None:
        if callee is None or len(callee.parameters) != len(call.arguments):
            return RefusalReason.UNKNOWN
        if call.result is not None and isinstance(callee.return_type, VoidType):  # nothing is known of the body
            return RefusalReason.UNKNOWN
        if call.callee in self._chain or callee.id in self._chain:
            return RefusalReason.RECURSIVE
        if len(self._chain) > self._budget.max_depth:
            return RefusalReason.BUDGET
        if self._size + self._size_of(callee) > self._budget.max_instructions:
            return RefusalReason.BUDGET
        return None

    def _size_of(self, callee: Function) -> int:
        found = self._sizes.get(callee.id)
        if found is None:
            found = self._sizes[callee.id] = _size(callee)
        return found

    def _refuse(self, call: Call, reason: RefusalReason, block: OpenBlock) -> None:
        self.refused.append(RefusedCall(call.span, call.callee, reason))
        if self._keep_refused and reason is not RefusalReason.UNKNOWN:
            block.instructions.append(call)
            return
        construct = f"call of {call.callee} ({reason.value})"
        may_contain_barrier = self._barriers.may_contain(call.callee)
        block.instructions.append(Opaque(call.result, construct, call.arguments, may_contain_barrier, call.span))


@final
class _BarrierScan:
    """Can a barrier be reached through a call?  Each function's body is looked at once."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._bodies: dict[FunctionId, tuple[bool, frozenset[FunctionId]]] = {}
        self._answers: dict[FunctionId, bool] = {}

    def may_contain(self, callee: FunctionId) -> bool:
        known = self._answers.get(callee)
        if known is None:
            known = self._answers[callee] = self._reaches_barrier(callee)
        return known

    def _reaches_barrier(self, callee: FunctionId) -> bool:
        seen = {callee}
        pending = [callee]
        while pending:
            has_barrier, callees = self._body(pending.pop())
            if has_barrier:
                return True
            pending.extend(callees - seen)
            seen |= callees
        return False

    def _body(self, id: FunctionId) -> tuple[bool, frozenset[FunctionId]]:
        found = self._bodies.get(id)
        if found is None:
            function = self._resolve(id)
            found = (True, frozenset[FunctionId]()) if function is None else _barriers_and_callees(function)
            self._bodies[id] = found
        return found


def _barriers_and_callees(function: Function) -> tuple[bool, frozenset[FunctionId]]:
    has_barrier = False
    callees: set[FunctionId] = set()
    for _, instruction in function.instructions():
        match instruction:
            case BlockBarrier() | NamedBarrier() | PhaseWait() | WarpBarrier() | GridBarrier():
                has_barrier = True
            case Opaque(may_contain_barrier=may_contain_barrier):
                has_barrier = has_barrier or may_contain_barrier
            case Call(callee=callee):
                callees.add(callee)
            case _:
                pass
    return has_barrier, frozenset(callees)


def _size(function: Function) -> int:
    return sum(len(block.phis) + len(block.instructions) + 1 for block in function.blocks)
