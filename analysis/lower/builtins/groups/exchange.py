"""Shuffles, votes and matches of groups inside a warp.

Rules    Ranks count from the group's first lane.  A tile's shuffle carries the tile size as its width, so the hardware
         does the translation; a coalesced group finds the lane of a rank by searching its mask.
         Masks that a tile hands out are shifted down to it; those of a coalesced group are packed.
Limits   Tiles larger than a warp exchange through shared memory: opaque, with a barrier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from analysis.ir.collectives import Match, Shuffle, Vote
from analysis.ir.ids import ValueId
from analysis.ir.operators import (
    BinaryOperator,
    CompareOperator,
    MatchKind,
    MathFunction,
    ShuffleMode,
    SpecialRegister,
    VoteKind,
)
from analysis.ir.types import S32, U32, GroupKind
from analysis.lower.builtins.core import opaque_bound
from analysis.lower.builtins.groups.group import Group
from analysis.lower.builtins.warp import store_converted

GroupOperation: TypeAlias = Callable[[Group, tuple[ValueId, ...]], ValueId | None]
_B = BinaryOperator


def shuffle(mode: ShuffleMode) -> GroupOperation:
    def lower(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
        if not group.fits_a_warp:
            return opaque_bound(group.call, may_contain_barrier=True)
        value, lane = arguments
        return shuffled(group, mode, value, lane)

    return lower


def shuffled(group: Group, mode: ShuffleMode, value: ValueId, lane: ValueId) -> ValueId:
    """`value` of the thread with rank `lane`, or at that distance."""
    if group.kind is GroupKind.COALESCED:
        mode, lane = ShuffleMode.INDEX, _lane_of_rank(group, mode, lane)
        width = None
    else:
        width = group.emit.convert(group.tile_size(), S32)
    result = group.call.builder.value(group.emit.type_of(value))
    group.call.builder.emit(Shuffle(result, mode, group.mask(), value, lane, width, group.call.span))
    return result


def _lane_of_rank(group: Group, mode: ShuffleMode, rank: ValueId) -> ValueId:
    """The lane of a rank in a coalesced group; where there is none, the thread's own lane."""
    emit = group.emit
    rank = emit.convert(rank, U32)
    match mode:
        case ShuffleMode.INDEX:
            start, offset = emit.constant(0), emit.with_number(_B.ADD, rank, 1)
        case ShuffleMode.DOWN:
            start, offset = emit.special(SpecialRegister.LANE), emit.with_number(_B.ADD, rank, 1)
        case ShuffleMode.UP:
            start = emit.special(SpecialRegister.LANE)
            offset = emit.complement(rank)  # -(rank + 1)
        case ShuffleMode.XOR:
            own = emit.binary(_B.XOR, group.lanes_below(), rank)
            start, offset = emit.constant(0), emit.with_number(_B.ADD, own, 1)
    lane = emit.math(MathFunction.FIND_NTH_SET, group.mask(), start, emit.convert(offset, S32), type=U32)
    is_none = emit.compare(CompareOperator.EQUAL, lane, emit.constant(0xFFFFFFFF))
    return emit.select(is_none, emit.special(SpecialRegister.LANE), lane)


def vote(kind: VoteKind) -> GroupOperation:
    def lower(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
        if not group.fits_a_warp:
            return opaque_bound(group.call, may_contain_barrier=True)
        type = group.mask_type if kind is VoteKind.BALLOT else S32
        result = group.call.builder.value(type)
        group.call.builder.emit(Vote(result, kind, group.mask(), arguments[0], group.call.span))
        return _to_ranks(group, result) if kind is VoteKind.BALLOT else result

    return lower


def match_any(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
    return _to_ranks(group, _match(group, MatchKind.ANY, arguments[0]))


def match_all(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
    lanes = _match(group, MatchKind.ALL, arguments[0])
    agree = group.emit.compare(CompareOperator.NOT_EQUAL, lanes, group.emit.number(0, lanes))
    store_converted(group.call, arguments[1], agree)
    return _to_ranks(group, lanes)


def _match(group: Group, kind: MatchKind, value: ValueId) -> ValueId:
    result = group.call.builder.value(group.mask_type)
    group.call.builder.emit(Match(result, kind, group.mask(), value, group.call.span))
    return result


def _to_ranks(group: Group, lanes: ValueId) -> ValueId:
    """A mask of lanes as a mask of ranks."""
    emit = group.emit
    if group.is_whole_warp:
        return lanes
    if group.kind is GroupKind.COALESCED:
        return emit.math(MathFunction.EXTRACT_BITS, lanes, group.mask())
    own = emit.bit_and(lanes, group.mask())
    return emit.shift_right(own, emit.convert(group.first_lane(), group.mask_type))
