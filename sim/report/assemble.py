"""Runs a kernel under the policies asked for, watched by the standard observers, and gathers what a report shows.

The launch is planned and adapted under the first policy; the others run the same launch, so that only the policy
differs.  Static verdicts come from the analysis of the same text and stand beside what was counted.

So far   A report on a run that goes on tells no fault that another attempt may mend: that is no word about the program
         yet.  While another attempt is prepared, or other choices are tried, it is about the last run that ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.facts.model import FunctionFacts
from analysis.inputs.flow import Flow
from analysis.ir.collectives import BlockBarrier
from analysis.ir.instructions import FunctionId
from analysis.ir.record import record
from analysis.lower.program import Program
from analysis.syntax.line_index import without_line_end
from sim.events import Observer
from sim.glance import Glance
from sim.launch.adapt import may_be_mended, run_adapted, share_kept
from sim.launch.causes import Causes
from sim.launch.planner import Plan, Planner
from sim.observers.branches import BranchObserver
from sim.observers.lane_histogram import LaneHistogramObserver
from sim.observers.places import FunctionSpan, by_line
from sim.observers.races import RaceObserver
from sim.observers.requests import RequestCount, RequestObserver
from sim.observers.timeline import TimelineObserver
from sim.observers.work import Work, WorkObserver, arrivals_by_line
from sim.policies.protocol import PolicyFactory
from sim.refusals import Refusal
from sim.report.accesses import access_reports, barrier_reports
from sim.report.branches import Levels, branch_reports, static_levels
from sim.report.coverage import coverage_of
from sim.report.findings import findings_of
from sim.report.interim import Interim
from sim.report.losses import loss_reports
from sim.report.model import (
    KernelReport,
    LineReport,
    PolicyReport,
    Standing,
    TimelineReport,
    TruncationReport,
)
from sim.report.origins import Origins
from sim.report.places import SourcePlaces
from sim.report.races import RaceReports
from sim.report.study import Study, study
from sim.result import Result, TruncationReason
from sim.simulate import simulate

Progress: TypeAlias = Callable[[float], bool]

NO_WORK: Final = Work(0, 0, 0)
NO_REQUESTS: Final = RequestCount()


@final
@record
class _Watched:
    """The observers of one run, in the order they get events."""

    branches: BranchObserver
    work: WorkObserver
    requests: RequestObserver
    histogram: LaneHistogramObserver
    timeline: TimelineObserver
    races: RaceObserver

    @classmethod
    def new(cls, warp: tuple[int, int]) -> _Watched:
        return cls(
            BranchObserver(),
            WorkObserver(),
            RequestObserver(),
            LaneHistogramObserver(),
            TimelineObserver(*warp),
            RaceObserver(),
        )

    def all(self) -> tuple[Observer, ...]:
        return self.branches, self.work, self.requests, self.histogram, self.timeline, self.races


@final
@record
class _Run:
    plan: Plan
    result: Result
    watched: _Watched


def _refuse_what_was_guessed(program: Program, planner: Planner) -> None:
    """A function with a syntax error is no text to run; raises `Refusal`."""
    function = planner.kernel.function
    unreadable = program.lower(function.id).unreadable
    if unreadable is not None:
        raise Refusal("a kernel with a syntax error", function.id, unreadable, is_a_guess=True)


def report_kernel(
    program: Program,
    planner: Planner,
    policies: Sequence[PolicyFactory],
    static: Iterable[FunctionFacts],
    *,
    warp: tuple[int, int] = (0, 0),
    progress: Progress | None = None,
    interim: Interim | None = None,
    with_study: bool = False,
    spent: float = 0.0,
) -> KernelReport:
    """`static` are the facts of the kernel's file; `warp` is the one whose timeline is kept: (block, warp in it).

    `interim` is told what was counted so far while a run goes on, with the runs before it.
    `spent` are seconds of the time budget that are over already: planning takes long for a large kernel.
    `with_study` runs the kernel once more, under the first policy, for what takes longer to observe; both runs share
    the time of one.

    Raises `Refusal` and `LaunchError` as `simulate` does.  A cancelled run ends the report with that run.
    """
    started = time.perf_counter() - spent
    facts = tuple(static)
    _refuse_what_was_guessed(program, planner)

    def so_far(*ended_and_running: _Run) -> KernelReport:
        found = _kernel_report(program, planner.flow, ended_and_running, facts, None, started)
        return replace(found, standing=Standing.GOING_ON)

    runner = _Runner(warp, progress, interim, so_far, Causes(planner.flow))
    first = _adapted(planner, policies[0], runner, started)
    taken = time.perf_counter() - started
    left = _seconds(first.plan) - taken
    runs = [first]
    for policy in policies[1:]:
        if _is_cancelled(runs[-1].result):
            break
        runs.append(runner.run(first.plan, policy, _seconds(first.plan), tuple(runs)))
    is_due = with_study and first.result.truncated is None and left > taken  # it takes longer than what it looks at
    found = study(first.plan, policies[0], left, progress) if is_due else None
    return _kernel_report(program, planner.flow, runs, facts, found, started)


def report_adapted(
    program: Program, planner: Planner, policy: PolicyFactory, *, spent: float = 0.0
) -> tuple[Plan, KernelReport]:
    """The launch that fits best under one policy, and the report on its run.  Raises what `report_kernel` raises."""
    started = time.perf_counter() - spent
    _refuse_what_was_guessed(program, planner)
    run = _adapted(planner, policy, _runner_alone(planner.flow), started)
    return run.plan, _kernel_report(program, planner.flow, [run], (), None, started)


def report_again(program: Program, flow: Flow, plan: Plan, policy: PolicyFactory) -> KernelReport:
    """Exactly the launch of `plan`, whose kernel may be another version of the one that it was made for; program and
    flow are those of that version.  Raises what `simulate` raises."""
    started = time.perf_counter()
    run = _runner_alone(flow).run(plan, policy, _seconds(plan), ())
    return _kernel_report(program, flow, [run], (), None, started)


def _runner_alone(flow: Flow) -> _Runner:
    """For runs that nobody looks at before they end."""

    def unasked(*_: _Run) -> KernelReport:
        raise AssertionError("nobody asks for interim reports")

    return _Runner((0, 0), None, None, unasked, Causes(flow))


def _is_cancelled(result: Result) -> bool:
    return result.truncated is not None and result.truncated.reason is TruncationReason.CANCELLED


@final
@record
class _Runner:
    """Runs plans, each watched by observers of its own."""

    warp: tuple[int, int]
    progress: Progress | None
    interim: Interim | None
    so_far: Callable[..., KernelReport]
    """The report on runs, the last of which has not ended."""
    causes: Causes

    def run(self, plan: Plan, policy: PolicyFactory, seconds: float, ended: Sequence[_Run]) -> _Run:
        """One more run of a launch that was `ended` under other policies."""
        return self._run(plan, policy, seconds, lambda run: self.so_far(*ended, run), self.progress)

    def attempt(self, plan: Plan, policy: PolicyFactory, seconds: float, last: _Run | None) -> _Run:
        """A run that another attempt may replace; `last` is what there is to show before it has counted anything."""
        if self.interim is None or last is None:
            return self._run(plan, policy, seconds, self._preliminary, self.progress)
        reminder = _Reminder(self.interim, lambda: self._preliminary(last), self.progress)
        if plan.attempt.is_trial:
            return self._run(plan, policy, seconds, None, reminder)

        def report(run: _Run) -> KernelReport:
            reminder.is_needed = False
            return self._preliminary(run)

        return self._run(plan, policy, seconds, report, reminder)

    def _preliminary(self, run: _Run) -> KernelReport:
        faults = tuple(fault for fault in run.result.faults if not may_be_mended(self.causes, run.plan, fault))
        return self.so_far(replace(run, result=replace(run.result, faults=faults)))

    def _run(
        self,
        plan: Plan,
        policy: PolicyFactory,
        seconds: float,
        report: Callable[[_Run], KernelReport] | None,
        progress: Progress | None,
    ) -> _Run:
        watched = _Watched.new(self.warp)
        launch = replace(plan.specification, budget=replace(plan.specification.budget, seconds=seconds))
        glance: Glance | None = None
        if self.interim is not None and report is not None:
            glance = self.interim.glance(lambda result: report(_Run(plan, result, watched)))
        result = simulate(plan.kernel, launch, policy, watched.all(), progress=progress, glance=glance)
        return _Run(plan, result, watched)


@final
class _Reminder:
    """Stands in for `progress`, and shows the last run until the next one has something to show."""

    def __init__(self, interim: Interim, report: Callable[[], KernelReport], progress: Progress | None) -> None:
        self._interim = interim
        self._report = report
        self._progress = progress
        self.is_needed = True
        interim.tell_if_due(report)

    def __call__(self, share: float) -> bool:
        if self.is_needed:
            self._interim.tell_if_due(self._report)
        return self._progress is None or self._progress(share)


def _adapted(planner: Planner, policy: PolicyFactory, runner: _Runner, started: float) -> _Run:
    """All attempts share the time of one run, part of which is kept for a smaller one as long as there may be one."""
    watched: dict[int, _Watched] = {}
    last: _Run | None = None

    def run(plan: Plan) -> Result:
        nonlocal last
        left = _seconds(plan) - (time.perf_counter() - started)
        kept = 0.0 if plan.attempt.is_trial else _seconds(plan) * share_kept(planner, plan)
        one = runner.attempt(plan, policy, max(left - kept, 0.0), last)
        watched[id(one.result)] = one.watched
        if not plan.attempt.is_trial:
            last = replace(one, result=replace(one.result, arrays={}, variables={}))  # they may be large
        return one.result

    plan, result = run_adapted(planner, run)
    return _Run(plan, result, watched[id(result)])


def _seconds(plan: Plan) -> float:
    """What one run may take."""
    return plan.specification.budget.seconds


def _kernel_report(
    program: Program,
    flow: Flow,
    runs: Sequence[_Run],
    static: Sequence[FunctionFacts],
    found: Study | None,
    started: float,
) -> KernelReport:
    plan, result = runs[0].plan, runs[0].result
    places = SourcePlaces(program, plan.kernel)
    item = program.item_of(FunctionId(plan.kernel.function.frames[0].function))
    first, last = places.lines_of(item)
    levels = static_levels(plan, places, item.path, static)
    races = RaceReports(flow, plan.choices, places)
    origins = Origins(flow, plan.choices, plan.arrays)
    return KernelReport(
        path=item.path,
        kernel=item.name,
        first_line=first,
        last_line=last,
        source=_source(program, item.path),
        grid=result.grid,
        block=result.block,
        warp_size=result.warp_size,
        seed=plan.specification.seed,
        choices=plan.choices,
        policies=tuple(_policy_report(run, places, item.path, levels, races, origins) for run in runs),
        arrays=result.arrays,
        files=plan.files,
        study=found,
        seconds=time.perf_counter() - started,
        barriers=_barriers(plan, places, item.path),
        blocks_run=plan.specification.first_blocks,
        is_grid_cut=plan.grid.is_cut or plan.attempt.is_spread,
        architecture=program.unit.environment.architecture,
    )


def _barriers(plan: Plan, places: SourcePlaces, path: str) -> frozenset[int]:
    found = (
        places.line_in(path, FunctionSpan(str(function.id), one.span))
        for function in (plan.kernel.function, *plan.kernel.callees.values())
        for block in function.blocks
        for one in block.instructions
        if isinstance(one, BlockBarrier)
    )
    return frozenset(line for line in found if line is not None)


def _source(program: Program, path: str) -> tuple[str, ...]:
    text = program.unit.text_of(path) or b""
    return tuple(without_line_end(line).decode("utf-8", "replace") for line in text.splitlines(keepends=True))


def _policy_report(
    run: _Run, places: SourcePlaces, path: str, levels: Levels, races: RaceReports, origins: Origins
) -> PolicyReport:
    result, watched = run.result, run.watched
    requests = watched.requests.answer()

    found = findings_of(run.plan, result, places, races, origins)

    def line_of(place: FunctionSpan) -> int | None:
        return places.line_in(path, place)

    work = watched.work.answer()
    branches = branch_reports(result, watched.branches.answer(), places, levels)
    return PolicyReport(
        policy=result.policy,
        warp_instructions=result.warp_instructions,
        thread_instructions=result.thread_instructions,
        simd_efficiency=result.simd_efficiency,
        branches=branches,
        accesses=access_reports(requests, places),
        lines=_lines(
            by_line(work, line_of),
            by_line(requests.by_place(), line_of),
            arrivals_by_line(watched.work.arrivals(), line_of),
        ),
        requests=requests.total,
        histogram=watched.histogram.answer(),
        timeline=_timeline(watched.timeline, places),
        faults=tuple(one for one in found if not one.is_note),
        notes=tuple(one for one in found if one.is_note),
        printed=result.printed,
        memory_digest=result.memory_digest,
        truncated=_truncation(result, places),
        seconds=result.seconds,
        losses=loss_reports(work, branches, places),
        barriers=barrier_reports(watched.work.barriers(), places),
        coverage=coverage_of(work, watched.work.arrivals(), places, path),
    )


def _lines(
    work: Mapping[int, Work], requests: Mapping[int, RequestCount], arrivals: Mapping[int, int]
) -> tuple[LineReport, ...]:
    return tuple(
        LineReport(line, work.get(line, NO_WORK), requests.get(line, NO_REQUESTS), arrivals.get(line, 0))
        for line in sorted({*work, *requests})
    )


def _timeline(observer: TimelineObserver, places: SourcePlaces) -> TimelineReport:
    found = observer.answer()
    steps = tuple(None if step.place is None else places.of(step.place) for step in found.steps)
    return TimelineReport(found.block, found.warp, found.warp_size, found.steps, steps, found.omitted)


def _truncation(result: Result, places: SourcePlaces) -> TruncationReport | None:
    ended = result.truncated
    return None if ended is None else TruncationReport(ended.reason, places.place(ended.function, ended.span))
