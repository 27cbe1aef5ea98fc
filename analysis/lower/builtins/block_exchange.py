"""cub's block-wide loads, stores, exchanges and sorts: items that threads hand to one another through shared memory.

Words     Item `i` of thread `r` stands at `r * items + i` in a *blocked* arrangement, at `i * threads + r` in a
          *striped* one, and in stripes of its own warp in a *warp-striped* one.
Rules     A transposing load or store moves striped items and exchanges them; any other moves its items directly and
          has no barrier.  With a count of valid items, the others are left alone or get the default.
          A sort ranks each item: how many items of the block come before it.  It is stable, as cub's are.
          Scratch memory is padded by one element in 32, so that an exchange has no bank conflicts.
Limits    The block's size must be known from the object's type.  NaNs sort by their bits.
Source    CUB's documentation, "BlockLoad", "BlockStore", "BlockExchange", "BlockRadixSort", "BlockMergeSort".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from analysis.ir.collectives import BlockBarrier
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierReduction, BinaryOperator, CompareOperator, SpecialRegister
from analysis.ir.types import (
    BOOLEAN,
    U32,
    ArrayType,
    FloatFormat,
    FloatType,
    HandleType,
    IntegerType,
    PointerType,
    Type,
)
from analysis.lower.builtins.block_scan import threads_of
from analysis.lower.builtins.core import BoundCall, Lowering, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.groups.group import linear_index
from analysis.lower.builtins.guards_and_loops import Count, counted, guarded
from analysis.lower.builtins.spelling import template_words

_B, _C = BinaryOperator, CompareOperator


class Arrangement(Enum):
    """Which thread has which items of a block."""

    BLOCKED = "blocked"
    STRIPED = "striped"
    WARP_STRIPED = "warp-striped"


class Items(NamedTuple):
    """The array of one thread's items, passed by reference."""

    address: ValueId
    element: Type
    length: int


def items_in(call: BoundCall, value: ValueId) -> Items | None:
    """The items behind an argument; None where it is no array of known length."""
    pointer = call.builder.type_of(value)
    array = pointer.element if isinstance(pointer, PointerType) else None
    if not isinstance(array, ArrayType) or array.length is None:
        return None
    return Items(value, array.element, array.length)


class Exchange:
    """Shared memory for the items of a whole block, and where a thread's items lie in it."""

    def __init__(self, call: BoundCall, threads: int, items: int, element: Type) -> None:
        self.emit = Emitter(call.builder, call.span)
        self._element, self._threads, self._items = element, threads, items
        self._rank = linear_index(self.emit)
        self._width = call.warp_size
        total = threads * items
        scratch = ArrayType(element, total + total // 32)
        symbol = call.builder.symbol("scratch", SymbolKind.SHARED, scratch, call.span)
        self._base = call.builder.symbol_address(symbol, call.span)

    def place(self, item: int, arrangement: Arrangement) -> ValueId:
        """The number of a thread's item in the block."""
        emit, rank = self.emit, self._rank
        if arrangement is Arrangement.BLOCKED:
            return emit.with_number(_B.ADD, emit.with_number(_B.MULTIPLY, rank, self._items), item)
        if arrangement is Arrangement.STRIPED:
            return emit.with_number(_B.ADD, rank, item * self._threads)
        warp = emit.with_number(_B.DIVIDE, rank, self._width)
        first = emit.with_number(_B.MULTIPLY, warp, self._width * self._items)
        lane = emit.with_number(_B.REMAINDER, rank, self._width)
        return emit.with_number(_B.ADD, emit.add(first, lane), item * self._width)

    def put(self, place: ValueId, value: ValueId) -> None:
        self.emit.builder.store(self._address(place), value, self.emit.span)

    def get(self, place: ValueId) -> ValueId:
        return self.emit.builder.load(self._address(place), self._element, self.emit.span)

    def _address(self, place: ValueId) -> ValueId:
        padded = self.emit.add(place, self.emit.with_number(_B.DIVIDE, place, 32))
        return self.emit.builder.element_address(self._base, padded, self._element, self.emit.span)


def barrier(call: BoundCall) -> None:
    """All threads of the block have written before any reads."""
    call.builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, call.span))


def read_items(call: BoundCall, items: Items) -> list[ValueId]:
    """The values of all items of the thread."""
    return [call.builder.load(_element(call, items, index), items.element, call.span) for index in range(items.length)]


