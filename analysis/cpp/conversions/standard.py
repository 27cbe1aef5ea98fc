"""Standard conversions of values: from the type of an expression to a type that is no reference.

Source  C++20 standard, [conv].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from analysis.cpp.conversions.model import Argument, ConversionStep, StandardConversion
from analysis.cpp.types.arithmetic import is_arithmetic, is_promotion, is_unscoped_enumeration, promoted
from analysis.cpp.types.model import (
    THREAD_GROUP,
    ArrayType,
    ClassType,
    DeviceType,
    EnumerationType,
    FunctionType,
    Fundamental,
    FundamentalType,
    MemberPointerType,
    PointerType,
    QualType,
    pointer_to,
)
from analysis.cpp.types.qualification import can_add_qualifiers
from analysis.ir.types import GroupKind, GroupType


class Bases(Protocol):
    """What conversions ask about classes."""

    def bases(self, type: ClassType) -> Sequence[ClassType]:
        """The direct bases."""
        ...


def distance_to_base(classes: Bases, derived: ClassType, base: ClassType) -> int | None:
    """How many steps up `base` is; 0 for the class itself, None where it is no base."""
    level, reached = 0, [derived]
    while reached:
        if base in reached:
            return level
        level += 1
        reached = [above for one in reached for above in classes.bases(one)]
    return None


def decayed(type: QualType) -> QualType:
    """The type of a value of that type: arrays and functions become pointers, outer qualifiers go ([conv.array])."""
    match type.type:
        case FundamentalType() | PointerType():
            return QualType(type.type) if type.is_constant or type.is_volatile else type
        case ArrayType(element=element):
            return pointer_to(element)
        case FunctionType():
            return pointer_to(type)
        case ClassType():
            return type
        case _:
            return type.unqualified


def standard_conversion(classes: Bases, argument: Argument, target: QualType) -> StandardConversion | None:
    """The value of `argument` as `target`, which is no reference; None where no standard conversion does it."""
    source, wanted = decayed(argument.type), target.unqualified
    step = _step(classes, argument, source, wanted)
    if step is None:
        return None
    is_fixed = (
        isinstance(source.type, EnumerationType) and source.type.is_fixed and source.type.underlying == wanted.type
    )
    return StandardConversion(source, step, wanted, fixed_underlying=step is ConversionStep.PROMOTION and is_fixed)


def _step(classes: Bases, argument: Argument, source: QualType, target: QualType) -> ConversionStep | None:
    if source.unqualified == target or can_add_qualifiers(source, target):
        return ConversionStep.IDENTITY
    match source.type, target.type:
        case ClassType() as derived, ClassType() as base:
            return ConversionStep.TO_BASE if distance_to_base(classes, derived, base) else None
        case DeviceType(object=GroupType(kind=kind)), DeviceType(object=wanted):
            is_same = isinstance(wanted, GroupType) and (kind is wanted.kind or {kind, wanted.kind} <= _WITHIN_WARPS)
            return ConversionStep.TO_BASE if is_same or target.type == THREAD_GROUP else None
        case _, FundamentalType(kind=Fundamental.BOOL):
            return _to_bool(source)
        case _, FundamentalType(kind=Fundamental.NULL_POINTER):
            return ConversionStep.NULL if argument.is_null else None
        case _, FundamentalType():
            return _to_number(argument, source, target)
        case _, PointerType():
            return _to_pointer(classes, argument, source, target)
        case _, MemberPointerType():
            return _to_member_pointer(classes, argument, source, target)
        case _:
            return None


_WITHIN_WARPS = frozenset({GroupKind.TILE, GroupKind.COALESCED})
"""Tiles become tiles of another size, and coalesced groups."""


def _to_bool(source: QualType) -> ConversionStep | None:
    if is_arithmetic(source) or is_unscoped_enumeration(source):
        return ConversionStep.TO_BOOL
    return ConversionStep.POINTER_TO_BOOL if isinstance(source.type, PointerType | MemberPointerType) else None


def _to_number(argument: Argument, source: QualType, target: QualType) -> ConversionStep | None:
    if not is_arithmetic(target) or not (is_arithmetic(source) or is_unscoped_enumeration(source)):
        return None
    is_bit_field = argument.bits is not None and isinstance(source.type, FundamentalType)
    if is_bit_field and promoted(source, argument.bits) == target:
        return ConversionStep.PROMOTION
    return ConversionStep.PROMOTION if is_promotion(source, target) else ConversionStep.ARITHMETIC


def _to_pointer(classes: Bases, argument: Argument, source: QualType, target: QualType) -> ConversionStep | None:
    assert isinstance(target.type, PointerType)
    if isinstance(source.type, FundamentalType):
        return ConversionStep.NULL if argument.is_null else None
    if not isinstance(source.type, PointerType):
        return None
    have, want = source.type.pointee, target.type.pointee
    if not _covers(have, want):
        return None
    match have.type, want.type:
        case FunctionType(), _:
            return None
        case _, FundamentalType(kind=Fundamental.VOID):
            return ConversionStep.TO_VOID_POINTER
        case ClassType() as derived, ClassType() as base:
            return ConversionStep.TO_BASE_POINTER if distance_to_base(classes, derived, base) else None
        case _:
            return None


def _covers(have: QualType, want: QualType) -> bool:
    return (want.is_constant or not have.is_constant) and (want.is_volatile or not have.is_volatile)


def _to_member_pointer(classes: Bases, argument: Argument, source: QualType, target: QualType) -> ConversionStep | None:
    assert isinstance(target.type, MemberPointerType)
    if isinstance(source.type, FundamentalType):
        return ConversionStep.NULL if argument.is_null else None
    if not isinstance(source.type, MemberPointerType):
        return None
    derived, base = target.type.owner.type, source.type.owner.type
    if not isinstance(derived, ClassType) or not isinstance(base, ClassType):
        return None
    is_up = distance_to_base(classes, derived, base)
    return ConversionStep.TO_MEMBER_OF_DERIVED if is_up and source.type.member == target.type.member else None
