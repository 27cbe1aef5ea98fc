"""Objects of libcu++: atomics, atomic references; barriers and latches are in `memory_barriers.py`.

A `cuda::atomic<T>` in memory is its `T`; a `cuda::atomic_ref<T>` is the address of one.  Which `T` stands in the
type's name.
Limits   `T` must be a scalar or a vector.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import AtomicOperator, BinaryOperator, CompareOperator
from analysis.ir.types import BOOLEAN, HandleType, MemorySpace, PointerType, Type
from analysis.lower.builtins.atomic_objects import MemoryOrder, emit_atomic, held_by_atomic, is_atomic_reference
from analysis.lower.builtins.core import BoundCall, Lowering, Table, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.memory_barriers import BARRIER_METHODS, LATCH_METHODS

_A = AtomicOperator


def _order(call: BoundCall, first: int) -> MemoryOrder:
    """The order that the call names at argument `first`, on success where it names two."""
    named = call.literal(first)
    known = isinstance(named, int) and named in frozenset(MemoryOrder)
    return MemoryOrder(named) if known else MemoryOrder.SEQUENTIALLY_CONSISTENT


def _contents(call: BoundCall) -> tuple[ValueId, Type] | None:
    """The address of what an atomic object holds, and the object's type."""
    receiver, address = call.call.receiver, call.call.receiver_address
    type = call.builder.type_of(receiver) if receiver is not None else None
    if isinstance(type, PointerType):
        type, address, receiver = type.element, receiver, None
    element = held_by_atomic(type)
    if type is None or element is None:
        return None
    if is_atomic_reference(type):
        if receiver is None and address is not None:
            receiver = call.builder.load(address, type, call.span)
        assert receiver is not None  # a method has an object
        return call.builder.bitcast(receiver, PointerType(element, MemorySpace.GENERIC), call.span), type
    if address is None:
        return None
    space = call.builder.space_of(address)
    return call.builder.bitcast(address, PointerType(element, space), call.span), type


def _value_type(call: BoundCall, address: ValueId) -> Type:
    pointer = call.builder.type_of(address)
    assert isinstance(pointer, PointerType)
    return pointer.element


def _update(operator: AtomicOperator, after: BinaryOperator | None = None) -> Lowering:
    """`fetch_add(value, order?)`; with `after`, the new value as `operator++` and `operator+=` give it."""

    def lower(call: BoundCall) -> ValueId | None:
        contents = _contents(call)
        if contents is None:
            return opaque_bound(call)
        address, object = contents
        emit = Emitter(call.builder, call.span)
        value = emit.convert(call.arguments[0], _value_type(call, address))
        old = emit_atomic(emit.builder, operator, address, (value,), object, _order(call, 1), call.span)
        return old if after is None else emit.binary(after, old, value)

    return lower


def _step(operator: AtomicOperator) -> Lowering:
    """`counter++`; what the postfix form is given does not count, and both give the old value."""

    def lower(call: BoundCall) -> ValueId | None:
        contents = _contents(call)
        if contents is None:
            return opaque_bound(call)
        address, object = contents
        emit = Emitter(call.builder, call.span)
        one = emit.constant(1, _value_type(call, address))
        return emit_atomic(
            emit.builder, operator, address, (one,), object, MemoryOrder.SEQUENTIALLY_CONSISTENT, call.span
        )

    return lower


def _load(call: BoundCall) -> ValueId | None:
    contents = _contents(call)
    if contents is None:
        return opaque_bound(call)
    return emit_atomic(call.builder, _A.LOAD, contents[0], (), contents[1], _order(call, 0), call.span)


def _store(call: BoundCall) -> ValueId | None:
    contents = _contents(call)
    if contents is None:
        return opaque_bound(call)
    address, object = contents
    emit = Emitter(call.builder, call.span)
    value = emit.convert(call.arguments[0], _value_type(call, address))
    emit_atomic(emit.builder, _A.STORE, address, (value,), object, _order(call, 1), call.span)
    return None


def _compare_exchange(call: BoundCall) -> ValueId | None:
    """`compare_exchange_strong(expected, desired)`: on failure, `expected` receives what was found."""
    contents = _contents(call)
    if contents is None:
        return opaque_bound(call)
    address, object = contents
    builder, span, (expected_at, desired, *_) = call.builder, call.span, call.arguments
    emit = Emitter(builder, span)
    type = _value_type(call, address)
    expected = builder.load(expected_at, type, span)
    compared = (expected, builder.convert(desired, type, span))
    old = emit_atomic(emit.builder, _A.COMPARE_AND_SWAP, address, compared, object, _order(call, 2), span)
    builder.store(expected_at, old, span)
    return builder.compare(CompareOperator.EQUAL, old, expected, span)


def _lock_free(call: BoundCall) -> ValueId:
    return call.builder.constant(True, BOOLEAN, call.span)


_ORDER: Final = "any?, any?"
ATOMIC_METHODS: Final[Table] = {
    "load": (_load, "any(any?)"),
    "store": (_store, "void(any, any?)"),
    "exchange": (_update(_A.EXCHANGE), "any(any, any?)"),
    "compare_exchange_strong": (_compare_exchange, f"bool(any&, any, {_ORDER})"),
    "compare_exchange_weak": (_compare_exchange, f"bool(any&, any, {_ORDER})"),
    "fetch_add": (_update(_A.ADD), "any(any, any?)"),
    "fetch_sub": (_update(_A.SUBTRACT), "any(any, any?)"),
    "fetch_and": (_update(_A.AND), "any(any, any?)"),
    "fetch_or": (_update(_A.OR), "any(any, any?)"),
    "fetch_xor": (_update(_A.XOR), "any(any, any?)"),
    "fetch_max": (_update(_A.MAXIMUM), "any(any, any?)"),
    "fetch_min": (_update(_A.MINIMUM), "any(any, any?)"),
    "operator++": (_step(_A.ADD), "any(any?)"),
    "operator--": (_step(_A.SUBTRACT), "any(any?)"),
    "operator+=": (_update(_A.ADD, BinaryOperator.ADD), "any(any)"),
    "operator-=": (_update(_A.SUBTRACT, BinaryOperator.SUBTRACT), "any(any)"),
    "operator=": (_store, "void(any)"),
    "is_lock_free": (_lock_free, "bool()"),
}


def method_table(type: Type) -> Table | None:
    """The methods of a libcu++ object."""
    if not isinstance(type, HandleType):
        return None
    stem = type.name.partition("<")[0]
    return METHODS.get(stem)


METHODS: Final[dict[str, Table]] = {
    "cuda::atomic": ATOMIC_METHODS,
    "cuda::atomic_ref": ATOMIC_METHODS,
    "std::atomic": ATOMIC_METHODS,
    "std::atomic_ref": ATOMIC_METHODS,
    "cuda::barrier": BARRIER_METHODS,
    "std::barrier": BARRIER_METHODS,
    "cuda::latch": LATCH_METHODS,
}
