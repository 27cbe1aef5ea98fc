"""Both versions of a kernel with one launch, under one policy and then under others.

Rules     A run under a policy after the first is ended after `LONGEST_RUN` warp instructions, or half of the time that
          is left.  If that meets the version before, the policy is not compared, and is said to be left out; with more
          than `MAX_TOO_LONG` of them nothing is claimed.  If it meets only the version after, nothing is claimed
          either: that version may wait for ever.
          A policy under which the version before stops in a fault is left out as well.
          The code of one kernel is kept at a time (`sim/code/latest.py`): so the versions take turns once, not per
          policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from sim.equivalence.allowance import Allowance
from sim.equivalence.differences import first_difference
from sim.equivalence.model import Evidence, Gap, Goal, NotChecked
from sim.equivalence.runs import Observed, Version, observed
from sim.kernel import Kernel
from sim.launch.planner import Plan
from sim.machine.printf import is_full
from sim.policies.protocol import PolicyFactory
from sim.refusals import LaunchError, Refusal
from sim.report.places import SourcePlaces
from sim.result import Truncation, TruncationReason
from sim.specification import LaunchSpecification

LONGEST_RUN: Final = 250_000
"""Of one run under a policy after the first."""
MAX_TOO_LONG: Final = 2

CANCELLED: Final = NotChecked(Gap.CANCELLED, "cancelled")


def not_launched(error: LaunchError, allowance: Allowance) -> NotChecked:
    """A launch for which no time is left is no launch that does not fit."""
    if allowance.is_cancelled:
        return CANCELLED
    return NotChecked(Gap.TRUNCATED if allowance.is_over else Gap.LAUNCH, str(error))


def refused(refusal: Refusal, places: SourcePlaces) -> NotChecked:
    return NotChecked(Gap.NOT_SIMULATED, str(refusal), places.place(refusal.function, refusal.span))


def truncated(end: Truncation, places: SourcePlaces) -> NotChecked:
    gap = Gap.CANCELLED if end.reason is TruncationReason.CANCELLED else Gap.TRUNCATED
    return NotChecked(gap, end.reason.value, places.place(end.function, end.span))


@final
@record
class Pair:
    """Both versions under one policy, which left what `difference` says."""

    policy: str
    before: Observed
    after: Observed
    difference: Evidence | None


@final
@record
class OtherPairs:
    """Under `left_out` the version before stops in a fault, under `too_long` its run was ended."""

    pairs: tuple[Pair, ...]
    left_out: tuple[str, ...]
    too_long: tuple[str, ...]


class Stopped(Exception):
    """A run that ends the comparison: it was cut off, or something in it is not simulated."""

    def __init__(self, verdict: NotChecked) -> None:
        super().__init__(verdict.message)
        self.verdict = verdict


@final
class Pairs:
    """`first` is the run of the version before under the first policy; all methods raise `Stopped`.

    For threads that are to be ordered, races are looked for in every run but `first`.
    """

    def __init__(
        self,
        before: Version,
        after: Version,
        plan: Plan,
        first: Observed,
        changed: Kernel,
        allowance: Allowance,
        *,
        goal: Goal,
    ) -> None:
        self.first = first
        self._launch = plan.specification
        self._original = plan.kernel, SourcePlaces(before.program, plan.kernel)
        self._changed = changed, SourcePlaces(after.program, changed)
        self._allowance = allowance
        self._goal = goal
        self._races = goal in (Goal.ORDERED, Goal.RACE_FREE)

    @property
    def places(self) -> SourcePlaces:
        """Of the version after."""
        return self._changed[1]

    @property
    def grid(self) -> Index3:
        return self._launch.grid

    @property
    def block(self) -> Index3:
        return self._launch.block

    @property
    def warp_size(self) -> int:
        return self._launch.warp_size

    def with_first(self, policy: PolicyFactory) -> Pair:
        """Under the policy of `first`."""
        after = self._run(self._changed, policy, self._launch, self._allowance.left)
        before = self.first
        if self._races:
            before = _whole(self._run(self._original, policy, self._launch, self._allowance.left), self._original[1])
        return self._paired(policy.name, before, _whole(after, self._changed[1]))

    def with_others(self, policies: Sequence[PolicyFactory]) -> OtherPairs:
        """Memory that is that of the first run is forgotten at once."""
        changed = {policy.name: self._shortened(self._other_run(self._changed, policy)) for policy in policies}
        pairs: list[Pair] = []
        left_out: list[str] = []
        too_long: list[str] = []
        for policy in policies:
            run = self._other_run(self._original, policy)
            after = changed.pop(policy.name)
            if after.result.truncated is not None and run.result.truncated is None:
                raise Stopped(truncated(after.result.truncated, self._changed[1]))
            if run.result.truncated is not None:
                too_long.append(policy.name)
                if len(too_long) > MAX_TOO_LONG:
                    raise Stopped(truncated(run.result.truncated, self._original[1]))
            elif run.stop is not None:
                left_out.append(policy.name)
            else:
                pair = self._paired(policy.name, run, after)
                pairs.append(replace(pair, before=pair.before.without_memory, after=pair.after.without_memory))
        return OtherPairs(tuple(pairs), tuple(left_out), tuple(too_long))

    # -- inside -----------------------------------------------------------------------------------------------------

    def _other_run(self, version: tuple[Kernel, SourcePlaces], policy: PolicyFactory) -> Observed:
        """Under a policy after the first; the caller looks whether it was ended early."""
        budget = self._launch.budget
        bounded = replace(self._launch, budget=replace(budget, max_steps=min(budget.max_steps, LONGEST_RUN)))
        run = self._run(version, policy, bounded, self._allowance.left / 2)
        if self._allowance.is_cancelled:
            raise Stopped(CANCELLED)
        return run

    def _run(
        self, version: tuple[Kernel, SourcePlaces], policy: PolicyFactory, launch: LaunchSpecification, seconds: float
    ) -> Observed:
        kernel, places = version
        if self._allowance.is_over:
            reason = TruncationReason.CANCELLED if self._allowance.is_cancelled else TruncationReason.TIME
            gap = Gap.CANCELLED if self._allowance.is_cancelled else Gap.TRUNCATED
            raise Stopped(NotChecked(gap, reason.value))
        try:
            run = observed(
                kernel,
                launch,
                policy,
                seconds,
                self._allowance,
                places=places,
                branch=None,
                goal=self._goal,
                races=self._races,
            )
        except Refusal as refusal:
            raise Stopped(refused(refusal, places)) from None
        except LaunchError as error:
            raise Stopped(not_launched(error, self._allowance)) from None
        if is_full(run.result.printed):
            raise Stopped(NotChecked(Gap.TRUNCATED, "more is printed than is kept"))
        return run

    def _shortened(self, run: Observed) -> Observed:
        is_known = run.result.memory_digest == self.first.result.memory_digest
        return run.without_memory if is_known else run

    def _paired(self, policy: str, before: Observed, after: Observed) -> Pair:
        if after.result.memory_digest == self.first.result.memory_digest:
            memory = self.first.result
            whole = replace(after.result, arrays=memory.arrays, variables=memory.variables)
            after = replace(after, result=whole)
        difference = first_difference(before.result, after.result, self._changed[1])
        return Pair(policy, before, after, difference)


def _whole(run: Observed, places: SourcePlaces) -> Observed:
    if run.result.truncated is not None:
        raise Stopped(truncated(run.result.truncated, places))
    return run
