"""What the checker says of an expression: its type, its value category, and how its operands are converted.

Rules   A checked expression is an `Argument`: a type that is no reference, and a value category.
        `INVALID` is an expression that no program may contain, which is what a substitution failure is about; None is
        one of which too little is known.
Source  C++20 standard, [basic.lval], [expr.type], [dcl.type.decltype].
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.conversions.standard import decayed
from analysis.cpp.types.arithmetic import promoted
from analysis.cpp.types.model import (
    ArrayType,
    ClassType,
    DependentType,
    FunctionType,
    OpaqueType,
    PlaceholderType,
    QualType,
    ReferenceType,
    reference_to,
)
from analysis.ir.record import record


@final
class Invalid:
    """There is no such expression."""


INVALID: Final = Invalid()
Checked: TypeAlias = Argument | Invalid | None


@final
@record
class Operation:
    """A built-in operator: what it gives, and the types to which its operands are converted before.

    An operand whose type is None is used as the object that it is.
    """

    result: Argument
    operands: tuple[QualType | None, ...]


def prvalue(type: QualType) -> Argument:
    """A value of that type; `const` counts for classes and arrays alone ([expr.type])."""
    is_object = isinstance(type.type, ClassType | ArrayType)
    return Argument(type if is_object else type.unqualified)


def lvalue(type: QualType) -> Argument:
    return Argument(type, ValueCategory.LVALUE)


def xvalue(type: QualType) -> Argument:
    return Argument(type, ValueCategory.XVALUE)


def called(type: QualType) -> Argument:
    """What a call of a function with that result is, or a cast to that type."""
    if not isinstance(type.type, ReferenceType):
        return prvalue(type)
    referred = type.type.referred
    return xvalue(referred) if type.type.is_rvalue and not isinstance(referred.type, FunctionType) else lvalue(referred)


def named(type: QualType) -> Argument:
    """What the name of a variable of that type denotes."""
    return lvalue(type.object)


def decltype_of(expression: Argument) -> QualType:
    """`decltype((e))`."""
    match expression.category:
        case ValueCategory.LVALUE:
            return reference_to(expression.type)
        case ValueCategory.XVALUE:
            return reference_to(expression.type, is_rvalue=True)
        case ValueCategory.PRVALUE:
            return expression.type


def is_known(type: QualType) -> bool:
    """Whether it is certain which operators a value of that type has."""
    return not isinstance(type.type, DependentType | OpaqueType | PlaceholderType)


def value_of(operand: Argument) -> QualType:
    """The type of the operand's value: arrays and functions are pointers, objects are read ([conv.general])."""
    return decayed(operand.type)


def promoted_value(operand: Argument) -> QualType:
    """The type of the value after the integral promotions, which a bit-field has by its width."""
    return promoted(value_of(operand), operand.bits)
