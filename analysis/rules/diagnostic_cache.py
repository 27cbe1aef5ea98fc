"""Diagnostics of functions that did not change between two versions of a file.

Rules    Kept per function, for as long as its facts are the same object and everything they are about keeps its line
         and its distance: messages name lines, and related places may lie in other functions.
         Which unsafe barriers belong to the function depends on the rest of the file, so it is part of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.facts.cache import BoundedCache
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, Location
from analysis.rules.barrier_survey import UnsafeBarrier
from analysis.rules.diagnostic import Diagnostic, Related
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier

_CAPACITY: Final = 8192

_Key: TypeAlias = tuple[int, frozenset[tuple[str, int, int]], tuple[tuple[str, int, Tier], ...]]
_Kept: TypeAlias = tuple[FunctionFacts, int, tuple[Diagnostic, ...]]


@final
class DiagnosticCache:
    """Belongs to one worker, like the analyzer."""

    def __init__(self) -> None:
        self._settings: RuleSettings | None = None
        self._kept: BoundedCache[_Key, _Kept] = BoundedCache(_CAPACITY)

    def use(self, settings: RuleSettings) -> None:
        """What was found under other settings is forgotten."""
        if self._settings != settings:
            self._settings = settings
            self._kept = BoundedCache(_CAPACITY)

    def of(
        self,
        analysis: FileAnalysis,
        function: FunctionFacts,
        unsafe: Sequence[UnsafeBarrier],
        find: Callable[[], Iterable[Diagnostic]],
    ) -> tuple[Diagnostic, ...]:
        """The diagnostics of `function`, found anew only where something may have changed."""
        merged = analysis.merged(function)
        barriers = tuple(
            (barrier.site.path, barrier.site.start - function.start, barrier.record.tier) for barrier in unsafe
        )
        key = id(merged), analysis.layout(function), barriers
        # The facts are kept with their diagnostics, so that no other object can get their id.
        _, start, found = self._kept.get_or_compute(key, lambda: (merged, function.start, tuple(find())))
        delta = function.start - start
        return found if delta == 0 else tuple(_moved(diagnostic, analysis.facts.path, delta) for diagnostic in found)


def _moved(diagnostic: Diagnostic, path: str, delta: int) -> Diagnostic:
    related = tuple(
        Related(Location(path, place.location.start + delta, place.location.end + delta), place.message)
        if place.location.path == path
        else place
        for place in diagnostic.related
    )
    return replace(diagnostic, start=diagnostic.start + delta, end=diagnostic.end + delta, related=related)
