"""Bit-fields: members that are some bits of an integer in memory, their *unit*.

Rules   Reading shifts the bits out of the unit; what is narrower than int becomes int, as [conv.prom] says.  Writing
        reads the unit, replaces the bits and writes it back, as hardware must: neighbours are written too.
        The initialisation of an object begins with empty units, so that no write reads what nobody wrote.
"""

from __future__ import annotations

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, S32, BitRange, BooleanType, Field, IntegerType, PointerType, Type
from analysis.lower.builder import FunctionBuilder
from analysis.lower.context import LoweringContext, LValue
from analysis.lower.names import Record


def bit_field(ctx: LoweringContext, record: Record, index: int) -> Field | None:
    """Where a bit-field lies; None for any other member."""
    if record.fields[index].width is None:
        return None
    field = ctx.program.layouts[record.name].fields[index]
    return None if field.bits is None else field


def read_bits(builder: FunctionBuilder, unit: ValueId, type: Type, bits: BitRange, span: Span) -> ValueId:
    """The value of a bit-field of `type` from the value of its unit."""
    stored = builder.types[unit]
    assert isinstance(stored, IntegerType)
    is_signed = isinstance(type, IntegerType) and type.signed
    value = builder.convert(unit, IntegerType(stored.bits, signed=is_signed), span)
    value = _shifted(builder, BinaryOperator.SHIFT_LEFT, value, stored.bits - bits.first - bits.width, span)
    value = _shifted(builder, BinaryOperator.SHIFT_RIGHT, value, stored.bits - bits.width, span)
    if isinstance(type, BooleanType):
        return builder.convert(value, BOOLEAN, span)
    return builder.convert(value, S32, span) if bits.width < 32 else value


def store_to(builder: FunctionBuilder, place: LValue, value: ValueId, span: Span) -> None:
    """Stores `value`, which has the type of `place`."""
    bits = place.bits
    if bits is None:
        builder.store(place.address, value, span, volatile=place.volatile)
        return
    type = unit_type(builder, place)
    mask = ((1 << bits.width) - 1) << bits.first
    number = _shifted(builder, BinaryOperator.SHIFT_LEFT, builder.convert(value, type, span), bits.first, span)
    number = builder.binary(BinaryOperator.AND, number, builder.constant(_fit(mask, type), type, span), type, span)
    unit = builder.load(place.address, type, span, volatile=place.volatile)
    kept = builder.binary(BinaryOperator.AND, unit, builder.constant(_fit(~mask, type), type, span), type, span)
    number = builder.binary(BinaryOperator.OR, kept, number, type, span)
    builder.store(place.address, number, span, volatile=place.volatile)


def clear_units(ctx: LoweringContext, target: LValue, record: Record, span: Span) -> None:
    """What the initialisation of an object begins with."""
    for index in range(len(record.fields)):
        field = bit_field(ctx, record, index)
        if field is not None:
            address = ctx.builder.field_address(target.address, index, field.type, span)
            ctx.builder.store(address, ctx.builder.constant(0, field.type, span), span)


def unit_type(builder: FunctionBuilder, place: LValue) -> IntegerType:
    """The integer in memory that holds the bit-field."""
    pointer = builder.types[place.address]
    assert isinstance(pointer, PointerType)
    assert isinstance(pointer.element, IntegerType)
    return pointer.element


def _shifted(builder: FunctionBuilder, operator: BinaryOperator, value: ValueId, by: int, span: Span) -> ValueId:
    if by == 0:
        return value
    type = builder.types[value]
    return builder.binary(operator, value, builder.constant(by, type, span), type, span)


def _fit(number: int, type: IntegerType) -> int:
    """Modulo 2^bits, as the type has it."""
    number &= (1 << type.bits) - 1
    return number - (1 << type.bits) if type.signed and number >> (type.bits - 1) else number
