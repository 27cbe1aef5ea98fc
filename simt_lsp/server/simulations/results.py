"""What simulations ended with or have counted so far, by document and kernel, and what of it still holds for a version
of the text.

Rules    A result holds as long as the kernel, everything that it uses, what decides its launch and the files that it
         read are as they were; edits elsewhere only move it.  One that does not hold is kept, marked stale, until the
         next one or until the document is closed: undoing an edit brings it back.
         What was counted so far stands until more is; if the simulation is stopped, it stays as a run that ended early.
Threads  Written on the event loop, read on the worker's thread: the map is replaced, never changed.  `Placement` lives
         on the worker's thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, final

from analysis.ir.record import record
from simt_lsp.server.simulations.identity import FunctionKey, FunctionLines, HostCode, function_lines, launch_digest
from simt_lsp.server.simulations.job import LaunchOverrides
from simt_lsp.server.simulations.outcome import Failed, FileStamp, Finished, Refused

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.facts.model import FunctionFacts
    from analysis.launches import Launch
    from sim.report.json_report import KernelObject
    from simt_lsp.server.analyses.analysed import Analysed


@final
@record
class Identity:
    """What was simulated, and where everything stood then."""

    kernel: FunctionKey
    launch: bytes
    lines: Mapping[FunctionKey, FunctionLines]


@final
@record
class LaunchedFrom:
    """The launch in host code that was simulated, and the text in which it stood."""

    uri: str
    path: str
    launch: Launch
    text: bytes
    """Its digest."""
    host: bytes | None
    """The digest of the file's host code, in which a template may be instantiated; None for a kernel that is none."""


@final
@record
class Running:
    """A kernel whose simulation has not ended; who began later has the larger `number`."""

    identity: Identity
    number: int
    origin: LaunchedFrom | None = None
    path: str = ""
    text: bytes = b""
    """The file of the kernel, and the digest of its text."""


@final
@record
class Simulated:
    """How the last simulation of one kernel of one document ended, or what it has counted so far; `overrides` are the
    options it was given."""

    run: Running
    outcome: Finished | Refused | Failed
    overrides: LaunchOverrides

    @property
    def identity(self) -> Identity:
        return self.run.identity


@final
@record
class Placed:
    """A result beside a version of the text.

    `line` is the kernel's, from 0, and `function` its facts; None where the result does not hold.
    """

    simulated: Simulated
    line: int | None
    function: FunctionFacts | None
    _now: Mapping[FunctionKey, FunctionLines]

    @property
    def kernel(self) -> str:
        return self.simulated.identity.kernel[0]

    @property
    def report(self) -> KernelObject | None:
        """What the run counted, if there was one; whether it still holds or not."""
        outcome = self.simulated.outcome
        return outcome.report if isinstance(outcome, Finished) else None

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
        self._running: dict[str, tuple[Running, ...]] = {}

    def begin(self, uri: str, running: Running) -> None:
        self._running = {**self._running, uri: (*self._running.get(uri, ()), running)}

    def end(self, uri: str, running: Running) -> None:
        """What it had counted so far is all there is, unless its end is `put` as well."""
        left = tuple(one for one in self._running.get(uri, ()) if one is not running)
        self._running = {**self._running, uri: left}
        if uri in self._known:
            ended = tuple(_stopped(one) if one.run is running else one for one in self._known[uri])
            self._known = {**self._known, uri: ended}

    def put(self, uri: str, result: Simulated) -> None:
        """Of one kernel, the simulation that began last counts; results of texts that are gone make room for those of
        the same name."""
        key, present = result.identity.kernel, result.identity.lines
        known = self._known.get(uri, ())
        if any(one.identity.kernel == key and one.run.number > result.run.number for one in known):
            return
        kept = [
            one
            for one in known
            if one.identity.kernel != key and (one.identity.kernel[0] != key[0] or one.identity.kernel in present)
        ]
        self._known = {**self._known, uri: (*kept, result)}

    def of(self, uri: str) -> tuple[Simulated, ...]:
        return self._known.get(uri, ())

    def running(self, uri: str) -> tuple[Running, ...]:
        return self._running.get(uri, ())

    @property
    def all_running(self) -> Sequence[tuple[str, Running]]:
        return [(uri, one) for uri, running in self._running.items() for one in running]

    def reading(self, paths: set[str]) -> list[str]:
        """The documents with results that were read from one of these files, all links followed."""
        return [
            uri
            for uri, results in self._known.items()
            if any(file.path in paths for one in results for file in _files(one))
        ]

    def launched_from(self, uri: str) -> list[str]:
        """The other documents with results of launches in this one."""
        return [
            other
            for other, results in self._known.items()
            if other != uri and any(one.run.origin is not None and one.run.origin.uri == uri for one in results)
        ]

    def of_launches(self, uri: str) -> Sequence[tuple[str, Simulated]]:
        """The results of launches in a document, each with the document of its kernel."""
        return [
            (other, one)
            for other, results in self._known.items()
            for one in results
            if one.run.origin is not None and one.run.origin.uri == uri
        ]

    def forget(self, uri: str) -> None:
        self._known = {key: value for key, value in self._known.items() if key != uri}


