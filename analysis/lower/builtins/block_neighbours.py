"""cub's block-wide routines over neighbouring items, and its histograms.

Rules    The flag of an item says whether it differs (by the function that is passed) from the item before it, or after
         it; the first item of a block, or the last, is flagged where no neighbour outside is given.
         A histogram counts by atomic additions, for either of cub's algorithms.
Limits   As in `block_exchange`.
Source   CUB's documentation, "BlockDiscontinuity", "BlockHistogram".
"""

from __future__ import annotations

from itertools import pairwise

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic
from analysis.ir.operators import AtomicOperator, BinaryOperator, CompareOperator
from analysis.ir.types import S32, U32, ArrayType, HandleType, IntegerType, PointerType
from analysis.lower.builtins.block_exchange import Arrangement, Exchange, barrier, items_in, read_items, write_items
from analysis.lower.builtins.block_scan import threads_of
from analysis.lower.builtins.core import BoundCall, Lowering, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.groups.group import linear_index
from analysis.lower.builtins.guards_and_loops import guarded
from analysis.lower.builtins.spelling import template_words

_B, _C = BinaryOperator, CompareOperator
_COMPARISONS = {"cub::Inequality": _C.NOT_EQUAL, "cub::Equality": _C.EQUAL}


def flags(*, heads: bool) -> Lowering:
    """`FlagHeads(flags, items, differs, before?)`, `FlagTails(flags, items, differs, after?)`."""

    def lower(call: BoundCall) -> ValueId | None:
        targets, items, threads = items_in(call, call.arguments[0]), items_in(call, call.arguments[1]), threads_of(call)
        if targets is None or items is None or threads is None:
            return opaque_bound(call, may_contain_barrier=True)
        exchange = Exchange(call, threads, 1, items.element)
        emit = exchange.emit
        own = read_items(call, items)
        exchange.put(exchange.place(0, Arrangement.BLOCKED), own[-1] if heads else own[0])
        barrier(call)
        rank = linear_index(emit)
        edge = emit.constant(0 if heads else threads - 1)
        is_edge = emit.compare(_C.EQUAL, rank, edge)
        step = _B.SUBTRACT if heads else _B.ADD
        outside = exchange.get(emit.select(is_edge, rank, emit.with_number(step, rank, 1)))
        if len(call.arguments) > 3:
            given = emit.convert(call.arguments[3], items.element)
            outside = emit.select(is_edge, given, outside)
        row = [outside, *own] if heads else [*own, outside]
        found = [_differs(call, one, other) for one, other in pairwise(row)]
        values = [emit.convert(value, S32) for value in found if value is not None]
        if len(values) < len(found):
            return opaque_bound(call, may_contain_barrier=True)
        if len(call.arguments) <= 3:
            index = 0 if heads else len(values) - 1
            values[index] = emit.select(is_edge, emit.constant(1, S32), values[index])
        write_items(call, targets, values)
        return None

    return lower


def _differs(call: BoundCall, one: ValueId, other: ValueId) -> ValueId | None:
    type = call.type_of(2)
    comparison = _COMPARISONS.get(type.name) if isinstance(type, HandleType) else None
    if comparison is not None:
        return call.builder.compare(comparison, one, other, call.span)
    return None if call.call.apply is None else call.call.apply(2, (one, other))


def histogram(*, clears: bool, counts: bool) -> Lowering:
    """`InitHistogram(bins)`, `Composite(items, bins)`, `Histogram(items, bins)`."""

    def lower(call: BoundCall) -> ValueId | None:
        pointer, threads = call.type_of(len(call.arguments) - 1), threads_of(call)
        items = items_in(call, call.arguments[0]) if counts else None
        array = pointer.element if isinstance(pointer, PointerType) else None
        bins = _bins(call)
        if not isinstance(array, ArrayType) or threads is None or bins is None or (counts and items is None):
            return opaque_bound(call, may_contain_barrier=True)
        emit, base = Emitter(call.builder, call.span), call.arguments[-1]
        if clears:
            _clear(call, emit, base, array, bins, threads)
        if clears and counts:
            barrier(call)
        for value in read_items(call, items) if items is not None else ():
            number = emit.convert(value, U32)
            address = call.builder.element_address(base, number, array.element, call.span)
            one = emit.constant(1, array.element)
            result = call.builder.value(array.element)
            call.builder.emit(Atomic(result, AtomicOperator.ADD, address, (one,), call.span))
        return None

    return lower


def _bins(call: BoundCall) -> int | None:
    """`BlockHistogram<T, threads, items, bins>`."""
    receiver = call.call.receiver
    type = call.builder.type_of(receiver) if receiver is not None else None
    words = template_words(type.name)[1] if isinstance(type, HandleType) else []
    return int(words[3]) if len(words) > 3 and words[3].isdigit() else None


def _clear(call: BoundCall, emit: Emitter, base: ValueId, array: ArrayType, bins: int, threads: int) -> None:
    builder, span = call.builder, call.span
    rank = linear_index(emit)
    zero = emit.constant(0 if isinstance(array.element, IntegerType) else 0.0, array.element)
    for first in range(0, bins, threads):
        place = emit.with_number(_B.ADD, rank, first)

        def clear(place: ValueId = place) -> None:
            builder.store(builder.element_address(base, place, array.element, span), zero, span)

        if first + threads > bins:
            guarded(emit, emit.compare(_C.LESS, place, emit.constant(bins)), clear)
        else:
            clear()
