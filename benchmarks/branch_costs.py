"""`python -m benchmarks.branch_costs ROOT...`: what split warps lose, as it was estimated and as a run counts it.

Every kernel is launched with nothing given, under the policy of a mask stack.
Estimated   `BranchCost` of a source branch, as shares of the kernel: what a split warp runs one after the other
            (`serialized_share`), and what lanes wait (`idle_share`); of a loop, the rounds that early lanes wait.
Counted     the same in the run (`split_losses.py`), summed over the warps of a kernel, as a share of all that these
            warps issued.  Arms that a compiler predicates take nothing, as in the estimate: every warp issues them.
Sizes       Told twice.  As a program launches: with the grid of its largest launch where host code says it
            (`program_launches.py`), else with many blocks; a sample of the blocks is run.  And with few threads, as
            `simulate` chooses.  Where the large launch takes too long, both are the same run.
Printed     Spearman's rank correlation of the two shares over all branches that split, the median error in points of
            percent, and how many shares that were counted lie in the range that is told.
Recall      of the branches that take more than `DEAR` of the issued instructions (a branch by what it serializes, a
            loop by what lanes wait), those at which there is a finding, for turns or for waits.
            The same for what `check` says of the file when nothing is asked for: with the launches that the program
            makes instead of the one that ran, of each nest, ladder and macro one finding, of each kernel a handful.
            Kernels that the program never launches, while others of the file are launched, are listed apart: what costs
            there is a hint that says so.
Limits      a slot is not an instruction; inputs are chosen, and so are sizes that host code reads when it runs.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.facts.known_launches import LaunchesOfFile
from analysis.facts.model import BranchFact, PartOf
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.ids import SourceBranchId
from analysis.ir.instructions import Branch, Switch
from analysis.lower.program import DeviceFunction, Program
from analysis.rules.diagnostic import Severity
from analysis.rules.parting import splits_warps
from analysis.rules.price import split_price
from analysis.rules.settings import DEFAULT_SHARE_THRESHOLD
from analysis.verdict.arms import arms_of, deciders_of
from analysis.verdict.cost import BranchCost
from analysis.verdict.loops import cycle_of
from benchmarks.claims.kernels import line_of, place_of
from benchmarks.claims.subject import Subject, analyze_subject
from benchmarks.program_launches import largest_launch, program_launches
from benchmarks.split_losses import AtOnce, LossObserver, total
from benchmarks.zero_configuration import count_cpu_time, program_of
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Budget
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.workspace.project_root import project_root

DEAR: Final = 0.1
SAMPLED_BLOCKS: Final = 64
POLICY: Final = "ipdom"
UNHURRIED: Final = 20
"""Times as long as a run may take one that is watched may."""


class Sizes(Enum):
    PROGRAM = "as a program launches"
    CHOSEN = "with few threads"


@final
@dataclass(frozen=True, slots=True)
class Loss:
    """One source branch of one kernel; what was counted are shares of all that the watched warps issued."""

    place: str
    sizes: Sizes
    branch: BranchFact
    """With the launch that ran."""
    estimate: BranchCost
    serialized: float
    waited: float
    splits: bool
    """Whether lanes part here, or on another way out of a loop, other than at a bounds check."""
    is_shown: bool
    """Whether `check` with nothing asked for has a finding here, or one elsewhere that names this place."""
    is_launched: bool
    """Unless nothing in the program launches the kernel while other kernels beside it are launched."""

    @property
    def is_loop(self) -> bool:
        return self.branch.kind is SourceBranchKind.LOOP

    @property
    def taken(self) -> float:
        """What a finding would be about."""
        return self.waited if self.is_loop else self.serialized

    @property
    def is_told(self) -> bool:
        """Whether it is a finding, for arms in turn or for lanes that wait, by the threshold of findings."""
        return self.splits and split_price(self.branch, DEFAULT_SHARE_THRESHOLD) is not None


# -- kernels -----------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Told:
    """What `check` says of a file: where findings are, in bytes, and the launches of its kernels."""

    shown: frozenset[int]
    launches: LaunchesOfFile


def losses_of(program: Program, kernel: DeviceFunction, path: str, seconds: float, told: Told) -> Iterator[Loss]:
    """In all sizes; nothing for a kernel that cannot run, or does not end."""
    launch = largest_launch(told.launches.known.get(kernel.item.name, ()))
    cut = _planned(Planner(program, kernel, [Request("given")], budget=Budget(seconds=seconds)))
    planner = Planner(
        program,
        kernel,
        [Request("given")],
        budget=Budget(seconds=seconds),
        launch=launch,
        sampled_blocks=SAMPLED_BLOCKS,
    )
    whole = _planned(planner)
    whole = None if whole is None or whole.attempt.is_small else whole
    for sizes, plan in ((Sizes.CHOSEN, cut), (Sizes.PROGRAM, whole or cut)):
        if plan is not None:
            yield from _losses_in(sizes, program, kernel, path, plan, told)


def _planned(planner: Planner) -> Plan | None:
    """A launch that ends in time; None where there is none, or the kernel cannot run."""

    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES[POLICY])

    try:
        plan, first = run_adapted(planner, run)
    except (Refusal, LaunchError):
        return None
    return plan if first.truncated is None else None


def _losses_in(
    sizes: Sizes, program: Program, kernel: DeviceFunction, path: str, plan: Plan, told: Told
) -> Iterator[Loss]:
    function, launch = plan.kernel.function, plan.specification
    subject = analyze_subject(function, LaunchKnowledge((BlockShape(*launch.block),), warp_size=launch.warp_size))
    observer = LossObserver(dict(at_once(subject)))
    unhurried = replace(launch, budget=Budget(seconds=UNHURRIED * launch.budget.seconds))
    if simulate(plan.kernel, unhurried, POLICIES[POLICY], [observer]).truncated is not None:
        return
    observer.close_all()
    ways_out = {source: _ways_out(subject, source) for source in subject.costs}
    leaving = frozenset[SourceBranchId]().union(*ways_out.values())
    for source, cost in subject.costs.items():
        warps = _lost_at(observer.lost, source, ways_out[source], leaves=source in leaving)
        if not warps:
            continue
        serialized, waited = (0.0, 0.0) if cost.is_predicated else total(warps)
        keyword = function.branches[source].keyword
        line, here = line_of(program, function, keyword), place_of(program, function, keyword)
        yield Loss(
            f"{path}:{line or '?'} {kernel.item.name}",
            sizes,
            _fact(subject, source, cost),
            cost,
            serialized / observer.issued,
            waited / observer.issued,
            any(splits_warps(_fact(subject, one, subject.costs[one])) for one in {source, *ways_out[source]}),
            here in told.shown,
            kernel.item.name not in told.launches.unlaunched,
        )


def at_once(subject: Subject) -> Iterator[tuple[SourceBranchId, AtOnce]]:
    """Branches of several conditions whose lanes come to each arm together, as the estimate has it."""
    for source, cost in subject.costs.items():
        deciders = deciders_of(subject.control, subject.divergence, source)
        if len(deciders) > 1 and not cost.enters_again:
            yield source, AtOnce(frozenset(deciders[1:]), arms_of(subject.control, deciders))


def _ways_out(subject: Subject, loop: SourceBranchId) -> frozenset[SourceBranchId]:
    """The branches through which lanes of a warp leave the loop apart, beside its own condition."""
    function, control, divergence = subject.function, subject.control, subject.divergence
    is_loop = function.branches[loop].kind is SourceBranchKind.LOOP
    cycle = cycle_of(function, control, divergence, loop) if is_loop else None
    if cycle is None or divergence.loop_level(cycle) is not Level.VARYING:
        return frozenset()
    terminators = (function.blocks[block].terminator for block in control.exit_branches(cycle))
    found = {item.branch for item in terminators if isinstance(item, Branch | Switch) and item.branch is not None}
    return frozenset(branch for branch in found if branch in subject.costs and branch != loop)


def _lost_at(
    lost: Mapping[SourceBranchId, Mapping[int, tuple[float, float]]],
    source: SourceBranchId,
    ways_out: frozenset[SourceBranchId],
    *,
    leaves: bool,
) -> dict[int, tuple[float, float]]:
    """By warp: lanes that leave a loop through one of its branches wait for the loop, not at the branch."""
    found = {warp: (turns, 0.0 if leaves else waits) for warp, (turns, waits) in lost.get(source, {}).items()}
    for branch in ways_out:
        for warp, (_, waits) in lost.get(branch, {}).items():
            turns, before = found.get(warp, (0.0, 0.0))
            found[warp] = turns, max(before, waits)  # of several ways out the first that splits is the whole wait
    return found


def _fact(subject: Subject, source: SourceBranchId, cost: BranchCost) -> BranchFact:
    """What findings are made of, for the launch that ran."""
    branch, grading = subject.function.branches[source], subject.grader.grade(source)
    return BranchFact(
        branch.kind,
        branch.keyword,
        branch.extent,
        Level.VARYING,
        None if grading is None else grading.grade,
        Level.GRID,
        Level.VARYING if branch.kind is SourceBranchKind.LOOP else None,
        cost.serialized,
        cost.idle,
        PartOf(cost.serialized_share, subject.function.name, is_kernel=True),
        PartOf(cost.idle_share, subject.function.name, is_kernel=True),
        None if grading is None else grading.splits,
        wait_within=PartOf(cost.wait_within, subject.function.name, is_kernel=True),
        rounds_by=cost.rounds_by,
        tests_marker=cost.tests_marker,
        hangs_on_data=cost.hangs_on_data,
    )


def _of_file(task: tuple[str, str, float]) -> list[Loss]:
    path, root, seconds = task
    program = program_of(path, root, 32)
    if program is None:
        return []
    told = Told(_places_shown(path, root), program_launches(root).of_file(program))
    kernels = [one for one in program.device_functions() if one.kind is FunctionKind.KERNEL and one.item.active]
    return [loss for kernel in kernels for loss in losses_of(program, kernel, path, seconds, told)]


def _places_shown(path: str, root: str) -> frozenset[int]:
    """Where `check` reports branches that cost, and what it names there: another rung, a loop of the same nest.

    Hints are not shown.
    """
    analyzed = Engine(EngineOptions(roots=(project_root(root),))).analyze(path)
    own = analyzed.analysis.facts.path
    dear = [one for one in analyzed.diagnostics if one.cost is not None and one.severity is not Severity.HINT]
    related = [entry.location for one in dear for entry in one.related]
    return frozenset([*(one.start for one in dear), *(place.start for place in related if place.path == own)])


# -- the table ---------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.branch_costs", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="of CPU time for one run of a kernel")
    parser.add_argument("--list", action="store_true", help="print each branch: serialized, idle; told, counted")
    options = parser.parse_args()
    paths = [(item.path, root) for root in options.roots for item in expand([root]) if isinstance(item, SourceFile)]
    with ProcessPoolExecutor(options.jobs, initializer=count_cpu_time) as pool:
        tasks = [(path, root, options.seconds) for path, root in paths]
        losses = [loss for found in pool.map(_of_file, tasks) for loss in found]
    for sizes in Sizes:
        print(f"{sizes.value}:")
        found = [loss for loss in losses if loss.sizes is sizes]
        for loss in found if options.list else ():
            estimate = loss.estimate
            print(
                f"{estimate.serialized_share.expected:7.1%} {loss.serialized:7.1%} "
                f"{estimate.idle_share.expected:7.1%} {loss.waited:7.1%}  {loss.place}"
                f"{'' if estimate.rounds_by is None else f' ({estimate.rounds_by.value})'}"
            )
        report(found)


def report(losses: Sequence[Loss]) -> None:
    branches = [loss for loss in losses if not loss.is_loop]
    loops = [loss for loss in losses if loss.is_loop]
    rows = (
        ("branches: serialized", [(loss.estimate.serialized_share, loss.serialized) for loss in branches]),
        ("branches: waited", [(loss.estimate.idle_share, loss.waited) for loss in branches]),
        ("loops: waited", [(loss.estimate.serialized_share, loss.waited) for loss in loops]),
    )
    print(f"{'':24} {'split':>6} {'rank correlation':>17} {'median error':>13} {'in range':>9}")
    for name, pairs in rows:
        correlation = rank_correlation([(told.expected, counted) for told, counted in pairs])
        error = statistics.median(abs(told.expected - counted) for told, counted in pairs) if pairs else float("nan")
        within = sum(told.low - 0.05 <= counted <= told.high + 0.05 for told, counted in pairs)
        print(f"{name:24} {len(pairs):6} {correlation:17.2f} {error:13.1%} {within:9}")
    _report_recall([loss for loss in losses if loss.taken > DEAR])


def _report_recall(dear: Sequence[Loss]) -> None:
    launched = [loss for loss in dear if loss.is_launched]
    found, shown = sum(loss.is_told for loss in launched), sum(loss.is_shown for loss in launched)
    print(f"of {len(launched)} that take more than {DEAR:.0%} in kernels that the program launches: {found} told")
    print(f"shown by `check` with nothing asked for: {shown} of {len(launched)}")
    for loss in launched:
        if not loss.is_told or not loss.is_shown:
            grade = "no grade" if loss.branch.grade is None else loss.branch.grade.value
            share = loss.estimate.serialized_share.expected
            word = "not shown" if loss.is_told else "missed"
            print(f"  {word}: took {loss.taken:.0%}, told {share:.1%}, {grade}: {loss.place}")
    for loss in dear:
        if not loss.is_launched:
            word = "a hint" if loss.is_told else "missed"
            print(f"  never launched, {word}: took {loss.taken:.0%}: {loss.place}")


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's, with the mean rank for ties; NaN where it is not defined."""
    told, counted = _ranks([one for one, _ in pairs]), _ranks([one for _, one in pairs])
    if len(set(told)) < 2 or len(set(counted)) < 2:
        return float("nan")
    return statistics.correlation(told, counted)


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = defaultdict(list)
    for place, value in enumerate(sorted(values)):
        places[value].append(place)
    return [statistics.fmean(places[value]) for value in values]


if __name__ == "__main__":
    main()
