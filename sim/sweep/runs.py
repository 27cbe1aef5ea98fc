"""Runs the launches of a sweep: each planned once for the kernel as written, then run in all forms under all policies.

Rules    The launch is adapted under the sweep's first policy, as `simulate` does it; all other runs are exactly that
         launch.  The melded text runs with the template arguments that were chosen for the text as written.
         Whatever happens, each point of a unit gets its row.
Limits   A process that is killed for its memory is seen by who started it.
"""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.inputs.flow import Flow
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.lower.program import DeviceFunction, Program
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.report.assemble import report_adapted, report_again
from sim.report.model import KernelReport, PolicyReport
from sim.specification import Budget
from sim.sweep.model import Form, LaunchPoint, Outcome, Point, Row, Unit, points_of

OTHER_INSTANCE: Final = "the melded kernel takes other template arguments"


@final
@record
class Text:
    """One text of the kernel; `melds` are in it."""

    program: Program
    kernel: DeviceFunction
    requests: Sequence[Request] = ()
    """What the file and the settings say of its launches."""
    melds: int = 0
    elsewhere: Sequence[Launch] = ()
    """Launches of it that are known of other files."""


@final
@record
class How:
    """How every launch is run."""

    budget: Budget = Budget()
    havoc: bool = False
    ran_on: str = ""


@final
@record
class NoRun:
    """Why there is none."""

    outcome: Outcome
    reason: str


def rows_of(unit: Unit, first_policy: str, written: Text, melded: Text | None, how: How) -> list[Row]:
    """A row for each point of the unit; `melded` is None where no meld is offered."""
    rows = {one.point: one for one in _Launch(unit, first_policy, written, melded, how).rows()}
    return [rows[point] for point in points_of(unit)]


def failed_rows(unit: Unit, reason: str, ran_on: str = "") -> list[Row]:
    """The rows of a unit of which nothing is known."""
    return [Row(point, Outcome.FAILED, reason, ran_on=ran_on) for point in points_of(unit)]


@final
class _Launch:
    """One unit: its plan, then its runs."""

    def __init__(self, unit: Unit, first_policy: str, written: Text, melded: Text | None, how: How) -> None:
        self._unit = unit
        self._first_policy = first_policy
        self._written = written
        self._melded = melded
        self._how = how

    def rows(self) -> Iterator[Row]:
        try:
            planner, plan, report = self._planned()
        except Exception as error:
            why = _no_run(error)
            yield from (self._nothing(point, why) for point in points_of(self._unit))
            return
        for form in self._unit.forms:
            version = self._version(form, planner, plan)
            for policy in self._unit.policies:
                point = Point(self._unit.kernel, self._unit.warp_size, self._unit.launch, form, policy)
                if isinstance(version, NoRun):
                    yield self._nothing(point, version)
                elif form is Form.AS_WRITTEN and policy == self._first_policy:
                    yield self._row(point, report, self._written)
                else:
                    yield self._run(point, *version)

    def _planned(self) -> tuple[Planner, Plan, KernelReport]:
        started = time.perf_counter()
        planner = _planner(self._written, _given(self._unit.launch), self._how)
        first: PolicyFactory = POLICIES[self._first_policy]
        plan, report = report_adapted(self._written.program, planner, first, spent=time.perf_counter() - started)
        return planner, plan, report

    def _version(self, form: Form, planner: Planner, plan: Plan) -> tuple[Text, Flow, Plan] | NoRun:
        """What runs in that form."""
        if form is Form.AS_WRITTEN:
            return self._written, planner.flow, plan
        if self._melded is None:
            return NoRun(Outcome.NOT_MELDED, "no meld of this kernel is offered")
        given = _given(self._unit.launch)
        chosen = Request(arguments={choice.name: choice.value for choice in plan.choices}, is_general=True)
        try:
            for more in ((), (chosen,)):
                other = _planner(self._melded, given, self._how, more)
                if other.kernel.function.id == plan.kernel.function.id:
                    return self._melded, other.flow, replace(plan, kernel=other.kernel)
        except Exception as error:
            return _no_run(error)
        return NoRun(Outcome.FAILED, OTHER_INSTANCE)

    def _run(self, point: Point, text: Text, flow: Flow, plan: Plan) -> Row:
        try:
            return self._row(point, report_again(text.program, flow, plan, POLICIES[point.policy]), text)
        except Exception as error:
            return self._nothing(point, _no_run(error))

    def _row(self, point: Point, report: KernelReport, text: Text) -> Row:
        (run,) = report.policies
        faults: dict[str, int] = {}
        for fault in run.faults:
            faults[fault.kind] = faults.get(fault.kind, 0) + fault.count
        outcome, reason = _outcome(run)
        inputs = {one.name: {"value": one.value, "why": one.why, "chosen": one.is_chosen} for one in report.choices}
        requests, coverage = run.requests, run.coverage
        return Row(
            point=point,
            outcome=outcome,
            reason=reason,
            grid=report.grid,
            block=report.block,
            inputs=json.dumps(inputs),
            faults=faults,
            notes=len(run.notes),
            warp_instructions=run.warp_instructions,
            thread_instructions=run.thread_instructions,
            simd_efficiency=run.simd_efficiency,
            sectors=requests.sectors,
            ideal_sectors=requests.ideal_sectors,
            local_sectors=requests.local_sectors,
            bank_passes=requests.bank_passes,
            bank_conflicts=requests.bank_conflicts,
            divergent_branches=sum(branch.diverged > 0 for branch in run.branches),
            splits=sum(branch.diverged for branch in run.branches),
            lines=coverage.lines,
            lines_reached=coverage.reached,
            memory_digest=run.memory_digest,
            melds=text.melds,
            seconds=report.seconds,
            ran_on=self._how.ran_on,
        )

    def _nothing(self, point: Point, why: NoRun) -> Row:
        return Row(point, why.outcome, why.reason, ran_on=self._how.ran_on)


def _given(launch: LaunchPoint) -> Request:
    return Request("given", launch.grid, launch.block, launch.shared_bytes, launch.seed, dict(launch.arguments))


def _planner(text: Text, given: Request, how: How, more: Sequence[Request] = ()) -> Planner:
    """Raises `LaunchError`."""
    return Planner(
        text.program,
        text.kernel,
        [given, *more, *text.requests],
        budget=how.budget,
        havoc=how.havoc,
        elsewhere=text.elsewhere,
        leaves_out_launches=True,
    )


def _outcome(run: PolicyReport) -> tuple[Outcome, str]:
    if run.faults:
        return Outcome.FAULTS, ""
    if run.truncated is not None:
        return Outcome.TRUNCATED, run.truncated.reason.value
    return Outcome.CLEAN, ""


def _no_run(error: Exception) -> NoRun:
    """What the user asked for, what is not simulated, or a defect of ours: it costs this run, and its row says so."""
    if isinstance(error, LaunchError):
        return NoRun(Outcome.DOES_NOT_FIT, str(error))
    if isinstance(error, Refusal):
        return NoRun(Outcome.REFUSED, str(error))
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    return NoRun(Outcome.FAILED, f"internal error: {type(error).__name__}: {error}{place}")