def write_items(call: BoundCall, items: Items, values: Sequence[ValueId]) -> None:
    """Stores new values into all items of the thread."""
    for index, value in enumerate(values):
        call.builder.store(
            _element(call, items, index), call.builder.convert(value, items.element, call.span), call.span
        )


def _element(call: BoundCall, items: Items, index: int) -> ValueId:
    number = call.builder.constant(index, U32, call.span)
    return call.builder.element_address(items.address, number, items.element, call.span)


# -- loads and stores -------------------------------------------------------------------------------------------------


def transfer(*, is_load: bool, is_block: bool) -> Lowering:
    """`Load(pointer, items, valid?, default?)` and `Store(pointer, items, valid?)`."""

    def lower(call: BoundCall) -> ValueId | None:
        memory, items = call.arguments[0], items_in(call, call.arguments[1])
        pointer = call.builder.type_of(memory)
        threads = threads_of(call) if is_block else call.warp_size
        if not isinstance(pointer, PointerType) or items is None or threads is None:
            return opaque_bound(call, may_contain_barrier=is_block)
        algorithm = _algorithm(call)
        move = _Move(call, memory, pointer.element, items, threads, is_block)
        if is_block and "TRANSPOSE" in algorithm:
            move.through_scratch(is_load=is_load)
        else:
            is_striped = algorithm.endswith("STRIPED")
            move.directly(Arrangement.STRIPED if is_striped else Arrangement.BLOCKED, is_load=is_load)
        return None

    return lower


def _algorithm(call: BoundCall) -> str:
    """`cub::BLOCK_LOAD_TRANSPOSE` among the arguments of the object's type; empty for the default."""
    receiver = call.call.receiver
    type = call.builder.type_of(receiver) if receiver is not None else None
    words = template_words(type.name)[1] if isinstance(type, HandleType) else []
    return next((word for word in words if "_LOAD_" in word or "_STORE_" in word), "")


class _Move:
    """One load or store of a thread's items."""

    def __init__(
        self, call: BoundCall, memory: ValueId, type: Type, items: Items, threads: int, is_block: bool
    ) -> None:
        self._call, self._memory, self._type, self._items = call, memory, type, items
        self._emit = Emitter(call.builder, call.span)
        self._threads = threads
        self._rank = linear_index(self._emit) if is_block else self._emit.special(SpecialRegister.LANE)
        rest = call.arguments[2:]
        self._valid = self._emit.convert(rest[0], U32) if rest else None
        self._default = rest[1] if len(rest) > 1 else None

    def directly(self, arrangement: Arrangement, *, is_load: bool) -> None:
        for index in range(self._items.length):
            place = self._place(index, arrangement)
            item = _element(self._call, self._items, index)
            if is_load:
                self._load(place, item, self._items.element)
            else:
                builder, span = self._call.builder, self._call.span
                self._store(place, builder.load(item, self._items.element, span))

    def through_scratch(self, *, is_load: bool) -> None:
        call, items = self._call, self._items
        exchange = Exchange(call, self._threads, items.length, items.element)
        if is_load:
            self.directly(Arrangement.STRIPED, is_load=True)
            swap(call, exchange, items, items, Arrangement.STRIPED, Arrangement.BLOCKED)
            return
        for index, value in enumerate(read_items(call, items)):
            exchange.put(exchange.place(index, Arrangement.BLOCKED), value)
        barrier(call)
        for index in range(items.length):
            place = exchange.place(index, Arrangement.STRIPED)
            self._store(place, exchange.get(place))

    def _place(self, index: int, arrangement: Arrangement) -> ValueId:
        emit = self._emit
        if arrangement is Arrangement.STRIPED:
            return emit.with_number(_B.ADD, self._rank, index * self._threads)
        return emit.with_number(_B.ADD, emit.with_number(_B.MULTIPLY, self._rank, self._items.length), index)

    def _load(self, place: ValueId, to: ValueId, type: Type) -> None:
        builder, span = self._call.builder, self._call.span
        if self._default is not None:
            builder.store(to, builder.convert(self._default, type, span), span)

        def move() -> None:
            at = builder.element_address(self._memory, place, self._type, span)
            builder.store(to, builder.convert(builder.load(at, self._type, span), type, span), span)

        self._where_valid(place, move)

    def _store(self, place: ValueId, value: ValueId) -> None:
        builder, span = self._call.builder, self._call.span

        def move() -> None:
            at = builder.element_address(self._memory, place, self._type, span)
            builder.store(at, builder.convert(value, self._type, span), span)

        self._where_valid(place, move)

    def _where_valid(self, place: ValueId, move: Callable[[], None]) -> None:
        if self._valid is None:
            move()
            return
        guarded(self._emit, self._emit.compare(_C.LESS, place, self._valid), move)


