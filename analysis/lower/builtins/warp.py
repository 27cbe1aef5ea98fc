"""Votes, shuffles, matches and reductions of a warp, with the legacy forms that have no mask."""

from __future__ import annotations

from typing import Final

from analysis.ir.collectives import Match, Shuffle, Vote, WarpReduce
from analysis.ir.ids import ValueId
from analysis.ir.operators import AtomicOperator, CompareOperator, MatchKind, ShuffleMode, SpecialRegister, VoteKind
from analysis.ir.types import BOOLEAN, PointerType
from analysis.lower.builtins.core import BoundCall, Lowering, Table


def shuffle(mode: ShuffleMode) -> Lowering:
    """`(mask, value, lane, width?)`."""

    def lower(call: BoundCall) -> ValueId:
        mask, value, lane, *width = call.arguments
        result = call.builder.value(call.result)
        call.builder.emit(Shuffle(result, mode, mask, value, lane, width[0] if width else None, call.span))
        return result

    return lower


def legacy_shuffle(mode: ShuffleMode) -> Lowering:
    """`(value, lane, width?)`."""

    def lower(call: BoundCall) -> ValueId:
        value, lane, *width = call.arguments
        result = call.builder.value(call.result)
        call.builder.emit(Shuffle(result, mode, None, value, lane, width[0] if width else None, call.span))
        return result

    return lower


def vote(kind: VoteKind) -> Lowering:
    """`(mask, predicate)`, or `(predicate)` for the legacy forms."""

    def lower(call: BoundCall) -> ValueId:
        *masks, predicate = call.arguments
        mask = masks[0] if masks else None
        result = call.builder.value(call.result)
        call.builder.emit(Vote(result, kind, mask, predicate, call.span))
        return result

    return lower


def _match_any(call: BoundCall) -> ValueId:
    result = call.builder.value(call.result)
    call.builder.emit(Match(result, MatchKind.ANY, call.arguments[0], call.arguments[1], call.span))
    return result


def _match_all(call: BoundCall) -> ValueId:
    """The mask if all agree, else 0; the out-parameter says which."""
    builder, span = call.builder, call.span
    result = builder.value(call.result)
    builder.emit(Match(result, MatchKind.ALL, call.arguments[0], call.arguments[1], span))
    agree = builder.compare(CompareOperator.NOT_EQUAL, result, builder.constant(0, call.result, span), span)
    store_converted(call, call.arguments[2], agree)
    return result


def store_converted(call: BoundCall, address: ValueId, value: ValueId) -> None:
    """Stores through an out-parameter of whatever scalar type."""
    pointer = call.builder.type_of(address)
    element = pointer.element if isinstance(pointer, PointerType) else BOOLEAN
    call.builder.store(address, call.builder.convert(value, element, call.span), call.span)


def _reduce(operator: AtomicOperator) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        result = call.builder.value(call.result)
        call.builder.emit(WarpReduce(result, operator, call.arguments[0], call.arguments[1], call.span))
        return result

    return lower


_SHUFFLES: Final = {
    "__shfl": (ShuffleMode.INDEX, "s32"),
    "__shfl_up": (ShuffleMode.UP, "u32"),
    "__shfl_down": (ShuffleMode.DOWN, "u32"),
    "__shfl_xor": (ShuffleMode.XOR, "s32"),
}
_REDUCTIONS: Final = {
    "add": AtomicOperator.ADD,
    "min": AtomicOperator.MINIMUM,
    "max": AtomicOperator.MAXIMUM,
    "and": AtomicOperator.AND,
    "or": AtomicOperator.OR,
    "xor": AtomicOperator.XOR,
}

TABLE: Final[Table] = {
    **{f"{name}_sync": (shuffle(mode), f"S(mask, S, {lane}, s32?)") for name, (mode, lane) in _SHUFFLES.items()},
    **{name: (legacy_shuffle(mode), f"S(S, {lane}, s32?)") for name, (mode, lane) in _SHUFFLES.items()},
    "__all_sync": (vote(VoteKind.ALL), "s32(mask, s32)"),
    "__any_sync": (vote(VoteKind.ANY), "s32(mask, s32)"),
    "__uni_sync": (vote(VoteKind.UNIFORM), "s32(mask, s32)"),
    "__ballot_sync": (vote(VoteKind.BALLOT), "mask(mask, s32)"),
    "__all": (vote(VoteKind.ALL), "s32(s32)"),
    "__any": (vote(VoteKind.ANY), "s32(s32)"),
    "__ballot": (vote(VoteKind.BALLOT), "mask(s32)"),
    "__ballot64": (vote(VoteKind.BALLOT), "u64(s32)"),
    "__match_any_sync": (_match_any, "mask(mask, V)"),
    "__match_all_sync": (_match_all, "mask(mask, V, s32*)"),
    **{f"__reduce_{name}_sync": (_reduce(operator), "I(mask, I)") for name, operator in _REDUCTIONS.items()},
    "__activemask": (SpecialRegister.ACTIVE_MASK, "mask()"),
    "__lane_id": (SpecialRegister.LANE, "u32()"),
    "__laneid": (SpecialRegister.LANE, "u32()"),
    "__warp_id": (SpecialRegister.WARP_INDEX, "u32()"),
    "__smid": (SpecialRegister.MULTIPROCESSOR, "u32()"),
    "__nvvm_get_smem_size": (SpecialRegister.DYNAMIC_SHARED_SIZE, "u32()"),
    "__lanemask_lt": (SpecialRegister.LANE_MASK_LESS, "mask()"),
    "__lanemask_le": (SpecialRegister.LANE_MASK_LESS_EQUAL, "mask()"),
    "__lanemask_gt": (SpecialRegister.LANE_MASK_GREATER, "mask()"),
    "__lanemask_ge": (SpecialRegister.LANE_MASK_GREATER_EQUAL, "mask()"),
    "__lanemask_eq": (SpecialRegister.LANE_MASK_EQUAL, "mask()"),
}
