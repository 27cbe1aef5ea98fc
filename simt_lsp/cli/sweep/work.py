"""What a process does for a sweep: melds of a kernel, and the runs of a task.

Rules    A process keeps the last few analyses, so that a task for the same kernel begins with its first run.
         A file that is not the one that the sweep began with is not run.
         A task that takes longer than `LONGEST` seconds ends after the launch it is at, and says so.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import socket
import time
from collections.abc import Callable
from typing import Final, TypeAlias, assert_never, final

from analysis.ir.record import record
from analysis.lower.program import DeviceFunction
from analysis.lower.seen_kernels import seen_kernels
from analysis.store.bounded import BoundedCache
from sim.equivalence.checked_edit import kernels_running
from sim.refusals import LaunchError
from sim.sweep.backlog import LONGEST, Task
from sim.sweep.model import Form, Row, Unit
from sim.sweep.runs import How, Text, failed_rows, rows_of
from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, UnreadableError, read_source
from simt_lsp.cli.launches import requests_around
from simt_lsp.cli.meld_regions import Melder
from simt_lsp.cli.project_files import callers_of_files
from simt_lsp.cli.run_files import calm_collector, internal_error

MOST_ANALYSES: Final = 4


@final
@record
class SweptFile:
    """`path` is absolute; `digest` is that of its text when the sweep was planned."""

    path: str
    digest: str


@final
@record
class MeldedText:
    """A file with all melds that are offered for one of its kernels."""

    text: bytes
    melds: int


@final
@record
class MeldJob:
    """Find what is to meld of a kernel, by its id."""

    file: SweptFile
    kernel: str


@final
@record
class RunJob:
    file: SweptFile
    task: Task
    melded: MeldedText | None = None


Job: TypeAlias = MeldJob | RunJob


@final
@record
class MeldAnswer:
    """`melded` is None where no meld is offered; `problem` where that could not be found out."""

    melded: MeldedText | None
    problem: str = ""


@final
@record
class RunAnswer:
    """The rows of some units, with the seconds that each of these took."""

    rows: tuple[Row, ...]
    units: tuple[Unit, ...]
    seconds: tuple[float, ...]


Answer: TypeAlias = MeldAnswer | RunAnswer


class OtherFile(Exception):
    """The file here is not the one that the sweep is about."""


@final
@record
class SweepWork:
    """Picklable: makes the function that a process runs jobs with.  `options` by size of warps; the first is that of
    melds."""

    options: tuple[tuple[int, EngineOptions], ...]
    how: How
    meld_seconds: float | None

    def __call__(self) -> Callable[[Job], Answer]:
        calm_collector()
        return _Process(self).answer


@final
class _Process:
    def __init__(self, work: SweepWork) -> None:
        self._work = work
        self._options = dict(work.options)
        self._analyses: BoundedCache[tuple[str, int, bytes], tuple[Engine, Analyzed]] = BoundedCache(MOST_ANALYSES)
        how, ran_on = work.how, f"{socket.gethostname()}:{os.getpid()}"
        self._how = How(how.budget, how.havoc, ran_on)

    def answer(self, job: Job) -> Answer:
        match job:
            case MeldJob():
                try:
                    return self._meld(job)
                except Exception as error:
                    return MeldAnswer(None, _reason(error))
            case RunJob():
                return self._run(job)
            case _:
                assert_never(job)

    # -- melds ------------------------------------------------------------------------------------------------------

    def _meld(self, job: MeldJob) -> MeldAnswer:
        warp_size = self._work.options[0][0]
        engine, analyzed = self._analyzed(job.file, warp_size)
        kernel = _kernel(analyzed, job.kernel)
        unasked = argparse.Namespace(grid=None, block=None, shared=None, seed=None, arg=(), unchecked=False)
        unasked.timeout = self._work.meld_seconds
        melder = Melder(engine, unasked)
        functions = [
            function
            for function in analyzed.analysis.facts.functions
            if any(one.id == kernel.id for one in kernels_running(analyzed.analysis, function))
        ]
        regions = melder.checked(analyzed, melder.found(analyzed, functions))
        text, applied = melder.applied(analyzed, regions, again=True)
        return MeldAnswer(MeldedText(text, len(applied)) if applied else None)

    # -- runs -------------------------------------------------------------------------------------------------------

    def _run(self, job: RunJob) -> RunAnswer:
        started = time.perf_counter()
        units = job.task.units
        try:
            written, melded = self._texts(job)
        except Exception as error:
            reason = _reason(error)
            rows = [row for unit in units for row in failed_rows(unit, reason, self._how.ran_on)]
            return RunAnswer(tuple(rows), units, (0.0,) * len(units))
        rows: list[Row] = []
        seconds: list[float] = []
        for unit in units:
            before = time.perf_counter()
            rows += rows_of(unit, job.task.first_policy, written, melded, self._how)
            seconds.append(time.perf_counter() - before)
            if time.perf_counter() - started > LONGEST:
                break
        return RunAnswer(tuple(rows), units[: len(seconds)], tuple(seconds))

    def _texts(self, job: RunJob) -> tuple[Text, Text | None]:
        unit = job.task.units[0]
        engine, analyzed = self._analyzed(job.file, unit.warp_size)
        written = _text(analyzed, unit.kernel.id, 0)
        is_wanted = any(Form.MELDED in one.forms for one in job.task.units)
        if job.melded is None or not is_wanted:
            return written, None
        _, other = self._melded(engine, analyzed, job.file, unit.warp_size, job.melded)
        return written, _text(other, unit.kernel.id, job.melded.melds)

    def _analyzed(self, file: SweptFile, warp_size: int) -> tuple[Engine, Analyzed]:
        """Raises `OtherFile` and `UnreadableError`."""
        if hashlib.sha256(read_source(file.path)).hexdigest() != file.digest:
            raise OtherFile(f"{file.path} is another file here than where the sweep was planned, or was changed since")

        def analyzed() -> tuple[Engine, Analyzed]:
            engine = Engine(self._options[warp_size], edited=True)
            callers = callers_of_files(engine, [file.path], 1).get(file.path)
            return engine, engine.analyze(file.path, callers)

        return self._analyses.get_or_compute((file.path, warp_size, b""), analyzed)

    def _melded(
        self, engine: Engine, analyzed: Analyzed, file: SweptFile, warp_size: int, melded: MeldedText
    ) -> tuple[Engine, Analyzed]:
        key = file.path, warp_size, hashlib.sha256(melded.text).digest()
        return self._analyses.get_or_compute(key, lambda: (engine, engine.reanalyze(analyzed, melded.text)))


def _kernel(analyzed: Analyzed, id: str) -> DeviceFunction:
    found = next((one for one in seen_kernels(analyzed.analysis.program) if str(one.id) == id), None)
    if found is None:
        raise OtherFile(f"{analyzed.path} has no kernel {id} any more")
    return found


def _text(analyzed: Analyzed, id: str, melds: int) -> Text:
    """Raises `LaunchError` for a comment above the kernel that cannot be read."""
    kernel = _kernel(analyzed, id)
    analysis = analyzed.analysis
    elsewhere = analysis.launches_elsewhere(kernel)
    return Text(analysis.program, kernel, requests_around(analyzed, kernel), melds, elsewhere)


def _reason(error: Exception) -> str:
    if isinstance(error, UnreadableError | OtherFile | LaunchError):
        return str(error)
    return internal_error(error)
