"""One run at a time: a launch is planned and adapted once, then run under other schedules and with fewer blocks.

Cost      Work is counted: all runs of a kernel share `Limits.steps` warp instructions.  The time is a second limit, for
          machines that are slow; where it strikes, how much was tried depends on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from analysis.ir.index3 import Index3
from analysis.ir.pace import Cancelled, pace
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.lower.program import DeviceFunction, Program
from sim.equivalence.allowance import Allowance
from sim.faults import OutOfBounds
from sim.kernel import Kernel
from sim.launch.adapt import arrays_too_short, badness, run_adapted, share_kept
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.observers.places import FunctionSpan
from sim.observers.races import RaceObserver
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError
from sim.report.findings import findings_of
from sim.report.model import FaultReport
from sim.report.origins import Origins
from sim.report.places import SourcePlaces
from sim.report.races import RaceReports
from sim.result import Result, TruncationReason
from sim.sanitize.endless import endless_loops, never_ends
from sim.sanitize.model import Schedule
from sim.sanitize.unassigned import unassigned_reads
from sim.simulate import simulate
from sim.specification import Budget, WarpOrder

PLAIN: Final = Schedule("ipdom", WarpOrder.TOGETHER)
AS_SAID: Final = "as host code says, or chosen"
"""Of the first launch."""
FEWER_BLOCKS: Final = "fewer blocks"
"""Why a launch differs from the first, where it is the same one otherwise."""
OUT_OF_TIME: Final = "its time was over before a run ended"
MEMORY: Final = 384 << 20
"""Bytes of all arrays of a run: several processes work side by side."""

STEPS: Final = 20_000_000
"""Warp instructions of all runs of a kernel."""


@final
@record
class Limits:
    """Of one kernel: all its runs together take so many seconds and warp instructions; `seeds` is how many different
    contents of arrays are tried."""

    seconds: float = 10.0
    seeds: int = 3
    steps: int = STEPS


@final
@record
class Trial:
    """One run that is over.  `why` says how its launch differs from the first one; `reports` are its findings."""

    planner: Planner
    plan: Plan
    why: str
    schedule: Schedule
    result: Result
    reports: tuple[FaultReport, ...]
    lines: frozenset[tuple[str, int]]
    reached: frozenset[tuple[str, int]]

    @property
    def has_ended(self) -> bool:
        return self.result.truncated is None

    @property
    def warps(self) -> int:
        launch = self.plan.specification
        return launch.blocks_to_run * launch.warps_per_block

    @property
    def without_memory(self) -> Trial:
        """Arrays may be large."""
        return replace(self, result=replace(self.result, arrays={}, variables={}))


@final
class Runner:
    """Runs launches of one kernel until what its limits allow is used up."""

    def __init__(
        self,
        program: Program,
        kernel: DeviceFunction,
        elsewhere: Sequence[Launch],
        allowance: Allowance,
        limits: Limits,
    ) -> None:
        """`elsewhere`: launches of the kernel that are known of other files."""
        self._program = program
        self._kernel = kernel
        self._elsewhere = elsewhere
        self._allowance = allowance
        self._steps = limits.steps
        self.chosen: frozenset[str] = frozenset()
        """What nobody said, by name: it stays invented where another launch asks for it to be different."""
        self.kernel: Kernel | None = None
        """The instance that runs; None before it is known."""
        self.replaced: Trial | None = None
        """The last launch that took too long, where a smaller one stands for it."""

    @property
    def is_over(self) -> bool:
        return self._allowance.is_over or self._steps <= 0

    def adapted(self, requests: Sequence[Request], why: str, *, share: float = 1.0) -> Trial:
        """The launch that fits best, under the plainest schedule; within a share of the time that is left.

        One that would never have ended is not replaced by a smaller one; of another one that was, what it found until
        then is `replaced`.  Where the time is over while a better launch is looked for, the best until then counts.
        Raises `LaunchError` and `Refusal`.
        """
        tried: list[tuple[Planner, Plan, Result]] = []
        try:
            with pace(self._keep_time):
                return self._adapted(requests, why, share, tried)
        except Cancelled:
            if not tried:
                raise LaunchError(OUT_OF_TIME) from None
        planner, plan, result = min(tried, key=lambda one: badness(one[1:]))
        self._note_choices(plan)
        return self._trial(planner, plan, why, PLAIN, _as_if_grown(plan, result))

    def _keep_time(self) -> None:
        """What plans a launch looks at no clock: a kernel may be so large that this takes all of its time."""
        if self._allowance.is_over:
            raise Cancelled

    def _adapted(
        self, requests: Sequence[Request], why: str, share: float, tried: list[tuple[Planner, Plan, Result]]
    ) -> Trial:
        """`tried` is filled with all runs, without their memory."""
        part = self._allowance.part(share)
        budget = Budget(seconds=max(part.left, 0.01), memory_bytes=MEMORY)
        planner = Planner(
            self._program,
            self._kernel,
            requests,
            budget=budget,
            elsewhere=self._elsewhere,
            leaves_out_launches=True,
        )
        self.kernel = planner.kernel
        seconds, started = part.left, time.perf_counter()
        cut_off: list[tuple[Plan, Result]] = []

        def run(plan: Plan) -> Result:
            kept = 0.0 if plan.attempt.is_trial else seconds * share_kept(planner, plan)
            left = seconds - (time.perf_counter() - started) - kept
            if left <= 0 or self.is_over:
                raise LaunchError(OUT_OF_TIME)
            result = self._run(plan, PLAIN, left)
            without_memory = replace(result, arrays={}, variables={})
            tried.append((planner, plan, without_memory))
            if _is_cut_off(result):
                cut_off.append((plan, without_memory))
            return result

        plan, result = run_adapted(planner, run)
        endless = [one for one in cut_off if never_ends(one[0].kernel, one[1])]
        if endless:
            plan, result = endless[0]
        elif cut_off and result.truncated is None:
            self.replaced = self._trial(planner, cut_off[0][0], why, PLAIN, cut_off[0][1])
        self._note_choices(plan)
        return self._trial(planner, plan, why, PLAIN, result)

    def _note_choices(self, plan: Plan) -> None:
        """Those of the first launch."""
        if not self.chosen:
            self.chosen = frozenset(choice.name for choice in plan.choices if choice.is_chosen)

    def again(self, trial: Trial, schedule: Schedule) -> Trial:
        """The same launch under another schedule."""
        result = self._run(trial.plan, schedule, self._allowance.left)
        return self._trial(trial.planner, trial.plan, trial.why, schedule, result)

    def in_grid(self, trial: Trial, grid: Index3, why: str) -> Trial:
        """The same inputs with fewer blocks."""
        plan = replace(trial.plan, specification=replace(trial.plan.specification, grid=grid, first_blocks=0))
        return self._trial(
            trial.planner, plan, why, trial.schedule, self._run(plan, trial.schedule, self._allowance.left)
        )

    def _run(self, plan: Plan, schedule: Schedule, seconds: float) -> Result:
        given = plan.specification.budget
        budget = replace(
            given, seconds=min(given.seconds, seconds), max_steps=max(1, min(given.max_steps, self._steps))
        )
        launch = replace(plan.specification, budget=budget, warp_order=schedule.order)
        policy = POLICIES[schedule.policy]
        result = simulate(plan.kernel, launch, policy, [RaceObserver()], progress=self._allowance.goes_on)
        self._steps -= result.warp_instructions
        return result

    def _trial(self, planner: Planner, plan: Plan, why: str, schedule: Schedule, result: Result) -> Trial:
        places = SourcePlaces(self._program, plan.kernel)
        choices = tuple(replace(one, is_chosen=one.is_chosen or one.name in self.chosen) for one in plan.choices)
        plan = replace(plan, choices=choices)
        races, origins = RaceReports(planner.flow, choices, places), Origins(planner.flow, choices, plan.arrays)
        reports = (
            *findings_of(plan, result, places, races, origins),
            *unassigned_reads(plan.kernel, result, places),
            *(endless_loops(plan.kernel, result, places) if _is_cut_off(result) else ()),
        )
        lines: set[tuple[str, int]] = set()
        reached: set[tuple[str, int]] = set()
        for count in result.instructions:
            found = places.of(FunctionSpan(count.function, count.span))
            if found is not None:
                lines.add((found.path, found.line))
                if count.warp_instructions:
                    reached.add((found.path, found.line))
        return Trial(planner, plan, why, schedule, result, reports, frozenset(lines), frozenset(reached))


def _as_if_grown(plan: Plan, result: Result) -> Result:
    """Without the accesses past the ends of arrays that the next attempt would have made longer."""
    short = arrays_too_short(plan, result)
    faults = tuple(
        fault
        for fault in result.faults
        if not (isinstance(fault, OutOfBounds) and fault.offset >= 0 and fault.buffer in short)
    )
    return replace(result, faults=faults)


def _is_cut_off(result: Result) -> bool:
    """Whether the program would have gone on: not where there was no memory, or somebody ended it."""
    truncated = result.truncated
    return truncated is not None and truncated.reason in (TruncationReason.STEPS, TruncationReason.TIME)
