"""Overload resolution: the best viable function for the arguments of a call.

Rules   What is not known of an argument or a parameter decides nothing: where it could, several candidates are left.
        Where two parameters are of one type, what happens to their argument is the same, known or not.
Source  C++20 standard, [over.match.viable], [over.match.best].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, final

from analysis.cpp.conversions.implicit import Classes, implicit_conversion, is_open, object_conversion
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
    ignores_object: bool = False
    """Of a static method: its first parameter only keeps the place of the object."""
    is_certain: bool = True
    """Whether what it requires is known to hold: otherwise it may not be there."""


@final
@record
class Chosen:
    candidate: Candidate
    conversions: tuple[Conversion, ...]


@final
@record
class Ambiguous:
    """The program is wrong: several are equally good, and none is better than these."""

    candidates: tuple[Candidate, ...]


@final
@record
class Undecided:
    """What is not known could decide between these, or whether the only one is there."""

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
    beaten = {
        index
        for index, one in enumerate(viable)
        if any(_is_better(classes, other, one, is_more_special) for other in viable if other is not one)
    }
    best = [one for index, one in enumerate(viable) if index not in beaten] or viable
    if len(best) == 1 and best[0].candidate.is_certain and _beats_all(classes, best[0], viable, is_more_special):
        return best[0]
    is_uncertain = any(_is_open(each) for one in viable for each in one.conversions)
    left = tuple(one.candidate for one in best)
    if is_uncertain or not all(one.candidate.is_certain for one in viable):
        return Undecided(left)
    return Ambiguous(left)


def _beats_all(classes: Classes, one: Chosen, viable: Sequence[Chosen], is_more_special: MoreSpecial) -> bool:
    return all(one is other or _is_better(classes, one, other, is_more_special) for other in viable)


def _conversions(
    classes: Classes, candidate: Candidate, arguments: Sequence[Argument]
) -> tuple[Conversion, ...] | None:
    count = len(arguments)
    if count < candidate.required or (count > len(candidate.parameters) and not candidate.is_variadic):
        return None
    found: list[Conversion] = []
    for index, argument in enumerate(arguments):
        if index >= len(candidate.parameters) or (index == 0 and candidate.ignores_object):
            found.append(EllipsisConversion())
            continue
        if index == 0 and candidate.takes_any_object:
            conversion = _of_object(classes, argument, candidate.parameters[0].object)
        else:
            conversion = implicit_conversion(classes, argument, candidate.parameters[index])
        if conversion is None:
            return None
        found.append(conversion)
    return tuple(found)


def _of_object(classes: Classes, argument: Argument, referred: QualType) -> Conversion | None:
    return UncertainConversion() if is_open(argument) else object_conversion(classes, argument, referred)


def _is_better(classes: Classes, one: Chosen, other: Chosen, is_more_special: MoreSpecial) -> bool:
    """Whether the first is certainly there and certainly the better one."""
    if not one.candidate.is_certain:
        return False
    pairs = _told_apart(one, other)
    if any(not is_better(classes, left, right) for left, right in pairs if _is_open(left) or _is_open(right)):
        return False
    if any(is_better(classes, right, left) for left, right in pairs):
        return False
    if any(is_better(classes, left, right) for left, right in pairs):
        return True
    if one.candidate.is_template != other.candidate.is_template:
        return other.candidate.is_template
    is_ordered = one.candidate.is_template or one.candidate.parameters == other.candidate.parameters
    return is_ordered and is_more_special(one.candidate, other.candidate)


def _is_open(conversion: Conversion) -> bool:
    return isinstance(conversion, UncertainConversion)


def _told_apart(one: Chosen, other: Chosen) -> list[tuple[Conversion, Conversion]]:
    """The conversions of both to parameters of different types."""
    left, right = one.candidate, other.candidate
    first = 1 if left.ignores_object or right.ignores_object else 0
    return [
        pair
        for index, pair in enumerate(zip(one.conversions, other.conversions, strict=True))
        if index >= first and _at(left, index) != _at(right, index)
    ]


def _at(candidate: Candidate, index: int) -> QualType | None:
    return candidate.parameters[index] if index < len(candidate.parameters) else None
