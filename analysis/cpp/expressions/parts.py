"""Parts of objects: what an element, what a pointer leads to, and a member are.

Source  C++20 standard, [expr.unary.op], [expr.sub], [expr.ref].
"""

from __future__ import annotations

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types.model import ArrayType, PointerType, QualType, qualified


def element_type(sequence: QualType) -> QualType | None:
    """Of `sequence[i]` and of `*sequence`, for an array or a pointer; None for anything else."""
    match sequence.type:
        case ArrayType(element=element):
            return element
        case PointerType(pointee=pointee):
            return pointee
        case _:
            return None


def member_type(object: QualType, declared: QualType, *, is_mutable: bool = False) -> QualType:
    """Of a member or base that the class declares so, in an object of that type; references stay what they are."""
    return qualified(declared, constant=object.is_constant and not is_mutable, volatile=object.is_volatile)


def part_category(whole: ValueCategory) -> ValueCategory:
    """Of a member, a base or an element of an array, which is no reference."""
    return ValueCategory.LVALUE if whole is ValueCategory.LVALUE else ValueCategory.XVALUE
