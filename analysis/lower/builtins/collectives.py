"""cub's block-wide and warp-wide primitives, and hipCUB's.

Words    An object is built from its `TempStorage`; a method of a `Block...` class is a routine of the whole block.
Rules    Block reductions and scans are computed as cub does it (`block_scan`), loads, stores, exchanges, sorts, flags
         and histograms by what they do (`block_exchange`, `block_neighbours`).  The other block routines are a barrier,
         a result, and a barrier; the result is `COLLECTIVE`: made of all threads' values, never uniform.
         A warp reduction is one instruction and a warp scan is the ladder of shuffles that groups use.
Limits   The element type is that of the argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.collectives import BlockBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import (
    AtomicOperator,
    BarrierReduction,
    BinaryOperator,
    CompareOperator,
    MathFunction,
    ShuffleMode,
)
from analysis.ir.types import U32, GroupKind, GroupType, HandleType, PointerType, Type
from analysis.lower.builtins.block_exchange import (
    Arrangement,
    items_in,
    merge_sort,
    radix_sort,
    rearranged,
    scattered,
    transfer,
)
from analysis.lower.builtins.block_neighbours import flags, histogram
from analysis.lower.builtins.block_scan import block_reduction, block_scan, functor_index, threads_of
from analysis.lower.builtins.core import BoundCall, Lowering, Table, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.functors import combiner
from analysis.lower.builtins.groups.exchange import shuffled
from analysis.lower.builtins.groups.group import Group, linear_index
from analysis.lower.builtins.groups.ranks import thread_rank
from analysis.lower.builtins.groups.reduce import reduce, scanned, shifted, warp_reduced
from analysis.lower.builtins.operations import build_aggregate
from analysis.lower.builtins.standard import functor_operator

_B, _M = BinaryOperator, MathFunction


def _barrier(call: BoundCall) -> None:
    call.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, call.span))


def _from_all_threads(call: BoundCall, operands: tuple[ValueId, ...], type: Type) -> ValueId:
    rank = linear_index(Emitter(call.builder, call.span))
    return call.builder.math(_M.COLLECTIVE, (*operands, rank), type, call.span)


def _block_exchange(*, targets: int, sources: int) -> Lowering:
    """Reads `sources` arguments by reference or value, writes the next `targets`, all through shared memory."""

    def lower(call: BoundCall) -> None:
        builder, span = call.builder, call.span
        _barrier(call)
        operands = tuple(_contents(call, value) for value in call.arguments[:sources])
        for to in call.arguments[sources : sources + targets] or call.arguments[:1]:
            pointer = builder.type_of(to)
            if isinstance(pointer, PointerType):
                builder.store(to, _from_all_threads(call, operands, pointer.element), span)
        _barrier(call)

    return lower


def _or_unknown(known: Lowering, *, targets: int, sources: int = 1) -> Lowering:
    """`known` where the block and its items have known sizes: a template without arguments has none."""
    otherwise = _block_exchange(targets=targets, sources=sources)

    def lower(call: BoundCall) -> ValueId | None:
        is_known = threads_of(call) is not None and items_in(call, call.arguments[0]) is not None
        return known(call) if is_known else otherwise(call)

    return lower


def _contents(call: BoundCall, value: ValueId) -> ValueId:
    type = call.builder.type_of(value)
    return call.builder.load(value, type.element, call.span) if isinstance(type, PointerType) else value


# -- warps ------------------------------------------------------------------------------------------------------------


def _warp(call: BoundCall) -> Group:
    """The logical warp of a `cub::Warp...` object as a tile: its size is the last number among the arguments."""
    receiver = call.call.receiver
    type = call.builder.type_of(receiver) if receiver is not None else None
    size = _last_number(type.name) if isinstance(type, HandleType) else None
    tile = GroupType(GroupKind.TILE, size or call.warp_size)
    zero = call.builder.constant(0, U32, call.span)
    return Group(call, build_aggregate(call.builder, (zero, zero, zero), tile, call.span))


def _last_number(name: str) -> int | None:
    numbers = [word for word in name.rstrip(">").split(",")[1:] if word.isdigit()]
    return int(numbers[0]) if numbers and int(numbers[0]) > 1 else None


def _warp_sum(call: BoundCall) -> ValueId:
    return warp_reduced(_warp(call), AtomicOperator.ADD, call.arguments[0])


def _warp_reduction(call: BoundCall) -> ValueId | None:
    return reduce(_warp(call), call.arguments[:2])


def _warp_scan(*, inclusive: bool, has_functor: bool) -> Lowering:
    """`InclusiveSum(value, result&)`, `ExclusiveScan(value, result&, initial?, function)`."""

    def lower(call: BoundCall) -> ValueId | None:
        value, to = call.arguments[:2]
        functor = functor_index(call) if has_functor else None
        if has_functor and functor is None:
            return opaque_bound(call)
        group, combine = _warp(call), combiner(call, functor)
        found = scanned(group, combine, value)
        if found is None:
            return opaque_bound(call)
        call.builder.store(to, found if inclusive else _exclusive(group, call, functor, found), call.span)
        last = 2 if functor is None else functor + 1
        if len(call.arguments) > last:
            end = group.emit.with_number(_B.SUBTRACT, group.tile_size(), 1)
            call.builder.store(call.arguments[last], shuffled(group, ShuffleMode.INDEX, found, end), call.span)
        return None

    return lower


def _exclusive(group: Group, call: BoundCall, functor: int | None, inclusive: ValueId) -> ValueId:
    """What comes before the lane's value: an initial value, where there is one, and the lanes below."""
    value = call.arguments[0]
    operator = functor_operator(call.type_of(functor)) if functor is not None else _B.ADD
    before = shifted(group, operator, inclusive, value)
    if functor != 3:
        return before
    emit = group.emit
    initial = emit.convert(call.arguments[2], emit.type_of(value))
    combined = combiner(call, functor)(initial, before)
    assert combined is not None  # the scan combined the same types
    rank = thread_rank(group, ())
    assert rank is not None  # a tile has ranks
    return emit.select(emit.compare(CompareOperator.EQUAL, rank, emit.constant(0)), initial, combined)


