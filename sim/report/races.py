"""Data races as a reader wants them: one per buffer and pair of lines, and a fault only what the program has to answer.

Words     A *fault* is the program's: it happens with this launch and these inputs.  A *note* may be the doing of what
          was chosen for the run, or shows in no result.
Faults    In shared memory: two threads of a block, with no barrier between.
          In global memory, where neither the launch nor the inputs that the places depend on were chosen; between
          threads of one block, whatever the shape.
Notes     Writes of the same value (`same-value-write`).
          A plain read that only guesses what a compare-and-swap of the same place expects.
          In global memory, where the places depend on chosen numbers or contents of arrays, or whether threads come
          there on such contents; between blocks, where the grid or the block was chosen.
          Two writes in shared memory whose places depend on chosen contents: a scatter that real data may keep apart.
Limits    Template arguments that were chosen are not seen in an address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.inputs.dependence import Dependence, Dependences
from analysis.inputs.flow import Flow
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic, Instruction, Load, Store
from sim.faults import AccessKind, DataRace, RaceScope
from sim.launch.choices import Choice
from sim.report.model import FaultReport, RelatedPlace, SourcePlace
from sim.report.places import SourcePlaces
from sim.report.words import choice_words, index_words

DATA_RACE: Final = "data-race"
SAME_VALUE: Final = "same-value-write"
_VERBS: Final = {AccessKind.LOAD: "reads", AccessKind.STORE: "writes", AccessKind.ATOMIC: "updates"}
_UNKNOWN: Final = Dependence(has_block_index=True)
_GUESS: Final = "; the read only guesses what the compare-and-swap expects, and a wrong guess is tried again"

_Group: TypeAlias = tuple[str, frozenset[tuple[str, int]]]


@final
class RaceReports:
    """For the kernel whose `flow` it is, launched with these choices."""

    def __init__(self, flow: Flow, choices: Sequence[Choice], places: SourcePlaces) -> None:
        self._kernel = str(flow.function.id)
        self._dependences = Dependences(flow)
        self._chosen: Mapping[str, Choice] = {choice.name: choice for choice in choices if choice.is_chosen}
        self._places = places

    def of(self, races: Iterable[DataRace]) -> tuple[FaultReport, ...]:
        """The worst of each buffer and pair of lines, in the order in which they were found."""
        groups: dict[_Group, FaultReport] = {}
        for race in races:
            report = self._report(race)
            key = race.buffer, frozenset(self._line(place) for place in (report.place, report.related[0].place))
            known = groups.get(key)
            if known is None:
                groups[key] = report
            else:
                worse = min(known, report, key=_mildness)
                groups[key] = replace(worse, count=max(known.count, report.count))
        return tuple(groups.values())

    def _report(self, race: DataRace) -> FaultReport:
        place = self._places.place(race.evidence.function, race.evidence.span)
        other = self._places.place(race.other.function, race.other.span)
        dependence = self._dependence(race)
        chosen = self._behind(race, dependence)
        is_guess = self._is_guess(race)
        reason = _GUESS if is_guess else self._reason(chosen)
        who = f"thread {index_words(race.other.thread)} of block {index_words(race.other.block)}"
        return FaultReport(
            kind=SAME_VALUE if race.same_value else DATA_RACE,
            place=place,
            block=race.evidence.block,
            thread=race.evidence.thread,
            count=race.evidence.count,
            message=_message(race, who, self._words(place, other)) + reason,
            is_note=race.same_value or is_guess or self._is_excused(race, dependence, chosen),
            related=(RelatedPlace(other, f"{who} {_VERBS[race.other_access]} it here"),),
            chosen=chosen,
        )

    def _is_own(self, race: DataRace) -> bool:
        """Whether both stand in the kernel or what was inlined into it."""
        return {race.evidence.function, race.other.function} == {self._kernel}

    def _dependence(self, race: DataRace) -> Dependence:
        if not self._is_own(race):
            return _UNKNOWN
        places = self._dependences.of([_address(site.instruction) for site in race.sites])
        if race.is_shared:
            return places
        guards = self._dependences.guards(site.block for site in race.sites)
        return replace(places, contents=places.contents | guards.contents)

    def _is_guess(self, race: DataRace) -> bool:
        one, other = (site.instruction for site in race.sites)
        load, atomic = (one, other) if isinstance(one, Load) else (other, one)
        return (
            self._is_own(race)
            and isinstance(load, Load)
            and isinstance(atomic, Atomic)
            and self._dependences.is_guess(load, atomic)
        )

    def _is_excused(self, race: DataRace, dependence: Dependence, chosen: Sequence[str]) -> bool:
        if not race.is_shared:
            return bool(chosen)
        return race.access is race.other_access is AccessKind.STORE and bool(dependence.contents & self._chosen.keys())

    def _behind(self, race: DataRace, dependence: Dependence) -> tuple[str, ...]:
        """What was chosen and decides that the two meet."""
        names = sorted((dependence.numbers | dependence.contents) & self._chosen.keys() - {"grid", "block"})
        if race.scope is RaceScope.GRID:
            names += self._shape_behind(dependence)
        return tuple(names)

    def _shape_behind(self, dependence: Dependence) -> Sequence[str]:
        """Blocks that go to the same places meet as soon as there are two; others because of how large they are."""
        order = ("block", "grid") if dependence.has_block_index else ("grid", "block")
        return [name for name in order if name in self._chosen][:1]

    def _reason(self, chosen: Sequence[str]) -> str:
        if not chosen:
            return ""
        return f"; that they meet depends on what was chosen: {choice_words(chosen, self._chosen)}"

    def _words(self, place: SourcePlace | None, other: SourcePlace | None) -> str:
        """` (line 12)`, with the file if it is another one than that of `place`."""
        if other is None:
            return ""
        is_near = place is not None and place.path == other.path
        return f" (line {other.line})" if is_near else f" ({other.path.rpartition('/')[2]}:{other.line})"

    def _line(self, place: SourcePlace | None) -> tuple[str, int]:
        return ("", 0) if place is None else (place.path, place.line)


def _address(instruction: Instruction) -> ValueId:
    assert isinstance(instruction, Load | Store | Atomic), "nothing else uses global or shared memory"
    return instruction.address


def _message(race: DataRace, who: str, line: str) -> str:
    what = f"{_VERBS[race.access]} byte {race.offset} of {race.buffer}"
    if race.same_value:
        return f"{what}, as {who} does{line}: nothing orders them, but they write the same"
    if race.access is race.other_access is AccessKind.STORE:
        return f"{what}, as {who} does{line} with another value, and nothing orders them"
    return f"{what}, which {who} {_VERBS[race.other_access]}{line}, and nothing orders them"


def _mildness(report: FaultReport) -> tuple[bool, bool]:
    return report.is_note, report.kind == SAME_VALUE
