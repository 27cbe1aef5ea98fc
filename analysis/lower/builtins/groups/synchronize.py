"""Waiting for a group: which barrier of the IR each group's `sync` is.

Rules    A tile of at most a warp and a coalesced group are warp barriers over their lanes; blocks and larger tiles are
         block barriers; a grid is a grid barrier.
         `arrive` orders memory, the matching `wait` is the barrier: a thread that arrives must wait later.
Limits   A cluster's barrier is checked like its block's; `thread_group` may be any group and stays opaque.
"""

from __future__ import annotations

from analysis.ir.collectives import BlockBarrier, Fence, GridBarrier, WarpBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierReduction, MemoryScope
from analysis.ir.types import U64, GroupKind
from analysis.lower.builtins.core import opaque_bound
from analysis.lower.builtins.groups.group import Group


def synchronize(group: Group, arguments: tuple[ValueId, ...] = ()) -> None:
    builder, span = group.call.builder, group.call.span
    match group.kind:
        case None:
            opaque_bound(group.call, may_contain_barrier=True)
        case GroupKind.GRID | GroupKind.MULTI_GRID:
            builder.emit(GridBarrier(span))
        case _ if group.fits_a_warp:
            builder.emit(WarpBarrier(group.mask(), span))
        case _:
            builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, span))


def arrive(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    """The token carries nothing: whatever waits for it waits for the whole group."""
    scope = MemoryScope.DEVICE if group.kind in (GroupKind.GRID, GroupKind.CLUSTER) else MemoryScope.BLOCK
    group.call.builder.emit(Fence(scope, group.call.span))
    return group.emit.constant(0, U64)


def wait(group: Group, arguments: tuple[ValueId, ...]) -> None:
    synchronize(group)
