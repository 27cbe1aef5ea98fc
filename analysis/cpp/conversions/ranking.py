"""Which of two implicit conversion sequences is better?

Source  C++20 standard, [over.ics.rank].
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cpp.conversions.model import (
    Binding,
    Conversion,
    ConversionStep,
    EllipsisConversion,
    Rank,
    StandardConversion,
    UncertainConversion,
    UserConversion,
)
from analysis.cpp.conversions.standard import Bases, distance_to_base
from analysis.cpp.types.model import ClassType, PointerType, QualType
from analysis.cpp.types.qualification import are_similar, is_less_qualified


def is_better(classes: Bases, one: Conversion, other: Conversion) -> bool:
    """Whether the first is the better one; neither is where they cannot be told apart, or one is uncertain."""
    match one, other:
        case StandardConversion(rank=Rank.EXACT), UncertainConversion(is_inexact=True):
            return True
        case (UncertainConversion(), _) | (_, UncertainConversion()):
            return False
        case StandardConversion(), StandardConversion():
            return _is_better_standard(classes, one, other)
        case UserConversion(), UserConversion():
            return _is_better_user(classes, one, other)
        case _:
            return _form(one) < _form(other)


def _form(conversion: Conversion) -> int:
    match conversion:
        case StandardConversion():
            return 0
        case UserConversion():
            return 1
        case EllipsisConversion():
            return 2
        case UncertainConversion():
            return 3


def _is_better_user(classes: Bases, one: UserConversion, other: UserConversion) -> bool:
    """By what follows, if both are made by the same function."""
    if one.function is None or one.function != other.function or one.second is None or other.second is None:
        return False
    first = one.second if one.binding is None else StandardConversion(*_parts(one.second), one.binding)
    second = other.second if other.binding is None else StandardConversion(*_parts(other.second), other.binding)
    return _is_better_standard(classes, first, second)


def _parts(conversion: StandardConversion) -> tuple[QualType, ConversionStep, QualType]:
    return conversion.source, conversion.step, conversion.target


def _is_better_standard(classes: Bases, one: StandardConversion, other: StandardConversion) -> bool:
    if one.rank != other.rank:
        return one.rank < other.rank
    if one.step is not other.step:
        if _loses_pointer(one) != _loses_pointer(other):
            return _loses_pointer(other)
        if _is_nearer(classes, one, other):
            return True
        if _is_nearer(classes, other, one):
            return False
    elif _is_identity(one) != _is_identity(other):
        return _is_identity(one)
    elif one.fixed_underlying != other.fixed_underlying:
        return one.fixed_underlying
    elif _is_nearer(classes, one, other) or _is_nearer(classes, other, one):
        return _is_nearer(classes, one, other)
    if _adds_less(one, other) or _adds_less(other, one):
        return _adds_less(one, other)
    return one.binding is not None and other.binding is not None and _binds_better(one.binding, other.binding)


def _is_identity(conversion: StandardConversion) -> bool:
    """Whether nothing is done: the identity is a part of every other sequence, and better.

    A reference to a similar type with more qualifiers below a pointer is no identity (CWG 2352).
    """
    return conversion.step is ConversionStep.IDENTITY and conversion.source.unqualified == conversion.target.unqualified


def _loses_pointer(conversion: StandardConversion) -> bool:
    return conversion.step is ConversionStep.POINTER_TO_BOOL


def _is_nearer(classes: Bases, one: StandardConversion, other: StandardConversion) -> bool:
    """Whether the first ends nearer to the class it starts from than the second does, which may end at `void *`."""
    if one.step is ConversionStep.TO_BASE_POINTER and other.step is ConversionStep.TO_VOID_POINTER:
        return True
    if one.step is not other.step or one.step not in (ConversionStep.TO_BASE, ConversionStep.TO_BASE_POINTER):
        return False
    near, far = _class(one.target), _class(other.target)
    if near is None or far is None or near == far:
        return False
    return distance_to_base(classes, near, far) is not None


def _class(type: QualType) -> ClassType | None:
    inner = type.type.pointee.type if isinstance(type.type, PointerType) else type.type
    return inner if isinstance(inner, ClassType) else None


def _binds_better(one: Binding, other: Binding) -> bool:
    if one.is_implicit_object or other.is_implicit_object:
        pass
    elif one.is_rvalue_reference != other.is_rvalue_reference and one.to_rvalue and other.to_rvalue:
        return one.is_rvalue_reference
    if one.referred.unqualified != other.referred.unqualified:
        return False
    return is_less_qualified(one.referred, other.referred)


def _adds_less(one: StandardConversion, other: StandardConversion) -> bool:
    """Whether both end at similar types, the first with fewer qualifiers; a null pointer gets them in its one step."""
    if one.step is ConversionStep.NULL:
        return False
    first, second = one.target.unqualified, other.target.unqualified
    if first == second or not are_similar(first, second):
        return False
    return is_less_qualified(first, second)


def best(classes: Bases, conversions: Sequence[UserConversion]) -> UserConversion | None:
    """The conversion whose function is the best for the object and whose result is nearest; None where none is."""
    for one in conversions:
        if all(one is other or _beats(classes, one, other) for other in conversions):
            return one
    return None


def _beats(classes: Bases, one: UserConversion, other: UserConversion) -> bool:
    assert one.first is not None
    assert other.first is not None
    if _is_better_standard(classes, one.first, other.first):
        return True
    if _is_better_standard(classes, other.first, one.first):
        return False
    assert one.second is not None
    assert other.second is not None
    if _is_better_standard(classes, one.second, other.second):
        return True
    is_worse = _is_better_standard(classes, other.second, one.second)
    return not is_worse and other.is_template and not one.is_template
