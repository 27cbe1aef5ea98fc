"""Implicit conversion sequences: what happens to an argument on its way to a parameter.

Source  C++20 standard, [over.best.ics], [over.ics.scs], [over.ics.user], [over.ics.ellipsis].
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TypeAlias, final

from analysis.cpp.types.model import QualType
from analysis.ir.record import record


class ValueCategory(Enum):
    """Whether an expression names an object, and whether that object may be moved from ([basic.lval])."""

    LVALUE = "lvalue"
    XVALUE = "xvalue"
    PRVALUE = "prvalue"


@final
@record
class Argument:
    """What overload resolution knows of an expression: `type` is never a reference.

    `is_null` tells a literal zero or `nullptr`, `bits` the width of a bit-field.
    `is_assumed` says that the type, or the category, is only a likely one: deduction takes it, but what a conversion
    does is not known.
    """

    type: QualType
    category: ValueCategory = ValueCategory.PRVALUE
    is_null: bool = False
    bits: int | None = None
    is_assumed: bool = False

    @property
    def is_rvalue(self) -> bool:
        return self.category is not ValueCategory.LVALUE


class Rank(IntEnum):
    EXACT = 0
    PROMOTION = 1
    CONVERSION = 2


class ConversionStep(Enum):
    """The middle step of a standard conversion: between types that are not similar."""

    IDENTITY = "identity"
    PROMOTION = "promotion"
    ARITHMETIC = "arithmetic"
    TO_BOOL = "boolean of a number"
    POINTER_TO_BOOL = "boolean of a pointer"
    NULL = "null pointer"
    TO_VOID_POINTER = "to a pointer to void"
    TO_BASE_POINTER = "to a pointer to a base"
    TO_BASE = "to a base"
    TO_MEMBER_OF_DERIVED = "to a pointer to a member of a derived class"


_RANKS = {ConversionStep.IDENTITY: Rank.EXACT, ConversionStep.PROMOTION: Rank.PROMOTION}


@final
@record
class Binding:
    """How a reference parameter is bound."""

    is_rvalue_reference: bool
    to_rvalue: bool
    referred: QualType
    is_implicit_object: bool = False
    """Of the object of a method without `&` or `&&`: which of both binds does not count."""


@final
@record
class StandardConversion:
    """`source` follows lvalue-to-rvalue, array and function conversions; `target` is what the rest makes of it."""

    source: QualType
    step: ConversionStep
    target: QualType
    binding: Binding | None = None
    fixed_underlying: bool = False
    """Of a promotion of an enumeration: to its fixed underlying type rather than to what that is promoted to."""

    @property
    def rank(self) -> Rank:
        return _RANKS.get(self.step, Rank.CONVERSION)


@final
@record
class UserConversion:
    """`function` identifies the constructor or conversion function; None where several would do."""

    function: object | None
    first: StandardConversion | None
    second: StandardConversion | None
    binding: Binding | None = None
    is_template: bool = False
    """Whether the function is an instance of a template: any other function is better where all else is equal."""


@final
@record
class EllipsisConversion:
    """An argument for `...`."""


@final
@record
class UncertainConversion:
    """A type that is not known is involved: there may be a conversion of any rank, or none.

    `is_inexact` tells that there is none that does nothing: the types are different, one is a class of which not all
    is known.
    """

    is_inexact: bool = False


Conversion: TypeAlias = StandardConversion | UserConversion | EllipsisConversion | UncertainConversion
