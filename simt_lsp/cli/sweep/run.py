"""A sweep from its plan to its rows: melds first, then tasks in windows, each written as it comes.

Rules    What a task did not come to in its time is put back.  A task that nobody survived is cut in half until the
         launch that ends processes is alone; its rows then say so, until the next run tries once more.
         Only this process writes, so a row that comes twice, of a scheduler that was started again, is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from analysis.ir.record import record
from sim.sweep.backlog import Backlog, Task
from sim.sweep.model import Form, Outcome, Row, SweptKernel
from sim.sweep.points import Axes, units_of
from sim.sweep.runs import failed_rows
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.fleet.model import Fleet, run_in_windows
from simt_lsp.cli.sweep.folder import SweepFolder
from simt_lsp.cli.sweep.work import Answer, Job, MeldAnswer, MeldedText, MeldJob, RunAnswer, RunJob, SweptFile
from simt_lsp.cli.workers import Died


@final
@record
class Plan:
    """The kernels with their files and sizes of warps, and what varies."""

    kernels: tuple[tuple[SweptKernel, SweptFile, int], ...]
    axes: Axes

    @property
    def runs(self) -> int:
        """Of the whole sweep."""
        axes = self.axes
        each = axes.launches * len(axes.policies) * len(axes.forms) * max(1, len(axes.warp_sizes))
        return each * len(self.kernels)


@final
class SweepRun:
    """One run over what is left of a sweep."""

    def __init__(self, plan: Plan, folder: SweepFolder, fleet: Fleet[Job, Answer], advance: Callable[[], None]) -> None:
        self._plan = plan
        self._folder = folder
        self._fleet = fleet
        self._advance = advance
        self._files: Final = {kernel: file for kernel, file, _ in plan.kernels}
        self._melded: dict[SweptKernel, MeldedText] = {}
        self._problems: dict[SweptKernel, str] = {}
        self.tasks = 0

    def run(self) -> None:
        """Raises `FleetLost`, and `UsageError` where the folder cannot be written."""
        if Form.MELDED in self._plan.axes.forms:
            self._find_melds()
        self._folder.forget_failures()
        done = self._folder.done()
        for _ in done:
            self._advance()
        units = units_of(self._plan.axes, [(kernel, size) for kernel, _, size in self._plan.kernels])
        backlog = Backlog(units, self._plan.axes.policies[0], self._plan.runs, done)

        def following(workers: int) -> Job | None:
            task = backlog.take(workers)
            if task is None:
                return None
            kernel = task.units[0].kernel
            return RunJob(self._files[kernel], task, self._melded.get(kernel))

        for job, answer in run_in_windows(self._fleet, following):
            assert isinstance(job, RunJob)
            self._take(job.task, answer, backlog)

    def _take(self, task: Task, answer: Answer | Died, backlog: Backlog) -> None:
        if isinstance(answer, Died):
            if task.halves:
                backlog.put_back(*task.halves)
                return
            self._write(task, [row for unit in task.units for row in failed_rows(unit, answer.reason)])
            return
        assert isinstance(answer, RunAnswer)
        backlog.estimates.learn(answer.units, answer.seconds)
        backlog.put_back(Task(task.units[len(answer.units) :], task.first_policy))
        self._write(Task(answer.units, task.first_policy), answer.rows)

    def _write(self, task: Task, rows: Sequence[Row]) -> None:
        self._folder.write(task.id, [self._explained(row) for row in rows])
        self.tasks += 1
        for _ in rows:
            self._advance()

    def _explained(self, row: Row) -> Row:
        """Why there is no melded form, where melds could not be looked for."""
        problem = self._problems.get(row.point.kernel, "")
        if row.outcome is not Outcome.NOT_MELDED or not problem:
            return row
        return Row(row.point, Outcome.FAILED, f"melds could not be looked for: {problem}", ran_on=row.ran_on)

    # -- melds ------------------------------------------------------------------------------------------------------

    def _find_melds(self) -> None:
        """Those of all kernels, found once in a sweep: a kernel is the same for all of its tasks."""
        known = {name: found for name, found in self._folder.melds().items() if not found.get("problem")}
        for kernel, _, _ in self._plan.kernels:
            if (found := known.get(_name(kernel))) is not None:
                self._note(kernel, _answer_of(found))
        missing = iter([kernel for kernel, _, _ in self._plan.kernels if _name(kernel) not in known])
        by_job: dict[Job, SweptKernel] = {}

        def following(_: int) -> Job | None:
            kernel = next(missing, None)
            if kernel is None:
                return None
            job = MeldJob(self._files[kernel], kernel.id)
            by_job[job] = kernel
            return job

        for job, answer in run_in_windows(self._fleet, following):
            if isinstance(answer, Died):
                answer = MeldAnswer(None, answer.reason)
            assert isinstance(answer, MeldAnswer)
            self._note(by_job[job], answer)
            known[_name(by_job[job])] = _object_of(answer)
            self._folder.write_melds(known)

    def _note(self, kernel: SweptKernel, answer: MeldAnswer) -> None:
        if answer.melded is not None:
            self._melded[kernel] = answer.melded
        if answer.problem:
            self._problems[kernel] = answer.problem


def _name(kernel: SweptKernel) -> str:
    return f"{kernel.path}:{kernel.id}"


def _object_of(answer: MeldAnswer) -> Mapping[str, Any]:
    melded = answer.melded
    text = None if melded is None else melded.text.decode("utf-8", "surrogateescape")
    return {"melds": 0 if melded is None else melded.melds, "text": text, "problem": answer.problem}


def _answer_of(found: Mapping[str, Any]) -> MeldAnswer:
    """Raises `UsageError` for what no run has written."""
    try:
        text, melds, problem = found["text"], int(found["melds"]), str(found["problem"])
        melded = None if text is None else MeldedText(text.encode("utf-8", "surrogateescape"), melds)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"melds.json is not as a sweep has written it: {error}") from error
    return MeldAnswer(melded, problem)
