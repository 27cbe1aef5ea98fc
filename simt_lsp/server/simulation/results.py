"""What simulations counted, by document and kernel, and what of it still holds for a version of the text.

Rules    A result holds as long as the kernel and everything that it uses read as they did; edits elsewhere only move
         it.  One that does not hold is kept, marked stale, until the next one or until the document is closed: undoing
         an edit brings it back.
Threads  Written on the event loop, read on the worker's thread: the map is replaced, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from simt_lsp.server.simulation.identity import FunctionKey, FunctionLines, function_lines, launch_digest

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.facts.model import FunctionFacts
    from analysis.facts.settings import AnalysisSettings
    from sim.report.json_report import KernelObject


@final
@dataclass(frozen=True, slots=True)
class Identity:
    """What was simulated, and where everything stood then."""

    kernel: FunctionKey
    launch: bytes
    lines: Mapping[FunctionKey, FunctionLines]


@final
@dataclass(frozen=True, slots=True)
class Simulated:
    """The result of one kernel of one document."""

    identity: Identity
    report: KernelObject


@final
@dataclass(frozen=True, slots=True)
class Placed:
    """A result beside a version of the text: `line` is the kernel's, from 0; None where the result does not hold."""

    simulated: Simulated
    line: int | None
    _now: Mapping[FunctionKey, FunctionLines]

    def line_now(self, line: int) -> int | None:
        """Where a line of the report (from 1) stands now (from 0); None for one of a function that changed."""
        for key, then in self.simulated.identity.lines.items():
            if then.first <= line - 1 <= then.last:
                now = self._now.get(key)
                return None if now is None else line - 1 - then.first + now.first
        return None


@final
class SimulationResults:
    """All results of one server."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Simulated, ...]] = {}

    def put(self, uri: str, result: Simulated) -> None:
        """Of one kernel, the newest counts; results of texts that are gone make room for those of the same name."""
        key, present = result.identity.kernel, result.identity.lines
        kept = [
            one
            for one in self._known.get(uri, ())
            if one.identity.kernel != key and (one.identity.kernel[0] != key[0] or one.identity.kernel in present)
        ]
        self._known = {**self._known, uri: (*kept, result)}

    def of(self, uri: str) -> tuple[Simulated, ...]:
        return self._known.get(uri, ())

    def forget(self, uri: str) -> None:
        self._known = {key: value for key, value in self._known.items() if key != uri}


def identity_of(analysis: FileAnalysis, start: int, settings: AnalysisSettings) -> Identity | None:
    """The identity of the kernel whose definition begins at a byte offset; None if there is none."""
    function = next((one for one in analysis.facts.kernels() if one.start == start), None)
    if function is None:
        return None
    lines = function_lines(analysis)
    key = list(lines)[analysis.facts.functions.index(function)]
    return Identity(key, launch_digest(analysis, function, settings), lines)


def placed(analysis: FileAnalysis, results: tuple[Simulated, ...], settings: AnalysisSettings) -> tuple[Placed, ...]:
    """Each result beside this version of the text."""
    if not results:
        return ()
    now = function_lines(analysis)
    functions = dict(zip(now, analysis.facts.functions, strict=True))
    return tuple(Placed(one, _line(analysis, one, functions, settings), now) for one in results)


def _line(
    analysis: FileAnalysis,
    one: Simulated,
    functions: Mapping[FunctionKey, FunctionFacts],
    settings: AnalysisSettings,
) -> int | None:
    function = functions.get(one.identity.kernel)
    if function is None or not function.active:
        return None
    if launch_digest(analysis, function, settings) != one.identity.launch:
        return None
    return analysis.document.lines.line_of(function.start)
