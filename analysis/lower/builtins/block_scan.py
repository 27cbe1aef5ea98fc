"""cub's block-wide reductions and scans, as cub computes them: by shuffles in each warp, then through shared memory.

    own = scan over the warp; scratch[rank] = own; barrier; for each warp: total = total + its last lane's value

Rules    The result of a reduction is that of thread 0; other threads get what they have, so it is never uniform.
         `function` is any function object: cub's own, or one of the file.
Limits   The block's size must be known from the object's type.  Prefix callbacks are not understood.
Source   CUB's documentation, "BlockReduce", "BlockScan": BLOCK_REDUCE_WARP_REDUCTIONS, BLOCK_SCAN_WARP_SCANS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Final, NamedTuple

from analysis.ir.collectives import BlockBarrier, Shuffle
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.operators import (
    BarrierReduction,
    BinaryOperator,
    CompareOperator,
    MathFunction,
    ShuffleMode,
    SpecialRegister,
)
from analysis.ir.types import S32, U32, ArrayType, FloatType, HandleType, IntegerType, PointerType, Type
from analysis.lower.builtins.barriers import full_mask
from analysis.lower.builtins.core import BoundCall, Lowering, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.functors import Combine, combiner
from analysis.lower.builtins.groups.group import block_size, linear_index
from analysis.lower.builtins.guards_and_loops import Count, counted
from analysis.lower.builtins.spelling import template_words

_B, _C = BinaryOperator, CompareOperator


class Scanned(NamedTuple):
    """Of the threads' values in order of their ranks: before this thread's, up to it, of the whole block."""

    before: ValueId
    """Undefined in thread 0."""
    through: ValueId
    total: ValueId


def threads_of(call: BoundCall) -> int | None:
    """How many threads the type of a `cub::Block…<T, X, …, Y, Z>` object names."""
    receiver = call.call.receiver
    type = call.builder.type_of(receiver) if receiver is not None else None
    stem, words = template_words(type.name) if isinstance(type, HandleType) else ("", [])
    if len(words) < 2 or not words[1].isdigit():
        return None
    first = _OTHER_EXTENTS.get(stem.rpartition("::")[2], 4)
    return prod(int(word) for word in (words[1], *words[first : first + 2]) if word.isdigit())


_OTHER_EXTENTS: Final = {
    "BlockReduce": 3,
    "BlockScan": 3,
    "BlockDiscontinuity": 2,
    "BlockAdjacentDifference": 2,
    "BlockShuffle": 2,
    "BlockHistogram": 5,
    "BlockRadixSort": 8,
}
"""Where among the template arguments the block's extents along y and z stand, if not behind four others."""


def block_reduction(functor: int | None) -> Lowering:
    """`Sum(value, valid?)` and `Reduce(value, function, valid?)`; `value` may be an array of the thread's items."""

    def lower(call: BoundCall) -> ValueId | None:
        count = threads_of(call)
        if count is None:
            return None
        combine = combiner(call, functor)
        value = _one_value(call, items_of(call, call.arguments[0]), combine)
        valid = call.arguments[1 if functor is None else 2 :]
        if value is None:
            return None
        found = scanned(call, value, combine, count, valid[0] if valid else None)
        if found is None:
            return None
        emit = Emitter(call.builder, call.span)
        is_first = emit.compare(_C.EQUAL, linear_index(emit), emit.constant(0))
        return emit.select(is_first, found.total, found.through)

    return _or_opaque(lower)


def _or_opaque(lower: Lowering) -> Lowering:
    """Nothing is emitted for a call that cannot be expressed, but that it is not understood."""

    def either(call: BoundCall) -> ValueId | None:
        found = lower(call)
        return opaque_bound(call, may_contain_barrier=True) if found is None else found

    return either


def _one_value(call: BoundCall, items: Sequence[ValueId], combine: Combine) -> ValueId | None:
    total: ValueId | None = items[0]
    for item in items[1:]:
        total = None if total is None else combine(total, item)
    return total


def items_of(call: BoundCall, argument: ValueId) -> list[ValueId]:
    """A value, or the elements of an array that is passed by reference."""
    builder, span = call.builder, call.span
    pointer = builder.type_of(argument)
    if not isinstance(pointer, PointerType):
        return [argument]
    array = pointer.element
    if not isinstance(array, ArrayType) or array.length is None:
        return [builder.load(argument, array, span)]
    return [builder.load(_item(call, argument, array, index), array.element, span) for index in range(array.length)]


