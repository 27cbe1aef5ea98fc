"""Which partial specialisation of a template do these arguments mean?

Source  C++20 standard, [temp.spec.partial.match], [temp.spec.partial.order].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, final

from analysis.cpp.templates.deduction import Deduced, deduce_arguments
from analysis.cpp.templates.parameters import TemplateParameter, names_of, unique_arguments
from analysis.cpp.types.model import TemplateArgument
from analysis.ir.record import record


@final
@record
class Specialisation:
    """A partial specialisation, or a full one (without parameters), by the pattern of its arguments."""

    declaration: object
    template: tuple[TemplateParameter, ...]
    pattern: tuple[TemplateArgument, ...]


@final
@record
class Match:
    """`specialisation` is None for the primary template; `arguments` are those of the specialisation's parameters."""

    specialisation: Specialisation | None
    arguments: Mapping[str, TemplateArgument]


@final
@record
class AmbiguousMatch:
    """The program is wrong: several fit, and none of them is the most specialised."""

    specialisations: tuple[Specialisation, ...]


Matched: TypeAlias = Match | AmbiguousMatch


def matched(specialisations: Sequence[Specialisation], arguments: Sequence[TemplateArgument]) -> Matched:
    """The specialisation for these arguments of the primary template, defaults included."""
    fitting: list[Match] = []
    for one in specialisations:
        found: Deduced = {}
        if _fits(one, arguments, found):
            fitting.append(Match(one, found))
    if not fitting:
        return Match(None, {})
    for match in fitting:
        own = match.specialisation
        others = [other.specialisation for other in fitting if other is not match]
        if own is not None and all(other is not None and _is_more_specialised(own, other) for other in others):
            return match
    return AmbiguousMatch(tuple(match.specialisation for match in fitting if match.specialisation is not None))


def _fits(one: Specialisation, arguments: Sequence[TemplateArgument], found: Deduced) -> bool:
    names = names_of(one.template)
    return deduce_arguments(names, one.pattern, arguments, found) and names <= found.keys()


def _is_more_specialised(one: Specialisation, other: Specialisation) -> bool:
    return _takes(other, one) and not _takes(one, other)


def _takes(general: Specialisation, special: Specialisation) -> bool:
    """Whether the pattern of `special`, whatever its parameters are, fits that of `general`."""
    return deduce_arguments(
        names_of(general.template), general.pattern, unique_arguments(special.template, special.pattern), {}
    )
