"""Arithmetic of constants, in C++ types: what overflows or is not defined otherwise is no constant.

Rules   Operands are converted as [expr.arith.conv] says; unsigned numbers wrap, signed ones do not.  A shift by a
        negative number or by too many bits is not defined; what is shifted out is lost (C++20).
        `float` is computed in double and rounded, which gives the same for one operation.
Limits  Half precision is not computed; neither is what is infinite or no number.
Source  C++20 standard, [expr], [conv], [expr.const].
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Final

from analysis.cpp.constants.values import NotConstant
from analysis.cpp.types.arithmetic import INTEGERS, Integer, common_arithmetic, is_floating, promoted
from analysis.cpp.types.model import BOOL, EnumerationType, Fundamental, FundamentalType, QualType
from analysis.ir.integers import quotient, remainder, wrapped

Datum = int | float | bool


def integer_of(type: QualType) -> Integer | None:
    """Size and sign of what an integer or enumeration is stored as; None for all else."""
    inner = type.type
    if isinstance(inner, EnumerationType):
        inner = inner.underlying
    return INTEGERS.get(inner.kind) if isinstance(inner, FundamentalType) else None


def is_number(type: QualType) -> bool:
    """Whether objects of the type hold a number: integers, enumerations, floating-point numbers."""
    return integer_of(type) is not None or is_floating(type)


def converted(value: Datum, type: QualType) -> Datum:
    """The number as an object of `type` holds it."""
    inner = type.type
    if isinstance(inner, EnumerationType):
        inner = inner.underlying
    if not isinstance(inner, FundamentalType):
        raise NotConstant
    if inner.kind is Fundamental.BOOL:
        return bool(value)
    known = INTEGERS.get(inner.kind)
    if known is None:
        return _floating(value, inner.kind)
    if isinstance(value, float):
        if not math.isfinite(value) or wrapped(int(value), known.bits, known.is_signed) != int(value):
            raise NotConstant
        return int(value)
    return wrapped(value, known.bits, known.is_signed)


def _floating(value: Datum, kind: Fundamental) -> float:
    if kind not in (Fundamental.FLOAT, Fundamental.DOUBLE):
        raise NotConstant
    try:
        number = float(value)
        if kind is Fundamental.FLOAT:
            if isinstance(value, int) and abs(value) > 1 << 53:
                raise NotConstant  # would be rounded twice
            number = float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        raise NotConstant from None
    return number


def as_bit_field(value: Datum, type: QualType, width: int) -> Datum:
    """The number as a bit-field of `width` bits holds it."""
    known = integer_of(type)
    if known is None or not isinstance(value, int):
        raise NotConstant
    return value if known.bits <= width or isinstance(value, bool) else wrapped(value, width, known.is_signed)


def unary(sign: str, value: Datum, type: QualType, width: int | None = None) -> tuple[Datum, QualType]:
    """`+x`, `-x`, `~x`: the number and its type."""
    result = promoted(type, width)
    known = integer_of(result)
    number = converted(value, result)
    match sign:
        case "+":
            return number, result
        case "-":
            return -number if known is None else _checked(-int(number), known), result
        case "~" | "compl" if known is not None and not isinstance(result.type, EnumerationType):
            return wrapped(~int(number), known.bits, known.is_signed), result
        case _:
            raise NotConstant


def binary(sign: str, left: Datum, one: QualType, right: Datum, other: QualType) -> tuple[Datum, QualType]:
    """`left sign right` of two numbers of these types, and the type of that."""
    if sign in _SHIFTS:
        return _shifted(sign, left, promoted(one), right, promoted(other))
    compare = _COMPARISONS.get(sign)
    is_scoped = isinstance(one.type, EnumerationType) and one.type.is_scoped
    if compare is not None and is_scoped and one.type == other.type:
        return compare(left, right), BOOL
    type = common_arithmetic(one, other)
    if type is None:
        raise NotConstant
    first, second = converted(left, type), converted(right, type)
    if compare is not None:
        return compare(first, second), BOOL
    known = integer_of(type)
    if known is None:
        return _of_floats(sign, float(first), float(second), type), type
    return _of_integers(sign, int(first), int(second), known), type


def binary_type(sign: str, one: QualType, other: QualType) -> QualType:
    """The type of `x sign y` for two numbers."""
    if sign in _SHIFTS:
        return promoted(one)
    if sign in _COMPARISONS:
        return BOOL
    type = common_arithmetic(one, other) if sign in _INTEGER else None
    if type is None:
        raise NotConstant
    return type


def _shifted(sign: str, left: Datum, one: QualType, right: Datum, other: QualType) -> tuple[Datum, QualType]:
    known, count = integer_of(one), integer_of(other)
    if known is None or count is None or not 0 <= right < known.bits:
        raise NotConstant
    number = int(left) << int(right) if sign == "<<" else int(left) >> int(right)
    return wrapped(number, known.bits, known.is_signed), one


def _of_floats(sign: str, left: float, right: float, type: QualType) -> Datum:
    compute = _FLOATING.get(sign)
    if compute is None or (sign == "/" and right == 0):
        raise NotConstant
    found = converted(compute(left, right), type)
    if not math.isfinite(found):
        raise NotConstant
    return found


def _of_integers(sign: str, left: int, right: int, known: Integer) -> int:
    compute = _INTEGER.get(sign)
    if compute is None or (sign in "/%" and not right):
        raise NotConstant
    if sign == "%":
        _checked(quotient(left, right), known)
    return _checked(compute(left, right), known)


def _checked(number: int, known: Integer) -> int:
    """As the type holds it: an unsigned number wraps, a signed one that does not fit is not defined."""
    found = wrapped(number, known.bits, known.is_signed)
    if known.is_signed and found != number:
        raise NotConstant
    return found


_SHIFTS: Final = frozenset({"<<", ">>"})
_COMPARISONS: Final[dict[str, Callable[[Datum, Datum], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "not_eq": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FLOATING: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": float.__truediv__,
}
_INTEGER: Final[dict[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": quotient,
    "%": remainder,
    "&": int.__and__,
    "bitand": int.__and__,
    "|": int.__or__,
    "bitor": int.__or__,
    "^": int.__xor__,
    "xor": int.__xor__,
}
