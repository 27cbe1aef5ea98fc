"""The built-in operators: which types they take, what they give, and to what their operands are converted.

Rules   Operands of class type never get here: which conversion function makes a number of them is overload resolution.
        Pointers with different address spaces are of one type.
Source  C++20 standard, [expr.unary] to [expr.comma], [expr.arith.conv], [expr.type] (composite pointer type).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from analysis.cpp.conversions.implicit import Classes, implicit_conversion, object_conversion
from analysis.cpp.conversions.model import Argument, UncertainConversion
from analysis.cpp.conversions.standard import distance_to_base
from analysis.cpp.expressions.model import (
    INVALID,
    Checked,
    Invalid,
    Operation,
    called,
    lvalue,
    promoted_value,
    prvalue,
    value_of,
)
from analysis.cpp.types.arithmetic import (
    common_arithmetic,
    is_arithmetic,
    is_floating,
    is_integral,
    is_unscoped_enumeration,
)
from analysis.cpp.types.model import (
    BOOL,
    NULL_POINTER,
    VOID,
    ClassType,
    EnumerationType,
    FunctionType,
    Fundamental,
    MemberPointerType,
    PointerType,
    QualType,
    fundamental,
    pointer_to,
    qualified,
)
from analysis.cpp.types.qualification import combined

Operated = Operation | Invalid | None

ASSIGNING: Final = frozenset(
    {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "and_eq", "or_eq", "xor_eq"}
)
SPELLINGS: Final = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "bitand": "&",
    "bitor": "|",
    "xor": "^",
    "compl": "~",
    "not_eq": "!=",
    "and_eq": "&=",
    "or_eq": "|=",
    "xor_eq": "^=",
}
"""Operators that are spelled as words."""
_COMPARING: Final = frozenset({"<", ">", "<=", ">="})
_EQUALITY: Final = frozenset({"==", "!="})
_INTEGRAL: Final = frozenset({"%", "&", "|", "^"})
_LONG: Final = fundamental(Fundamental.LONG)


def converted_operand(classes: Classes, operand: Argument) -> Checked:
    """The operand of a built-in operator: an object of a class is what its only conversion function gives."""
    own = operand.type.type
    if not isinstance(own, ClassType):
        return operand
    if not classes.is_complete(own):
        return None
    functions = [
        function
        for function in classes.conversion_functions(own, None)
        if not function.is_explicit
        and object_conversion(classes, operand, QualType(function.owner, function.is_constant)) is not None
    ]
    if len(functions) != 1:
        return None if functions else INVALID
    return None if functions[0].is_template else called(functions[0].result)


def unary(sign: str, operand: Argument) -> Operated:
    """`sign operand`, but for `++` and `--`."""
    type = value_of(operand)
    match sign:
        case "*":
            return _dereferenced(type)
        case "&":
            return _address(operand)
        case "!":
            return Operation(prvalue(BOOL), (BOOL,)) if is_truth(type) else INVALID
        case "+" if isinstance(type.type, PointerType):
            return Operation(prvalue(type), (type,))
        case "+" | "-" if is_number(type):
            promoted = promoted_value(operand)
            return Operation(prvalue(promoted), (promoted,))
        case "~" if is_number(type) and not is_floating(type):
            promoted = promoted_value(operand)
            return Operation(prvalue(promoted), (promoted,))
        case "+" | "-" | "~":
            return INVALID
        case _:
            return None


def _dereferenced(type: QualType) -> Operated:
    if not isinstance(type.type, PointerType) or type.type.pointee.type == VOID.type:
        return INVALID
    return Operation(lvalue(type.type.pointee), (type,))


def _address(operand: Argument) -> Operated:
    if operand.is_rvalue or operand.bits is not None:
        return INVALID
    return Operation(prvalue(pointer_to(operand.type)), (None,))


def step(operand: Argument, *, is_postfix: bool) -> Operated:
    """`++x`, `x++`, `--x` and `x--`."""
    type = operand.type
    is_stepped = (is_arithmetic(type) and type.unqualified != BOOL) or _is_object_pointer(type)
    if not is_stepped or not _is_modifiable(operand):
        return INVALID
    return Operation(prvalue(type) if is_postfix else operand, (None,))


def binary(classes: Classes, sign: str, left: Argument, right: Argument) -> Operated:
    """`left sign right`, assignments included."""
    sign = SPELLINGS.get(sign, sign)
    one, other = value_of(left), value_of(right)
    if sign in ASSIGNING:
        return _assigned(classes, sign, left, right)
    match sign:
        case ",":
            return Operation(right, (None, None))
        case "&&" | "||":
            return Operation(prvalue(BOOL), (BOOL, BOOL)) if is_truth(one) and is_truth(other) else INVALID
        case "<<" | ">>":
            return _shifted(left, right)
        case "+" | "-" if isinstance(one.type, PointerType) or isinstance(other.type, PointerType):
            return _pointer_arithmetic(classes, sign, one, other)
        case "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^":
            common = common_value(left, right)
            if common is None or (sign in _INTEGRAL and is_floating(common)):
                return INVALID
            return Operation(prvalue(common), (common, common))
        case _ if sign in _COMPARING or sign in _EQUALITY:
            return _compared(classes, sign, left, right)
        case _:
            return None


def common_value(left: Argument, right: Argument) -> QualType | None:
    """The type in which two numbers are computed with; None where one of them is none."""
    return common_arithmetic(promoted_value(left), promoted_value(right))


def _shifted(left: Argument, right: Argument) -> Operated:
    operands = promoted_value(left), promoted_value(right)
    if not all(map(is_integral, operands)):
        return INVALID
    return Operation(prvalue(operands[0]), operands)


def _pointer_arithmetic(classes: Classes, sign: str, one: QualType, other: QualType) -> Operated:
    if _is_object_pointer(one) and _is_index(other):
        return Operation(prvalue(one), (one, other))
    if sign == "+" and _is_index(one) and _is_object_pointer(other):
        return Operation(prvalue(other), (one, other))
    if sign == "-" and _is_object_pointer(one) and _is_object_pointer(other):
        common = combined(one, other)
        return INVALID if common is None else Operation(prvalue(_LONG), (common, common))
    return INVALID


def _is_index(type: QualType) -> bool:
    return is_number(type) and not is_floating(type)


def _is_object_pointer(type: QualType) -> bool:
    return isinstance(type.type, PointerType) and not isinstance(type.type.pointee.type, FunctionType)


def _compared(classes: Classes, sign: str, left: Argument, right: Argument) -> Operated:
    one, other = value_of(left), value_of(right)
    if isinstance(one.type, EnumerationType) and one == other:
        return Operation(prvalue(BOOL), (one, other))
    common = common_value(left, right)
    if common is None:
        is_ordered = sign in _COMPARING
        common = composite_pointer(classes, left, right)
        if is_ordered and common is not None and not isinstance(common.type, PointerType):
            return INVALID
        if is_ordered and (left.is_null or right.is_null):
            return INVALID
    return INVALID if common is None else Operation(prvalue(BOOL), (common, common))


def composite_pointer(classes: Classes, left: Argument, right: Argument) -> QualType | None:
    """The type to which two pointers are brought: similar ones, to a base, to `void`; null pointers fit each."""
    one, other = value_of(left), value_of(right)
    pointers = PointerType | MemberPointerType
    if one == other and (one == NULL_POINTER or isinstance(one.type, pointers)):
        return one
    if isinstance(one.type, pointers) and (right.is_null or other == NULL_POINTER):
        return one
    if isinstance(other.type, pointers) and (left.is_null or one == NULL_POINTER):
        return other
    if (
        NULL_POINTER in (one, other)
        and (left.is_null or one == NULL_POINTER)
        and (right.is_null or other == NULL_POINTER)
    ):
        return NULL_POINTER
    if isinstance(one.type, MemberPointerType) and isinstance(other.type, MemberPointerType):
        return _composite_member_pointer(classes, one.type, other.type)
    if not isinstance(one.type, PointerType) or not isinstance(other.type, PointerType):
        return None
    similar = combined(one, other)
    if similar is not None:
        return similar
    first, second = one.type.pointee, other.type.pointee
    constant, volatile = first.is_constant or second.is_constant, first.is_volatile or second.is_volatile
    if VOID.type in (first.type, second.type):
        is_function = isinstance(first.type, FunctionType) or isinstance(second.type, FunctionType)
        return None if is_function else pointer_to(qualified(VOID, constant=constant, volatile=volatile))
    if isinstance(first.type, ClassType) and isinstance(second.type, ClassType):
        for derived, base in ((first.type, second.type), (second.type, first.type)):
            if distance_to_base(classes, derived, base):
                return pointer_to(qualified(QualType(base), constant=constant, volatile=volatile))
    return None


def _composite_member_pointer(classes: Classes, one: MemberPointerType, other: MemberPointerType) -> QualType | None:
    """To similar members of the class that is derived from the other."""
    for owner, of_base in ((one.owner, other.owner), (other.owner, one.owner)):
        derived, base = owner.type, of_base.type
        if not isinstance(derived, ClassType) or not isinstance(base, ClassType):
            return None
        if derived == base or distance_to_base(classes, derived, base):
            return combined(QualType(replace(one, owner=owner)), QualType(replace(other, owner=owner)))
    return None


def _assigned(classes: Classes, sign: str, left: Argument, right: Argument) -> Operated:
    """A store into a number or pointer: the result is the object on the left."""
    if not _is_modifiable(left):
        return INVALID
    sign = SPELLINGS.get(sign, sign)
    target = left.type.unqualified
    source = right
    if sign != "=":
        computed = binary(classes, sign.removesuffix("="), replace(left, is_null=False), right)
        if not isinstance(computed, Operation):
            return computed
        source = computed.result
    conversion = implicit_conversion(classes, source, target)
    if conversion is None:
        return INVALID
    if isinstance(conversion, UncertainConversion):
        return None
    return Operation(replace(left, is_null=False), (None, target if sign == "=" else None))


def _is_modifiable(operand: Argument) -> bool:
    is_object = not operand.is_rvalue and not isinstance(operand.type.type, FunctionType)
    return is_object and not operand.type.is_constant


def is_truth(type: QualType) -> bool:
    """Whether a value of the type converts to `bool` where a condition is wanted ([conv.bool])."""
    return is_number(type) or isinstance(type.type, PointerType | MemberPointerType) or type == NULL_POINTER


def is_number(type: QualType) -> bool:
    return is_arithmetic(type) or is_unscoped_enumeration(type)