# -- tables -----------------------------------------------------------------------------------------------------------

_A = Arrangement
_MOVE: Final = "void(any&, any&) | void(any&)"
_SCATTER: Final = "void(any&, any&, any&) | void(any&, any&)"
_SORT: Final = "void(any&, any&, s32?, s32?) | void(any&, s32?, s32?)"
_MERGE: Final = "void(any&, any&, function) | void(any&, function)"

_SUM: Final = "void(any, any&, any&?) | void(any&, any&, any&?)"
_FOLD: Final = "void(any, any&, function, any&?) | void(any&, any&, function, any&?)"

METHODS: Final[Mapping[str, Table]] = {
    "BlockReduce": {
        "Sum": (block_reduction(None), "any(any&, s32?) | any(any, s32?)"),
        "Reduce": (block_reduction(1), "any(any&, function, s32?) | any(any, function, s32?)"),
    },
    "BlockScan": {
        "InclusiveSum": (block_scan(inclusive=True, has_functor=False), _SUM),
        "ExclusiveSum": (block_scan(inclusive=False, has_functor=False), _SUM),
        "InclusiveScan": (block_scan(inclusive=True, has_functor=True), _FOLD),
        "ExclusiveScan": (
            block_scan(inclusive=False, has_functor=True),
            f"{_FOLD} | void(any, any&, any, function, any&?) | void(any&, any&, any, function, any&?)",
        ),
    },
    "BlockLoad": {"Load": (transfer(is_load=True, is_block=True), "void(P, any&, any?, any?)")},
    "BlockStore": {"Store": (transfer(is_load=False, is_block=True), "void(P, any&, any?)")},
    "BlockExchange": {
        "StripedToBlocked": (_or_unknown(rearranged(_A.STRIPED, _A.BLOCKED), targets=1), _MOVE),
        "BlockedToStriped": (_or_unknown(rearranged(_A.BLOCKED, _A.STRIPED), targets=1), _MOVE),
        "WarpStripedToBlocked": (_or_unknown(rearranged(_A.WARP_STRIPED, _A.BLOCKED), targets=1), _MOVE),
        "BlockedToWarpStriped": (_or_unknown(rearranged(_A.BLOCKED, _A.WARP_STRIPED), targets=1), _MOVE),
        "ScatterToBlocked": (_or_unknown(scattered(_A.BLOCKED), targets=1), _SCATTER),
        "ScatterToStriped": (_or_unknown(scattered(_A.STRIPED), targets=1), _SCATTER),
    },
    "BlockRadixSort": {
        "Sort": (_or_unknown(radix_sort(descending=False, after=_A.BLOCKED), targets=0), _SORT),
        "SortDescending": (_or_unknown(radix_sort(descending=True, after=_A.BLOCKED), targets=0), _SORT),
        "SortBlockedToStriped": (_or_unknown(radix_sort(descending=False, after=_A.STRIPED), targets=0), _SORT),
        "SortDescendingBlockedToStriped": (
            _or_unknown(radix_sort(descending=True, after=_A.STRIPED), targets=0),
            _SORT,
        ),
    },
    "BlockMergeSort": dict.fromkeys(("Sort", "StableSort"), (_or_unknown(merge_sort, targets=0), _MERGE)),
    "BlockHistogram": {
        "InitHistogram": (_or_unknown(histogram(clears=True, counts=False), targets=1, sources=0), "void(any&)"),
        "Composite": (_or_unknown(histogram(clears=False, counts=True), targets=1), "void(any&, any&)"),
        "Histogram": (_or_unknown(histogram(clears=True, counts=True), targets=1), "void(any&, any&)"),
    },
    "BlockDiscontinuity": {
        "FlagHeads": (_or_unknown(flags(heads=True), targets=1, sources=2), "void(any&, any&, function, any?)"),
        "FlagTails": (_or_unknown(flags(heads=False), targets=1, sources=2), "void(any&, any&, function, any?)"),
    },
    "BlockAdjacentDifference": {
        "SubtractLeft": (_block_exchange(targets=1, sources=1), "void(any&, any&, any?, any?)"),
        "SubtractRight": (_block_exchange(targets=1, sources=1), "void(any&, any&, any?, any?)"),
    },
    "BlockShuffle": {
        name: (_block_exchange(targets=1, sources=1), "void(any, any&, any?)")
        for name in ("Offset", "Rotate", "Up", "Down")
    },
    "WarpReduce": {
        "Sum": (_warp_sum, "V(V, s32?)"),
        "Reduce": (_warp_reduction, "V(V, function, s32?)"),
    },
    "WarpScan": {
        "InclusiveSum": (_warp_scan(inclusive=True, has_functor=False), "void(any, any&, any&?)"),
        "ExclusiveSum": (_warp_scan(inclusive=False, has_functor=False), "void(any, any&, any&?)"),
        "InclusiveScan": (_warp_scan(inclusive=True, has_functor=True), "void(any, any&, function, any&?)"),
        "ExclusiveScan": (
            _warp_scan(inclusive=False, has_functor=True),
            "void(any, any&, function) | void(any, any&, any, function)",
        ),
    },
    "WarpLoad": {"Load": (transfer(is_load=True, is_block=False), "void(P, any&, any?, any?)")},
    "WarpStore": {"Store": (transfer(is_load=False, is_block=False), "void(P, any&, any?)")},
}


def method_table(type: Type) -> Table | None:
    """The methods of a cub object."""
    if not isinstance(type, HandleType):
        return None
    space, _, last = type.name.partition("<")[0].rpartition("::")
    return METHODS.get(last) if space == "cub" else None
