"""One run of one version of a kernel, with what a comparison wants to know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace
from analysis.lower.program import DeviceFunction, Program
from sim.equivalence.allowance import Allowance
from sim.equivalence.model import BranchPlace, Figures, Goal
from sim.events import Observer
from sim.faults import BarrierDivergence, Deadlock, FailedAssertion, Livelock, MachineFault, StackOverflow, Trapped
from sim.kernel import Kernel
from sim.observers.arms import ArmAnswer, ArmObserver
from sim.observers.races import RaceObserver
from sim.observers.requests import RequestAnswer, RequestCount, RequestObserver
from sim.policies.protocol import PolicyFactory
from sim.report.places import SourcePlaces
from sim.result import Result
from sim.simulate import simulate
from sim.specification import LaunchSpecification

STOPPING: Final = (BarrierDivergence, Deadlock, FailedAssertion, Livelock, StackOverflow, Trapped)
"""Faults after which threads do not do what is left of the kernel."""


@final
@record
class Version:
    """A kernel of a program; `kernel` is its declaration, a template perhaps."""

    program: Program
    kernel: DeviceFunction


@final
@record
class Observed:
    """A run that is over; `arms` are those of the branch in question, and `unexecuted` of its `instructions`."""

    result: Result
    figures: Figures
    arms: ArmAnswer
    instructions: int = 0
    unexecuted: int = 0
    may_miss: bool = False
    """Threads that miss a barrier are expected; those that wait there go on without them."""

    @property
    def stop(self) -> MachineFault | None:
        """The fault that kept threads from the end of the kernel."""
        faults = (fault for fault in self.result.faults if isinstance(fault, STOPPING))
        return next((one for one in faults if not (self.may_miss and isinstance(one, BarrierDivergence))), None)

    @property
    def is_exercised(self) -> bool:
        """Whether the branch in question went as it has to: for lanes of a warp, or for threads of a block."""
        arms = self.arms
        return arms.executed > 0 and arms.reached == arms.arms if self.may_miss else arms.is_exercised

    @property
    def without_memory(self) -> Observed:
        """For one whose memory is that of another: arrays may be large."""
        return replace(self, result=replace(self.result, arrays={}, variables={}))


def observed(
    kernel: Kernel,
    launch: LaunchSpecification,
    policy: PolicyFactory,
    seconds: float,
    allowance: Allowance,
    *,
    places: SourcePlaces,
    branch: BranchPlace | None,
    goal: Goal,
    races: bool = False,
) -> Observed:
    """`races`: they are looked for, and `volatile` excuses none.  Raises what `simulate` raises."""

    def is_branch(function: str, keyword: Span) -> bool:
        found = places.stretch(function, keyword)
        return branch is not None and found is not None and found[:2] == (branch.path, branch.keyword)

    requests, arms = RequestObserver(), ArmObserver(is_branch)
    observers: list[Observer] = [requests]
    observers += [arms] if branch is not None else []
    observers += [RaceObserver(volatile_is_plain=True)] if races else []
    bounded = replace(launch, budget=replace(launch.budget, seconds=min(seconds, allowance.left)))
    result = simulate(kernel, bounded, policy, observers, progress=allowance.goes_on)
    run = Observed(result, figures_of(result, requests.answer()), arms.answer(), may_miss=goal.may_miss)
    return run if branch is None else _with_coverage(run, branch, places)


def figures_of(result: Result, requests: RequestAnswer) -> Figures:
    shared = sum((site.count for site in requests.sites if site.space is MemorySpace.SHARED), RequestCount())
    return Figures(
        warp_instructions=result.warp_instructions,
        thread_instructions=result.thread_instructions,
        warp_size=result.warp_size,
        memory_requests=requests.total.requests - shared.requests,
        sectors=requests.total.sectors,
        shared_requests=shared.requests,
        bank_passes=shared.bank_passes,
        divergent_branches=sum(branch.diverged for branch in result.branches),
    )


def _with_coverage(run: Observed, branch: BranchPlace, places: SourcePlaces) -> Observed:
    """Inlined copies of one place count once: a place is executed where one of them is."""
    threads: dict[tuple[int, int], int] = {}
    for count in run.result.instructions:
        found = places.stretch(count.function, count.span)
        if found is not None and found[0] == branch.path and branch.start <= found[1] and found[2] <= branch.end:
            threads[found[1:]] = threads.get(found[1:], 0) + count.thread_instructions
    return replace(run, instructions=len(threads), unexecuted=sum(count == 0 for count in threads.values()))