@final
class Placement:
    """Puts results beside versions of texts, and remembers the last answer for each document."""

    def __init__(self) -> None:
        self.is_launched: Callable[[LaunchedFrom], bool] = lambda _: True
        """Whether a launch that was simulated is still what its file says."""
        self._host = HostCode()
        self._last: dict[str, tuple[tuple[object, ...], tuple[Placed, ...]]] = {}

    def identity_of(
        self,
        analysed: Analysed,
        analysis: FileAnalysis,
        function: FunctionFacts,
        origin: LaunchedFrom | None = None,
    ) -> Identity:
        """The identity of a kernel of the file, run as it is launched there or from `origin`."""
        lines = function_lines(analysis)
        key = list(lines)[analysis.facts.functions.index(function)]
        return Identity(key, self._digest(analysed, analysis, function, origin), lines)

    def placed(
        self, analysed: Analysed, analysis: FileAnalysis, results: tuple[Simulated, ...]
    ) -> tuple[Placed, ...]:  # fmt: skip
        """Each result beside this version of the text."""
        uri = analysed.item.uri
        if not results:
            self._last.pop(uri, None)
            return ()
        stamps = [stamp_of(file.path) for one in results for file in _files(one)]
        launched = [one.run.origin is None or self.is_launched(one.run.origin) for one in results]
        asked: tuple[object, ...] = (analysed, results, stamps, launched)
        known = self._last.get(uri)
        if known is not None and known[0][0] is analysed and known[0][1:] == asked[1:]:
            return known[1]
        now = function_lines(analysis)
        functions = dict(zip(now, analysis.facts.functions, strict=True))
        found = tuple(
            self._placed(analysed, analysis, one, functions, now, is_launched=is_launched)
            for one, is_launched in zip(results, launched, strict=True)
        )
        self._last[uri] = asked, found
        return found

    def _placed(
        self,
        analysed: Analysed,
        analysis: FileAnalysis,
        one: Simulated,
        functions: Mapping[FunctionKey, FunctionFacts],
        now: Mapping[FunctionKey, FunctionLines],
        *,
        is_launched: bool,
    ) -> Placed:
        function = functions.get(one.identity.kernel)
        holds = (
            is_launched
            and function is not None
            and function.active
            and self._digest(analysed, analysis, function, one.run.origin) == one.identity.launch
            and all(stamp_of(file.path) == file for file in _files(one))
        )
        if function is None or not holds:
            return Placed(one, None, None, now)
        return Placed(one, analysis.document.lines.line_of(function.start), function, now)

    def launches(self, analysis: FileAnalysis) -> Mapping[str, Sequence[Launch]]:
        """Those in host code, by the names of kernels."""
        return self._host.launches(analysis)

    def _digest(
        self,
        analysed: Analysed,
        analysis: FileAnalysis,
        function: FunctionFacts,
        origin: LaunchedFrom | None,
    ) -> bytes:
        """Of a launch in another file, `is_launched` says whether it holds, and the rest of host code does not matter:
        how much of that is seen depends on when the index of the project was ready."""
        said = analysed.configuration.simulation.of(function.name)
        launches = None if origin is not None else self.launches(analysis).get(function.name, ())
        return launch_digest(analysis, function, analysed.settings, said, launches)


def _stopped(one: Simulated) -> Simulated:
    if isinstance(one.outcome, Finished) and one.outcome.is_interim:
        return replace(one, outcome=one.outcome.stopped())
    return one


def stamp_of(path: str) -> FileStamp:
    """Of the file as it is now."""
    try:
        found = os.stat(path)
    except OSError:
        return FileStamp(path, 0, 0)
    return FileStamp(path, found.st_mtime_ns, found.st_size)


def _files(one: Simulated) -> tuple[FileStamp, ...]:
    return one.outcome.files if isinstance(one.outcome, Finished) else ()
