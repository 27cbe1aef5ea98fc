"""`python -m benchmarks.branch_costs ROOT...`: what split warps lose, as it was estimated and as a run counts it.

Every kernel is launched with nothing given, under the policy of a mask stack, and a few of its warps are watched.
Estimated   `BranchCost` of a source branch, as shares of the kernel: what a split warp runs one after the other
            (`serialized_share`), and what lanes wait (`idle_share`); of a loop, the rounds that early lanes wait.
Counted     issued instructions between the branch and the place where its paths meet.  Serialized: what the warp issued
            beyond what its longest lane needed.  Waited: what the longest lane needed beyond the average lane.  Summed
            over the watched warps of a kernel, as a share of all that these warps issued.
Printed     Spearman's rank correlation of the two shares over all branches that split, the median error in points of
            percent, and how many shares that were counted lie in the range that is told.
Recall      of the branches that take more than `DEAR` of the issued instructions (a branch by what it serializes, a
            loop by what lanes wait), those at which there is a finding, for turns or for waits.  Arms that are
            predicated are counted apart: the simulator runs them one after the other, a compiled kernel does not.
            The same for what `check` says of the file when nothing is asked for: with the launches that the program
            makes instead of the one that ran, of each nest, ladder and macro one finding, of each kernel a handful.
Limits      a slot is not an instruction; only few warps of inputs that were chosen are watched.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact, PartOf
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.ids import SourceBranchId
from analysis.ir.instructions import Branch, Switch
from analysis.lower.program import DeviceFunction, Program
from analysis.rules.diagnostic import Severity
from analysis.rules.parting import splits_warps
from analysis.rules.price import split_price
from analysis.rules.settings import DEFAULT_SHARE_THRESHOLD
from analysis.verdict.cost import BranchCost
from analysis.verdict.loops import cycle_of
from benchmarks.claims.kernels import line_of, place_of
from benchmarks.claims.subject import Subject, analyze_subject
from benchmarks.zero_configuration import program_of
from sim.arrays import lanes_of
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.launch.specification import Budget
from sim.observers.protocol import AddressBook, Events, Observer, Run, SegmentEvent, Wave
from sim.policies.registry import POLICIES
from sim.refusals import LaunchError, Refusal
from sim.result import Result
from sim.simulate import simulate
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.workspace.project_root import project_root

DEAR: Final = 0.1
WATCHED_WARPS: Final = 8
"""Of each wave; the observer walks in Python."""
POLICY: Final = "ipdom"


@final
@dataclass(frozen=True, slots=True)
class Loss:
    """One source branch of one kernel; what was counted are shares of all that the watched warps issued."""

    place: str
    branch: BranchFact
    """With the launch that ran."""
    estimate: BranchCost
    serialized: float
    waited: float
    splits: bool
    """Whether lanes part here, or on another way out of a loop, other than at a bounds check."""
    is_shown: bool
    """Whether `check` with nothing asked for has a finding here, or one elsewhere that names this place."""

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


# -- counting ----------------------------------------------------------------------------------------------------------


@final
class _Split:
    """A warp between a branch at which it split and the place where its paths meet."""

    def __init__(self, lanes: int, meets_at: int, warp_size: int) -> None:
        self.lanes, self.meets_at = lanes, meets_at
        self.issued = 0
        self.needed: NDArray[np.int64] = np.zeros(warp_size, np.int64)
        """By lane."""

    def run(self, lanes: NDArray[np.bool_], issued: int) -> None:
        self.issued += issued
        self.needed += issued * lanes

    def losses(self, members: NDArray[np.bool_]) -> tuple[float, float]:
        """Serialized, and waited."""
        longest = int(self.needed.max())
        return self.issued - longest, longest - float(self.needed[members].mean())


@final
class LossObserver(Observer):
    """Under a mask stack: a warp is at one place, and splits nest."""

    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self) -> None:
        self.lost: dict[SourceBranchId, dict[int, tuple[float, float]]] = defaultdict(dict)
        """By source branch and warp: serialized and waited."""
        self.issued = 0
        """By the watched warps."""
        self._open: dict[int, dict[SourceBranchId, _Split]] = {}
        self._first_warp = 0

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._size = run.launch.warp_size
        self._issued = [segment.issued for segment in run.segments]
        self._sources = [
            segment.terminator.branch
            if segment.function.id == run.kernel.id and isinstance(segment.terminator, Branch | Switch)
            else None
            for segment in run.segments
        ]
        self._meets_at = run.graph.reconvergence

    def wave(self, wave: Wave) -> None:
        self.close_all()
        self._first_warp = wave.first_block * wave.warps_per_block

    def segment(self, event: SegmentEvent) -> None:
        for index, row in enumerate(event.rows.tolist()):
            if row < WATCHED_WARPS:
                self._step(row, index, event)

    def _step(self, row: int, index: int, event: SegmentEvent) -> None:
        splits = self._open.setdefault(row, {})
        active = int(event.active[index])
        for source in [source for source, split in splits.items() if split.meets_at == event.segment]:
            self._close(row, source)
        self.issued += self._issued[event.segment]
        lanes = lanes_of(event.active[index : index + 1], self._size)[0]
        for split in splits.values():
            if split.lanes & active:
                split.run(lanes, self._issued[event.segment])
        source = self._sources[event.segment]
        if source is not None and source not in splits and sum(bool(lanes[index]) for _, lanes in event.split) > 1:
            splits[source] = _Split(active, self._meets_at[event.segment], self._size)

    def _close(self, row: int, source: SourceBranchId) -> None:
        split = self._open[row].pop(source)
        members = lanes_of(np.array([split.lanes], np.uint64), self._size)[0]
        serialized, waited = split.losses(members)
        warp = self._first_warp + row
        before = self.lost[source].get(warp, (0.0, 0.0))
        self.lost[source][warp] = (before[0] + serialized, before[1] + waited)

    def close_all(self) -> None:
        for row, splits in self._open.items():
            for source in list(splits):
                self._close(row, source)
        self._open = {}


# -- kernels -----------------------------------------------------------------------------------------------------------


def losses_of(
    program: Program, kernel: DeviceFunction, path: str, seconds: float, shown: Collection[int]
) -> Iterator[Loss]:
    """Nothing for a kernel that cannot run, or does not end; `shown`: where findings are, in bytes."""

    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES[POLICY])

    plan, first = run_adapted(Planner(program, kernel, [Request("given")], budget=Budget(seconds=seconds)), run)
    if first.truncated is not None:
        return
    function, launch = plan.kernel.function, plan.specification
    subject = analyze_subject(function, LaunchKnowledge((BlockShape(*launch.block),), warp_size=launch.warp_size))
    observer = LossObserver()
    if simulate(plan.kernel, launch, POLICIES[POLICY], [observer]).truncated is not None:
        return
    observer.close_all()
    ways_out = {source: _ways_out(subject, source) for source in subject.costs}
    leaving = frozenset[SourceBranchId]().union(*ways_out.values())
    for source, cost in subject.costs.items():
        warps = _lost_at(observer.lost, source, ways_out[source], leaves=source in leaving)
        if not warps:
            continue
        serialized = sum(one[0] for one in warps.values()) / observer.issued
        waited = sum(one[1] for one in warps.values()) / observer.issued
        keyword = function.branches[source].keyword
        line, here = line_of(program, function, keyword), place_of(program, function, keyword)
        splits = any(splits_warps(_fact(subject, one, subject.costs[one])) for one in {source, *ways_out[source]})
        fact = _fact(subject, source, cost)
        yield Loss(f"{path}:{line or '?'} {kernel.item.name}", fact, cost, serialized, waited, splits, here in shown)


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
    shown = frozenset[int]() if program is None else _places_shown(path, root)
    found: list[Loss] = []
    for kernel in () if program is None else program.device_functions():
        if program is not None and kernel.kind is FunctionKind.KERNEL and kernel.item.active:
            try:
                found += losses_of(program, kernel, path, seconds, shown)
            except (Refusal, LaunchError):
                continue
    return found


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
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="time for one run of a kernel")
    parser.add_argument("--list", action="store_true", help="print each branch: serialized, idle; told, counted")
    options = parser.parse_args()
    paths = [(item.path, root) for root in options.roots for item in expand([root]) if isinstance(item, SourceFile)]
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [(path, root, options.seconds) for path, root in paths]
        losses = [loss for found in pool.map(_of_file, tasks) for loss in found]
    for loss in losses if options.list else ():
        told = loss.estimate
        print(
            f"{told.serialized_share.expected:7.1%} {loss.serialized:7.1%} "
            f"{told.idle_share.expected:7.1%} {loss.waited:7.1%}  {loss.place}"
            f"{'' if told.rounds_by is None else f' ({told.rounds_by.value})'}"
        )
    report(losses)


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
    predicated = [loss for loss in dear if loss.estimate.is_predicated]
    rest = [loss for loss in dear if not loss.estimate.is_predicated]
    found = sum(loss.is_told for loss in rest)
    print(f"of {len(dear)} that take more than {DEAR:.0%}: {len(predicated)} predicated, {found} of {len(rest)} told")
    shown = sum(loss.is_shown for loss in rest)
    print(f"shown by `check` with nothing asked for: {shown} of {len(rest)}")
    for loss in rest:
        if not loss.is_told or not loss.is_shown:
            grade = "no grade" if loss.branch.grade is None else loss.branch.grade.value
            share = loss.estimate.serialized_share.expected
            word = "not shown" if loss.is_told else "missed"
            print(f"  {word}: took {loss.taken:.0%}, told {share:.1%}, {grade}: {loss.place}")


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
