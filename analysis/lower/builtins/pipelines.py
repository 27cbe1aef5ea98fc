"""`cuda::pipeline`: producers and consumers of a block that hand stages over.

Rules    A pipeline of one thread waits for nobody: its copies are done at once (`copies.py`).
         One of a block has two memory barriers per stage in its shared state: producers arrive at `full` when they
         commit, consumers at `empty` when they release; who acquires waits for the phase of `empty` before, so the
         first round waits for nobody.
         Each thread's object is a word: where the shared state lies, how many stages it has, and at which stage and
         parity the thread is as a producer (head) and as a consumer (tail).
Limits   `quit` and `pipeline_consumer_wait_prior` on a pipeline of a block are opaque, as are states of groups other
         than the block.
Source   libcu++, <cuda/pipeline>.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.ir.collectives import BlockBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierReduction, BinaryOperator, CompareOperator, PhaseQuestion
from analysis.ir.types import S32, U64, GroupKind, GroupType, HandleType, MemorySpace, PointerType
from analysis.lower.builtins.copies import order_memory
from analysis.lower.builtins.core import BoundCall, Lowering, Table, does_nothing, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.groups.group import Group
from analysis.lower.builtins.groups.ranks import num_threads, thread_rank
from analysis.lower.builtins.guards_and_loops import guarded
from analysis.lower.builtins.memory_barriers import arrive, ask, initialize
from analysis.lower.builtins.spelling import template_words

_B = BinaryOperator
_STATE: Final = "cuda::pipeline_shared_state"
_STAGE_BYTES: Final = 16
_BARRIER_BYTES: Final = 8
_ADDRESS_MASK: Final = (1 << 40) - 1
_STAGES_BIT: Final = 40
_HEAD_BIT: Final = 48
_TAIL_BIT: Final = 56
_STAGE_MASK: Final = 0x7F
_PARITY: Final = 0x80
_FULL, _EMPTY = 0, _BARRIER_BYTES
_WORD_MASK: Final = (1 << 64) - 1


def _stage_count(emit: Emitter, state: ValueId) -> int | None:
    """How many stages the shared state has that `state` points to."""
    pointer = emit.type_of(state)
    type = pointer.element if isinstance(pointer, PointerType) else None
    stem, words = template_words(type.name) if isinstance(type, HandleType) else ("", [])
    is_known = stem == _STATE and len(words) == 2 and words[1].isdigit()
    return int(words[1]) if is_known and 0 < int(words[1]) <= _STAGE_MASK else None


def _make_pipeline(call: BoundCall) -> ValueId | None:
    """`make_pipeline()`, or `make_pipeline(block, &state, role or number of producers?)`."""
    emit = Emitter(call.builder, call.span)
    if not call.arguments:
        return call.builder.constant(None, HandleType("cuda::pipeline<thread>"), call.span)
    group, *rest = call.arguments
    type = emit.type_of(group)
    stages = _stage_count(emit, rest[0]) if rest else None
    if stages is None or not isinstance(type, GroupType) or type.kind is not GroupKind.BLOCK:
        return opaque_bound(call, may_contain_barrier=True)
    state, *roles = rest
    block = Group(call, group)
    rank, size = thread_rank(block, ()), num_threads(block, ())
    assert rank is not None  # a block knows its threads
    assert size is not None
    rank, size = emit.convert(rank, S32), emit.convert(size, S32)
    producers = consumers = size
    if roles:
        producers = _producers(emit, roles[0])
        consumers = emit.subtract(size, producers)
    start = _pointer(emit, state)

    def initialise() -> None:
        for stage in range(stages):
            initialize(emit, _moved(emit, start, stage * _STAGE_BYTES + _FULL), producers)
            initialize(emit, _moved(emit, start, stage * _STAGE_BYTES + _EMPTY), consumers)

    guarded(emit, emit.compare(CompareOperator.EQUAL, rank, emit.constant(0, S32)), initialise)
    emit.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, emit.span))
    address = emit.builder.bitcast(state, U64, emit.span)
    word = emit.with_number(_B.OR, address, stages << _STAGES_BIT)
    return emit.builder.bitcast(word, HandleType("cuda::pipeline<block>"), emit.span)


def _producers(emit: Emitter, given: ValueId) -> ValueId:
    """How many threads produce; `given` is their number, or the thread's role, 0 for a producer and 1 for others.

    Both may be an `int`: a number of one producer, of a type that roles have, would be taken for a role.
    """
    if emit.type_of(given) != S32:
        return emit.convert(given, S32)
    is_producer = emit.convert(emit.compare(CompareOperator.EQUAL, given, emit.constant(0, S32)), S32)
    counted = emit.builder.value(S32)
    emit.builder.emit(BlockBarrier(counted, BarrierReduction.COUNT, is_producer, emit.span))
    return emit.select(emit.compare(CompareOperator.GREATER, given, emit.constant(1, S32)), given, counted)


def _pointer(emit: Emitter, address: ValueId) -> ValueId:
    return emit.builder.bitcast(address, PointerType(U64, emit.builder.space_of(address)), emit.span)


def _moved(emit: Emitter, start: ValueId, bytes: int) -> ValueId:
    index = emit.constant(bytes // _BARRIER_BYTES, U64)
    return emit.builder.element_address(start, index, U64, emit.span)


# -- a thread's way through the stages --------------------------------------------------------------------------------


def _stepping(bit: int, step: Callable[[Emitter, ValueId, ValueId], None], *, moves: bool) -> Lowering:
    """`step(emit, start of the stage, parity)` at the head or the tail, whichever begins at `bit`; then the next stage
    if it `moves`."""

    def lower(call: BoundCall) -> ValueId | None:
        emit, at = Emitter(call.builder, call.span), call.call.receiver_address
        type = None if call.call.receiver is None else call.builder.type_of(call.call.receiver)
        if at is None or not isinstance(type, HandleType):
            return opaque_bound(call, may_contain_barrier=True)
        word = emit.builder.bitcast(emit.builder.load(at, type, call.span), U64, call.span)
        place = emit.with_number(_B.SHIFT_RIGHT, word, bit)
        stage = emit.with_number(_B.AND, place, _STAGE_MASK)
        parity = emit.with_number(_B.AND, place, _PARITY)
        first = emit.with_number(_B.AND, word, _ADDRESS_MASK)
        start = emit.add(first, emit.with_number(_B.MULTIPLY, stage, _STAGE_BYTES))
        step(emit, emit.builder.bitcast(start, PointerType(U64, MemorySpace.SHARED), call.span), parity)
        if moves:
            stages = emit.with_number(_B.AND, emit.with_number(_B.SHIFT_RIGHT, word, _STAGES_BIT), _STAGE_MASK)
            moved = _next_stage(emit, stage, parity, stages)
            kept = emit.with_number(_B.AND, word, ~((_STAGE_MASK | _PARITY) << bit) & _WORD_MASK)
            after = emit.bit_or(kept, emit.with_number(_B.SHIFT_LEFT, moved, bit))
            emit.builder.store(at, emit.builder.bitcast(after, type, call.span), call.span)
        return None

    return lower


def _next_stage(emit: Emitter, stage: ValueId, parity: ValueId, stages: ValueId) -> ValueId:
    """The stage behind, with its parity: the first stage of the next round has the other one."""
    behind = emit.add(stage, emit.constant(1, U64))
    is_last = emit.compare(CompareOperator.EQUAL, behind, stages)
    first = emit.with_number(_B.XOR, parity, _PARITY)
    return emit.select(is_last, first, emit.bit_or(behind, parity))


def _acquire(emit: Emitter, stage: ValueId, parity: ValueId) -> None:
    before = emit.with_number(_B.XOR, parity, _PARITY)
    ask(emit, PhaseQuestion.WAIT, _moved(emit, stage, _EMPTY), before)


def _commit(emit: Emitter, stage: ValueId, parity: ValueId) -> None:
    arrive(emit, _moved(emit, stage, _FULL))


def _await(emit: Emitter, stage: ValueId, parity: ValueId) -> None:
    ask(emit, PhaseQuestion.WAIT, _moved(emit, stage, _FULL), parity)


def _release(emit: Emitter, stage: ValueId, parity: ValueId) -> None:
    arrive(emit, _moved(emit, stage, _EMPTY))


def _if_shared(shared: Lowering, own: Lowering) -> Lowering:
    """What a pipeline of a block does, and one of a thread."""

    def lower(call: BoundCall) -> ValueId | None:
        receiver = call.call.receiver if call.call.receiver is not None else call.arguments[0]
        type = call.builder.type_of(receiver)
        is_own = isinstance(type, HandleType) and type.name.endswith(("<thread>", "<10>", "cuda::pipeline"))
        return own(call) if is_own else shared(call)

    return lower


def _opaque(call: BoundCall) -> ValueId | None:
    return opaque_bound(call, may_contain_barrier=True)


def _last_to_quit(call: BoundCall) -> ValueId:
    return call.builder.constant(True, call.result, call.span)


METHODS: Final[Table] = {
    "producer_acquire": (_if_shared(_stepping(_HEAD_BIT, _acquire, moves=False), does_nothing), "void()"),
    "producer_commit": (_if_shared(_stepping(_HEAD_BIT, _commit, moves=True), does_nothing), "void()"),
    "consumer_wait": (_if_shared(_stepping(_TAIL_BIT, _await, moves=False), order_memory), "void()"),
    "consumer_release": (_if_shared(_stepping(_TAIL_BIT, _release, moves=True), does_nothing), "void()"),
    "quit": (_if_shared(_opaque, _last_to_quit), "bool()"),
}

TABLE: Final[Table] = {
    "make_pipeline": (_make_pipeline, "any(group?, any?, any?)"),
    "pipeline_consumer_wait_prior": (_if_shared(_opaque, order_memory), "void(handle)"),
    "pipeline_producer_commit": (_if_shared(_opaque, does_nothing), "void(handle, any)"),
}
