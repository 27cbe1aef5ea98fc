"""Diagnostics of functions that did not change between two versions of a file.

Rules    Kept beside the facts of a function, and gone with them, for as long as all functions that they are about stand
         in the same order; those in other files keep their place.  Each place moves with the function that it lies in:
         what names any other place (a variable of the file) is not kept.
         Messages name lines, so a function that has any is looked at again when a line of them changes.
         Which unsafe barriers belong to the function depends on the rest of the file, so it is part of the key.
         What rules say that look at one function alone holds wherever everything else stands (`of_function`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import count
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.layout import NOWHERE, Layout
from analysis.facts.model import FunctionFacts, Location
from analysis.ir.record import changed, record
from analysis.races.absent_model import Consequence
from analysis.refactor.edit import Replacement
from analysis.rules.active_rules import ActiveRules, active_rules, grouped
from analysis.rules.barrier_survey import UnsafeBarrier
from analysis.rules.diagnostic import Diagnostic, Related
from analysis.rules.host_subject import HostSubject
from analysis.rules.host_surroundings import HostSurroundings
from analysis.rules.settings import RuleSettings
from analysis.sides.sides import Sides
from analysis.store.bounded import BoundedCache
from analysis.verdict.barriers import Tier

_CAPACITY: Final = 4
"""Of one function: what was found before the last undo, and the one before."""
_SETTINGS: Final = 4
_SILENT: Final = 1024
_FILES: Final = 64

_Key: TypeAlias = tuple[Hashable, tuple[tuple[int | str, int, Tier, Consequence], ...]]


@final
@record
class _Kept:
    """What was found of a function; `lines` are those of all functions that it is about."""

    layout: Layout
    lines: tuple[int, ...]
    found: tuple[Diagnostic, ...]

    def at(self, path: str, now: Layout) -> tuple[Diagnostic, ...]:
        """Where the functions stand now."""
        if self.layout.extents == now.extents:
            return self.found
        moved = self.layout.moves(now)
        return tuple(_moved(diagnostic, path, moved) for diagnostic in self.found)


@final
@record
class _Inside:
    """The same of what lies in a function that began at `start`."""

    start: int
    found: tuple[Diagnostic, ...]

    def at(self, path: str, start: int) -> tuple[Diagnostic, ...]:
        """Where it begins at `start`."""
        delta = start - self.start

        def moved(start: int, end: int) -> int:
            return delta

        return self.found if delta == 0 else tuple(_moved(one, path, moved) for one in self.found)


@final
@record
class _Silent:
    """A host function of which nothing is said; `place` is what that holds for, None for all."""

    place: Hashable


@final
@record
class _Version:
    """What the host functions of a file see, with a number that is the same for all versions in which they do."""

    seen: HostSurroundings
    number: int


_NUMBERS: Final = count()


def _nothing() -> BoundedCache[_Key, _Kept]:
    return BoundedCache(_CAPACITY)


@final
class DiagnosticCache:
    """Belongs to one worker, like the analyzer."""

    def __init__(self) -> None:
        self._known: list[tuple[RuleSettings, DiagnosticsUnderSettings]] = []

    def under(self, settings: RuleSettings) -> DiagnosticsUnderSettings:
        """What is kept for these settings; of all but the last few nothing is."""
        for known, kept in self._known:
            if known == settings:
                return kept
        kept = DiagnosticsUnderSettings(grouped(active_rules(settings)))
        self._known = [(settings, kept), *self._known[: _SETTINGS - 1]]
        return kept


@final
class DiagnosticsUnderSettings:
    """Two files with other settings may be checked at the same time, one at a checkpoint of the other."""

    def __init__(self, rules: ActiveRules) -> None:
        self.rules: Final = rules
        self._number = next(_NUMBERS)
        self._silent: BoundedCache[Hashable, bool] = BoundedCache(_SILENT)
        self._silent_in: BoundedCache[Hashable, _Silent] = BoundedCache(_SILENT)
        """The same by what the host functions of a file see together, and by what one is itself."""
        self._versions: BoundedCache[tuple[str, bool], _Version] = BoundedCache(_FILES)

    def of(
        self,
        analysis: FileAnalysis,
        function: FunctionFacts,
        unsafe: Sequence[UnsafeBarrier],
        find: Callable[[], Iterable[Diagnostic]],
    ) -> tuple[Diagnostic, ...]:
        """The diagnostics of `function`, found anew only where something may have changed."""
        layout, path = analysis.layout(function), analysis.facts.path
        key = layout.shape, tuple([_barrier(one, path, layout) for one in unsafe])
        kept = analysis.remembered(function, (DiagnosticCache, self._number), _nothing)
        known = kept.get(key)
        if known is not None and (not known.found or known.lines == _lines(analysis, layout)):
            return known.at(path, layout)
        found = tuple(find())
        if all(layout.place(start, end)[0] != NOWHERE for one in found for start, end in _places(one, path)):
            kept.put(key, _Kept(layout, _lines(analysis, layout) if found else (), found))
        return found

    def of_function(
        self, analysis: FileAnalysis, function: FunctionFacts, find: Callable[[], Iterable[Diagnostic]]
    ) -> tuple[Diagnostic, ...]:
        """The diagnostics of rules that `OF_ONE_FUNCTION` names (`registry.py`)."""

        def found() -> _Inside:
            return _Inside(function.start, tuple(find()))

        question = DiagnosticsUnderSettings, self._number, analysis.facts.path
        known = analysis.remembered(function, question, found)
        return known.at(analysis.facts.path, function.start)

    def of_host(self, subject: HostSubject, find: Callable[[], Iterable[Diagnostic]]) -> tuple[Diagnostic, ...]:
        """The diagnostics of a host function, by all that they follow from: where there were none, nothing is looked
        for.  While all see what they saw in the last version of the file, nobody asks what one function names."""
        own = self._version_of(subject.sides), subject.own
        silent = self._silent_in.get(own)
        if silent is not None and (silent.place is None or silent.place == subject.place):
            return ()
        if not subject.asks_for_names:
            self._silent_in.put(own, _Silent(None))
            return ()
        seen = subject.seen
        found = () if self._silent.get(seen) else tuple(find())
        if not found:
            self._silent.put(seen, True)
            self._silent_in.put(own, _Silent(subject.place))
        return found

    def _version_of(self, sides: Sides) -> int:
        """A number for what the host functions of a file see: the same while that is the same."""
        unit = sides.unit
        key = unit.path, unit.environment.is_host
        known = self._versions.get(key)
        if known is not None and known.seen.items is unit.items:
            return known.number
        now = HostSurroundings.of(sides)
        number = known.number if known is not None and known.seen.are_as(now) else next(_NUMBERS)
        self._versions.put(key, _Version(now, number))
        return number


def _barrier(one: UnsafeBarrier, path: str, layout: Layout) -> tuple[int | str, int, Tier, Consequence]:
    where, start = one.site.path, one.site.start
    if where == path:
        where, start = layout.place(start, one.site.end)
    return where, start, one.record.tier, one.record.consequence


def _lines(analysis: FileAnalysis, layout: Layout) -> tuple[int, ...]:
    line_of = analysis.document.lines.line_of
    here = [line_of(start) for start, _, _ in layout.extents]
    return *here, *sorted([analysis.line_in(path, start) for path, start, _ in layout.elsewhere])


def _places(diagnostic: Diagnostic, path: str) -> Iterator[tuple[int, int]]:
    """All that it names in the file."""
    yield diagnostic.start, diagnostic.end
    for place in diagnostic.related:
        if place.location.path == path:
            yield place.location.start, place.location.end
    for edit in () if diagnostic.fix is None else diagnostic.fix.replacements:
        yield edit.start, edit.end


def _moved(diagnostic: Diagnostic, path: str, distance: Callable[[int, int], int]) -> Diagnostic:
    """`distance`: by how much a range of the file has moved."""
    start, end = _by(diagnostic.start, diagnostic.end, distance)
    related = tuple(
        Related(Location(path, *_by(place.location.start, place.location.end, distance)), place.message)
        if place.location.path == path
        else place
        for place in diagnostic.related
    )
    fix = diagnostic.fix
    if fix is not None:
        moved = (Replacement(*_by(edit.start, edit.end, distance), edit.text) for edit in fix.replacements)
        fix = changed(fix, replacements=tuple(moved))
    return changed(diagnostic, start=start, end=end, related=related, fix=fix)


def _by(start: int, end: int, distance: Callable[[int, int], int]) -> tuple[int, int]:
    delta = distance(start, end)
    return start + delta, end + delta
