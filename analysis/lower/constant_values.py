"""What a constant expression can be: a number, or an object with members, some of which may not be known."""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias, final

from analysis.cpp.types.model import QualType
from analysis.ir.record import record
from analysis.ir.types import Type
from analysis.lower.conversions import ConstantValue


@final
@record
class ConstantName:
    """An enumerator, a constant with a known value, a bound non-type template parameter."""

    value: ConstantValue
    type: Type
    exact: QualType | None = field(default=None, compare=False)
    """The C++ type, `const` where it is the constant object's own; None where it is not known."""
    is_typed: bool = field(default=False, compare=False)
    """Whether it is what an `auto` parameter is bound to: its type is then a part of what it is."""


@final
@record
class ConstantObject:
    """A constant of class, array or vector type: its members or elements, in order; None for one that is not known."""

    type: Type
    members: tuple[Constant | None, ...]

    @property
    def is_known(self) -> bool:
        return all(each is not None and (isinstance(each, ConstantName) or each.is_known) for each in self.members)


Constant: TypeAlias = ConstantName | ConstantObject
