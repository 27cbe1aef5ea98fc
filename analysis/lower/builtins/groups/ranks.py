"""Sizes, ranks and indices of groups as arithmetic on special registers."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import MathFunction, SpecialRegister
from analysis.ir.types import BOOLEAN, U32, U64, GroupKind, VectorType
from analysis.lower.builtins.core import opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.groups.group import (
    PART_COUNT,
    PART_RANK,
    TILE_COUNT,
    TILE_RANK,
    Group,
    block_size,
    grid_size,
    linear_block,
    linear_index,
)
from analysis.lower.builtins.operations import build_aggregate

_R = SpecialRegister
_DIM3: Final = VectorType(U32, 3, 4)


def thread_rank(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
    emit = group.emit
    match group.kind:
        case GroupKind.BLOCK:
            return linear_index(emit)
        case GroupKind.TILE:
            return emit.remainder(linear_index(emit), group.tile_size())
        case GroupKind.COALESCED:
            return group.lanes_below()
        case GroupKind.GRID | GroupKind.MULTI_GRID:
            before = emit.multiply(linear_block(emit), emit.convert(block_size(emit), U64))
            return emit.add(before, emit.convert(linear_index(emit), U64))
        case GroupKind.CLUSTER:
            before = emit.multiply(emit.special(_R.CLUSTER_RANK), block_size(emit))
            return emit.add(before, linear_index(emit))
        case None:
            return opaque_bound(group.call)


def num_threads(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
    emit = group.emit
    match group.kind:
        case GroupKind.BLOCK:
            return block_size(emit)
        case GroupKind.TILE:
            return group.tile_size()
        case GroupKind.COALESCED:
            return emit.math(MathFunction.POPULATION_COUNT, group.mask(), type=U32)
        case GroupKind.GRID | GroupKind.MULTI_GRID:
            return emit.multiply(grid_size(emit), emit.convert(block_size(emit), U64))
        case GroupKind.CLUSTER:
            return emit.multiply(emit.constant(None), block_size(emit))
        case None:
            return opaque_bound(group.call)


def block_rank(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    """The rank of the thread's block in a grid or cluster."""
    if group.kind is GroupKind.CLUSTER:
        return group.emit.special(_R.CLUSTER_RANK)
    return linear_block(group.emit)


def num_blocks(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    if group.kind is GroupKind.CLUSTER:
        return group.emit.constant(None)
    return grid_size(group.emit)


def meta_group_rank(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    return group.member(PART_RANK if group.kind is GroupKind.COALESCED else TILE_RANK)


def meta_group_size(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    return group.member(PART_COUNT if group.kind is GroupKind.COALESCED else TILE_COUNT)


def thread_index(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    return _vector(group.emit, (_R.THREAD_X, _R.THREAD_Y, _R.THREAD_Z))


def block_index(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    return _vector(group.emit, (_R.BLOCK_X, _R.BLOCK_Y, _R.BLOCK_Z))


def dim_threads(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    return _vector(group.emit, (_R.BLOCK_DIM_X, _R.BLOCK_DIM_Y, _R.BLOCK_DIM_Z))


def dim_blocks(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    if group.kind is GroupKind.CLUSTER:
        unknown = tuple(group.emit.constant(None) for _ in range(3))
        return build_aggregate(group.emit.builder, unknown, _DIM3, group.emit.span)
    return _vector(group.emit, (_R.GRID_DIM_X, _R.GRID_DIM_Y, _R.GRID_DIM_Z))


def is_valid(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    return group.emit.constant(True, BOOLEAN)


def launch_constant(group: Group, arguments: tuple[ValueId, ...]) -> ValueId:
    """A number that the launch decides: the rank of a grid among devices."""
    return group.emit.constant(None)


def _vector(emit: Emitter, registers: tuple[SpecialRegister, ...]) -> ValueId:
    parts = tuple(emit.special(register) for register in registers)
    return build_aggregate(emit.builder, parts, _DIM3, emit.span)
