"""Findings that the analysis could not decide, held against runs of the kernels that reach them.

Method    Each kernel runs with the launch that a simulation without options would choose, then with other numbers,
          other contents of arrays and, where nothing says what its blocks are, other blocks.  All claims about a kernel
          share its runs; the first run in which nothing chosen decides a claim settles it.
Verdicts  What chosen numbers or conditions on contents may decide is confirmed only if all runs that fit show it, two
          at least.
Limits    One policy (`ipdom`); kernels of other files that include this one are not looked at; a function that many
          kernels run is held against `MAX_KERNELS` of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.ir.record import record
from analysis.lower.program import DeviceFunction, Program
from analysis.rules.run_claim import RaceClaim, RunClaim
from analysis.rules.undecided import Undecided
from sim.confirm.launches import other_requests
from sim.confirm.model import Confirmed, DependsOnChoices, NotRun, NotSeen, RunVerdict
from sim.confirm.runs import KernelRun, Seen
from sim.equivalence.allowance import Allowance, Progress
from sim.equivalence.checked_edit import MAX_KERNELS, RequestsOf, kernels_running, nothing_asked
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.refusals import LaunchError, Refusal
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Budget

DEFAULT_SECONDS: Final = 30.0
"""For all kernels of a file."""
NO_KERNEL: Final = "no kernel of this file runs the function, and kernels of other files are not looked at"
OUT_OF_TIME: Final = "its time was over before a run ended"


def confirm(
    analysis: FileAnalysis,
    findings: Sequence[Undecided],
    *,
    seconds: float = DEFAULT_SECONDS,
    progress: Progress | None = None,
    requests_of: RequestsOf = nothing_asked,
) -> tuple[RunVerdict, ...]:
    """What runs say of each finding; `seconds` are for everything."""
    allowance = Allowance(seconds, progress)
    kernels = [kernels_running(analysis, finding.function)[:MAX_KERNELS] for finding in findings]
    claims: dict[str, tuple[DeviceFunction, list[int]]] = {}
    for number, running in enumerate(kernels):
        for kernel in running:
            claims.setdefault(str(kernel.id), (kernel, []))[1].append(number)
    found: dict[int, list[RunVerdict]] = {number: [] for number in range(len(findings))}
    for done, (kernel, numbers) in enumerate(claims.values()):
        part = allowance.part(1 / (len(claims) - done))
        said = _of_kernel(analysis.program, kernel, [findings[number].claim for number in numbers], part, requests_of)
        for number, verdict in zip(numbers, said, strict=True):
            found[number].append(verdict)
    return tuple(_together(verdicts) for verdicts in found.values())


def _together(verdicts: Sequence[RunVerdict]) -> RunVerdict:
    """Of several kernels the one that shows it speaks."""
    for kind in (Confirmed, DependsOnChoices):
        for verdict in verdicts:
            if isinstance(verdict, kind):
                return verdict
    runs = sum(verdict.runs for verdict in verdicts if isinstance(verdict, NotSeen))
    if runs:
        return NotSeen(runs)
    return verdicts[0] if verdicts else NotRun(NO_KERNEL)


def _of_kernel(
    program: Program,
    kernel: DeviceFunction,
    claims: Sequence[RunClaim],
    allowance: Allowance,
    requests_of: RequestsOf,
) -> Sequence[RunVerdict]:
    tallies = [_Tally(claim) for claim in claims]
    try:
        for run in _runs(program, kernel, requests_of(kernel), claims, allowance):
            tallies = [tally.after(run) for tally in tallies]
            if all(tally.is_settled for tally in tallies):
                break
    except (LaunchError, Refusal) as problem:
        return [NotRun(OUT_OF_TIME if allowance.is_over else str(problem))] * len(claims)
    return [tally.verdict() for tally in tallies]


def _runs(
    program: Program,
    kernel: DeviceFunction,
    requests: Sequence[Request],
    claims: Iterable[RunClaim],
    allowance: Allowance,
) -> Iterator[KernelRun]:
    """Raises what planning and running raise for the launch without other choices."""
    watches_races = any(isinstance(claim, RaceClaim) for claim in claims)

    def adapted(asked: Sequence[Request]) -> tuple[Planner, Plan, Result]:
        share = allowance.part(0.5)

        def run(plan: Plan) -> Result:
            if share.is_over or not share.goes_on():
                raise LaunchError(OUT_OF_TIME)
            budget = replace(plan.specification.budget, seconds=min(plan.specification.budget.seconds, share.left))
            observers = [RaceObserver()] if watches_races else []
            launch = replace(plan.specification, budget=budget)
            return simulate(plan.kernel, launch, Ipdom, observers, progress=share.goes_on)

        planner = Planner(program, kernel, asked, budget=Budget(seconds=share.left))
        return planner, *run_adapted(planner, run)

    planner, plan, result = adapted(requests)
    chosen = frozenset(choice.name for choice in plan.choices if choice.is_chosen)
    yield KernelRun(program, planner, plan, result, chosen)
    for other in other_requests(planner, plan):
        if allowance.is_over:
            return
        try:
            yield KernelRun(program, *adapted((*requests, other)), chosen)
        except (LaunchError, Refusal):
            continue


@final
@record
class _Tally:
    """What the runs so far say of one claim; `misfit` is why the first one that does not fit does not."""

    claim: RunClaim
    runs: int = 0
    sightings: tuple[Seen, ...] = ()
    misfit: str | None = None

    def after(self, run: KernelRun) -> _Tally:
        misfit = run.misfit(self.claim)
        if misfit is not None:
            return replace(self, misfit=self.misfit or misfit)
        seen = run.seen(self.claim)
        sightings = self.sightings if seen is None else (*self.sightings, seen)
        return replace(self, runs=self.runs + 1, sightings=sightings)

    @property
    def is_settled(self) -> bool:
        return any(not seen.never and not seen.behind for seen in self.sightings)

    def verdict(self) -> RunVerdict:
        if not self.runs:
            return NotRun(self.misfit or OUT_OF_TIME)
        if not self.sightings:
            return NotSeen(self.runs)
        best = min(self.sightings, key=lambda seen: (len(seen.never), len(seen.behind)))
        always = len(self.sightings) == self.runs > 1
        if not best.never and (not best.behind or always):
            return Confirmed(best.sighting, self.runs)
        names = tuple(sorted(best.never | best.behind))
        return DependsOnChoices(best.sighting, len(self.sightings), self.runs, names)
