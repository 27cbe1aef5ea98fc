"""Overload resolution: the best viable function for the arguments of a call.

Source  C++20 standard, [over.match.viable], [over.match.best].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, final

from analysis.cpp.conversions.implicit import Classes, implicit_conversion, object_conversion
from analysis.cpp.conversions.model import Argument, Conversion, EllipsisConversion, UncertainConversion
from analysis.cpp.conversions.ranking import is_better
from analysis.cpp.types.model import QualType
from analysis.ir.record import record


@final
@record
class Candidate:
    """A function by what a call needs to know; of a template, the instance that was deduced.

    `parameters` begin with the implicit object parameter where there is one.  `required` have no default.
    """

    function: object
    parameters: tuple[QualType, ...]
    required: int
    is_variadic: bool = False
    is_template: bool = False
    takes_any_object: bool = False
    """Of a method without `&` or `&&`: its object may be an lvalue or an rvalue."""


@final
@record
class Chosen:
    candidate: Candidate
    conversions: tuple[Conversion, ...]


@final
@record
class Ambiguous:
    """The program is wrong: several are equally good."""

    candidates: tuple[Candidate, ...]


@final
@record
class Undecided:
    """What is not known could decide between these."""

    candidates: tuple[Candidate, ...]


@final
@record
class NoneViable:
    """The program is wrong: no candidate takes the arguments."""


Choice: TypeAlias = Chosen | Ambiguous | Undecided | NoneViable

MoreSpecial: TypeAlias = Callable[[Candidate, Candidate], bool]
"""Whether the first of two is the more specialised template, or else the more constrained function."""


def choose(
    classes: Classes, candidates: Sequence[Candidate], arguments: Sequence[Argument], is_more_special: MoreSpecial
) -> Choice:
    viable = [
        Chosen(candidate, conversions)
        for candidate in candidates
        if (conversions := _conversions(classes, candidate, arguments)) is not None
    ]
    if not viable:
        return NoneViable()
    for one in viable:
        if all(one is other or _is_better(classes, one, other, is_more_special) for other in viable):
            return one
    if any(isinstance(each, UncertainConversion) for one in viable for each in one.conversions):
        return Undecided(tuple(one.candidate for one in viable))
    return Ambiguous(tuple(one.candidate for one in viable))


def _conversions(
    classes: Classes, candidate: Candidate, arguments: Sequence[Argument]
) -> tuple[Conversion, ...] | None:
    count = len(arguments)
    if count < candidate.required or (count > len(candidate.parameters) and not candidate.is_variadic):
        return None
    found: list[Conversion] = []
    for index, argument in enumerate(arguments):
        if index >= len(candidate.parameters):
            found.append(EllipsisConversion())
            continue
        if index == 0 and candidate.takes_any_object:
            conversion = object_conversion(classes, argument, candidate.parameters[0].object)
        else:
            conversion = implicit_conversion(classes, argument, candidate.parameters[index])
        if conversion is None:
            return None
        found.append(conversion)
    return tuple(found)


def _is_better(classes: Classes, one: Chosen, other: Chosen, is_more_special: MoreSpecial) -> bool:
    pairs = list(zip(one.conversions, other.conversions, strict=True))
    if any(isinstance(each, UncertainConversion) for pair in pairs for each in pair):
        return False
    if any(is_better(classes, right, left) for left, right in pairs):
        return False
    if any(is_better(classes, left, right) for left, right in pairs):
        return True
    if one.candidate.is_template != other.candidate.is_template:
        return other.candidate.is_template
    is_ordered = one.candidate.is_template or one.candidate.parameters == other.candidate.parameters
    return is_ordered and is_more_special(one.candidate, other.candidate)
