"""Barriers and fences of CUDA, HIP and the compiler."""

from __future__ import annotations

from typing import Final

from analysis.ir.collectives import BlockBarrier, Fence, NamedBarrier, WarpBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierReduction, MemoryScope
from analysis.ir.source import Span
from analysis.ir.types import U32, U64
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins.core import BoundCall, Lowering, Table


def block_barrier(call: BoundCall) -> None:
    call.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, call.span))


def reducing_barrier(reduction: BarrierReduction) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        result = call.builder.value(call.result)
        call.builder.emit(BlockBarrier(result, reduction, call.arguments[0], call.span))
        return result

    return lower


def fence(scope: MemoryScope) -> Lowering:
    def lower(call: BoundCall) -> None:
        call.builder.emit(Fence(scope, call.span))

    return lower


def full_mask(builder: FunctionBuilder, warp_size: int, span: Span) -> ValueId:
    """A constant mask of all lanes of a warp."""
    return builder.constant((1 << warp_size) - 1, U64 if warp_size > 32 else U32, span)


def warp_barrier(call: BoundCall) -> None:
    """`__syncwarp(mask = all lanes)`."""
    given = next(iter(call.arguments), None)
    mask = full_mask(call.builder, call.warp_size, call.span) if given is None else given
    call.builder.emit(WarpBarrier(mask, call.span))


def whole_warp_barrier(call: BoundCall) -> None:
    call.builder.emit(WarpBarrier(full_mask(call.builder, call.warp_size, call.span), call.span))


def named_barrier(*, arrive_only: bool) -> Lowering:
    def lower(call: BoundCall) -> None:
        barrier, *counts = call.arguments
        count = counts[0] if counts else None
        call.builder.emit(NamedBarrier(barrier, count, arrive_only, call.span))

    return lower


_COUNT, _AND, _OR = (
    (reducing_barrier(reduction), "s32(s32)")
    for reduction in (BarrierReduction.COUNT, BarrierReduction.AND, BarrierReduction.OR)
)

TABLE: Final[Table] = {
    "__syncthreads": (block_barrier, "void()"),
    "__builtin_ptx_bar_sync": (block_barrier, "void()"),
    "__builtin_amdgcn_s_barrier": (block_barrier, "void()"),
    "__nvvm_bar0": (block_barrier, "void()"),
    "__nvvm_barrier0": (block_barrier, "void()"),
    "__block_barrier": (block_barrier, "void()"),
    "__syncthreads_count": _COUNT,
    "__syncthreads_and": _AND,
    "__syncthreads_or": _OR,
    "__nvvm_bar0_popc": _COUNT,
    "__nvvm_bar0_and": _AND,
    "__nvvm_bar0_or": _OR,
    "__syncwarp": (warp_barrier, "void(mask?)"),
    "__nvvm_bar_warp_sync": (warp_barrier, "void(mask)"),
    "__builtin_amdgcn_wave_barrier": (whole_warp_barrier, "void()"),
    "__barrier_sync": (named_barrier(arrive_only=False), "void(u32)"),
    "__barrier_sync_count": (named_barrier(arrive_only=False), "void(u32, u32)"),
    "__nv_bar_sync": (named_barrier(arrive_only=False), "void(u32, u32?)"),
    "__nv_bar_arrive": (named_barrier(arrive_only=True), "void(u32, u32?)"),
    "__threadfence_block": (fence(MemoryScope.BLOCK), "void()"),
    "__threadfence": (fence(MemoryScope.DEVICE), "void()"),
    "__threadfence_system": (fence(MemoryScope.SYSTEM), "void()"),
    "__nvvm_membar_cta": (fence(MemoryScope.BLOCK), "void()"),
    "__nvvm_membar_gl": (fence(MemoryScope.DEVICE), "void()"),
    "__nvvm_membar_sys": (fence(MemoryScope.SYSTEM), "void()"),
    "__builtin_amdgcn_fence": (fence(MemoryScope.BLOCK), "void(any, any?)"),
    "atomic_thread_fence": (fence(MemoryScope.DEVICE), "void(any, any?)"),
    "mem_fence": (fence(MemoryScope.BLOCK), "void(any?)"),
}
