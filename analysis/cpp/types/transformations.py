"""Types made of types, as the traits of the library name them: `std::remove_reference`, `std::make_unsigned`, ...

Rules   A transformation that is not defined for a type (`make_signed` of a class) gives None.
Source  C++20 standard, [meta.trans].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from analysis.cpp.types.arithmetic import INTEGERS
from analysis.cpp.types.model import (
    ArrayType,
    EnumerationType,
    FunctionType,
    Fundamental,
    FundamentalType,
    PointerType,
    QualType,
    pointer_to,
    qualified,
    qualifiers_of,
    reference_to,
)


def _without_constant(type: QualType) -> QualType:
    return qualified(type.unqualified, volatile=qualifiers_of(type)[1])


def _without_volatile(type: QualType) -> QualType:
    return qualified(type.unqualified, constant=qualifiers_of(type)[0])


def _decayed(type: QualType) -> QualType:
    match type.object.type:
        case ArrayType(element=element):
            return pointer_to(element)
        case FunctionType():
            return pointer_to(type.object)
        case _:
            return type.object.unqualified


def _target(type: QualType) -> QualType:
    return type.type.pointee if isinstance(type.type, PointerType) else type


def _element(type: QualType) -> QualType:
    return type.type.element if isinstance(type.type, ArrayType) else type


def _innermost(type: QualType) -> QualType:
    while isinstance(type.type, ArrayType):
        type = type.type.element
    return type


def _reference(type: QualType, *, is_rvalue: bool) -> QualType:
    is_void = isinstance(type.type, FundamentalType) and type.type.kind is Fundamental.VOID
    return type if is_void else reference_to(type, is_rvalue=is_rvalue)


def _underlying(type: QualType) -> QualType | None:
    return QualType(type.type.underlying) if isinstance(type.type, EnumerationType) else None


def _with_sign(type: QualType, table: Mapping[Fundamental, Fundamental]) -> QualType | None:
    """The integer type of that size; of characters and enumerations the one of the least rank that is so wide."""
    inner = type.type.underlying if isinstance(type.type, EnumerationType) else type.type
    if not isinstance(inner, FundamentalType) or inner.kind not in INTEGERS or inner.kind is Fundamental.BOOL:
        return None
    kind = table.get(inner.kind)
    if kind is None or inner is not type.type:
        bits = INTEGERS[inner.kind].bits
        kind = next(each for each in table.values() if INTEGERS[each].bits == bits)
    return QualType(FundamentalType(kind), type.is_constant, type.is_volatile)


_PAIRS: Final = (
    (Fundamental.SIGNED_CHAR, Fundamental.UNSIGNED_CHAR),
    (Fundamental.SHORT, Fundamental.UNSIGNED_SHORT),
    (Fundamental.INT, Fundamental.UNSIGNED),
    (Fundamental.LONG, Fundamental.UNSIGNED_LONG),
    (Fundamental.LONG_LONG, Fundamental.UNSIGNED_LONG_LONG),
    (Fundamental.INT128, Fundamental.UNSIGNED_INT128),
)
_SIGNED: Final = {kind: pair[0] for pair in _PAIRS for kind in pair}
_UNSIGNED: Final = {kind: pair[1] for pair in _PAIRS for kind in pair}

TRANSFORMATIONS: Final[dict[str, Callable[[QualType], QualType | None]]] = {
    "remove_reference": lambda type: type.object,
    "remove_const": _without_constant,
    "remove_volatile": _without_volatile,
    "remove_cv": lambda type: type.unqualified,
    "remove_cvref": lambda type: type.object.unqualified,
    "decay": _decayed,
    "remove_pointer": _target,
    "add_pointer": lambda type: pointer_to(type.object),
    "add_const": lambda type: qualified(type, constant=True),
    "add_lvalue_reference": lambda type: _reference(type, is_rvalue=False),
    "add_rvalue_reference": lambda type: _reference(type, is_rvalue=True),
    "remove_extent": _element,
    "remove_all_extents": _innermost,
    "make_unsigned": lambda type: _with_sign(type, _UNSIGNED),
    "make_signed": lambda type: _with_sign(type, _SIGNED),
    "underlying_type": _underlying,
    "type_identity": lambda type: type,
}
"""By the name of the trait."""