def _item(call: BoundCall, address: ValueId, array: ArrayType, index: int) -> ValueId:
    return call.builder.element_address(address, call.builder.constant(index, U32, call.span), array.element, call.span)


# -- scans ------------------------------------------------------------------------------------------------------------


def block_scan(*, inclusive: bool, has_functor: bool) -> Lowering:
    """`InclusiveSum(in, out&, total&?)`, `ExclusiveScan(in, out&, initial?, function, total&?)`."""

    def lower(call: BoundCall) -> ValueId | None:
        functor = functor_index(call) if has_functor else None
        count = threads_of(call)
        if count is None or (has_functor and functor is None):
            return opaque_bound(call, may_contain_barrier=True)
        combine = combiner(call, functor)
        items = items_of(call, call.arguments[0])
        value = _one_value(call, items, combine)
        found = scanned(call, value, combine, count, None) if value is not None else None
        if found is None:
            return opaque_bound(call, may_contain_barrier=True)
        initial = _initial(call, functor, items[0])
        last = 2 if functor is None else functor + 1
        if len(call.arguments) > last and _pointee(call, call.arguments[last]) is not None:
            call.builder.store(call.arguments[last], found.total, call.span)
        emit = Emitter(call.builder, call.span)
        is_first = emit.compare(_C.EQUAL, linear_index(emit), emit.constant(0))
        results = _inclusive(is_first, items, found, combine, emit)
        if not inclusive:
            results = _exclusive(is_first, results, found, initial, combine, emit)
        _store_items(call, call.arguments[1], results)
        return None

    return lower


def functor_index(call: BoundCall) -> int | None:
    """The function comes third, or fourth behind an initial value."""
    places = [index for index in (2, 3) if index < len(call.arguments)]
    found = [index for index in places if not isinstance(call.type_of(index), IntegerType | FloatType | PointerType)]
    return found[-1] if found else None


def _pointee(call: BoundCall, value: ValueId) -> Type | None:
    type = call.builder.type_of(value)
    return type.element if isinstance(type, PointerType) else None


def _initial(call: BoundCall, functor: int | None, like: ValueId) -> ValueId | None:
    """What an exclusive scan starts with; None where it is not specified."""
    type = call.builder.type_of(like)
    if functor is None:
        return call.builder.constant(0.0 if isinstance(type, FloatType) else 0, type, call.span)
    return None if functor == 2 else call.builder.convert(call.arguments[2], type, call.span)


def _inclusive(
    is_first: ValueId, items: Sequence[ValueId], found: Scanned, combine: Combine, emit: Emitter
) -> list[ValueId]:
    results: list[ValueId] = []
    sum: ValueId | None = None
    for item in items:
        sum = item if sum is None else combine(sum, item)
        assert sum is not None  # `combine` gave a value for the same types before
        shifted = combine(found.before, sum)
        assert shifted is not None
        results.append(emit.select(is_first, sum, shifted))
    return results


def _exclusive(
    is_first: ValueId,
    inclusive: Sequence[ValueId],
    found: Scanned,
    initial: ValueId | None,
    combine: Combine,
    emit: Emitter,
) -> list[ValueId]:
    """What comes before each item: the item before it, or the threads before."""
    start = emit.builder.undefined(emit.type_of(found.through), emit.span) if initial is None else initial
    shifted = [emit.select(is_first, start, _with_initial(found.before, initial, combine))]
    return shifted + [_with_initial(item, initial, combine) for item in inclusive[:-1]]


def _with_initial(value: ValueId, initial: ValueId | None, combine: Combine) -> ValueId:
    combined = value if initial is None else combine(initial, value)
    assert combined is not None
    return combined


def _store_items(call: BoundCall, to: ValueId, results: Sequence[ValueId]) -> None:
    array = _pointee(call, to)
    for index, result in enumerate(results):
        at = _item(call, to, array, index) if isinstance(array, ArrayType) else to
        element = array.element if isinstance(array, ArrayType) else array
        assert element is not None  # the signature asks for a reference
        call.builder.store(at, call.builder.convert(result, element, call.span), call.span)


# -- the exchange -----------------------------------------------------------------------------------------------------