# -- exchanges --------------------------------------------------------------------------------------------------------


def swap(
    call: BoundCall, exchange: Exchange, source: Items, target: Items, before: Arrangement, after: Arrangement
) -> None:
    """The items in another arrangement."""
    for index, value in enumerate(read_items(call, source)):
        exchange.put(exchange.place(index, before), value)
    barrier(call)
    write_items(call, target, [exchange.get(exchange.place(index, after)) for index in range(target.length)])


def rearranged(before: Arrangement, after: Arrangement) -> Lowering:
    """`StripedToBlocked(input, output)` or `StripedToBlocked(items)`."""

    def lower(call: BoundCall) -> ValueId | None:
        source, target, threads = (
            items_in(call, call.arguments[0]),
            items_in(call, call.arguments[-1]),
            threads_of(call),
        )
        if source is None or target is None or threads is None:
            return opaque_bound(call, may_contain_barrier=True)
        swap(call, Exchange(call, threads, source.length, source.element), source, target, before, after)
        return None

    return lower


def scattered(after: Arrangement) -> Lowering:
    """`ScatterToBlocked(input, output, ranks)` or `ScatterToBlocked(items, ranks)`."""

    def lower(call: BoundCall) -> ValueId | None:
        found = [items_in(call, value) for value in call.arguments]
        source, target, ranks, threads = found[0], found[-2], found[-1], threads_of(call)
        if source is None or target is None or ranks is None or threads is None:
            return opaque_bound(call, may_contain_barrier=True)
        exchange = Exchange(call, threads, source.length, source.element)
        for rank, value in zip(read_items(call, ranks), read_items(call, source), strict=True):
            exchange.put(exchange.emit.convert(rank, U32), value)
        barrier(call)
        write_items(call, target, [exchange.get(exchange.place(index, after)) for index in range(target.length)])
        return None

    return lower


# -- sorts ------------------------------------------------------------------------------------------------------------

Before = Callable[[ValueId, ValueId], ValueId | None]
"""Emits whether one key comes before another."""


def radix_sort(*, descending: bool, after: Arrangement) -> Lowering:
    """`Sort(keys, values?, begin_bit?, end_bit?)`."""

    def lower(call: BoundCall) -> ValueId | None:
        keys = items_in(call, call.arguments[0])
        values = items_in(call, call.arguments[1]) if len(call.arguments) > 1 else None
        bits = call.arguments[1 if values is None else 2 :]
        threads = threads_of(call)
        if keys is None or threads is None or not isinstance(keys.element, IntegerType | FloatType):
            return opaque_bound(call, may_contain_barrier=True)
        emit = Emitter(call.builder, call.span)
        compare = _C.GREATER if descending else _C.LESS

        def before(one: ValueId, other: ValueId) -> ValueId:
            return emit.compare(compare, _digits(emit, one, bits), _digits(emit, other, bits))

        _sort(call, keys, values, threads, before, after)
        return None

    return lower


def merge_sort(call: BoundCall) -> ValueId | None:
    """`Sort(keys, values?, less)`."""
    keys, threads = items_in(call, call.arguments[0]), threads_of(call)
    values = items_in(call, call.arguments[1]) if len(call.arguments) == 3 else None
    apply, last = call.call.apply, len(call.arguments) - 1
    if keys is None or threads is None or apply is None or not 2 <= len(call.arguments) <= 3:
        return opaque_bound(call, may_contain_barrier=True)

    def before(one: ValueId, other: ValueId) -> ValueId | None:
        found = apply(last, (one, other))
        return None if found is None else call.builder.convert(found, BOOLEAN, call.span)

    is_known = _sort(call, keys, values, threads, before, Arrangement.BLOCKED)
    return None if is_known else opaque_bound(call, may_contain_barrier=True)


