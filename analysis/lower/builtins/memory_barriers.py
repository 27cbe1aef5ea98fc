"""Memory barriers: what each of their spellings emits, and the classes `cuda::barrier` and `cuda::latch`.

Rules    The object is its word (`analysis/ir/barrier_word.py`), 8 bytes at its address.  `init` stores it, so that who
         uses the barrier without waiting for `init` races with it; arrivals are atomic updates, waits are `PhaseWait`.
         An arrival stands behind a fence and a wait in front of one: what was done before the one is seen after the
         other.
         A token is the word before the arrival; whose phase it names is all that a wait reads of it.
Limits   A barrier with a completion function is opaque.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.barrier_word import COUNT_MASK, PARITY_BIT, TWO_COUNTS, VALID
from analysis.ir.collectives import Fence, PhaseWait
from analysis.ir.ids import ValueId
from analysis.ir.memory import Atomic
from analysis.ir.operators import BarrierOperator, BinaryOperator, MemoryScope, PhaseQuestion
from analysis.ir.types import BOOLEAN, U32, U64, HandleType, MemorySpace, PointerType, Type
from analysis.lower.builtins.core import BoundCall, Lowering, Table, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.spelling import template_words
from analysis.lower.conversions import truth

_B = BinaryOperator


# -- what every spelling of a barrier emits ---------------------------------------------------------------------------


def word_of_count(emit: Emitter, count: ValueId) -> ValueId:
    """The word of a barrier that waits for so many arrivals in each phase."""
    held = emit.with_number(_B.AND, emit.convert(count, U64), COUNT_MASK)
    return emit.with_number(_B.OR, emit.with_number(_B.MULTIPLY, held, TWO_COUNTS), VALID)


def initialize(emit: Emitter, address: ValueId, count: ValueId) -> None:
    emit.builder.store(_word(emit, address), word_of_count(emit, count), emit.span)


def update(emit: Emitter, operator: BarrierOperator, address: ValueId, count: ValueId) -> ValueId:
    """The word before the update."""
    emit.builder.emit(Fence(_scope(emit, address), emit.span))
    result = emit.builder.value(U64)
    emit.builder.emit(Atomic(result, operator, _word(emit, address), (emit.convert(count, U64),), emit.span))
    return result


def arrive(emit: Emitter, address: ValueId) -> ValueId:
    return update(emit, BarrierOperator.ARRIVE, address, emit.constant(1, U64))


def ask(emit: Emitter, question: PhaseQuestion, address: ValueId, parity: ValueId) -> ValueId:
    """Whether the phase of that parity, 0 or not, is complete."""
    result = emit.builder.value(BOOLEAN)
    is_odd = truth(emit.builder, parity, emit.span)
    emit.builder.emit(PhaseWait(result, question, _word(emit, address), is_odd, emit.span))
    emit.builder.emit(Fence(_scope(emit, address), emit.span))
    return result


def parity_of(emit: Emitter, token: ValueId) -> ValueId:
    return emit.with_number(_B.SHIFT_RIGHT, emit.convert(token, U64), PARITY_BIT)


def pending_count(emit: Emitter, token: ValueId) -> ValueId:
    return emit.convert(emit.with_number(_B.AND, token, COUNT_MASK), U32)


def _word(emit: Emitter, address: ValueId) -> ValueId:
    wanted = PointerType(U64, emit.builder.space_of(address))
    return address if emit.type_of(address) == wanted else emit.builder.bitcast(address, wanted, emit.span)


def _scope(emit: Emitter, address: ValueId) -> MemoryScope:
    """A barrier in shared memory orders its block; any other may be one of several blocks."""
    return MemoryScope.BLOCK if emit.builder.space_of(address) is MemorySpace.SHARED else MemoryScope.DEVICE


# -- cuda::barrier and cuda::latch ------------------------------------------------------------------------------------


def is_barrier(type: Type) -> bool:
    """Whether it is a barrier or a latch of libcu++, without a completion function."""
    if not isinstance(type, HandleType):
        return False
    stem, words = template_words(type.name)
    return stem in ("cuda::barrier", "std::barrier", "cuda::latch") and len(words) < 2


def _object(call: BoundCall) -> ValueId | None:
    """The address of the object whose method is called."""
    receiver, address = call.call.receiver, call.call.receiver_address
    type = None if receiver is None else call.builder.type_of(receiver)
    if isinstance(type, PointerType):
        type, address = type.element, receiver
    return address if type is not None and is_barrier(type) else None


def _updating(operator: BarrierOperator) -> Lowering:
    """`arrive(count = 1)` and its likes; the result is the token."""

    def lower(call: BoundCall) -> ValueId | None:
        address = _object(call)
        if address is None:
            return opaque_bound(call, may_contain_barrier=True)
        emit = Emitter(call.builder, call.span)
        count = call.arguments[0] if call.arguments else emit.constant(1, U64)
        return update(emit, operator, address, count)

    return lower


def _effect_of(lowering: Lowering) -> Lowering:
    """The same without a result."""

    def lower(call: BoundCall) -> None:
        lowering(call)

    return lower


def _asking(question: PhaseQuestion, *, by_token: bool) -> Lowering:
    def lower(call: BoundCall) -> ValueId | None:
        address = _object(call)
        if address is None:
            return opaque_bound(call, may_contain_barrier=True)
        emit = Emitter(call.builder, call.span)
        parity = parity_of(emit, call.arguments[0]) if by_token else call.arguments[0]
        return ask(emit, question, address, parity)

    return lower


def _arrive_and_wait(call: BoundCall) -> ValueId | None:
    address = _object(call)
    if address is None:
        return opaque_bound(call, may_contain_barrier=True)
    emit = Emitter(call.builder, call.span)
    token = update(emit, BarrierOperator.ARRIVE, address, call.arguments[0] if call.arguments else emit.constant(1))
    ask(emit, PhaseQuestion.WAIT, address, parity_of(emit, token))
    return None


def _open_latch(question: PhaseQuestion) -> Lowering:
    """A latch has one phase, the first."""

    def lower(call: BoundCall) -> ValueId | None:
        address = _object(call)
        if address is None:
            return opaque_bound(call, may_contain_barrier=True)
        emit = Emitter(call.builder, call.span)
        return ask(emit, question, address, emit.constant(0))

    return lower


_WAIT, _TRY = PhaseQuestion.WAIT, PhaseQuestion.TRY
BARRIER_METHODS: Final[Table] = {
    "arrive": (_updating(BarrierOperator.ARRIVE), "u64(u64?)"),
    "wait": (_effect_of(_asking(_WAIT, by_token=True)), "void(u64)"),
    "wait_parity": (_effect_of(_asking(_WAIT, by_token=False)), "void(bool)"),
    "try_wait": (_asking(_TRY, by_token=True), "bool(u64)"),
    "try_wait_for": (_asking(_TRY, by_token=True), "bool(u64, any)"),
    "try_wait_until": (_asking(_TRY, by_token=True), "bool(u64, any)"),
    "try_wait_parity": (_asking(_TRY, by_token=False), "bool(bool)"),
    "try_wait_parity_for": (_asking(_TRY, by_token=False), "bool(bool, any)"),
    "try_wait_parity_until": (_asking(_TRY, by_token=False), "bool(bool, any)"),
    "arrive_and_wait": (_arrive_and_wait, "void()"),
    "arrive_and_drop": (_effect_of(_updating(BarrierOperator.DROP)), "void()"),
}
LATCH_METHODS: Final[Table] = {
    "count_down": (_effect_of(_updating(BarrierOperator.ARRIVE)), "void(u64?)"),
    "wait": (_effect_of(_open_latch(_WAIT)), "void()"),
    "try_wait": (_open_latch(PhaseQuestion.TEST), "bool()"),
    "arrive_and_wait": (_arrive_and_wait, "void(u64?)"),
}


def _initialize(call: BoundCall) -> ValueId | None:
    """`init(&barrier, count)`; any other `init` is somebody else's."""
    pointer = call.type_of(0)
    address, count, *completion = call.arguments
    if completion or not isinstance(pointer, PointerType) or not is_barrier(pointer.element):
        return opaque_bound(call, may_contain_barrier=True)
    initialize(Emitter(call.builder, call.span), address, count)
    return None


def _expect_bytes(call: BoundCall) -> None:
    """`barrier_expect_tx(barrier, bytes)`."""
    update(Emitter(call.builder, call.span), BarrierOperator.EXPECT, call.arguments[0], call.arguments[1])


def _arrive_expecting(call: BoundCall) -> ValueId:
    """`barrier_arrive_tx(barrier, count, bytes)`."""
    emit = Emitter(call.builder, call.span)
    update(emit, BarrierOperator.EXPECT, call.arguments[0], call.arguments[2])
    return update(emit, BarrierOperator.ARRIVE, call.arguments[0], call.arguments[1])


def _native_handle(call: BoundCall) -> ValueId:
    emit = Emitter(call.builder, call.span)
    return _word(emit, call.arguments[0])


CUDA_TABLE: Final[Table] = {
    "init": (_initialize, "void(any*, any, any?)"),
    "barrier_expect_tx": (_expect_bytes, "void(any&, u64)"),
    "barrier_arrive_tx": (_arrive_expecting, "u64(any&, u64, u64)"),
    "barrier_native_handle": (_native_handle, "any(any&)"),
}
"""Names in `cuda::` and `cuda::device::`."""
