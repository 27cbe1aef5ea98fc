"""`sanitize` of kernels that wait: those of files for which one task was not enough, or that a report is kept without.

Rules    A task has kernels of one file, since these share an analysis, and lasts some seconds (`fleet/batches.py`).
         What comes is kept at once by who asked for it, so a run that was broken off goes on behind it.
         A file that is not the one that it was when its kernels were listed is not run.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.ir.record import record
from sim.sanitize.report import FileParts, KernelPart
from simt_lsp.cli.arguments import available_cores
from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, Handed, UnreadableError, read_source
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.fleet.batches import USUAL, Batches
from simt_lsp.cli.fleet.local import LocalProcesses, ThisProcess
from simt_lsp.cli.fleet.model import Fleet, FleetLost, run_in_windows
from simt_lsp.cli.run_files import SECONDS, Cluster, Jobs, calm_collector, internal_error
from simt_lsp.cli.sanitized_files import Budget, digest_of, keeping, kernel_parts, not_run
from simt_lsp.cli.workers import Died

MOST_ANALYSES: Final = 4


@final
@record
class KernelsJob:
    """Kernels of one file, by their ids; `digest` is that of its text."""

    path: str
    digest: bytes
    kernels: tuple[str, ...]


@final
@record
class KernelsAnswer:
    """The first kernels of a job, as far as it came in its time; `problem` says why there is none."""

    parts: tuple[KernelPart, ...]
    handed: tuple[Handed, ...]
    seconds: float
    problem: str = ""


@final
@record
class KernelWork:
    """Picklable: makes the function that a process runs jobs with, where paths mean what they mean in a folder."""

    options: EngineOptions
    budget: Budget
    folder: str

    def __call__(self) -> Callable[[KernelsJob], KernelsAnswer]:
        calm_collector()
        return _Process(self).answer


@final
class _Process:
    def __init__(self, work: KernelWork) -> None:
        self._work = work
        self._engine = Engine(work.options)
        self._keeping = keeping(work.budget)
        self._analyses: OrderedDict[tuple[str, bytes], Analyzed] = OrderedDict()

    def answer(self, job: KernelsJob) -> KernelsAnswer:
        started = time.monotonic()
        os.chdir(self._work.folder)
        parts: list[KernelPart] = []
        try:
            analyzed = self._analyzed(job)
            for part in kernel_parts(analyzed, job.kernels, self._work.budget):
                parts.append(part)
                self._engine.keep_result(self._keeping, analyzed, part, part.id)
                if time.monotonic() - started >= USUAL:
                    break
            problem = "" if parts else "the file has no such kernel any more"
        except UnreadableError as error:
            problem = str(error)
        except Exception as error:  # a defect of ours costs these kernels, and is reported with them
            problem = internal_error(error)
        return KernelsAnswer(tuple(parts), tuple(self._engine.handed()), time.monotonic() - started, problem)

    def _analyzed(self, job: KernelsJob) -> Analyzed:
        """Raises `UnreadableError`."""
        key = job.path, job.digest
        if key not in self._analyses:
            if digest_of(read_source(job.path)) != job.digest:
                raise UnreadableError("the file was changed while kernels of it were run, or is another one there")
            self._analyses[key] = self._engine.analyze(job.path)
            if len(self._analyses) > MOST_ANALYSES:
                _, oldest = self._analyses.popitem(last=False)
                oldest.analysis.program.close()
        self._analyses.move_to_end(key)
        return self._analyses[key]


def with_waiting_kernels(files: Sequence[FileParts], engine: Engine, budget: Budget, jobs: Jobs) -> Iterator[FileParts]:
    """The files with all of their kernels, each as soon as it has them; raises `UsageError` where nobody runs them."""
    open_files: dict[str, FileParts] = {}
    for file in files:
        kept = (engine.kept_result(keeping(budget), file.path, part=one.id) for one in file.waiting)
        found = file.with_parts(part for part in kept if part is not None)
        if found.waiting:
            open_files[file.path] = found
        else:
            yield found
    if not open_files:
        return
    waiting = [(path, part.id) for path, file in open_files.items() for part in file.waiting]
    batches = Batches(waiting, lambda item: item[0])
    fleet = _fleet(KernelWork(engine.options, budget, os.getcwd()), jobs, len(waiting))

    def following(workers: int) -> KernelsJob | None:
        items = batches.take(workers)
        if items is None:
            return None
        path = items[0][0]
        return KernelsJob(path, open_files[path].digest, tuple(id for _, id in items))

    try:
        for job, answer in run_in_windows(fleet, following):
            found = _parts(job, answer, open_files[job.path], batches)
            if isinstance(answer, KernelsAnswer):
                engine.take(answer.handed)
            file = open_files[job.path] = open_files[job.path].with_parts(found)
            if not file.waiting:
                yield file
    except FleetLost as lost:
        raise UsageError(str(lost)) from lost
    finally:
        fleet.close()


def _parts(
    job: KernelsJob, answer: KernelsAnswer | Died, file: FileParts, batches: Batches[tuple[str, str]]
) -> Sequence[KernelPart]:
    """What is known after an answer; what it did not come to is put back."""
    known: Mapping[str, KernelPart] = {part.id: part for part in file.waiting}
    items = [(job.path, id) for id in job.kernels]
    if isinstance(answer, Died):
        if batches.halve(items):
            return ()
        return [_without(known[id], f"internal error: {answer.reason}") for id in job.kernels]
    done = {part.id for part in answer.parts}
    left = [id for id in job.kernels if id not in done]
    if answer.problem:
        return [*answer.parts, *(_without(known[id], answer.problem) for id in left)]
    batches.learn(len(done), answer.seconds)
    batches.put_back([(job.path, id) for id in left])
    return answer.parts


def _without(waiting: KernelPart, reason: str) -> KernelPart:
    summary = waiting.summary
    return not_run(waiting.id, summary.path, summary.name, summary.line, reason)


def _fleet(work: KernelWork, jobs: Jobs, kernels: int) -> Fleet[KernelsJob, KernelsAnswer]:
    if isinstance(jobs, Cluster):
        from simt_lsp.cli.fleet.dask_cluster import DaskCluster

        there = replace(work, options=replace(work.options, hands_over=True))
        return DaskCluster[KernelsJob, KernelsAnswer](jobs.address, there)
    count = min(jobs or available_cores(), kernels)
    if count == 1:
        return ThisProcess[KernelsJob, KernelsAnswer](work)
    seconds = SECONDS + USUAL + 1.5 * work.budget.limits.seconds
    return LocalProcesses[KernelsJob, KernelsAnswer](work, count, seconds)