def scanned(call: BoundCall, value: ValueId, combine: Combine, threads: int, valid: ValueId | None) -> Scanned | None:
    """The scan of one value per thread over the block, of the first `valid` threads where that is given."""
    emit = Emitter(call.builder, call.span)
    type, width = emit.type_of(value), call.warp_size
    through = _warp_scan(call, value, combine)
    if through is None:
        return None
    rank = linear_index(emit)
    scratch = call.builder.symbol("scratch", SymbolKind.SHARED, ArrayType(type, threads), call.span)
    base = call.builder.symbol_address(scratch, call.span)
    call.builder.store(call.builder.element_address(base, rank, type, call.span), through, call.span)
    call.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, call.span))
    count = block_size(emit)
    if valid is not None:
        count = emit.builder.math(_MINIMUM, (emit.convert(valid, U32), count), U32, call.span)
    last = emit.with_number(_B.SUBTRACT, count, 1)

    def of_warp(number: ValueId) -> ValueId:
        """What the last valid lane of a warp holds: the sum of the warp."""
        lane = emit.with_number(_B.ADD, emit.with_number(_B.MULTIPLY, number, width), width - 1)
        at = emit.builder.math(_MINIMUM, (lane, last), U32, call.span)
        return call.builder.load(call.builder.element_address(base, at, type, call.span), type, call.span)

    total, prefix = _over_warps(emit, of_warp, combine, emit.with_number(_B.DIVIDE, last, width), rank, width)
    below = _shuffled_up(call, through, 1)
    lane = emit.special(SpecialRegister.LANE)
    is_lane_0 = emit.compare(_C.EQUAL, lane, emit.constant(0))
    is_warp_0 = emit.compare(_C.LESS, rank, emit.constant(width))
    own, shifted = combine(prefix, through), combine(prefix, below)
    assert own is not None
    assert shifted is not None
    before = emit.select(is_lane_0, prefix, emit.select(is_warp_0, below, shifted))
    return Scanned(before, emit.select(is_warp_0, through, own), total)


_MINIMUM = MathFunction.MINIMUM


def _warp_scan(call: BoundCall, value: ValueId, combine: Combine) -> ValueId | None:
    emit = Emitter(call.builder, call.span)
    lane = emit.special(SpecialRegister.LANE)
    total = value
    distance = 1
    while distance < call.warp_size:
        sum = combine(_shuffled_up(call, total, distance), total)
        if sum is None:
            return None
        total = emit.select(emit.compare(_C.GREATER_EQUAL, lane, emit.constant(distance)), sum, total)
        distance *= 2
    return total


def _shuffled_up(call: BoundCall, value: ValueId, distance: int) -> ValueId:
    builder, span = call.builder, call.span
    result = builder.value(builder.type_of(value))
    mask, delta = full_mask(builder, call.warp_size, span), builder.constant(distance, U32, span)
    width = builder.constant(call.warp_size, S32, span)
    builder.emit(Shuffle(result, ShuffleMode.UP, mask, value, delta, width, span))
    return result


def _over_warps(
    emit: Emitter, of_warp: Callable[[ValueId], ValueId], combine: Combine, last: ValueId, rank: ValueId, width: int
) -> tuple[ValueId, ValueId]:
    """The sum of all warps, and that of the warps before the thread's own: one warp after the other, up to `last`."""
    builder, span = emit.builder, emit.span
    own = emit.with_number(_B.DIVIDE, rank, width)
    first = of_warp(emit.constant(0))
    type = emit.type_of(first)
    places = [
        builder.symbol_address(builder.symbol(name, SymbolKind.LOCAL, type, span), span) for name in ("total", "prefix")
    ]
    total_at, prefix_at = places
    builder.store(total_at, first, span)
    builder.store(prefix_at, first, span)

    def add(warp: ValueId) -> None:
        following = emit.with_number(_B.ADD, warp, 1)
        sum = combine(builder.load(total_at, type, span), of_warp(following))
        assert sum is not None  # `_warp_scan` combined the same types
        builder.store(total_at, sum, span)
        is_before = emit.compare(_C.LESS, following, own)
        builder.store(prefix_at, emit.select(is_before, sum, builder.load(prefix_at, type, span)), span)

    counted(emit, "warp", Count.by_one(emit, emit.constant(0), last), add)
    return builder.load(total_at, type, span), builder.load(prefix_at, type, span)
