"""What a group object holds, and what follows from it.

A group is an aggregate of what cannot be recomputed where it is used:

    block, grid, multi-grid, cluster    nothing: a constant
    tile                                (rank of the tile in its parent, number of tiles, threads per tile)
    coalesced group                     (mask of its lanes, rank and number of groups as for a tile)

Everything else is arithmetic on special registers, so that the analyses see `thread_rank` of a 32-thread tile as
`linear % 32` and its `meta_group_rank` as `linear / 32`.

Rules    The *linear index* is CUDA's: x fastest.  A tile of at most a warp lies inside one warp, at a multiple of its
         size.
Limits   A cluster counts as one block where it synchronises, and its size is "some constant".
"""

from __future__ import annotations

from typing import final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister
from analysis.ir.types import U32, U64, GroupKind, GroupType, IntegerType, Type
from analysis.lower.builtins.barriers import full_mask
from analysis.lower.builtins.core import BoundCall
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.operations import build_aggregate

_B, _R = BinaryOperator, SpecialRegister

# positions in the aggregates
TILE_RANK, TILE_COUNT, TILE_SIZE = 0, 1, 2
LANES, PART_RANK, PART_COUNT = 0, 1, 2


@final
class Group:
    """A group value at a place in the code, with the call that uses it."""

    __slots__ = ("call", "emit", "kind", "size", "value")

    def __init__(self, call: BoundCall, value: ValueId) -> None:
        type = call.builder.type_of(value)
        self.call = call
        self.value = value
        self.kind: GroupKind | None = type.kind if isinstance(type, GroupType) else None
        """None for `thread_group`, which may be any group."""
        self.size: int | None = type.size if isinstance(type, GroupType) else None
        self.emit = Emitter(call.builder, call.span)

    @property
    def mask_type(self) -> Type:
        return U64 if self.call.warp_size > 32 else U32

    @property
    def fits_a_warp(self) -> bool:
        """Whether its threads are lanes of one warp; a tile of unknown size counts as one that does."""
        if self.kind is GroupKind.TILE:
            return self.size is None or self.size <= self.call.warp_size
        return self.kind is GroupKind.COALESCED

    @property
    def is_whole_warp(self) -> bool:
        return self.kind is GroupKind.TILE and self.size == self.call.warp_size

    def member(self, index: int) -> ValueId:
        type = self.mask_type if self.kind is GroupKind.COALESCED and index == LANES else U32
        return self.call.builder.extract(self.value, index, type, self.call.span)

    def tile_size(self) -> ValueId:
        return self.member(TILE_SIZE) if self.size is None else self.emit.constant(self.size)

    def first_lane(self) -> ValueId:
        """The lane at which a tile starts."""
        lane = self.emit.special(_R.LANE)
        if self.size is not None:
            return self.emit.with_number(_B.AND, lane, 0xFFFFFFFF & ~(self.size - 1))
        return self.emit.subtract(lane, self.emit.remainder(lane, self.tile_size()))

    def mask(self) -> ValueId:
        """The lanes of a group inside a warp."""
        if self.kind is GroupKind.COALESCED:
            return self.member(LANES)
        if self.is_whole_warp:
            return full_mask(self.call.builder, self.call.warp_size, self.call.span)
        return self.emit.shift_left(self._low_lanes(), self.emit.convert(self.first_lane(), self.mask_type))

    def _low_lanes(self) -> ValueId:
        """As many low bits as the tile has threads."""
        if self.size is not None:
            return self.emit.constant((1 << self.size) - 1, self.mask_type)
        one = self.emit.constant(1, U64)
        bit = self.emit.shift_left(one, self.emit.convert(self.tile_size(), U64))
        return self.emit.convert(self.emit.with_number(_B.SUBTRACT, bit, 1), self.mask_type)

    def lanes_below(self) -> ValueId:
        """How many lanes of a coalesced group come before this one."""
        below = self.emit.bit_and(self.mask(), self.emit.special(_R.LANE_MASK_LESS, self.mask_type))
        return self.emit.math(MathFunction.POPULATION_COUNT, below, type=U32)


# -- the whole block and grid ---------------------------------------------------------------------------------------


def linear_index(emit: Emitter) -> ValueId:
    """The thread's index in its block, x fastest."""
    return _linear(emit, (_R.THREAD_X, _R.THREAD_Y, _R.THREAD_Z), (_R.BLOCK_DIM_X, _R.BLOCK_DIM_Y))


def linear_block(emit: Emitter) -> ValueId:
    """The block's index in the grid, x fastest; in 64 bits, since a grid may have more than 2^32 blocks."""
    return _linear(emit, (_R.BLOCK_X, _R.BLOCK_Y, _R.BLOCK_Z), (_R.GRID_DIM_X, _R.GRID_DIM_Y), U64)


def block_size(emit: Emitter) -> ValueId:
    return _volume(emit, (_R.BLOCK_DIM_X, _R.BLOCK_DIM_Y, _R.BLOCK_DIM_Z))


def grid_size(emit: Emitter) -> ValueId:
    """The number of blocks, in 64 bits."""
    return _volume(emit, (_R.GRID_DIM_X, _R.GRID_DIM_Y, _R.GRID_DIM_Z), U64)


def _linear(
    emit: Emitter, index: tuple[SpecialRegister, ...], extent: tuple[SpecialRegister, ...], type: IntegerType = U32
) -> ValueId:
    rows = emit.multiply(_read(emit, index[2], type), _read(emit, extent[1], type))
    row = emit.add(rows, _read(emit, index[1], type))
    return emit.add(emit.multiply(row, _read(emit, extent[0], type)), _read(emit, index[0], type))


def _volume(emit: Emitter, extent: tuple[SpecialRegister, ...], type: IntegerType = U32) -> ValueId:
    plane = emit.multiply(_read(emit, extent[0], type), _read(emit, extent[1], type))
    return emit.multiply(plane, _read(emit, extent[2], type))


def _read(emit: Emitter, register: SpecialRegister, type: IntegerType) -> ValueId:
    value = emit.special(register)
    return value if type == U32 else emit.convert(value, type)


# -- objects --------------------------------------------------------------------------------------------------------


def plain_group(call: BoundCall, kind: GroupKind) -> ValueId:
    """A block, grid or cluster object."""
    return call.builder.constant(0, GroupType(kind), call.span)


def tile(call: BoundCall, size: int | None, rank: ValueId, count: ValueId, threads: ValueId) -> ValueId:
    type = GroupType(GroupKind.TILE, size)
    return build_aggregate(call.builder, (rank, count, threads), type, call.span)


def coalesced(call: BoundCall, mask: ValueId, rank: ValueId, count: ValueId) -> ValueId:
    return build_aggregate(call.builder, (mask, rank, count), GroupType(GroupKind.COALESCED), call.span)
