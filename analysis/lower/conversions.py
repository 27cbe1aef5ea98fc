"""Conversions of values that are no objects, and the types of arithmetic on what values are stored as.

Rules   LP64 (`long` is 64 bits), as nvcc on Linux.  A conversion to bool is written as a comparison with zero.
        Where one operand's type is a template's, the result has the template's type; an unknown type gives way to a
        known one.  Pointers change their element, space or volatility by `Bitcast`.
        Which type arithmetic has is C++'s (`analysis/cpp/types/arithmetic.py`).
Limits  User-defined conversions are `class_conversions.py`'s business.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

from analysis.cpp.types import arithmetic
from analysis.ir.ids import ValueId
from analysis.ir.operators import CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import (
    BOOLEAN,
    FUNCTION_POINTERS,
    ArrayType,
    BooleanType,
    FloatType,
    IntegerType,
    PointerType,
    TemplateType,
    Type,
    UnknownType,
    VoidType,
)
from analysis.lower.builder import FunctionBuilder
from analysis.lower.cpp_types import assumed, ir_type

_INT: Final = 32
"""Bits of an `int`: what has fewer is promoted."""
ConstantValue: TypeAlias = int | float | bool
"""What a constant expression can be; bool is kept apart from int by its type only."""


@lru_cache(maxsize=1 << 8)
def promoted(type: Type) -> Type:
    """The type of `+x`."""
    return ir_type(arithmetic.promoted(assumed(type))) if is_arithmetic(type) else type


def arithmetic_type(left: Type, right: Type) -> Type:
    """The type in which `left + right` is computed."""
    is_same = left is right and (isinstance(left, FloatType) or (isinstance(left, IntegerType) and left.bits >= _INT))
    return left if is_same else _arithmetic_type(left, right)


@lru_cache(maxsize=1 << 10)
def _arithmetic_type(left: Type, right: Type) -> Type:
    if is_arithmetic(left) and is_arithmetic(right):
        common = arithmetic.common_arithmetic(assumed(left), assumed(right))
        assert common is not None
        return ir_type(common)
    if left == right:
        return left
    left, right = promoted(left), promoted(right)
    for type in (left, right):
        if isinstance(type, TemplateType):
            return type
    if isinstance(left, UnknownType | VoidType):
        return right
    if isinstance(right, UnknownType | VoidType):
        return left
    return right if isinstance(right, FloatType) else left


def is_arithmetic(type: Type) -> bool:
    return isinstance(type, IntegerType | FloatType | BooleanType)


def is_vague(type: Type) -> bool:
    """A type that is not known: a template's or an undeclared one."""
    return isinstance(type, TemplateType | UnknownType)


def convert(builder: FunctionBuilder, value: ValueId, type: Type, span: Span) -> ValueId:
    """`value` converted implicitly or by a cast to `type`, by C's rules."""
    source = builder.types[value]
    if source is type or source == type or isinstance(type, VoidType):
        return value
    if isinstance(type, BooleanType):
        return truth(builder, value, span)
    if isinstance(source, ArrayType) and isinstance(type, PointerType):
        return value
    if isinstance(source, PointerType) and isinstance(type, PointerType):
        return builder.bitcast(value, type, span)
    if isinstance(source, PointerType) or isinstance(type, PointerType):
        return builder.bitcast(value, type, span)
    return builder.convert(value, type, span)


def truth(builder: FunctionBuilder, value: ValueId, span: Span) -> ValueId:
    """`value` as a condition: itself where boolean, else `value != 0`."""
    type = builder.types[value]
    if isinstance(type, BooleanType):
        return value
    if not isinstance(type, IntegerType | FloatType | PointerType) and type not in FUNCTION_POINTERS:
        return builder.convert(value, BOOLEAN, span)
    zero = builder.constant(0.0 if isinstance(type, FloatType) else 0, type, span)
    return builder.compare(CompareOperator.NOT_EQUAL, value, zero, span)


def wrapped(value: ConstantValue, type: Type) -> ConstantValue:
    """A compile-time constant converted to `type`: truncated, wrapped or made floating."""
    if isinstance(type, BooleanType):
        return bool(value)
    if isinstance(type, FloatType):
        return float(value)
    if isinstance(type, IntegerType):
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            return 0
        number = int(value) & ((1 << type.bits) - 1)
        return number - (1 << type.bits) if type.signed and number >> (type.bits - 1) else number
    return value
