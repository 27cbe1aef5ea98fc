"""Methods and free functions of `cooperative_groups`, by the kind of the group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.ir.operators import ShuffleMode, VoteKind
from analysis.ir.types import GroupKind
from analysis.lower.builtins.core import BoundCall, Lowering, Table
from analysis.lower.builtins.groups.exchange import GroupOperation, match_all, match_any, shuffle, vote
from analysis.lower.builtins.groups.group import Group
from analysis.lower.builtins.groups.partition import (
    binary_partition,
    coalesced_threads,
    labeled_partition,
    this_group,
    tiled_partition,
)
from analysis.lower.builtins.groups.ranks import (
    block_index,
    block_rank,
    dim_blocks,
    dim_threads,
    is_valid,
    launch_constant,
    meta_group_rank,
    meta_group_size,
    num_blocks,
    num_threads,
    thread_index,
    thread_rank,
)
from analysis.lower.builtins.groups.reduce import invoke_one, reduce, scan
from analysis.lower.builtins.groups.synchronize import arrive, synchronize, wait

_GroupTable: TypeAlias = Mapping[str, tuple[GroupOperation, str]]

# every group has these; the size of a grid has 64 bits
_COMMON: Final[_GroupTable] = {
    "sync": (synchronize, "void()"),
    "thread_rank": (thread_rank, "u32()"),
    "size": (num_threads, "u32()"),
    "num_threads": (num_threads, "u32()"),
    "group_size": (num_threads, "u32()"),
    "is_valid": (is_valid, "bool()"),
    "barrier_arrive": (arrive, "u64()"),
    "barrier_wait": (wait, "void(any?)"),
    "arrive": (arrive, "u64()"),
    "wait": (wait, "void(any?)"),
}

_BLOCK: Final[_GroupTable] = {
    "thread_index": (thread_index, "dim3()"),
    "group_index": (block_index, "dim3()"),
    "block_index": (block_index, "dim3()"),
    "group_dim": (dim_threads, "dim3()"),
    "dim_threads": (dim_threads, "dim3()"),
}

_GRID: Final[_GroupTable] = {
    "thread_rank": (thread_rank, "u64()"),
    "size": (num_threads, "u64()"),
    "num_threads": (num_threads, "u64()"),
    "group_size": (num_threads, "u64()"),
    "block_rank": (block_rank, "u64()"),
    "num_blocks": (num_blocks, "u64()"),
    "block_index": (block_index, "dim3()"),
    "dim_blocks": (dim_blocks, "dim3()"),
    "group_dim": (dim_blocks, "dim3()"),
    "dim_threads": (dim_threads, "dim3()"),
    "grid_rank": (launch_constant, "u32()"),
    "num_grids": (launch_constant, "u32()"),
    "cluster_rank": (launch_constant, "u32()"),
}

_CLUSTER: Final[_GroupTable] = {
    **_BLOCK,
    "block_rank": (block_rank, "u32()"),
    "num_blocks": (num_blocks, "u32()"),
    "dim_blocks": (dim_blocks, "dim3()"),
}

_WARP: Final[_GroupTable] = {
    "shfl": (shuffle(ShuffleMode.INDEX), "V(V, s32)"),
    "shfl_up": (shuffle(ShuffleMode.UP), "V(V, u32)"),
    "shfl_down": (shuffle(ShuffleMode.DOWN), "V(V, u32)"),
    "shfl_xor": (shuffle(ShuffleMode.XOR), "V(V, u32)"),
    "any": (vote(VoteKind.ANY), "s32(s32)"),
    "all": (vote(VoteKind.ALL), "s32(s32)"),
    "ballot": (vote(VoteKind.BALLOT), "mask(s32)"),
    "match_any": (match_any, "mask(V)"),
    "match_all": (match_all, "mask(V, any&)"),
    "meta_group_rank": (meta_group_rank, "u32()"),
    "meta_group_size": (meta_group_size, "u32()"),
}

_FREE: Final[_GroupTable] = {
    **_COMMON,
    "synchronize": (synchronize, "void()"),
    "wait_prior": (wait, "void(any?)"),
    "reduce": (reduce, "V(V, function)"),
    "inclusive_scan": (scan(inclusive=True), "V(V, function?)"),
    "exclusive_scan": (scan(inclusive=False), "V(V, function?)"),
    "invoke_one": (invoke_one, "any(any, ...)"),
    "invoke_one_broadcast": (invoke_one, "any(any, ...)"),
}


def _method(operation: GroupOperation) -> Lowering:
    def lower(call: BoundCall) -> ValueId | None:
        receiver = call.call.receiver
        assert receiver is not None  # methods are looked up by their receiver
        return operation(Group(call, receiver), call.arguments)

    return lower


def _free(operation: GroupOperation) -> Lowering:
    def lower(call: BoundCall) -> ValueId | None:
        return operation(Group(call, call.arguments[0]), call.arguments[1:])

    return lower


def _with_group(declared: str) -> str:
    """`u32()` → `u32(group)`."""
    result, _, parameters = declared.partition("(")
    return f"{result}(group{'' if parameters == ')' else ', '}{parameters}"


def _methods(*tables: _GroupTable) -> Table:
    return {name: (_method(operation), declared) for table in tables for name, (operation, declared) in table.items()}


METHODS: Final[Mapping[GroupKind | None, Table]] = {
    None: _methods(_COMMON),
    GroupKind.BLOCK: _methods(_COMMON, _BLOCK),
    GroupKind.GRID: _methods(_COMMON, _GRID),
    GroupKind.MULTI_GRID: _methods(_COMMON, _GRID),
    GroupKind.CLUSTER: _methods(_COMMON, _CLUSTER),
    GroupKind.TILE: _methods(_COMMON, _WARP),
    GroupKind.COALESCED: _methods(_COMMON, _WARP),
}
"""None stands for `thread_group`."""

FUNCTIONS: Final[Table] = {
    "this_thread_block": (this_group(GroupKind.BLOCK), "any(any&?)"),
    "this_grid": (this_group(GroupKind.GRID), "any()"),
    "this_multi_grid": (this_group(GroupKind.MULTI_GRID), "any()"),
    "this_cluster": (this_group(GroupKind.CLUSTER), "any()"),
    "coalesced_threads": (coalesced_threads, "any()"),
    "tiled_partition": (tiled_partition, "any(group, u32?)"),
    "binary_partition": (binary_partition, "any(group, bool)"),
    "labeled_partition": (labeled_partition, "any(group, any)"),
    **{name: (_free(operation), _with_group(declared)) for name, (operation, declared) in _FREE.items()},
}
