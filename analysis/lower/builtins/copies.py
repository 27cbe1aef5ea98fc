"""Asynchronous copies to shared memory: `memcpy_async`, the `__pipeline_*` primitives.

Rules    A group's copy is the loop that its threads run: thread `r` of `n` copies elements `r`, `r + n`, …; a thread's
         own copy is the same loop with `r = 0` and `n = 1`.  The copy is taken to be done at once.
Limits   A copy whose elements have no known type stays opaque.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.collectives import Fence
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierOperator, BinaryOperator, MemoryScope
from analysis.ir.types import U8, U64, GroupType, HandleType, PointerType, Type, VoidType
from analysis.lower.builtins.core import BoundCall, Table, does_nothing, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.groups.group import Group
from analysis.lower.builtins.groups.ranks import num_threads, thread_rank
from analysis.lower.builtins.guards_and_loops import Count, counted
from analysis.lower.builtins.memory import same_value
from analysis.lower.builtins.memory_barriers import update
from analysis.lower.layouts import size_of

_B = BinaryOperator


def _memcpy_async(call: BoundCall) -> ValueId | None:
    """`memcpy_async(group?, to, from, bytes, barrier?)`, or with counts after both pointers."""
    emit = Emitter(call.builder, call.span)
    group, rest = _split_group(call)
    if group is not None and group.kind is None:
        return opaque_bound(call)
    pointers = [value for value in rest if isinstance(emit.type_of(value), PointerType)][:2]
    sizes = [value for value in rest if not isinstance(emit.type_of(value), PointerType | HandleType | GroupType)]
    element = _element(call, pointers)
    if len(pointers) < 2 or not sizes or element is None:
        return opaque_bound(call)
    size = size_of(element, call.builder.structs)
    if not size:
        return opaque_bound(call)
    count = emit.convert(sizes[-1], U64)
    if len(sizes) == 1:
        count = emit.with_number(_B.DIVIDE, count, size)
    first, step = emit.constant(0, U64), emit.constant(1, U64)
    if group is not None:
        rank, threads = thread_rank(group, ()), num_threads(group, ())
        assert rank is not None
        assert threads is not None
        first, step = emit.convert(rank, U64), emit.convert(threads, U64)
    copy_loop(emit, pointers[0], pointers[1], element, Count(first, count, step))
    return None


def _copy_bytes(call: BoundCall) -> ValueId | None:
    """`memcpy_async_tx(to, from, bytes, barrier)`: the barrier's phase waits for the bytes if it is told to."""
    emit = Emitter(call.builder, call.span)
    to, source, bytes = call.arguments[:3]
    element = _element(call, [to, source])
    size = size_of(element, call.builder.structs) if element is not None else None
    if element is None or not size:
        return opaque_bound(call)
    total = emit.convert(bytes, U64)
    count = emit.with_number(_B.DIVIDE, total, size)
    copy_loop(emit, to, source, element, Count.by_one(emit, emit.constant(0, U64), count))
    update(emit, BarrierOperator.COMPLETE, call.arguments[3], total)
    return None


def _split_group(call: BoundCall) -> tuple[Group | None, tuple[ValueId, ...]]:
    first = call.type_of(0)
    if isinstance(first, GroupType) or (isinstance(first, HandleType) and first.name.endswith("thread_group")):
        return Group(call, call.arguments[0]), call.arguments[1:]
    return None, call.arguments


def _element(call: BoundCall, pointers: list[ValueId]) -> Type | None:
    for pointer in pointers:
        type = call.builder.type_of(pointer)
        if isinstance(type, PointerType) and not isinstance(type.element, VoidType):
            return type.element
    return U8 if pointers else None


def copy_loop(emit: Emitter, to: ValueId, source: ValueId, element: Type, elements: Count) -> None:
    """`for (i = first; i < end; i += step) to[i] = source[i];`"""
    builder, span = emit.builder, emit.span

    def copy(index: ValueId) -> None:
        value = builder.load(builder.element_address(source, index, element, span), element, span)
        builder.store(builder.element_address(to, index, element, span), value, span)

    counted(emit, "copied", elements, copy)


def _pipeline_copy(call: BoundCall) -> ValueId | None:
    """`__pipeline_memcpy_async(to, from, bytes, zeros?)` copies 4, 8 or 16 bytes."""
    emit = Emitter(call.builder, call.span)
    to, source, bytes = call.arguments[:3]
    element = _element(call, [to, source])
    size = size_of(element, call.builder.structs) if element is not None else None
    if element is None or not size:
        return opaque_bound(call)
    literal = call.literal(2)
    if literal == size:
        call.builder.store(to, call.builder.load(source, element, call.span), call.span)
        return None
    count = emit.with_number(_B.DIVIDE, emit.convert(bytes, U64), size)
    copy_loop(emit, to, source, element, Count.by_one(emit, emit.constant(0, U64), count))
    return None


def order_memory(call: BoundCall) -> None:
    call.builder.emit(Fence(MemoryScope.BLOCK, call.span))


_COPY: Final = "void(any, any, any, any?, any?, any?)"

COPIES: Final[Table] = {
    "memcpy_async": (_memcpy_async, _COPY),
    "memcpy_async_tx": (_copy_bytes, "void(P, P, any, any&)"),
    "aligned_size_t": (same_value, "u64(u64)"),
}

TABLE: Final[Table] = {
    "__pipeline_memcpy_async": (_pipeline_copy, "void(P, P, u64, u64?)"),
    "__pipeline_commit": (does_nothing, "void()"),
    "__pipeline_wait_prior": (order_memory, "void(u64)"),
    "__pipeline_arrive_on": (does_nothing, "void(any)"),
}
