"""Making groups: `this_thread_block`, tiles, partitions by predicate or label."""

from __future__ import annotations

from analysis.ir.collectives import Match, Vote
from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MatchKind, MathFunction, SpecialRegister, VoteKind
from analysis.ir.types import U32, U64, GroupKind
from analysis.lower.builtins.core import BoundCall, Lowering, opaque_bound
from analysis.lower.builtins.groups.group import Group, block_size, coalesced, linear_index, plain_group, tile

_B = BinaryOperator


def this_group(kind: GroupKind) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        return plain_group(call, kind)

    return lower


def coalesced_threads(call: BoundCall) -> ValueId:
    """The lanes that are active where the group is made."""
    mask = call.builder.special(SpecialRegister.ACTIVE_MASK, call.span, U64 if call.warp_size > 32 else U32)
    zero, one = (call.builder.constant(number, U32, call.span) for number in (0, 1))
    return coalesced(call, mask, zero, one)


def tiled_partition(call: BoundCall) -> ValueId | None:
    """`tiled_partition<N>(parent)` and `tiled_partition(parent, n)`."""
    parent = Group(call, call.arguments[0])
    explicit = next((argument for argument in call.call.template_arguments if isinstance(argument, int)), None)
    literal = call.literal(1)
    size = explicit if explicit is not None else literal if isinstance(literal, int) else None
    if size is not None and size <= 0:
        return opaque_bound(call)
    if size is None and len(call.arguments) < 2:
        threads = parent.emit.constant(None)  # `tiled_partition<N>` with a template parameter
    else:
        threads = parent.emit.constant(size) if size is not None else call.arguments[1]
    if parent.kind is GroupKind.COALESCED:
        rank = parent.emit.divide(parent.lanes_below(), threads)
        return _part(call, parent, rank, rank)
    return _tile(call, parent, size, threads)


def _tile(call: BoundCall, parent: Group, size: int | None, threads: ValueId) -> ValueId:
    emit = parent.emit
    index = linear_index(emit)
    if parent.kind is GroupKind.TILE:
        index = emit.remainder(index, parent.tile_size())
        count = emit.divide(parent.tile_size(), threads)
    else:
        rounded = emit.add(block_size(emit), emit.with_number(_B.SUBTRACT, threads, 1))
        count = emit.divide(rounded, threads)
    return tile(call, size, emit.divide(index, threads), count, threads)


def _part(call: BoundCall, parent: Group, label: ValueId, rank: ValueId | None = None) -> ValueId:
    """The lanes of `parent` with the same label as this one; how many labels there are is the warp's business."""
    mask = call.builder.value(parent.mask_type)
    call.builder.emit(Match(mask, MatchKind.ANY, parent.mask(), label, call.span))
    firsts = _first_lanes(call, parent, mask)
    count = parent.emit.math(MathFunction.POPULATION_COUNT, firsts, type=U32)
    return coalesced(call, mask, _lanes_before(parent, firsts, mask) if rank is None else rank, count)


def _first_lanes(call: BoundCall, parent: Group, mask: ValueId) -> ValueId:
    """Of each part the lane that comes first."""
    emit = parent.emit
    below = emit.bit_and(mask, emit.special(SpecialRegister.LANE_MASK_LESS, parent.mask_type))
    is_first = emit.compare(CompareOperator.EQUAL, below, emit.number(0, below))
    firsts = call.builder.value(parent.mask_type)
    call.builder.emit(Vote(firsts, VoteKind.BALLOT, parent.mask(), is_first, call.span))
    return firsts


def _lanes_before(parent: Group, firsts: ValueId, mask: ValueId) -> ValueId:
    """How many parts begin before this one."""
    emit = parent.emit
    lowest = emit.bit_and(mask, emit.subtract(emit.number(0, mask), mask))
    before = emit.bit_and(firsts, emit.with_number(_B.SUBTRACT, lowest, 1))
    return emit.math(MathFunction.POPULATION_COUNT, before, type=U32)


def labeled_partition(call: BoundCall) -> ValueId | None:
    parent = Group(call, call.arguments[0])
    return _part(call, parent, call.arguments[1]) if parent.fits_a_warp else opaque_bound(call)


def binary_partition(call: BoundCall) -> ValueId | None:
    """The lanes of the parent whose predicate is this thread's."""
    parent = Group(call, call.arguments[0])
    if not parent.fits_a_warp:
        return opaque_bound(call)
    emit = parent.emit
    voted = call.builder.value(parent.mask_type)
    call.builder.emit(Vote(voted, VoteKind.BALLOT, parent.mask(), call.arguments[1], call.span))
    yes = emit.bit_and(voted, parent.mask())
    no = emit.bit_and(emit.complement(voted), parent.mask())
    mask = emit.select(call.arguments[1], yes, no)
    return coalesced(call, mask, emit.convert(call.arguments[1], U32), emit.constant(2))