def _digits(emit: Emitter, key: ValueId, bits: Sequence[ValueId]) -> ValueId:
    """The bits that a radix sort orders by, as an unsigned number that grows with the key."""
    type = emit.type_of(key)
    if isinstance(type, FloatType):
        digits = _ordered_float(emit, key, type)
    elif isinstance(type, IntegerType) and type.signed:
        unsigned = IntegerType(type.bits, signed=False)
        digits = emit.with_number(_B.XOR, emit.convert(key, unsigned), 1 << (type.bits - 1))
    else:
        digits = key
    if not bits:
        return digits
    wide = emit.type_of(digits)
    digits = emit.shift_right(digits, emit.convert(bits[0], wide))
    if len(bits) < 2:
        return digits
    count = emit.convert(emit.subtract(bits[1], bits[0]), wide)
    is_all = emit.compare(_C.GREATER_EQUAL, count, emit.constant(_bits(wide), wide))
    some = emit.with_number(_B.SUBTRACT, emit.shift_left(emit.constant(1, wide), count), 1)
    return emit.select(is_all, digits, emit.bit_and(digits, some))


def _bits(type: Type) -> int:
    return type.bits if isinstance(type, IntegerType) else 32


def _ordered_float(emit: Emitter, key: ValueId, type: FloatType) -> ValueId:
    """Negative numbers with all bits turned over, others with the sign: both zeros are one key."""
    width = {FloatFormat.DOUBLE: 64, FloatFormat.SINGLE: 32}.get(type.format, 16)
    unsigned = IntegerType(width, signed=False)
    sign = 1 << (width - 1)
    bits = emit.builder.bitcast(key, unsigned, emit.span)
    is_minus_zero = emit.compare(_C.EQUAL, bits, emit.constant(sign, unsigned))
    bits = emit.select(is_minus_zero, emit.constant(0, unsigned), bits)
    is_negative = emit.compare(_C.GREATER_EQUAL, bits, emit.constant(sign, unsigned))
    return emit.select(is_negative, emit.complement(bits), emit.with_number(_B.XOR, bits, sign))


def _sort(call: BoundCall, keys: Items, values: Items | None, threads: int, before: Before, after: Arrangement) -> bool:
    """Ranks every item by comparing it with all others; False where a comparison cannot be expressed."""
    builder, span = call.builder, call.span
    exchange = Exchange(call, threads, keys.length, keys.element)
    emit = exchange.emit
    own = read_items(call, keys)
    places = [exchange.place(index, Arrangement.BLOCKED) for index in range(keys.length)]
    for place, key in zip(places, own, strict=True):
        exchange.put(place, key)
    barrier(call)
    ranks = [builder.symbol_address(builder.symbol("rank", SymbolKind.LOCAL, U32, span), span) for _ in own]
    for address in ranks:
        builder.store(address, emit.constant(0), span)
    is_expressed = True

    def compare(number: ValueId) -> None:
        nonlocal is_expressed
        other = exchange.get(number)
        for place, key, rank in zip(places, own, ranks, strict=True):
            comes_first, comes_later = before(other, key), before(key, other)
            if comes_first is None or comes_later is None:
                is_expressed = False
                return
            is_earlier = emit.compare(_C.LESS, number, place)
            is_not_later = emit.select(comes_later, emit.constant(0), emit.convert(is_earlier, U32))
            counted_one = emit.select(comes_first, emit.constant(1), is_not_later)
            builder.store(rank, emit.add(builder.load(rank, U32, span), counted_one), span)

    all_items = Count.by_one(emit, emit.constant(0), emit.constant(threads * keys.length))
    counted(emit, "other", all_items, compare)
    if not is_expressed:
        return False
    barrier(call)
    found = [builder.load(rank, U32, span) for rank in ranks]
    _scatter(call, exchange, keys, found, own, after)
    if values is not None:
        moved = Exchange(call, threads, values.length, values.element)
        _scatter(call, moved, values, found, read_items(call, values), after)
    return True


def _scatter(
    call: BoundCall,
    exchange: Exchange,
    items: Items,
    ranks: Sequence[ValueId],
    own: Sequence[ValueId],
    after: Arrangement,
) -> None:
    for rank, value in zip(ranks, own, strict=True):
        exchange.put(rank, value)
    barrier(call)
    write_items(call, items, [exchange.get(exchange.place(index, after)) for index in range(items.length)])
