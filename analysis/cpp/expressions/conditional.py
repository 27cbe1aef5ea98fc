"""`condition ? first : second`: the type and value category of the whole.

Rules   Two objects of one type and category are chosen between as objects; all else is a value.
        Where the types differ and one is a class, exactly one of the two must convert to what the other is.
Source  C++20 standard, [expr.cond], with the resolution of core issue 2321.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.cpp.conversions.implicit import Classes, implicit_conversion
from analysis.cpp.conversions.model import (
    Argument,
    Binding,
    ConversionStep,
    StandardConversion,
    UncertainConversion,
    UserConversion,
    ValueCategory,
)
from analysis.cpp.conversions.standard import distance_to_base
from analysis.cpp.expressions.model import INVALID, Invalid, Operation, called, is_known, prvalue, value_of
from analysis.cpp.expressions.operators import Operated, common_value, composite_pointer, converted_operand, is_number
from analysis.cpp.types.model import VOID, ClassType, QualType, qualifiers_of, reference_to


def conditional(classes: Classes, first: Argument, second: Argument) -> Operated:
    """What the whole is, and the types to which its arms are converted; None where an arm stays the object it is."""
    if not is_known(first.type) or not is_known(second.type):
        return None
    is_void = [one.type.type == VOID.type for one in (first, second)]
    if any(is_void):
        return Operation(prvalue(VOID), (VOID, VOID)) if all(is_void) else INVALID
    arms = _brought_together(classes, first, second)
    if arms is None or isinstance(arms, Invalid):
        return arms
    one, other = arms
    if one.type == other.type and one.category is other.category and one.category is not ValueCategory.PRVALUE:
        bits = one.bits if one.bits == other.bits else max(one.bits or 0, other.bits or 0)
        return Operation(Argument(one.type, one.category, bits=bits), (None, None))
    return _as_values(classes, one, other)


def _brought_together(
    classes: Classes, first: Argument, second: Argument
) -> tuple[Argument, Argument] | Invalid | None:
    """The operands after the one conversion that makes one of them what the other is."""
    is_class = any(isinstance(one.type.type, ClassType) for one in (first, second))
    differs = first.type != second.type
    is_qualified_otherwise = (
        first.category is second.category and not _is_value(first) and first.type.type == second.type.type
    )
    if not (differs and (is_class or is_qualified_otherwise)):
        return first, second
    forward, backward = _matched(classes, first, second), _matched(classes, second, first)
    if forward is None or backward is None:
        return None
    match forward, backward:
        case Argument(), Argument():
            return INVALID
        case Argument(), _:
            return forward, second
        case _, Argument():
            return first, backward
        case _:
            return first, second


def _is_value(operand: Argument) -> bool:
    return operand.category is ValueCategory.PRVALUE


def _matched(classes: Classes, operand: Argument, wanted: Argument) -> Argument | Invalid | None:
    """The operand as what `wanted` is; INVALID where it does not convert, None where that is not known."""
    if not _is_value(wanted):
        target = reference_to(wanted.type, is_rvalue=wanted.category is ValueCategory.XVALUE)
        bound = _bound_directly(classes, operand, target)
        if bound is None or bound:
            return None if bound is None else called(target)
    own, other = operand.type, wanted.type
    if not isinstance(own.type, ClassType) and not isinstance(other.type, ClassType):
        return INVALID
    if own.type == other.type:
        is_covered = all(has or not had for had, has in zip(qualifiers_of(own), qualifiers_of(other), strict=True))
        return prvalue(other) if is_covered else INVALID
    if isinstance(own.type, ClassType) and isinstance(other.type, ClassType):
        if distance_to_base(classes, own.type, other.type):
            return prvalue(QualType(other.type, own.is_constant, own.is_volatile))
        if distance_to_base(classes, other.type, own.type):
            return INVALID
    type = value_of(wanted)
    match implicit_conversion(classes, operand, type):
        case None:
            return INVALID
        case UncertainConversion():
            return None
        case UserConversion(function=None):
            return INVALID
        case _:
            return prvalue(type)


def _bound_directly(classes: Classes, operand: Argument, target: QualType) -> bool | None:
    """Whether the reference is bound to a glvalue without making a temporary; None where that is not known."""
    match implicit_conversion(classes, replace(operand, is_null=False), target):
        case UncertainConversion():
            return None
        case StandardConversion(step=step):
            return (
                step in (ConversionStep.IDENTITY, ConversionStep.TO_BASE)
                and not _is_value(operand)
                and operand.bits is None
            )
        case UserConversion(second=StandardConversion(binding=Binding(to_rvalue=to_rvalue))):
            return not to_rvalue
        case _:
            return False


def _as_values(classes: Classes, first: Argument, second: Argument) -> Operated:
    one, other = value_of(first), value_of(second)
    if one == other:
        return Operation(prvalue(one), (one, other))
    if isinstance(one.type, ClassType) or isinstance(other.type, ClassType):
        return _as_converted(classes, first, second)
    if is_number(one) and is_number(other):
        common = common_value(first, second)
    else:
        common = composite_pointer(classes, first, second)
    return INVALID if common is None else Operation(prvalue(common), (common, common))


def _as_converted(classes: Classes, first: Argument, second: Argument) -> Operated:
    """Objects of classes as what their conversion functions give."""
    operands: list[Argument] = []
    for arm in (first, second):
        found = converted_operand(classes, arm)
        if not isinstance(found, Argument):
            return found
        operands.append(found)
    if any(isinstance(one.type.type, ClassType) for one in operands):
        return INVALID
    return _as_values(classes, *operands)
