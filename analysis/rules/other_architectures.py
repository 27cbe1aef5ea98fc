"""Findings of a file that is compiled for several architectures: each is told once.

Rules    What is wrong on one side is wrong: it is told, with the architectures for which it is where that is not the
         analysed one.  What may be left out (`OF_ALL`) has to be of no use on every side that compiles the place.
         What others say more loudly is told as they say it.
         A repair is only safe where every architecture that compiles the place has the finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.ir.record import record
from analysis.rules.diagnostic import Applicability, Diagnostic, Severity

Place: TypeAlias = tuple[int, int, str]


@final
@record
class Compiled:
    """The findings of one architecture; of another one than the analysed, those in functions that differ there."""

    architecture: int
    analysis: FileAnalysis
    found: Mapping[Place, Diagnostic]


def compiled_for(architecture: int, analysis: FileAnalysis, found: Iterator[Diagnostic]) -> Compiled:
    return Compiled(architecture, analysis, {(one.start, one.end, one.code): one for one in found})


def told_once(own: Compiled, others: Sequence[Compiled]) -> Iterator[Diagnostic]:
    """`own` is the analysed architecture."""
    if not others:
        yield from own.found.values()
        return
    places = dict.fromkeys((*own.found, *(place for other in others for place in other.found)))
    for place in places:
        having = [other for other in others if place in other.found]
        missing = [other for other in others if place not in other.found and _differs_at(other, own, place[0])]
        is_everywhere = not missing and (place in own.found or not _compiles(own, place[0]))
        if place[2] in OF_ALL and not is_everywhere:
            continue
        found = own.found.get(place)
        louder = [one for one in having if found is None or _is_louder(one.found[place], found)]
        if louder:
            yield _of_others(louder[0].found[place], [one.architecture for one in louder], own.architecture)
        elif found is not None:
            yield found if is_everywhere else _with_unsafe_repair(found)


def _differs_at(other: Compiled, own: Compiled, start: int) -> bool:
    """Whether it compiles that place, in a function that is another one there."""
    function = other.analysis.facts.function_at(start)
    is_same = function is not None and other.analysis.is_same_in(own.analysis, function)
    return not is_same and _compiles(other, start)


def _compiles(one: Compiled, start: int) -> bool:
    """Whether there is code of a place."""
    function = one.analysis.facts.function_at(start)
    if function is None or not function.active:
        return False
    at = start - function.start
    is_barrier = any(barrier.span.start <= at < barrier.span.end for barrier in function.barriers)
    return is_barrier or any(True for _ in one.analysis.values_at(function, start))


def _is_louder(one: Diagnostic, than: Diagnostic) -> bool:
    return _LOUDNESS.index(one.severity) < _LOUDNESS.index(than.severity)


def _of_others(found: Diagnostic, architectures: Sequence[int], own: int) -> Diagnostic:
    names = [f"sm_{one // 10}" for one in sorted(architectures)]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    message = f"{found.message} This holds for {listed}, not for sm_{own // 10}."
    return _with_unsafe_repair(replace(found, message=message, architectures=tuple(sorted(architectures))))


def _with_unsafe_repair(found: Diagnostic) -> Diagnostic:
    return found if found.fix is None else replace(found, fix=replace(found.fix, applicability=Applicability.UNSAFE))


LANES_PART: Final = 700
"""Before, the lanes of a warp run in step."""
OF_PARTED_LANES: Final = frozenset({"WRP204", "WRP208", "WRP209", "RAC301", "RAC305"})
"""Rules that rest on it that they do not."""
OF_ALL: Final = frozenset({"SYN107", "DIV404", "ARI601", "ARI607"})
"""Rules that say that something need not be so."""
_LOUDNESS: Final = tuple(Severity)
