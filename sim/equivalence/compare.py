"""Do two versions of a kernel do the same, and is the second one cheaper?

Question  A change of a kernel's text promises the same results, often with fewer issued instructions.  Does that hold
          where both versions run?
Rules     The launch is planned and adapted for the version before, as a simulation without options does it; the version
          after runs exactly that launch.  Both run under every policy: what holds under one order of threads only is
          not held by the program.
          Equal memory, equal printed lines and no new fault under each policy is what it takes; for fewer
          instructions, the reference policy counts.
          Where the whole launch is long and equal under the reference policy, the others run fewer blocks of it
          (`fewer_blocks.py`); figures and threads are those of the whole launch.
          Where the version before leaves different memory under two policies, the versions are compared policy by
          policy, and a difference proves nothing.  A change that orders lanes is compared with what lanes did that ran
          in step (`ordering.py`), one that orders warps with itself under other policies (`race_free.py`).
          A branch in question must split a warp and have a thread in each of its arms (`inputs.py`); one that keeps
          threads from a barrier may split a block.
          Where threads miss a barrier before the change, the others go on without them: at the first barrier of the
          program first, which is what its author meant, or all at once where arms are merged.
Limits    One launch.  Shared and local memory are not compared: the host cannot see them.
          Arrays that some run must keep for comparison are held until the end: two runs' worth at most where all agree.
Cost      Two runs per policy, and the attempts at a launch.  All of it honours one deadline; one run may take as much
          as leaves time for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never, final

from sim.equivalence.allowance import Allowance, Progress
from sim.equivalence.fewer_blocks import with_fewer_blocks
from sim.equivalence.inputs import Planned, best_launch
from sim.equivalence.model import (
    UNREADABLE_INSTANCE,
    BranchPlace,
    Comparison,
    Confirmed,
    FewerBlocks,
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
from sim.equivalence.ordering import ordering_verdict
from sim.equivalence.pairs import CANCELLED, OtherPairs, Pair, Pairs, Stopped, not_launched, refused, truncated
from sim.equivalence.race_free import race_free_verdict
from sim.equivalence.runs import Observed, Version
from sim.kernel import Kernel, load_kernel
from sim.launch.host_launches import host_launches
from sim.launch.instance import choose_instance
from sim.launch.planner import Planner
from sim.launch.request import Request, Requests
from sim.machine.printf import is_full
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.report.faults import fault_report
from sim.report.places import SourcePlaces
from sim.specification import Budget

REFERENCE: Final[PolicyFactory] = Ipdom
"""The policy whose instructions are counted: what hardware without independent threads does."""
DEFAULT_BUDGET: Final = Budget(seconds=30.0)
"""For all runs together."""
FIRST_PART: Final = 8
"""The first run may take one of so many parts of the time: the launch may have to be adapted, and other policies run
fewer blocks."""


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
    each = replace(budget, seconds=budget.seconds / FIRST_PART)
    try:
        planner = Planner(before.program, before.kernel, requests, budget=each, barriers_in_turn=goal is Goal.MET)
    except LaunchError as error:
        return Comparison(NotChecked(Gap.LAUNCH, str(error)))
    places = SourcePlaces(before.program, planner.kernel)
    try:
        planned = best_launch(planner, before, requests, REFERENCE, each, allowance, branch, goal)
    except LaunchError as error:
        return Comparison(not_launched(error, allowance))
    except Refusal as refusal:
        return Comparison(refused(refusal, places))
    if allowance.is_cancelled:
        return Comparison(CANCELLED)
    launch = _summary(planned)
    verdict = _unfit(planned, branch, SourcePlaces(before.program, planned[0].kernel))
    if verdict is not None:
        return Comparison(verdict, launch)
    try:
        changed = _same_instance(after, planned, requests)
    except LaunchError as error:
        return Comparison(NotChecked(Gap.LAUNCH, str(error)), launch)
    whole = Pairs(before, after, planned[1], planned[2], changed, allowance, goal=goal)
    places = SourcePlaces(before.program, planned[0].kernel)
    small = with_fewer_blocks(planned, places, REFERENCE, allowance, branch, goal)
    less = None if small is None else Pairs(before, after, *small, changed, allowance, goal=goal)
    verdict, figures = _Comparer(whole, less, goal).compared(others)
    return Comparison(verdict, launch, figures)


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
        return truncated(run.result.truncated, places)
    if is_full(run.result.printed):
        return NotChecked(Gap.TRUNCATED, "more is printed than is kept")
    if run.stop is not None:
        report = fault_report(run.stop, places)
        return NotChecked(Gap.STOPPED, f"already before the change {report.message}", report.place)
    if branch is None or run.is_exercised:
        return None
    if run.arms.executed and not run.arms.diverged and not run.may_miss:
        return NotChecked(Gap.ARMS_NOT_REACHED, "no input splits a warp at this branch")
    return NotChecked(Gap.ARMS_NOT_REACHED, "no input reaches both arms" if run.arms.arms < 3 else _some_arms(run))


def _some_arms(run: Observed) -> str:
    return f"no input reaches all arms, only {run.arms.reached} of {run.arms.arms}"


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
class _Comparer:
    """`whole` is the launch whose figures count; `small` has fewer blocks, for the policies after the first."""

    def __init__(self, whole: Pairs, small: Pairs | None, goal: Goal) -> None:
        self._whole = whole
        self._small = small
        self._goal = goal

    def compared(self, policies: Sequence[PolicyFactory]) -> tuple[Verdict, tuple[PolicyFigures, ...]]:
        try:
            pair = self._whole.with_first(REFERENCE)
        except Stopped as stopped:
            return stopped.verdict, ()
        figures = (PolicyFigures(REFERENCE.name, pair.before.figures, pair.after.figures),)
        before, after = (one.result.warp_instructions for one in (pair.before, pair.after))
        if pair.difference is None and self._goal is Goal.FEWER_INSTRUCTIONS and after >= before:
            return Refuted(REFERENCE.name, NotFewer(before, after)), figures
        launch = self._small if self._small is not None and pair.difference is None else self._whole
        try:
            others = launch.with_others(policies)
        except Stopped as stopped:
            is_expected = self._goal is Goal.RACE_FREE and not isinstance(pair.difference, NewFault)
            if pair.difference is None or is_expected or stopped.verdict.gap is Gap.CANCELLED:
                return stopped.verdict, figures
            return Refuted(pair.policy, pair.difference), figures
        more = (PolicyFigures(one.policy, one.before.figures, one.after.figures) for one in others.pairs)
        return self._verdict(pair, launch, others), (*figures, *more)

    def _verdict(self, reference: Pair, launch: Pairs, others: OtherPairs) -> Verdict:
        fewer = None if launch is self._whole else FewerBlocks(launch.grid, self._whole.grid)
        match self._goal:
            case Goal.ORDERED:
                return ordering_verdict(reference, launch, others, fewer)
            case Goal.RACE_FREE:
                return race_free_verdict(reference, launch, others, fewer)
            case Goal.SAME_RESULTS | Goal.FEWER_INSTRUCTIONS | Goal.MET | Goal.MERGED:
                return self._same_results(reference, launch, others, fewer)
            case _:
                assert_never(self._goal)

    def _same_results(self, reference: Pair, launch: Pairs, others: OtherPairs, fewer: FewerBlocks | None) -> Verdict:
        digests = {launch.first.result.memory_digest, *(pair.before.result.memory_digest for pair in others.pairs)}
        pairs = [reference, *others.pairs]
        different = next((pair for pair in pairs if pair.difference is not None), None)
        if different is None or different.difference is None:
            names, first = tuple(pair.policy for pair in pairs), self._whole.first
            coverage = first.unexecuted, first.instructions
            return Confirmed(names, others.left_out, len(digests) > 1, *coverage, others.too_long, fewer)
        if len(digests) > 1 and not isinstance(different.difference, NewFault):
            message = "already before the change what is left in memory depends on the order of threads: a race"
            return NotChecked(Gap.ORDER_DEPENDENT, message)
        return Refuted(different.policy, different.difference, fewer)
