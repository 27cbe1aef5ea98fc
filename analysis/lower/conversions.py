"""C's conversions: promotion, the usual arithmetic conversions, implicit conversion, literals.

Rules   LP64 (`long` is 64 bits), as nvcc on Linux.  A conversion to bool is written as a comparison with zero.
        Where one operand's type is a template's, the result has the template's type; an unknown type gives way to a
        known one.  Pointers change their element, space or volatility by `Bitcast`.
Limits  Enumerations are plain integers; user-defined conversions are `calls.py`'s business.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.ir.operators import CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import (
    BOOLEAN,
    F32,
    F64,
    S8,
    S32,
    S64,
    U32,
    U64,
    ArrayType,
    BooleanType,
    FloatFormat,
    FloatType,
    IntegerType,
    PointerType,
    TemplateType,
    Type,
    UnknownType,
    VoidType,
)
from analysis.lower.builder import FunctionBuilder

ConstantValue: TypeAlias = int | float | bool
"""What a constant expression can be; bool is kept apart from int by its type only."""


def promoted(type: Type) -> Type:
    """Integer promotion: what is narrower than int becomes int."""
    if isinstance(type, BooleanType) or (isinstance(type, IntegerType) and type.bits < 32):
        return S32
    return type


def arithmetic_type(left: Type, right: Type) -> Type:
    """The usual arithmetic conversions: the type in which `left + right` is computed."""
    if left == right and not isinstance(left, BooleanType | IntegerType):
        return left
    left, right = promoted(left), promoted(right)
    if left == right:
        return left
    if isinstance(left, IntegerType) and isinstance(right, IntegerType):
        return _wider_integer(left, right)
    for type in (left, right):
        if isinstance(type, TemplateType):
            return type
    if isinstance(left, UnknownType | VoidType):
        return right
    if isinstance(right, UnknownType | VoidType):
        return left
    if isinstance(left, FloatType) and isinstance(right, FloatType):
        return left if _RANK[left.format] >= _RANK[right.format] else right
    if isinstance(right, FloatType):
        return right
    return left


def is_arithmetic(type: Type) -> bool:
    return isinstance(type, IntegerType | FloatType | BooleanType)


def is_vague(type: Type) -> bool:
    """A type that is not known: a template's or an undeclared one."""
    return isinstance(type, TemplateType | UnknownType)


def convert(builder: FunctionBuilder, value: ValueId, type: Type, span: Span) -> ValueId:
    """`value` converted implicitly or by a cast to `type`, by C's rules."""
    source = builder.types[value]
    if source == type or isinstance(type, VoidType):
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
    if not isinstance(type, IntegerType | FloatType | PointerType):
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


@lru_cache(maxsize=1 << 12)
def number_literal(text: bytes) -> tuple[ConstantValue, Type] | None:
    """The value and type of a number as C spells it; None where it is not one (user-defined suffixes)."""
    spelled = text.replace(b"'", b"").decode("ascii", "replace").lower()
    if spelled[:1] in ("-", "+"):
        return _signed(spelled)
    integer = _INTEGER.fullmatch(spelled)
    if integer is not None:
        return _integer_literal(integer[1], integer[2])
    floating = _FLOATING.fullmatch(spelled)
    if floating is None:
        return None
    digits, suffix = floating[1], floating[2]
    try:
        value = float.fromhex(digits) if digits.startswith("0x") else float(digits)
    except (ValueError, OverflowError):
        return None
    return value, F32 if suffix == "f" else F64


def _signed(spelled: str) -> tuple[ConstantValue, Type] | None:
    """The grammar makes a sign part of the number in places."""
    literal = number_literal(spelled[1:].encode())
    if literal is None or spelled[1:2] in ("-", "+") or spelled[0] == "+":
        return literal
    return wrapped(-literal[0], literal[1]), literal[1]


def character_literal(text: bytes) -> tuple[int, Type]:
    """The value and type of `'a'`, with its escapes."""
    body = text[text.index(b"'") + 1 : -1] if b"'" in text else text
    decoded = body.decode("utf-8", "replace")
    if decoded[:1] != "\\":
        return (ord(decoded[0]) if decoded else 0), S8
    escape = decoded[1:2]
    if escape == "x" and _HEXADECIMAL.fullmatch(decoded[2:]):
        return int(decoded[2:], 16), S8
    if escape.isdigit() and _OCTAL.fullmatch(decoded[1:]):
        return int(decoded[1:], 8), S8
    return _ESCAPES.get(escape, ord(escape) if escape else 0), S8


def _integer_literal(digits: str, suffix: str) -> tuple[int, Type]:
    if digits.startswith("0x"):
        value, decimal = int(digits[2:], 16), False
    elif digits.startswith("0b"):
        value, decimal = int(digits[2:], 2), False
    elif len(digits) > 1 and digits[0] == "0" and _OCTAL.fullmatch(digits):
        value, decimal = int(digits, 8), False
    else:
        value, decimal = int(digits), True
    unsigned = "u" in suffix
    long = "l" in suffix or "z" in suffix
    for type in (S32, U32, S64, U64):
        if (long and type.bits == 32) or (unsigned and type.signed):
            continue
        if decimal and not unsigned and not type.signed:
            continue
        if value < 1 << (type.bits - type.signed):
            return value, type
    return value & (2**64 - 1), U64


def _wider_integer(left: IntegerType, right: IntegerType) -> Type:
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return right if left.signed else left


_RANK: Final = {FloatFormat.HALF: 0, FloatFormat.BFLOAT16: 1, FloatFormat.SINGLE: 2, FloatFormat.DOUBLE: 3}
_INTEGER: Final = re.compile(r"(0x[0-9a-f]+|0b[01]+|[0-9]+)(u?l{0,2}|l{1,2}u|z|uz|zu)")
_FLOATING: Final = re.compile(
    r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|0x[0-9a-f]*\.?[0-9a-f]*p[+-]?[0-9]+)(f|l|)"
)
_HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{1,8}")
_OCTAL: Final = re.compile(r"[0-7]+")
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34}
