"""Diagnostics of functions that did not change between two versions of a file.

Rules    Kept beside the facts of a function, and gone with them, for as long as everything that they are about keeps
         its distance: related places may lie in other functions; those in other files keep their place.
         Messages name lines, so a function that has any is looked at again when its line changes.
         Which unsafe barriers belong to the function depends on the rest of the file, so it is part of the key.
         What rules say that look at one function alone holds wherever everything else stands (`of_function`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis, Layout
from analysis.facts.model import FunctionFacts, Location
from analysis.ir.record import record
from analysis.races.absent_model import Consequence
from analysis.refactor.edit import Replacement
from analysis.rules.barrier_survey import UnsafeBarrier
from analysis.rules.diagnostic import Diagnostic, Related
from analysis.rules.settings import RuleSettings
from analysis.store.bounded import BoundedCache
from analysis.verdict.barriers import Tier

_CAPACITY: Final = 4
"""Of one function: what was found before the last undo, and the one before."""
_SETTINGS: Final = 4
_SILENT: Final = 1024

_Key: TypeAlias = tuple[Layout, tuple[tuple[str, int, Tier, Consequence], ...]]


@final
@record
class _Kept:
    start: int
    line: int
    found: tuple[Diagnostic, ...]

    def at(self, path: str, start: int) -> tuple[Diagnostic, ...]:
        """Where the function begins at `start`."""
        delta = start - self.start
        return self.found if delta == 0 else tuple(_moved(diagnostic, path, delta) for diagnostic in self.found)


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
        kept = DiagnosticsUnderSettings()
        self._known = [(settings, kept), *self._known[: _SETTINGS - 1]]
        return kept


@final
class DiagnosticsUnderSettings:
    """Two files with other settings may be checked at the same time, one at a checkpoint of the other."""

    def __init__(self) -> None:
        self._number = next(_NUMBERS)
        self._silent: BoundedCache[Hashable, bool] = BoundedCache(_SILENT)

    def of(
        self,
        analysis: FileAnalysis,
        function: FunctionFacts,
        unsafe: Sequence[UnsafeBarrier],
        find: Callable[[], Iterable[Diagnostic]],
    ) -> tuple[Diagnostic, ...]:
        """The diagnostics of `function`, found anew only where something may have changed."""
        barriers = tuple(
            (one.site.path, one.site.start - function.start, one.record.tier, one.record.consequence) for one in unsafe
        )
        key = analysis.layout(function), barriers
        kept = analysis.remembered(function, (DiagnosticCache, self._number), _nothing)
        line = analysis.document.lines.line_of(function.start)
        known = kept.get(key)
        if known is None or (known.found and known.line != line):
            known = _Kept(function.start, line, tuple(find()))
            kept.put(key, known)
        return known.at(analysis.facts.path, function.start)

    def of_function(
        self, analysis: FileAnalysis, function: FunctionFacts, find: Callable[[], Iterable[Diagnostic]]
    ) -> tuple[Diagnostic, ...]:
        """The diagnostics of rules that `OF_ONE_FUNCTION` names (`registry.py`)."""

        def found() -> _Kept:
            return _Kept(function.start, 0, tuple(find()))

        question = DiagnosticsUnderSettings, self._number, analysis.facts.path
        known = analysis.remembered(function, question, found)
        return known.at(analysis.facts.path, function.start)

    def of_host(self, seen: Hashable, finding: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The diagnostics of a host function, by all that they follow from: where there were none, nothing is looked
        for."""
        if self._silent.get(seen):
            return ()
        found = tuple(finding)
        if not found:
            self._silent.put(seen, True)
        return found


def _moved(diagnostic: Diagnostic, path: str, delta: int) -> Diagnostic:
    related = tuple(
        Related(Location(path, place.location.start + delta, place.location.end + delta), place.message)
        if place.location.path == path
        else place
        for place in diagnostic.related
    )
    fix = diagnostic.fix
    if fix is not None:
        moved = (Replacement(edit.start + delta, edit.end + delta, edit.text) for edit in fix.replacements)
        fix = replace(fix, replacements=tuple(moved))
    return replace(diagnostic, start=diagnostic.start + delta, end=diagnostic.end + delta, related=related, fix=fix)
