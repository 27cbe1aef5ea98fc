"""The usual arithmetic conversions: the one type in which C computes over several operands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from analysis.ir.types import (
    F64,
    S32,
    BooleanType,
    FloatType,
    IntegerType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.conversions import arithmetic_type, promoted


def common_type(types: Sequence[Type]) -> Type:
    """The type of `a + b`; a type that is not known yet wins, and vectors win over their elements."""
    special = _dependent_or_vector(types)
    return reduce(arithmetic_type, types[1:], promoted(types[0])) if special is None else special


def common_floating(types: Sequence[Type]) -> Type:
    """The type in which a floating-point function computes: integers count as double (C++11)."""
    special = _dependent_or_vector(types)
    if special is not None:
        return special
    return reduce(arithmetic_type, (type if isinstance(type, FloatType) else F64 for type in types))


def common_integer(types: Sequence[Type]) -> Type:
    """Integer promotion, then the wider operand, unsigned where both are as wide and one is unsigned."""
    special = _dependent_or_vector(types)
    if special is not None:
        return special
    return common_type([type if isinstance(type, IntegerType | BooleanType) else S32 for type in types])


def promoted_alone(types: Sequence[Type]) -> Type:
    """Integer promotion of one argument."""
    return promoted(types[0])


def _dependent_or_vector(types: Sequence[Type]) -> Type | None:
    for kind in (TemplateType, UnknownType, VectorType):
        for type in types:
            if isinstance(type, kind):
                return type
    return None
