"""One result per file, in order, on as many processes as are worth it."""

from __future__ import annotations

import gc
import os
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final, Generic, Protocol, TypeAlias, TypeVar, final

from analysis.facts.calls import KnownCallers
from analysis.ir.record import record
from simt_lsp.cli.arguments import available_cores
from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, Handed, Keeping, UnreadableError, absolute_path
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.fleet.batches import USUAL, Batches
from simt_lsp.cli.workers import Died, Workers, WorkersCannotStart

Result = TypeVar("Result")
Made = TypeVar("Made", covariant=True)

OUT_OF_BUDGET: Final = "the budget was over before its turn came"
"""Why there is no result of a file that a task did not begin any more."""
SECONDS: Final = 120.0
"""A process that needs longer for a file is ended, unless more was asked of it."""
CALM: Final = (5_000_000, 50, 1000)
"""Thresholds of the collector."""
WORTH_A_PROCESS = 150_000
"""Bytes of source per process below which starting it costs more than it saves."""


class Task(Protocol[Made]):
    """What a process makes of files; picklable."""

    @property
    def options(self) -> EngineOptions: ...

    @property
    def seconds(self) -> float:
        """A process that needs longer for a file is ended."""
        ...

    def __call__(self, engine: Engine | None = None) -> Callable[[str], Made]:
        """The function that does it, with that engine or one of its own; this is called once in each process."""
        ...

    def died(self, path: str, reason: str) -> Made:
        """The result of a file whose process did not survive it."""
        ...


@final
@record
class FileTask(Generic[Result]):
    """What to make of a file: of its analysis, or of the reason why there is none.  Both functions are picklable."""

    options: EngineOptions
    finish: Callable[[Analyzed], Result]
    failed: Callable[[str, str], Result]
    callers: Mapping[str, KnownCallers] = field(default_factory=dict[str, KnownCallers])
    """By absolute path, of files that others include: how these call its functions."""
    seconds: float = SECONDS
    """A process that needs longer for a file is ended."""
    until: float | None = None
    """No file is begun later, in seconds since the epoch."""
    keeping: Keeping | None = None
    """How results are kept from run to run, where they rest on nothing but what the analysis was told."""

    def __call__(self, engine: Engine | None = None) -> Callable[[str], Result]:
        """The function that does it, with that engine or one of its own: this is called once in each process."""
        engine = Engine(self.options) if engine is None else engine
        calm_collector()

        def run(path: str) -> Result:
            if is_over(self.until):
                return self.failed(path, OUT_OF_BUDGET)
            try:
                analyzed = engine.analyze(path, self.callers.get(absolute_path(path)))
                result = self.finish(analyzed)
                if self.keeping is not None:
                    engine.keep_result(self.keeping, analyzed, result)
                analyzed.analysis.program.close()
                return result
            except UnreadableError as error:
                return self.failed(path, str(error))
            except Exception as error:  # a defect of ours costs this file, is reported with it, and not hidden
                return self.failed(path, internal_error(error))

        return run

    def died(self, path: str, reason: str) -> Result:
        """The result of a file whose process did not survive it."""
        return self.failed(path, f"internal error: {reason}")


@final
@record
class Cluster:
    """A Dask cluster, by the address of its scheduler, in place of processes of this machine."""

    address: str


Jobs: TypeAlias = int | Cluster | None
"""How many processes, or whose; None for as many as are worth it."""


def run_files(task: Task[Result], paths: Sequence[str], jobs: Jobs, engine: Engine | None = None) -> Iterator[Result]:
    """Runs `task` on every path.

    `engine` does it where this process is the only one: what it has read before is not read again.
    """
    if isinstance(jobs, Cluster):
        yield from _on_cluster(jobs, task, paths, engine)
        return
    count = min(jobs or useful_processes(paths), len(paths))
    if count > 1:
        try:
            yield from Workers(task, count, task.died, task.seconds).run(paths)
        except WorkersCannotStart as error:
            raise UsageError(f"{error}; use --jobs 1 to work without them") from error
    elif paths:
        yield from map(task(engine), paths)


@final
@record
class _Some(Generic[Result]):
    """The results of the first files of a task, with what is to be kept of them."""

    results: tuple[Result, ...]
    handed: tuple[Handed, ...]
    seconds: float


@final
@record
class _InFolder(Generic[Result]):
    """Makes the function of a task where paths mean what they mean here; a job is some paths with their numbers."""

    folder: str
    task: Task[Result]

    def __call__(self) -> Callable[[tuple[tuple[int, str], ...]], _Some[Result]]:
        engine = Engine(replace(self.task.options, hands_over=True))
        run = self.task(engine)

        def work(job: tuple[tuple[int, str], ...]) -> _Some[Result]:
            os.chdir(self.folder)
            started = time.monotonic()
            results: list[Result] = []
            for _, path in job:
                results.append(run(path))
                if time.monotonic() - started >= USUAL:
                    break
            return _Some(tuple(results), tuple(engine.handed()), time.monotonic() - started)

        return work


def _on_cluster(cluster: Cluster, task: Task[Result], paths: Sequence[str], engine: Engine | None) -> Iterator[Result]:
    """In the order of the paths; what is to be kept is kept here as it comes, by `engine`.  Raises `UsageError` where
    nobody is left who runs them."""
    from simt_lsp.cli.fleet.dask_cluster import DaskCluster
    from simt_lsp.cli.fleet.model import FleetLost, run_in_windows

    if not paths:
        return
    keeper = Engine(task.options) if engine is None else engine
    fleet = DaskCluster[tuple[tuple[int, str], ...], _Some[Result]](cluster.address, _InFolder(os.getcwd(), task))
    batches = Batches(enumerate(paths))
    done: dict[int, Result] = {}
    wanted = 0
    try:
        for job, answer in run_in_windows(fleet, batches.take):
            if isinstance(answer, Died):
                if not batches.halve(job):
                    done[job[0][0]] = task.died(job[0][1], answer.reason)
            else:
                keeper.take(answer.handed)
                batches.learn(len(answer.results), answer.seconds)
                batches.put_back(job[len(answer.results) :])
                done.update({number: result for (number, _), result in zip(job, answer.results, strict=False)})
            while wanted in done:
                yield done.pop(wanted)
                wanted += 1
    except FleetLost as lost:
        raise UsageError(str(lost)) from lost
    finally:
        fleet.close()


def is_over(until: float | None) -> bool:
    """Whether that time has come, in seconds since the epoch."""
    return until is not None and time.time() >= until


def useful_processes(paths: Sequence[str]) -> int:
    """As many as there are cores, but none that would have too little to do."""
    return max(1, min(available_cores(), sum(map(_size, paths)) // WORTH_A_PROCESS))


def calm_collector() -> None:
    """Analyses build many objects that live on in caches, and hardly a cycle: to look for one costs a tenth of them."""
    if gc.get_threshold() != CALM:  # a run has several tasks
        gc.freeze()
        gc.set_threshold(*CALM)


def internal_error(error: Exception) -> str:
    """A defect in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"internal error: {type(error).__name__}: {error}{place}"


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
