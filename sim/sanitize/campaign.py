"""Runs one kernel in every way that may show a fault, and gathers what was seen.

Method    The launch that host code says, or one that is chosen; then the same under the schedules that may matter to it
          (`schedules.py`); then other contents of arrays, other numbers and blocks, each plainly and where threads talk
          to each other also with lanes in turns and the last warp first.  A long launch runs with fewer blocks under
          other schedules.  A launch with errors is run with fewer blocks at last: the smallest that shows them is told.
Order     What tells most comes first, for time may run out; what was left is listed.
Found     See `sites.py`.  An array in local or shared memory that is read before it was written is seen, a single
          variable in a register is not.
Never     Raises for what a program does: a kernel that cannot run says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, final

from analysis.ir.index3 import Index3
from analysis.launches import Launch
from analysis.lower.program import DeviceFunction, Program
from analysis.syntax.line_index import LineIndex, PositionEncoding
from sim.confirm.launches import other_requests
from sim.equivalence.allowance import Allowance, Progress
from sim.launch.request import Request
from sim.refusals import LaunchError, Refusal
from sim.report.model import FaultReport, SourcePlace
from sim.report.places import SourcePlaces
from sim.report.words import shape
from sim.result import TruncationReason
from sim.sanitize.model import KernelFindings, LaunchTried, RunTried, Schedule
from sim.sanitize.schedules import IN_TURNS_LAST_FIRST, Dependence, dependence, is_stuck, schedules_for, talks
from sim.sanitize.sites import sites_of
from sim.sanitize.trials import AS_SAID, FEWER_BLOCKS, OUT_OF_TIME, Limits, Runner, Trial

LONGEST_WHOLE: Final = 20_000
"""Warp instructions: warps that run alone take some ten microseconds for each of them."""
FIRST_PART: Final = 0.6
"""Of the time of a kernel, for the first launch."""
GRIDS: Final[tuple[Index3, ...]] = ((1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1), (4, 1, 1))
_MOST_PART: Final = 0.75

Asked: TypeAlias = Sequence[Request]


def sanitize_kernel(
    program: Program,
    kernel: DeviceFunction,
    requests: Asked = (),
    *,
    elsewhere: Sequence[Launch] = (),
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> KernelFindings:
    """What many runs of one kernel found; `requests` are those of a simulation of it, `elsewhere` its launches that are
    known of other files."""
    started = time.perf_counter()
    limits = Limits() if limits is None else limits
    campaign = _Campaign(program, kernel, requests, elsewhere, limits, progress)
    place = campaign.place
    try:
        not_run = campaign.run()
    except Refusal as refusal:
        not_run = campaign.refused(refusal)
    launches, numbers = campaign.launches()
    lines = frozenset[tuple[str, int]]().union(*(trial.lines for trial in campaign.trials))
    reached = frozenset[tuple[str, int]]().union(*(trial.reached for trial in campaign.trials))
    return KernelFindings(
        path=place.path,
        kernel=kernel.item.name,
        line=place.line,
        launches=launches,
        runs=tuple(_run_tried(trial, number) for trial, number in zip(campaign.trials, numbers, strict=True)),
        sites=sites_of(campaign.trials, numbers, campaign.dependences, place),
        lines=len(lines),
        reached=len(reached),
        not_run=not_run if not campaign.trials else None,
        left=tuple(dict.fromkeys(campaign.left)),
        seconds=time.perf_counter() - started,
    )


def _run_tried(trial: Trial, launch: int) -> RunTried:
    truncated = trial.result.truncated
    stopped = None if truncated is None else truncated.reason.value
    return RunTried(launch, trial.schedule, trial.result.warp_instructions, stopped, trial.result.seconds)


@final
class _Campaign:
    def __init__(
        self,
        program: Program,
        kernel: DeviceFunction,
        requests: Asked,
        elsewhere: Sequence[Launch],
        limits: Limits,
        progress: Progress | None,
    ) -> None:
        self._program = program
        self._kernel = kernel
        self._requests = requests
        self._limits = limits
        self._allowance = Allowance(limits.seconds, progress)
        self._runner = Runner(program, kernel, elsewhere, self._allowance, limits)
        self.trials: list[Trial] = []
        """Without their memory."""
        self.dependences: list[Dependence] = []
        self.left: list[str] = []

    @property
    def place(self) -> SourcePlace:
        """Where the name of the kernel stands, or its declaration begins."""
        item = self._kernel.item
        text = self._program.unit.text_of(item.path) or b""
        declaration = text[item.span.start : item.span.end]
        inside = declaration.find(item.name.encode("utf-8", "replace"))
        line, column = LineIndex(text).position(item.span.start + max(inside, 0), PositionEncoding.UTF32)
        return SourcePlace(item.path, line + 1, column + 1)

    def run(self) -> str | None:
        """Fills `trials`; why nothing ran.  Raises `Refusal` for the first launch."""
        unreadable = self._program.lower(self._kernel.id).unreadable
        if unreadable is not None:
            raise Refusal("a kernel with a syntax error", self._kernel.id, unreadable, is_a_guess=True)
        try:
            first = self._runner.adapted(self._requests, AS_SAID, share=FIRST_PART)
        except LaunchError as error:
            return str(error)
        self._keep(first)
        if self._runner.replaced is not None:
            self._keep(self._runner.replaced)
        self._under_schedules(first)
        if first.result.truncated is None or first.result.truncated.reason is not TruncationReason.CANCELLED:
            for why, asked in self._other_launches(first):
                self._try(f"a launch with {why}", lambda why=why, asked=asked: self._another(asked, why))
        self._shrink(first)
        return None

    def refused(self, refusal: Refusal) -> str:
        """`line 12: … is not simulated`"""
        loaded = self._runner.kernel
        found = None if loaded is None else SourcePlaces(self._program, loaded).place(refusal.function, refusal.span)
        return str(refusal) if found is None else f"line {found.line}: {refusal}"

    # -- the parts of a campaign -------------------------------------------------------------------------------------

    def _under_schedules(self, first: Trial) -> None:
        wanted = list(schedules_for(first))
        base = (first if is_stuck(first) else self._short_enough(first)) if wanted else None
        if base is None:
            self.left += [f"schedule {schedule.words}: the launch is too long for it" for schedule in wanted]
            return
        for schedule in wanted:
            self._try(f"schedule {schedule.words}", lambda schedule=schedule: self._compare(base, schedule))

    def _compare(self, base: Trial, schedule: Schedule) -> None:
        trial = self._runner.again(base, schedule)
        found = dependence(base, trial)
        if found is not None:
            self.dependences.append(found)
        self._keep(trial)

    def _short_enough(self, first: Trial) -> Trial | None:
        """The launch, or the same with fewer blocks, where one warp after the other may run."""
        if first.result.warp_instructions <= LONGEST_WHOLE:
            return first
        for grid in reversed(list(self._smaller_grids(first))):
            try:
                trial = self._runner.in_grid(first, grid, FEWER_BLOCKS) if not self._runner.is_over else None
            except (LaunchError, Refusal):
                return None
            if trial is None:
                return None
            if trial.has_ended and trial.result.warp_instructions <= LONGEST_WHOLE:
                self._keep(trial)
                return trial
        return None

    def _another(self, asked: Request, why: str) -> None:
        trial = self._runner.adapted((*self._requests, asked), why, share=0.5)
        self._keep(trial)
        if talks(trial) and trial.has_ended and trial.result.warp_instructions <= LONGEST_WHOLE:
            self._compare(trial, IN_TURNS_LAST_FIRST)

    def _other_launches(self, first: Trial) -> Iterator[tuple[str, Request]]:
        seeds = self._limits.seeds - 1
        for request in other_requests(first.planner, first.plan):
            if request.block is not None:
                yield f"a block of {shape(request.block)}", request
            elif seeds > 0:
                seeds -= 1
                yield f"seed {request.seed}" + (" and other numbers" if request.arguments else ""), request
        for more in range(seeds):
            seed = 4 + more
            yield f"seed {seed}", Request("chosen, as another one", seed=seed, is_general=True)

    def _shrink(self, first: Trial) -> None:
        """Fewer blocks for the errors of the first launch, until one shows as many."""
        wanted = {_identity(report) for report in first.reports if not report.is_note}
        for grid in self._smaller_grids(first) if wanted and first.has_ended else ():
            done: list[Trial] = []
            self._try(None, lambda grid=grid, done=done: done.append(self._runner.in_grid(first, grid, FEWER_BLOCKS)))
            for trial in done:
                self._keep(trial)
                if wanted <= {_identity(report) for report in trial.reports if not report.is_note}:
                    return

    def _smaller_grids(self, trial: Trial) -> Iterator[Index3]:
        whole = trial.plan.specification.grid
        for grid in GRIDS:
            if all(part <= most for part, most in zip(grid, whole, strict=True)) and grid != whole:
                yield grid

    def _try(self, what: str | None, run: Callable[[], None]) -> None:
        """Runs it if there is time; else, and where it cannot run, it is left, which is told."""
        if self._runner.is_over:
            self.left += [] if what is None else [f"{what}: {OUT_OF_TIME}"]
            return
        try:
            run()
        except (LaunchError, Refusal) as problem:
            self.left += [] if what is None else [f"{what}: {problem}"]

    def _keep(self, trial: Trial) -> None:
        self.trials.append(trial.without_memory)

    # -- what was tried ----------------------------------------------------------------------------------------------

    def launches(self) -> tuple[tuple[LaunchTried, ...], tuple[int, ...]]:
        """Each launch once, and the number of that of each run."""
        found: dict[LaunchTried, int] = {}
        numbers: list[int] = []
        for trial in self.trials:
            launch = trial.plan.specification
            tried = LaunchTried(launch.grid, launch.block, launch.warp_size, launch.seed, trial.plan.choices, trial.why)
            numbers.append(found.setdefault(tried, len(found)))
        return tuple(found), tuple(numbers)


def _identity(report: FaultReport) -> tuple[str, SourcePlace | None]:
    return report.kind, report.place
