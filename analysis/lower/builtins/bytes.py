"""`memcpy`, `memmove`, `memset`: bytes moved in the widest units that both sides are aligned to.

Rules    A few units are moved one by one, more of them by a loop.  A size that is not known need not be a multiple of
         the unit: a second loop moves the bytes that are left.
Limits   `memmove` of more than a few units stays opaque: the objects may overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import (
    U8,
    U64,
    BooleanType,
    FloatType,
    IntegerType,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from analysis.lower.builtins.core import BoundCall, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.guards_and_loops import Count, counted
from analysis.lower.layouts import size_and_alignment, size_of

MAX_UNITS: Final = 16
"""More units than this are moved by a loop: one by one they would drown the code around."""

_B = BinaryOperator
_Move = Callable[[ValueId, Type], None]
"""Emits the move of the unit with that index."""


def copy(call: BoundCall) -> ValueId | None:
    """`memcpy(to, from, bytes)`."""
    builder, span, (to, source, size) = call.builder, call.span, call.arguments
    target, origin = builder.type_of(to), builder.type_of(source)
    if not isinstance(target, PointerType) or not isinstance(origin, PointerType):
        return opaque_bound(call)
    unit = _unit(call, target.element, origin.element)

    def move_one(index: ValueId, unit: Type) -> None:
        start = builder.bitcast(source, PointerType(unit, origin.space), span)
        end = builder.bitcast(to, PointerType(unit, target.space), span)
        value = builder.load(builder.element_address(start, index, unit, span), unit, span)
        builder.store(builder.element_address(end, index, unit, span), value, span)

    _move_all(call, size, unit, move_one)
    return to


def move(call: BoundCall) -> ValueId | None:
    """`memmove(to, from, bytes)`: everything is read before anything is written."""
    builder, span, (to, source, _) = call.builder, call.span, call.arguments
    target, origin = builder.type_of(to), builder.type_of(source)
    length = call.literal(2)
    if not isinstance(target, PointerType) or not isinstance(origin, PointerType) or not isinstance(length, int):
        return opaque_bound(call)
    unit = _unit(call, target.element, origin.element)
    count = length // _size(call, unit)
    if count > MAX_UNITS:
        return opaque_bound(call)
    indices = [builder.constant(index, U64, span) for index in range(count)]
    start = builder.bitcast(source, PointerType(unit, origin.space), span)
    values = [builder.load(builder.element_address(start, index, unit, span), unit, span) for index in indices]
    end = builder.bitcast(to, PointerType(unit, target.space), span)
    for index, value in zip(indices, values, strict=True):
        builder.store(builder.element_address(end, index, unit, span), value, span)
    return to


def fill(call: BoundCall) -> ValueId | None:
    """`memset(to, byte, bytes)`."""
    builder, span, (to, byte, size) = call.builder, call.span, call.arguments
    target = builder.type_of(to)
    unit = _unit(call, target.element, target.element) if isinstance(target, PointerType) else None
    if unit is None or not isinstance(target, PointerType):
        return opaque_bound(call)
    literal = call.literal(1)
    if not isinstance(unit, IntegerType) and literal != 0:
        unit = IntegerType(8 * _size(call, unit), signed=False)

    def fill_one(index: ValueId, unit: Type) -> None:
        end = builder.bitcast(to, PointerType(unit, target.space), span)
        value = _repeated(Emitter(builder, span), byte, unit, is_zero=literal == 0)
        builder.store(builder.element_address(end, index, unit, span), value, span)

    _move_all(call, size, unit, fill_one)
    return to


def _repeated(emit: Emitter, byte: ValueId, unit: Type, *, is_zero: bool) -> ValueId:
    """The byte in all bytes of the unit."""
    if is_zero or not isinstance(unit, IntegerType):
        return emit.constant(0.0 if isinstance(unit, FloatType) else 0, unit)
    unsigned = IntegerType(unit.bits, signed=False)
    ones = int.from_bytes(b"\x01" * (unit.bits // 8), "little")
    once = emit.convert(emit.convert(byte, U8), unsigned)
    return emit.convert(emit.with_number(_B.MULTIPLY, once, ones), unit)


def _size(call: BoundCall, type: Type) -> int:
    return size_of(type, call.builder.structs) or 1


def _unit(call: BoundCall, target: Type, origin: Type) -> Type:
    """The element where both sides have one, else an unsigned integer that both are aligned to."""
    length = call.literal(2)
    size = size_of(target, call.builder.structs)
    if target == origin and size and (not isinstance(length, int) or length % size == 0) and _is_plain(target):
        return target
    width = gcd(_alignment(call, target), _alignment(call, origin), 8)
    if isinstance(length, int) and length:
        width = gcd(width, length)
    return IntegerType(8 * width, signed=False)


def _is_plain(type: Type) -> bool:
    if isinstance(type, VectorType):
        return type.length != 3
    return isinstance(type, IntegerType | FloatType | BooleanType)


def _alignment(call: BoundCall, type: Type) -> int:
    if isinstance(type, VoidType):
        return 1
    if isinstance(type, StructType) and type.name not in call.builder.structs:
        return 1
    return size_and_alignment(type, call.builder.structs)[1] or 1


def _move_all(call: BoundCall, size: ValueId, unit: Type, move: _Move) -> None:
    emit = Emitter(call.builder, call.span)
    width = _size(call, unit)
    length = call.literal(2)
    if isinstance(length, int):
        count = length // width
        if count <= MAX_UNITS:
            for index in range(count):
                move(emit.constant(index, U64), unit)
        else:
            all_units = Count.by_one(emit, emit.constant(0, U64), emit.constant(count, U64))
            counted(emit, "moved", all_units, lambda index: move(index, unit))
        return
    bytes = emit.convert(size, U64)
    whole = emit.with_number(_B.DIVIDE, bytes, width)
    counted(emit, "moved", Count.by_one(emit, emit.constant(0, U64), whole), lambda index: move(index, unit))
    if width > 1:
        left = Count.by_one(emit, emit.with_number(_B.MULTIPLY, whole, width), bytes)
        counted(emit, "moved", left, lambda index: move(index, U8))
