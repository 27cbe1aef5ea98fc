"""What `cuda::atomic` and `cuda::atomic_ref` hold, and operations on it with a memory order.

Rules    A release stands behind a fence and an acquisition in front of one, with the scope of the object: what an order
         says of other accesses is what these fences say.  An order that is not known at compile time has both.
Source   PTX ISA, "Memory Consistency Model", release and acquire patterns.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from analysis.ir.collectives import Fence
from analysis.ir.ids import ValueId
from analysis.ir.memory import Atomic
from analysis.ir.operators import AtomicOperator, MemoryScope
from analysis.ir.source import Span
from analysis.ir.types import HandleType, MemorySpace, PointerType, Type
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins.spelling import template_words
from analysis.lower.builtins.types import element_of_handle

_A = AtomicOperator


class MemoryOrder(IntEnum):
    """`cuda::memory_order`, by its numbers."""

    RELAXED = 0
    CONSUME = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQUIRE_RELEASE = 4
    SEQUENTIALLY_CONSISTENT = 5


_RELEASING: Final = (MemoryOrder.RELEASE, MemoryOrder.ACQUIRE_RELEASE, MemoryOrder.SEQUENTIALLY_CONSISTENT)
_ACQUIRING: Final = (
    MemoryOrder.CONSUME,
    MemoryOrder.ACQUIRE,
    MemoryOrder.ACQUIRE_RELEASE,
    MemoryOrder.SEQUENTIALLY_CONSISTENT,
)
_SCOPES: Final = {"2": MemoryScope.BLOCK, "10": MemoryScope.WARP, "0": MemoryScope.SYSTEM}
"""By the numbers of `cuda::thread_scope`; a fence is not asked for less than a warp."""


def held_by_atomic(type: Type | None) -> Type | None:
    """What a `cuda::atomic<T>` or `cuda::atomic_ref<T>` holds or refers to; None for other types."""
    if isinstance(type, HandleType) and type.name.startswith(_ATOMICS):
        return element_of_handle(type)
    return None


def is_atomic_object(type: Type | None) -> bool:
    """Whether reading an object of the type is an atomic read of what it holds."""
    return isinstance(type, HandleType) and "::atomic<" in type.name and held_by_atomic(type) is not None


def is_atomic_reference(type: Type | None) -> bool:
    return isinstance(type, HandleType) and "::atomic_ref<" in type.name and held_by_atomic(type) is not None


_ATOMICS: Final = ("cuda::atomic<", "cuda::atomic_ref<", "std::atomic<", "std::atomic_ref<")


def read_atomic(builder: FunctionBuilder, address: ValueId, type: Type, span: Span) -> ValueId:
    """The conversion of an atomic object of `type` to what it holds: a sequentially consistent read."""
    element = held_by_atomic(type)
    assert element is not None  # the caller asked before
    pointer = PointerType(element, builder.space_of(address))
    order = MemoryOrder.SEQUENTIALLY_CONSISTENT
    return emit_atomic(builder, _A.LOAD, builder.bitcast(address, pointer, span), (), type, order, span)


def read_atomic_reference(builder: FunctionBuilder, reference: ValueId, span: Span) -> ValueId:
    """The same for what an `atomic_ref` refers to."""
    type = builder.type_of(reference)
    element = held_by_atomic(type)
    assert element is not None  # the caller asked before
    address = builder.bitcast(reference, PointerType(element, MemorySpace.GENERIC), span)
    order = MemoryOrder.SEQUENTIALLY_CONSISTENT
    return emit_atomic(builder, _A.LOAD, address, (), type, order, span)


def emit_atomic(
    builder: FunctionBuilder,
    operator: AtomicOperator,
    address: ValueId,
    arguments: tuple[ValueId, ...],
    object: Type,
    order: MemoryOrder,
    span: Span,
) -> ValueId:
    """The operation on what `address` points to, between the fences of its order."""
    pointer = builder.type_of(address)
    assert isinstance(pointer, PointerType)
    result = builder.value(pointer.element)
    scope = _scope_of(object)
    if order in _RELEASING and operator is not _A.LOAD:
        builder.emit(Fence(scope, span))
    builder.emit(Atomic(result, operator, address, arguments, span, scope))
    if order in _ACQUIRING and operator is not _A.STORE:
        builder.emit(Fence(scope, span))
    return result


def _scope_of(type: Type) -> MemoryScope:
    words = template_words(type.name)[1] if isinstance(type, HandleType) else ()
    return _SCOPES.get(words[1].strip(), MemoryScope.DEVICE) if len(words) > 1 else MemoryScope.SYSTEM
