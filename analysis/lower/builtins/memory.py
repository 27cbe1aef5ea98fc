"""Loads and stores with cache hints, address predicates, allocation, block copies."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Allocate
from analysis.ir.operators import BinaryOperator, MathFunction
from analysis.ir.types import U64, VOID, BooleanType, FloatType, IntegerType, MemorySpace, PointerType, VectorType
from analysis.lower.builtins.core import BoundCall, Lowering, Table, does_nothing, opaque_bound
from analysis.lower.builtins.operations import Move
from analysis.lower.layouts import size_of

_M = MathFunction
MAX_COPIED_ELEMENTS: Final = 16
"""A `memcpy` of more elements stays opaque: it would drown the code around it."""


def load(call: BoundCall) -> ValueId:
    return call.builder.load(call.arguments[0], call.result, call.span, volatile=_is_volatile(call, 0))


def store(call: BoundCall) -> None:
    to, value = call.arguments
    call.builder.store(to, value, call.span, volatile=_is_volatile(call, 0))


def _is_volatile(call: BoundCall, index: int) -> bool:
    pointer = call.type_of(index)
    return isinstance(pointer, PointerType) and pointer.volatile


def _store_value_first(call: BoundCall) -> None:
    call.builder.store(call.arguments[1], call.arguments[0], call.span)


def same_value(call: BoundCall) -> ValueId:
    """The first argument: casts and hints that change nothing."""
    return call.arguments[0]


def _allocate(call: BoundCall) -> ValueId:
    size = call.arguments[0]
    if len(call.arguments) > 1:
        size = call.builder.binary(BinaryOperator.MULTIPLY, size, call.arguments[1], U64, call.span)
    result = call.builder.value(PointerType(VOID, MemorySpace.GENERIC))
    call.builder.emit(Allocate(result, size, call.span))
    return result


def _copy(call: BoundCall) -> ValueId | None:
    """Element by element where the size is a small constant and both sides have one element type."""
    builder, span, (to, source, _) = call.builder, call.span, call.arguments
    target, origin = builder.type_of(to), builder.type_of(source)
    if not isinstance(target, PointerType) or not isinstance(origin, PointerType) or target.element != origin.element:
        return opaque_bound(call)
    count = _elements(call, target)
    if count is None:
        return opaque_bound(call)
    for index in range(count):
        offset = builder.constant(index, U64, span)
        value = builder.load(builder.element_address(source, offset, target.element, span), target.element, span)
        builder.store(builder.element_address(to, offset, target.element, span), value, span)
    return to


def _fill(call: BoundCall) -> ValueId | None:
    """`memset` to zero of a few elements; any other byte stays opaque."""
    builder, span, to = call.builder, call.span, call.arguments[0]
    target = builder.type_of(to)
    count = _elements(call, target) if isinstance(target, PointerType) and call.literal(1) == 0 else None
    if count is None or not isinstance(target, PointerType):
        return opaque_bound(call)
    zero = builder.constant(0.0 if isinstance(target.element, FloatType) else 0, target.element, span)
    for index in range(count):
        offset = builder.constant(index, U64, span)
        builder.store(builder.element_address(to, offset, target.element, span), zero, span)
    return to


def _elements(call: BoundCall, pointer: PointerType) -> int | None:
    """How many elements the byte count in argument 2 covers, where that is a small constant."""
    size = size_of(pointer.element, call.builder.structs)
    length = call.literal(2)
    if not size or not isinstance(length, int) or length % size or length > size * MAX_COPIED_ELEMENTS:
        return None
    is_simple = isinstance(pointer.element, IntegerType | FloatType | BooleanType | VectorType)
    return length // size if is_simple else None


def _to_space(space: MemorySpace) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        pointer = call.type_of(0)
        element = pointer.element if isinstance(pointer, PointerType) else VOID
        return call.builder.bitcast(call.arguments[0], PointerType(element, space), call.span)

    return lower


_LOADS: Final = [
    "__ldg",
    "__ldca",
    "__ldcg",
    "__ldcs",
    "__ldlu",
    "__ldcv",
    "__ldg_aligned",
    "__builtin_nontemporal_load",
    "__nv_ldg",
    "__ldg_ca",
]
_STORES: Final = ("__stwb", "__stcg", "__stcs", "__stwt")

TABLE: Final[Table] = {
    **dict.fromkeys(_LOADS, (load, "E(E*)")),
    **dict.fromkeys(_STORES, (store, "void(E*, E)")),
    "__builtin_nontemporal_store": (_store_value_first, "void(E, E*)"),
    "malloc": (_allocate, "void*(u64)"),
    "calloc": (_allocate, "void*(u64, u64)"),
    "free": (does_nothing, "void(any)"),
    "memcpy": (_copy, "P(P, P, u64)"),
    "memmove": (_copy, "P(P, P, u64)"),
    "memset": (_fill, "P(P, s32, u64)"),
    "__isGlobal": (_M.IS_GLOBAL, "u32(P)"),
    "__isShared": (_M.IS_SHARED, "u32(P)"),
    "__isConstant": (_M.IS_CONSTANT, "u32(P)"),
    "__isLocal": (_M.IS_LOCAL, "u32(P)"),
    "__isGridConstant": (_M.IS_CONSTANT, "u32(P)"),
    "__cvta_generic_to_global": (Move.BITCAST, "u64(P)"),
    "__cvta_generic_to_shared": (Move.BITCAST, "u64(P)"),
    "__cvta_generic_to_constant": (Move.BITCAST, "u64(P)"),
    "__cvta_generic_to_local": (Move.BITCAST, "u64(P)"),
    "__nvvm_get_smem_pointer": (Move.BITCAST, "u32(P)"),
    "__cvta_global_to_generic": (_to_space(MemorySpace.GLOBAL), "any(any)"),
    "__cvta_shared_to_generic": (_to_space(MemorySpace.SHARED), "any(any)"),
    "__cvta_constant_to_generic": (_to_space(MemorySpace.CONSTANT), "any(any)"),
    "__cvta_local_to_generic": (_to_space(MemorySpace.LOCAL), "any(any)"),
    "addressof": (same_value, "any(any&)"),
    "__builtin_addressof": (same_value, "any(any&)"),
    "__builtin_assume_aligned": (same_value, "P(P, u64, u64?)"),
    "assume_aligned": (same_value, "P(P)"),
    "launder": (same_value, "P(P)"),
    "__prefetch_global_l1": (does_nothing, "void(P)"),
    "__prefetch_global_l2": (does_nothing, "void(P)"),
    "__builtin_prefetch": (does_nothing, "void(P, ...)"),
}
