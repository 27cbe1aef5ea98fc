"""Memory barriers by the names of their instructions: `cuda::ptx::mbarrier_*`, and `__mbarrier_*` of
<cuda_awbarrier_primitives.h>.

Rules    What stands before the pointer (`sem_release`, `scope_cta`, `space_shared`) changes nothing that is modelled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierOperator, PhaseQuestion
from analysis.ir.types import PointerType
from analysis.lower.builtins.core import BoundCall, Lowering, Table, does_nothing, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.memory_barriers import arrive, ask, initialize, parity_of, pending_count, update

_Operation: TypeAlias = Callable[[Emitter, ValueId, tuple[ValueId, ...]], ValueId | None]
"""Over the barrier's address and the arguments behind it."""


def _on_barrier(operation: _Operation, *, needed: int = 0) -> Lowering:
    """`needed`: how many arguments follow the pointer at least."""

    def lower(call: BoundCall) -> ValueId | None:
        emit = Emitter(call.builder, call.span)
        pointers = (i for i, value in enumerate(call.arguments) if isinstance(emit.type_of(value), PointerType))
        at = next(pointers, len(call.arguments))
        if len(call.arguments) - at - 1 < needed:
            return opaque_bound(call, may_contain_barrier=True)
        return operation(emit, call.arguments[at], call.arguments[at + 1 :])

    return lower


def _initialize(emit: Emitter, address: ValueId, rest: tuple[ValueId, ...]) -> None:
    initialize(emit, address, rest[0])


def _updating(operator: BarrierOperator) -> _Operation:
    def operate(emit: Emitter, address: ValueId, rest: tuple[ValueId, ...]) -> ValueId:
        return update(emit, operator, address, rest[0] if rest else emit.constant(1))

    return operate


def _expect(emit: Emitter, address: ValueId, rest: tuple[ValueId, ...]) -> None:
    update(emit, BarrierOperator.EXPECT, address, rest[0])


def _arrive_expecting(emit: Emitter, address: ValueId, rest: tuple[ValueId, ...]) -> ValueId:
    update(emit, BarrierOperator.EXPECT, address, rest[0])
    return arrive(emit, address)


def _asking(question: PhaseQuestion, *, by_token: bool) -> _Operation:
    def operate(emit: Emitter, address: ValueId, rest: tuple[ValueId, ...]) -> ValueId:
        return ask(emit, question, address, parity_of(emit, rest[0]) if by_token else rest[0])

    return operate


def _pending(call: BoundCall) -> ValueId:
    return pending_count(Emitter(call.builder, call.span), call.arguments[0])


_ARRIVE, _DROP = (_on_barrier(_updating(one)) for one in (BarrierOperator.ARRIVE, BarrierOperator.DROP))
_TEST, _TEST_PARITY, _TRY, _TRY_PARITY = (
    _on_barrier(_asking(question, by_token=by_token), needed=1)
    for question in (PhaseQuestion.TEST, PhaseQuestion.TRY)
    for by_token in (True, False)
)
_WORDS: Final = "any, any?, any?, any?, any?, any?"

PTX_TABLE: Final[Table] = {
    "mbarrier_init": (_on_barrier(_initialize, needed=1), f"void({_WORDS})"),
    "mbarrier_inval": (does_nothing, "void(P)"),
    "mbarrier_arrive": (_ARRIVE, f"u64({_WORDS})"),
    "mbarrier_arrive_no_complete": (_ARRIVE, f"u64({_WORDS})"),
    "mbarrier_arrive_expect_tx": (_on_barrier(_arrive_expecting, needed=1), f"u64({_WORDS})"),
    "mbarrier_expect_tx": (_on_barrier(_expect, needed=1), f"void({_WORDS})"),
    "mbarrier_test_wait": (_TEST, f"bool({_WORDS})"),
    "mbarrier_test_wait_parity": (_TEST_PARITY, f"bool({_WORDS})"),
    "mbarrier_try_wait": (_TRY, f"bool({_WORDS})"),
    "mbarrier_try_wait_parity": (_TRY_PARITY, f"bool({_WORDS})"),
}
"""Names in `cuda::ptx`."""

TABLE: Final[Table] = {
    "__mbarrier_init": (_on_barrier(_initialize, needed=1), "void(P, u32)"),
    "__mbarrier_inval": (does_nothing, "void(P)"),
    "__mbarrier_arrive": (_ARRIVE, "u64(P)"),
    "__mbarrier_arrive_and_drop": (_DROP, "u64(P)"),
    "__mbarrier_test_wait": (_TEST, "bool(P, u64)"),
    "__mbarrier_test_wait_parity": (_TEST_PARITY, "bool(P, bool)"),
    "__mbarrier_try_wait": (_TRY, "bool(P, u64, u32?)"),
    "__mbarrier_try_wait_parity": (_TRY_PARITY, "bool(P, bool, u32?)"),
    "__mbarrier_token_pending_count": (_pending, "u32(u64)"),
}
