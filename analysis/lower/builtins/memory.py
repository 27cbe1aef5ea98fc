"""Loads and stores with cache hints, address predicates, allocation, block copies."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Allocate
from analysis.ir.operators import BinaryOperator, MathFunction
from analysis.ir.types import U64, VOID, MemorySpace, PointerType
from analysis.lower.builtins.bytes import copy, fill, move
from analysis.lower.builtins.core import BoundCall, Lowering, Table, does_nothing
from analysis.lower.builtins.operations import Move

_M = MathFunction


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
    "memcpy": (copy, "P(P, P, u64)"),
    "__builtin_memcpy": (copy, "P(P, P, u64)"),
    "memmove": (move, "P(P, P, u64)"),
    "memset": (fill, "P(P, s32, u64)"),
    "__builtin_memset": (fill, "P(P, s32, u64)"),
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
