"""Do two versions of a kernel do the same, and is the second one cheaper?

Question  A change of a kernel's text promises the same results, often with fewer issued instructions.  Does that hold
          where both versions run?
Rules     The launch is planned and adapted for the version before, as a simulation without options does it; the version
          after runs exactly that launch.  Both run under every policy: what holds under one order of threads only is
          not held by the program.
          Equal memory, equal printed lines and no new fault under each policy is what it takes; for fewer
          instructions, the reference policy counts.
          Where the version before leaves different memory under two policies, the versions are compared policy by
          policy, and a difference proves nothing.
          A branch in question must split a warp and have a thread in each of its arms (`inputs.py`).
Limits    One launch.  Shared and local memory are not compared: the host cannot see them.
          Arrays that some run must keep for comparison are held until the end: two runs' worth at most where all agree.
Cost      Two runs per policy, and the attempts at a launch.  All of it honours one deadline; one run may take as much
          as leaves time for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from analysis.ir.record import record
from sim.equivalence.allowance import Allowance, Progress
from sim.equivalence.differences import first_difference
from sim.equivalence.inputs import Planned, best_launch
from sim.equivalence.model import (
    UNREADABLE_INSTANCE,
    BranchPlace,
    Comparison,
    Confirmed,
    Evidence,
    Gap,
    Goal,
    LaunchSummary,
    NewFault,
    NotChecked,
    NotFewer,
    PolicyFigures,
    Refuted,
    Verdict,
)
from sim.equivalence.runs import Observed, Version, observed
from sim.kernel import Kernel, load_kernel
from sim.launch.host_launches import host_launches
from sim.launch.instance import choose_instance
from sim.launch.planner import Planner
from sim.launch.request import Request, Requests
from sim.launch.specification import Budget
from sim.machine.printf import is_full
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.report.faults import fault_report
from sim.report.places import SourcePlaces
from sim.result import Truncation, TruncationReason

REFERENCE: Final[PolicyFactory] = Ipdom
"""The policy whose instructions are counted: what hardware without independent threads does."""
DEFAULT_BUDGET: Final = Budget(seconds=30.0)
"""For all runs together."""
SHARES: Final = 4
"""The first run may take one of so many parts of the time per policy: both versions run, and others take longer."""


def compare(
    before: Version,
    after: Version,
    requests: Sequence[Request] = (),
    *,
    goal: Goal = Goal.SAME_RESULTS,
    branch: BranchPlace | None = None,
    policies: Sequence[PolicyFactory] = tuple(POLICIES.values()),
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
) -> Comparison:
    """`requests` are those of a simulation of the version before; `budget.seconds` are for all runs together.

    Never raises for what a program or a user does; what cannot be compared is `NotChecked`.
    """
    allowance = Allowance(budget.seconds, progress)
    others = [policy for policy in policies if policy.name != REFERENCE.name]
    each = replace(budget, seconds=budget.seconds / (SHARES * (len(others) + 1)))
    try:
        planner = Planner(before.program, before.kernel, requests, budget=each)
    except LaunchError as error:
        return Comparison(NotChecked(Gap.LAUNCH, str(error)))
    places = SourcePlaces(before.program, planner.kernel)
    try:
        planned = best_launch(planner, before, requests, REFERENCE, each, allowance, branch)
    except LaunchError as error:
        return Comparison(_not_launched(error, allowance))
    except Refusal as refusal:
        return Comparison(_refused(refusal, places))
    if allowance.is_cancelled:
        return Comparison(_CANCELLED)
    launch = _summary(planned)
    verdict = _unfit(planned, branch, SourcePlaces(before.program, planned[0].kernel))
    if verdict is not None:
        return Comparison(verdict, launch)
    try:
        changed = _same_instance(after, planned, requests)
    except LaunchError as error:
        return Comparison(NotChecked(Gap.LAUNCH, str(error)), launch)
    verdict, figures = _Comparer(before, after, planned, changed, goal, allowance).compared(others)
    return Comparison(verdict, launch, figures)


_CANCELLED: Final = NotChecked(Gap.CANCELLED, "cancelled")


def _not_launched(error: LaunchError, allowance: Allowance) -> NotChecked:
    """A launch for which no time is left is no launch that does not fit."""
    if allowance.is_cancelled:
        return _CANCELLED
    return NotChecked(Gap.TRUNCATED if allowance.is_over else Gap.LAUNCH, str(error))


def _refused(refusal: Refusal, places: SourcePlaces) -> NotChecked:
    return NotChecked(Gap.NOT_SIMULATED, str(refusal), places.place(refusal.function, refusal.span))


def _summary(planned: Planned) -> LaunchSummary:
    plan = planned[1]
    launch = plan.specification
    return LaunchSummary(
        plan.kernel.function.name, launch.grid, launch.block, launch.warp_size, launch.seed, plan.choices
    )


def _unfit(planned: Planned, branch: BranchPlace | None, places: SourcePlaces) -> NotChecked | None:
    """Why the best launch of the version before is nothing to compare with."""
    run = planned[2]
    if run.result.truncated is not None:
        return _truncated(run.result.truncated, places)
    if is_full(run.result.printed):
        return NotChecked(Gap.TRUNCATED, "more is printed than is kept")
    if run.stop is not None:
        report = fault_report(run.stop, places)
        return NotChecked(Gap.STOPPED, f"already before the change {report.message}", report.place)
    if branch is None or run.arms.is_exercised:
        return None
    if run.arms.executed and not run.arms.diverged:
        return NotChecked(Gap.ARMS_NOT_REACHED, "no input splits a warp at this branch")
    return NotChecked(Gap.ARMS_NOT_REACHED, "no input reaches both arms" if run.arms.arms < 3 else _some_arms(run))


def _some_arms(run: Observed) -> str:
    return f"no input reaches all arms, only {run.arms.reached} of {run.arms.arms}"


def _truncated(end: Truncation, places: SourcePlaces) -> NotChecked:
    gap = Gap.CANCELLED if end.reason is TruncationReason.CANCELLED else Gap.TRUNCATED
    return NotChecked(gap, end.reason.value, places.place(end.function, end.span))


def _same_instance(after: Version, planned: Planned, requests: Sequence[Request]) -> Kernel:
    """The version after with the template arguments of the version before; raises `LaunchError` where it has others."""
    planner, plan, _ = planned
    wanted = planner.kernel.function.id
    chosen = {choice.name: choice.value for choice in plan.choices}
    for more in ((), (Request(arguments=chosen, is_general=True),)):
        given = Requests((*more, *requests)).arguments
        instance = choose_instance(after.program, after.kernel, host_launches(after.program, after.kernel), given)
        if instance.id == wanted:
            return load_kernel(after.program, instance.id)
    raise LaunchError(UNREADABLE_INSTANCE)


@final
@record
class _Pair:
    """Both versions under one policy, which left what `difference` says."""

    policy: str
    before: Observed
    after: Observed
    difference: Evidence | None


class _Stopped(Exception):
    """A run that ends the comparison: it was cut off, or something in it is not simulated."""

    def __init__(self, verdict: NotChecked) -> None:
        super().__init__(verdict.message)
        self.verdict = verdict


@final
class _Comparer:
    """Runs both versions of one launch under policy after policy.

    The code of one kernel is kept at a time (`sim/code/latest.py`): so the versions take turns once, not per policy.
    """

    def __init__(
        self, before: Version, after: Version, planned: Planned, changed: Kernel, goal: Goal, allowance: Allowance
    ) -> None:
        _, self._plan, self._first = planned
        self._original = self._plan.kernel, SourcePlaces(before.program, self._plan.kernel)
        self._changed = changed, SourcePlaces(after.program, changed)
        self._goal = goal
        self._allowance = allowance

    def compared(self, policies: Sequence[PolicyFactory]) -> tuple[Verdict, tuple[PolicyFigures, ...]]:
        try:
            pair = self._paired(REFERENCE.name, self._first, self._run(self._changed, REFERENCE))
        except _Stopped as stopped:
            return stopped.verdict, ()
        figures = (PolicyFigures(REFERENCE.name, pair.before.figures, pair.after.figures),)
        before, after = (one.result.warp_instructions for one in (pair.before, pair.after))
        if pair.difference is None and self._goal is Goal.FEWER_INSTRUCTIONS and after >= before:
            return Refuted(REFERENCE.name, NotFewer(before, after)), figures
        try:
            pairs, left_out = self._pairs(policies)
        except _Stopped as stopped:
            if pair.difference is None or stopped.verdict.gap is Gap.CANCELLED:
                return stopped.verdict, figures
            return Refuted(pair.policy, pair.difference), figures
        pairs = [pair, *pairs]
        figures = tuple(PolicyFigures(one.policy, one.before.figures, one.after.figures) for one in pairs)
        return self._verdict(pairs, left_out), figures

    def _verdict(self, pairs: Sequence[_Pair], left_out: Sequence[str]) -> Verdict:
        depends = len({pair.before.result.memory_digest for pair in pairs}) > 1
        different = next((pair for pair in pairs if pair.difference is not None), None)
        if different is None or different.difference is None:
            names = tuple(pair.policy for pair in pairs)
            return Confirmed(names, tuple(left_out), depends, self._first.unexecuted, self._first.instructions)
        if depends and not isinstance(different.difference, NewFault):
            message = "already before the change what is left in memory depends on the order of threads: a race"
            return NotChecked(Gap.ORDER_DEPENDENT, message)
        return Refuted(different.policy, different.difference)

    def _pairs(self, policies: Sequence[PolicyFactory]) -> tuple[list[_Pair], list[str]]:
        """Memory that is that of the first run is forgotten at once."""
        changed = {policy.name: self._shortened(self._run(self._changed, policy)) for policy in policies}
        pairs: list[_Pair] = []
        left_out: list[str] = []
        for policy in policies:
            run = self._run(self._original, policy)
            if run.stop is not None:
                left_out.append(policy.name)
                continue
            pair = self._paired(policy.name, run, changed.pop(policy.name))
            pairs.append(replace(pair, before=pair.before.without_memory, after=pair.after.without_memory))
        return pairs, left_out

    def _shortened(self, run: Observed) -> Observed:
        is_known = run.result.memory_digest == self._first.result.memory_digest
        return run.without_memory if is_known else run

    def _paired(self, policy: str, before: Observed, after: Observed) -> _Pair:
        if after.result.memory_digest == self._first.result.memory_digest:
            memory = self._first.result
            whole = replace(after.result, arrays=memory.arrays, variables=memory.variables)
            after = replace(after, result=whole)
        difference = first_difference(before.result, after.result, self._changed[1])
        return _Pair(policy, before, after, difference)

    def _run(self, version: tuple[Kernel, SourcePlaces], policy: PolicyFactory) -> Observed:
        kernel, places = version
        if self._allowance.is_over:
            reason = TruncationReason.CANCELLED if self._allowance.is_cancelled else TruncationReason.TIME
            gap = Gap.CANCELLED if self._allowance.is_cancelled else Gap.TRUNCATED
            raise _Stopped(NotChecked(gap, reason.value))
        try:
            run = observed(
                kernel,
                self._plan.specification,
                policy,
                self._allowance.left,
                self._allowance,
                places=places,
                branch=None,
            )
        except Refusal as refusal:
            raise _Stopped(_refused(refusal, places)) from None
        except LaunchError as error:
            raise _Stopped(_not_launched(error, self._allowance)) from None
        if run.result.truncated is not None:
            raise _Stopped(_truncated(run.result.truncated, places))
        if is_full(run.result.printed):
            raise _Stopped(NotChecked(Gap.TRUNCATED, "more is printed than is kept"))
        return run
