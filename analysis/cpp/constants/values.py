"""What constant evaluation computes with: numbers, pointers, objects with parts that change, and frozen results.

Words     An `Object` is a variable, a temporary or a constant; its contents are a number, a pointer, a reference, or a
          list: the members of a class (those of its bases first, as a class shape numbers them), the elements of an
          array.  A `Place` is where such contents stand: what an lvalue denotes and a pointer points to.
          A `Value` is a prvalue.  `Frozen` is what is left of a value when the evaluation ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.cpp.conversions.model import ValueCategory
from analysis.cpp.types.model import QualType
from analysis.ir.record import record


class NotConstant(Exception):
    """The expression is no constant: something is not known, is undefined, or takes too long."""


class Hole(Enum):
    """What stands where there is no value."""

    UNSET = "not initialised"
    UNKNOWN = "not evaluated, or not known"


UNSET: Final = Hole.UNSET
UNKNOWN: Final = Hole.UNKNOWN


@final
@dataclass(slots=True, eq=False)
class Object:
    """`number` says which of two objects was made first; `is_named`: whether it is known to be one object only."""

    type: QualType
    cells: list[Contents]
    number: int
    is_alive: bool = True
    is_named: bool = True


@final
@dataclass(slots=True, eq=False)
class Place:
    """`container[index]`, of type `type`; of a base of a class the members begin `shift` further.

    `is_element`: whether the container is an array, in which pointers may move.
    """

    container: list[Contents]
    index: int
    type: QualType
    object: Object
    shift: int = 0
    is_element: bool = False
    category: ValueCategory = ValueCategory.LVALUE
    width: int | None = None
    """Of a bit-field, in bits."""


@final
@dataclass(slots=True, eq=False)
class Pointer:
    """To `place`, or `past` its end; None for a null pointer.  Past an array's last element the index says it."""

    place: Place | None
    past: bool = False


NULL: Final = Pointer(None)


@final
@dataclass(slots=True, eq=False)
class FunctionPointer:
    """`functions` is what the surroundings call the functions of that name."""

    functions: object


@final
@dataclass(slots=True, eq=False)
class Closure:
    """What is the same for all copies of a lambda's object: it stands first among the object's members.

    `captures` are the names of the others, in order, each with its type (a reference's for what is captured so).
    """

    handle: object
    """What the surroundings know the lambda by."""
    captures: tuple[tuple[str, QualType], ...]
    is_mutable: bool
    this: Place | None


Scalar: TypeAlias = int | float | bool | Pointer | FunctionPointer | Hole
Contents: TypeAlias = "Scalar | Place | Closure | list[Contents]"


@final
@dataclass(slots=True, eq=False)
class Value:
    """`is_guess`: whether the type is only known by what it is stored as; another one may be meant."""

    type: QualType
    data: Contents
    is_guess: bool = False
    is_null: bool = False
    """Whether it is a literal zero, or `nullptr`."""


Result: TypeAlias = Value | Place


@final
@record
class Number:
    """A constant of arithmetic or enumeration type, or a null pointer."""

    value: int | float | bool
    type: QualType
    is_guess: bool = False


@final
@record
class Aggregate:
    """A constant of class or array type: its members, None for one that is not known."""

    type: QualType
    members: tuple[Frozen | None, ...]


Frozen: TypeAlias = Number | Aggregate
