"""Arithmetic types: ranks, integral promotion, the usual arithmetic conversions.

Rules   As nvcc compiles for the device: LP64, `char` has a sign, `wchar_t` is a 32-bit integer with one.
Source  C++20 standard, [conv.rank], [conv.prom], [conv.fpprom], [expr.arith.conv].
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from analysis.cpp.types.model import INT, EnumerationType, Fundamental, FundamentalType, QualType, fundamental


class Integer(NamedTuple):
    """`rank` orders integer types by conversion rank."""

    bits: int
    is_signed: bool
    rank: int


INTEGERS: Final = {
    Fundamental.BOOL: Integer(8, False, 0),
    Fundamental.CHAR: Integer(8, True, 1),
    Fundamental.SIGNED_CHAR: Integer(8, True, 1),
    Fundamental.UNSIGNED_CHAR: Integer(8, False, 1),
    Fundamental.CHAR8: Integer(8, False, 1),
    Fundamental.SHORT: Integer(16, True, 2),
    Fundamental.UNSIGNED_SHORT: Integer(16, False, 2),
    Fundamental.CHAR16: Integer(16, False, 2),
    Fundamental.INT: Integer(32, True, 3),
    Fundamental.UNSIGNED: Integer(32, False, 3),
    Fundamental.CHAR32: Integer(32, False, 3),
    Fundamental.WCHAR: Integer(32, True, 3),
    Fundamental.LONG: Integer(64, True, 4),
    Fundamental.UNSIGNED_LONG: Integer(64, False, 4),
    Fundamental.LONG_LONG: Integer(64, True, 5),
    Fundamental.UNSIGNED_LONG_LONG: Integer(64, False, 5),
    Fundamental.INT128: Integer(128, True, 6),
    Fundamental.UNSIGNED_INT128: Integer(128, False, 6),
}
FLOATING: Final = (Fundamental.BFLOAT16, Fundamental.HALF, Fundamental.FLOAT, Fundamental.DOUBLE)
"""By conversion rank."""
_ARITHMETIC: Final = frozenset((*INTEGERS, *FLOATING))
_STANDARD_FLOATING: Final = (Fundamental.FLOAT, Fundamental.DOUBLE)
_UNSIGNED: Final = {
    Fundamental.INT: Fundamental.UNSIGNED,
    Fundamental.LONG: Fundamental.UNSIGNED_LONG,
    Fundamental.LONG_LONG: Fundamental.UNSIGNED_LONG_LONG,
    Fundamental.INT128: Fundamental.UNSIGNED_INT128,
}


def integer(type: QualType) -> Integer | None:
    """Size and sign of an integer type, `bool` and characters included; None for all else."""
    return INTEGERS.get(type.type.kind) if isinstance(type.type, FundamentalType) else None


def is_integral(type: QualType) -> bool:
    return integer(type) is not None


def is_floating(type: QualType) -> bool:
    return isinstance(type.type, FundamentalType) and type.type.kind in FLOATING


def is_arithmetic(type: QualType) -> bool:
    return isinstance(type.type, FundamentalType) and type.type.kind in _ARITHMETIC


def is_unscoped_enumeration(type: QualType) -> bool:
    return isinstance(type.type, EnumerationType) and not type.type.is_scoped


def promoted(type: QualType, bits: int | None = None) -> QualType:
    """What `+x` has as its type; `bits` is the width where x is a bit-field.  Unchanged where nothing is promoted."""
    inner = type.type
    if isinstance(inner, EnumerationType):
        if inner.is_scoped:
            return type.unqualified
        return QualType(inner.promoted)
    if not isinstance(inner, FundamentalType):
        return type.unqualified
    known = INTEGERS.get(inner.kind)
    if known is None:
        return type.unqualified
    if bits is not None and bits < known.bits and inner.kind is not Fundamental.BOOL:
        return _promoted_bits(type, known, bits)
    if inner.kind is Fundamental.CHAR32:
        return fundamental(Fundamental.UNSIGNED)
    if known.rank < INTEGERS[Fundamental.INT].rank or inner.kind is Fundamental.WCHAR:
        return INT
    return type.unqualified


def _promoted_bits(type: QualType, known: Integer, width: int) -> QualType:
    """A bit-field becomes an int if that holds all of its values, else an unsigned, if that does."""
    most = INTEGERS[Fundamental.INT].bits
    if width < most or (width == most and known.is_signed):
        return INT
    return fundamental(Fundamental.UNSIGNED) if width == most else type.unqualified


def common_arithmetic(left: QualType, right: QualType) -> QualType | None:
    """The type in which a binary operator computes, for promoted or unpromoted operands; None without one."""
    if isinstance(left.type, EnumerationType):
        if left.type.is_scoped:
            return None
        left = promoted(left)
    if isinstance(right.type, EnumerationType):
        if right.type.is_scoped:
            return None
        right = promoted(right)
    if isinstance(left.type, FundamentalType) and isinstance(right.type, FundamentalType):
        return _common_fundamental(left.type.kind, right.type.kind)
    return None


@cache
def _common_fundamental(one: Fundamental, other: Fundamental) -> QualType | None:
    """The same of fundamental types; None where they are no numbers."""
    left, right = promoted(fundamental(one)), promoted(fundamental(other))
    if not (is_arithmetic(left) and is_arithmetic(right)):
        return None
    first, second = (number.type.kind for number in (left, right) if isinstance(number.type, FundamentalType))
    if first in FLOATING or second in FLOATING:
        return fundamental(max(first, second, key=lambda kind: FLOATING.index(kind) if kind in FLOATING else -1))
    return fundamental(_common_integer(first, second))


def _common_integer(first: Fundamental, second: Fundamental) -> Fundamental:
    if first is second:
        return first
    one, other = INTEGERS[first], INTEGERS[second]
    if one.is_signed == other.is_signed:
        return first if one.rank > other.rank else second
    signed, unsigned = (first, second) if one.is_signed else (second, first)
    if INTEGERS[unsigned].rank >= INTEGERS[signed].rank:
        return unsigned
    if INTEGERS[signed].bits > INTEGERS[unsigned].bits:
        return signed
    return _UNSIGNED[signed]


def is_promotion(source: QualType, target: QualType) -> bool:
    """Whether the conversion between these different types is an integral or a floating-point promotion."""
    if isinstance(source.type, EnumerationType):
        if source.type.is_scoped:
            return False
        is_fixed = source.type.is_fixed and target.type == source.type.underlying
        return is_fixed or target.type == source.type.promoted
    if is_floating(source):
        kinds = [one.type.kind for one in (source, target) if isinstance(one.type, FundamentalType)]
        return kinds == [*_STANDARD_FLOATING]
    return is_integral(source) and promoted(source) == target.unqualified and source.unqualified != target.unqualified
