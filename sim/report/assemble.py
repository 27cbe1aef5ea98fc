"""Runs a kernel under the policies asked for, watched by the standard observers, and gathers what a report shows.

The launch is planned and adapted under the first policy; the others run the same launch, so that only the policy
differs.  Static verdicts come from the analysis of the same text and stand beside what was counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.model import FunctionFacts
from analysis.ir.ids import SourceBranchId
from analysis.ir.instructions import FunctionId
from analysis.lower.program import Program
from analysis.syntax.line_index import without_line_end
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.observers.branches import BranchObserver
from sim.observers.lane_histogram import LaneHistogramObserver
from sim.observers.places import Place, by_line
from sim.observers.protocol import Observer
from sim.observers.races import RaceObserver
from sim.observers.requests import RequestCount, RequestObserver
from sim.observers.timeline import TimelineObserver
from sim.observers.work import Work, WorkObserver
from sim.policies.protocol import PolicyFactory
from sim.report.faults import fault_report
from sim.report.model import (
    BranchReport,
    KernelReport,
    LineReport,
    PolicyReport,
    SourcePlace,
    TimelineReport,
    TruncationReport,
)
from sim.report.places import SourcePlaces
from sim.result import Result, TruncationReason
from sim.simulate import simulate

Progress: TypeAlias = Callable[[float], bool]

NO_WORK: Final = Work(0, 0, 0)
NO_REQUESTS: Final = RequestCount()


@final
@dataclass(frozen=True, slots=True)
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
@dataclass(frozen=True, slots=True)
class _Run:
    plan: Plan
    result: Result
    watched: _Watched


def report_kernel(
    program: Program,
    planner: Planner,
    policies: Sequence[PolicyFactory],
    static: Iterable[FunctionFacts],
    *,
    warp: tuple[int, int] = (0, 0),
    progress: Progress | None = None,
) -> KernelReport:
    """`static` are the facts of the kernel's file; `warp` is the one whose timeline is kept: (block, warp in it).

    Raises `Refusal` and `LaunchError` as `simulate` does.  A cancelled run ends the report with that run.
    """
    started = time.perf_counter()
    first = _adapted(planner, policies[0], warp, progress)
    runs = [first]
    for policy in policies[1:]:
        if _is_cancelled(runs[-1].result):
            break
        runs.append(_run(first.plan, policy, warp, progress))
    return _kernel_report(program, runs, static, started)


def _is_cancelled(result: Result) -> bool:
    return result.truncated is not None and result.truncated.reason is TruncationReason.CANCELLED


def _adapted(planner: Planner, policy: PolicyFactory, warp: tuple[int, int], progress: Progress | None) -> _Run:
    watched: dict[int, _Watched] = {}

    def run(plan: Plan) -> Result:
        one = _run(plan, policy, warp, progress)
        watched[id(one.result)] = one.watched
        return one.result

    plan, result = run_adapted(planner, run)
    return _Run(plan, result, watched[id(result)])


def _run(plan: Plan, policy: PolicyFactory, warp: tuple[int, int], progress: Progress | None) -> _Run:
    watched = _Watched.new(warp)
    return _Run(plan, simulate(plan.kernel, plan.specification, policy, watched.all(), progress=progress), watched)


def _kernel_report(
    program: Program, runs: Sequence[_Run], static: Iterable[FunctionFacts], started: float
) -> KernelReport:
    plan, result = runs[0].plan, runs[0].result
    places = SourcePlaces(program, plan.kernel)
    item = program.item_of(FunctionId(plan.kernel.function.frames[0].function))
    first, last = places.lines_of(item)
    levels = _levels(places, item.path, static)
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
        policies=tuple(_policy_report(run, places, item.path, levels) for run in runs),
        arrays=result.arrays,
        seconds=time.perf_counter() - started,
    )


def _source(program: Program, path: str) -> tuple[str, ...]:
    text = program.unit.text_of(path) or b""
    return tuple(without_line_end(line).decode("utf-8", "replace") for line in text.splitlines(keepends=True))


_Levels: TypeAlias = Mapping[SourcePlace, Level]


def _levels(places: SourcePlaces, path: str, static: Iterable[FunctionFacts]) -> _Levels:
    """What the analysis says about each branch of the file, by the place of its keyword."""
    return {
        places.at(path, function.start + branch.keyword.start): branch.level
        for function in static
        for branch in function.branches
    }


def _policy_report(run: _Run, places: SourcePlaces, path: str, levels: _Levels) -> PolicyReport:
    result, watched = run.result, run.watched
    requests = watched.requests.answer()

    def line_of(place: Place) -> int | None:
        return places.line_in(path, place)

    return PolicyReport(
        policy=result.policy,
        warp_instructions=result.warp_instructions,
        thread_instructions=result.thread_instructions,
        simd_efficiency=result.simd_efficiency,
        branches=_branches(run, places, levels),
        lines=_lines(by_line(watched.work.answer(), line_of), by_line(requests.by_place(), line_of)),
        requests=requests.total,
        histogram=watched.histogram.answer(),
        timeline=_timeline(watched.timeline, places),
        faults=tuple(fault_report(fault, places) for fault in result.faults),
        printed=result.printed,
        memory_digest=result.memory_digest,
        truncated=_truncation(result, places),
        seconds=result.seconds,
    )


def _branches(run: _Run, places: SourcePlaces, levels: _Levels) -> tuple[BranchReport, ...]:
    """Of the kernel and all that it calls, each source branch once: inlined copies of one are counted together."""
    lanes: Counter[tuple[str, SourceBranchId]] = Counter()
    for activity in run.watched.branches.answer():
        if activity.source is not None:
            lanes[activity.place.function, activity.source] += activity.lanes
    found: dict[SourcePlace, BranchReport] = {}
    for count in run.result.branches:
        place = places.place(count.function, count.keyword)
        if place is None:
            continue
        before = found.get(place)
        found[place] = BranchReport(
            place=place,
            text=places.text(count.function, count.keyword),
            executed=count.executed + (before.executed if before else 0),
            diverged=count.diverged + (before.diverged if before else 0),
            lanes=lanes[count.function, count.branch] + (before.lanes if before else 0),
            level=levels.get(place),
        )
    return tuple(sorted(found.values(), key=lambda branch: (branch.place.path, branch.place.line, branch.place.column)))


def _lines(work: Mapping[int, Work], requests: Mapping[int, RequestCount]) -> tuple[LineReport, ...]:
    return tuple(
        LineReport(line, work.get(line, NO_WORK), requests.get(line, NO_REQUESTS))
        for line in sorted({*work, *requests})
    )


def _timeline(observer: TimelineObserver, places: SourcePlaces) -> TimelineReport:
    found = observer.answer()
    steps = tuple(None if step.place is None else places.of(step.place) for step in found.steps)
    return TimelineReport(found.block, found.warp, found.warp_size, found.steps, steps, found.omitted)


def _truncation(result: Result, places: SourcePlaces) -> TruncationReport | None:
    ended = result.truncated
    return None if ended is None else TruncationReport(ended.reason, places.place(ended.function, ended.span))
