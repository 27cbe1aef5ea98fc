"""What does a split warp lose at a branch?  An estimate, in issue slots (`latency.py`).

Branches  The *arms* are the blocks that run on one side only, between the blocks that decide and the place where the
          paths meet again, in one round of the loops around.  A split warp runs all arms, one after the other; it would
          have run the longest anyway.  So the price is the sum of the others: of two arms the cheaper one.  Of an `if`
          without `else` it is 0: the lanes that skip it only wait.
Idle      half of what the longest arm takes longer than the next one: the lanes that wait for it, taking half of the
          lanes to wait; each time, since many short waits in a loop are no long one.  Not counted where an arm leaves
          a loop: the loop bears that.
Loops     one round's slots times the rounds that early lanes wait (`loops.py`); where the rounds of every thread of the
          block are known, those that the lanes of all its warps wait (`lane_rounds.py`); where they follow the index in
          the grid, a part of all that the grid runs (`grid_rounds.py`).
Shares    the same as parts of the whole function (`shares.py`): what messages tell, and what findings are sorted by.
          Arms so short that a compiler predicates them (`predication.py`) have none.  How long lanes wait where data
          decide is not in the text: what was usual where it was counted is expected, by what lets lanes leave
          (`rounds_by.py`), and any part is possible, up to all of it for all lanes but one.
Weights   Blocks count as often as the loops around them run, so what a branch in a loop serializes is paid in every
          round.
Again     `if (a || b)` runs its arm twice in a warp whose lanes part at both: those that `a` decides do not wait for
          the others.  Not where `b` is so short that it is computed without a jump, or a bounds check.
Printing  arms are left out: no other way to write the branch is worth it.
Nothing   is lost at selects (both sides are computed in any case), in code that a lane runs alone (`alone.py`), and in
          loops that only wait for a time or for another thread.
Contract  Branches whose lanes all agree are left out; every other branch has a cost, maybe 0.
Source    Coutinho et al., PACT 2011, and Saumya et al., CGO 2022, estimate the gain of melding arms in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, final

from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function, SourceBranchKind
from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.instructions import Print
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.verdict.alone import SingleLanes
from analysis.verdict.arms import arms_of, deciders_of
from analysis.verdict.grade import Grade, Grader
from analysis.verdict.grid_rounds import GridRounds
from analysis.verdict.lane_rounds import count_lane_rounds
from analysis.verdict.loops import cycle_of, excess_trips, is_bounded, known_excess, linear_excess, only_waits
from analysis.verdict.markers import Markers
from analysis.verdict.predication import is_predicated, is_short
from analysis.verdict.rounds_by import RoundsBy, RoundSources
from analysis.verdict.shares import FEW, MANY, NOTHING, TYPICAL, Part, Share, scaled
from analysis.verdict.weights import BlockWeights

USUAL_WAIT: Final = 1 / 3
"""The part of a longer arm that the average lane waits: the median of what runs of public code lost."""
USUAL_WAITS: Final[Mapping[RoundsBy, float]] = {
    RoundsBy.LENGTHS: 1 / 3,
    RoundsBy.WALK: 1 / 3,
    RoundsBy.SEARCH: 1 / 3,
    RoundsBy.LOOKUP: 1 / 3,
    RoundsBy.RETRY: 1 / 6,
    RoundsBy.NUMBERS: 1 / 3,
    RoundsBy.INDEX: 1 / 3,
    RoundsBy.UNKNOWN: 1 / 8,
    RoundsBy.NEIGHBOURS: 1 / 8,
    RoundsBy.MERGED: 1 / 8,
    RoundsBy.CLIPPED: 1 / 16,
    RoundsBy.HALVING: 1 / 16,
}
"""The same of a loop."""


@final
@record
class BranchCost:
    """Issue slots per split warp: `serialized` runs one after the other, in `idle` some lanes wait for others.

    The shares are those of a warp that splits each time it comes here; `idle` is one wait, its share all of them.
    `wait_within` is what some lanes run while others wait, a loop or the longer arm, where data decide how long.
    `rounds_by`: of such a loop, what decides.  `tests_marker`: whether lanes part where entries are markers alone.
    `hangs_on_data`: the shorter arm loops for as long as data decide, so that nothing is known of what it takes.
    `is_predicated`: a compiler makes selects of the arms, so that no warp parts here.
    `enters_again`: lanes come to some arm of `if (a || b)` in several groups.
    """

    serialized: int
    idle: int
    serialized_share: Share
    idle_share: Share
    is_predicated: bool = False
    wait_within: Share = NOTHING
    rounds_by: RoundsBy | None = None
    tests_marker: bool = False
    hangs_on_data: bool = False
    enters_again: bool = False


FREE = BranchCost(0, 0, NOTHING, NOTHING)
_A_BRANCH: Final = 20
"""What it takes to price one, in rounds."""


def estimate_costs(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    weights: BlockWeights,
    grader: Grader,
) -> Mapping[SourceBranchId, BranchCost]:
    """The cost of every source branch at which lanes of a warp may part."""
    model = _Model(function, control, divergence, affine, weights, grader)
    found: dict[SourceBranchId, BranchCost] = {}
    for number, branch in enumerate(paced(function.branches, _A_BRANCH)):
        here = SourceBranchId(number)
        if branch.kind is SourceBranchKind.LOOP:
            cycle = cycle_of(function, control, divergence, here)
            if cycle is not None and divergence.loop_level(cycle) is Level.VARYING:
                found[here] = model.of_loop(cycle)
                continue
        if divergence.branch_level(here) is Level.VARYING:
            found[here] = model.of_branch(here)
    return found


@final
class _Model:
    """The function with what the analyses say of it."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        weights: BlockWeights,
        grader: Grader,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._grader = grader
        self._rounds = grader.rounds
        self._grid = GridRounds(function, control, divergence, affine)
        self._single = SingleLanes(function, control, divergence, affine)
        self._weights = weights
        self._markers = Markers(function, control, divergence)
        self._sources = RoundSources(function, control, divergence, weights.spaces)
        self._printing = frozenset(block for block, _, _ in control.placed(Print))

    # -- loops ------------------------------------------------------------------------------------------------------

    def of_loop(self, cycle: Cycle) -> BranchCost:
        if self._single.runs_alone(cycle.header) or only_waits(self._function, cycle):
            return FREE
        whole = sum(map(self._weights.weight, cycle.blocks))
        schedules = self._rounds.schedules(cycle)
        counted = count_lane_rounds(schedules or (), self._divergence.launch)
        if counted is not None:
            share = self._share(self._weights.part(cycle.blocks), counted.waited)
            return BranchCost(round(whole * counted.waited), 0, share, NOTHING)
        known = known_excess(self._function, self._control, self._divergence, self._affine, self._rounds, cycle)
        cost = whole // self._weights.trips[cycle.id] * excess_trips(self._affine, cycle, known)
        if not cost:
            return FREE
        share = self._share(self._weights.part(cycle.blocks))
        of_grid = None if is_bounded(self._affine, cycle) else self._grid.waited(cycle, self._apart_exits(cycle))
        if of_grid is not None:
            return BranchCost(cost, 0, scaled(share, *of_grid), NOTHING)
        if known is not None:
            return BranchCost(cost, 0, self._share_waited(share, cycle, known), NOTHING)
        source = self._sources.of(cycle, self._unknown_exits(cycle))
        waits = self._of_some_lanes(share, USUAL_WAITS[source])
        return BranchCost(cost, 0, waits, NOTHING, wait_within=share, rounds_by=source)

    def _apart_exits(self, cycle: Cycle) -> Iterator[BasicBlockId]:
        """Where lanes leave apart, by more than a round."""
        for block in sorted(self._control.exit_influences(cycle)):
            varies = self._divergence.terminator_level(block) is Level.VARYING
            if varies and not self._rounds.splits_once(cycle, block):
                yield block

    def _unknown_exits(self, cycle: Cycle) -> Iterator[BasicBlockId]:
        """Where they do by a number of rounds that is not known."""
        for block in self._apart_exits(cycle):
            if linear_excess(self._function, self._divergence, self._affine, cycle, block) is None:
                yield block

    def _share_waited(self, share: Share, cycle: Cycle, known: int) -> Share:
        """What early lanes wait for, of all rounds of the loop."""
        if is_bounded(self._affine, cycle):
            return scaled(share, *[min(1.0, known / self._weights.trips[cycle.id])] * 3)
        return scaled(share, *(min(1.0, known / rounds) for rounds in (MANY, TYPICAL, FEW)))

    def _of_some_lanes(self, share: Share, usual: float) -> Share:
        """What lanes wait for others where nothing says how many of them, or for how long."""
        return scaled(share, 0.0, usual, 1 - 1 / self._divergence.launch.warp_size)

    def _share(self, part: Part, factor: float = 1.0) -> Share:
        return self._weights.tree.share({cycle: slots * factor for cycle, slots in part.items()})

    # -- branches ---------------------------------------------------------------------------------------------------

    def of_branch(self, branch: SourceBranchId) -> BranchCost:
        deciders = deciders_of(self._control, self._divergence, branch)
        if not deciders:
            return FREE
        first = deciders[0]
        if self._single.runs_alone(first):
            return FREE
        arms = arms_of(self._control, deciders)
        if len(arms) < 2:
            return FREE
        seen: set[BasicBlockId] = set()
        shared: set[BasicBlockId] = set()
        for arm in arms.values():
            shared |= seen & arm
            seen |= arm
        own = [arm - shared for arm in arms.values() if not self._reports(arm - shared)]
        if len(own) < 2:
            return FREE
        sized = sorted(((sum(map(self._weights.weight, arm)), index) for index, arm in enumerate(own)))
        slots = [size for size, _ in sized]
        shorter = frozenset[BasicBlockId]().union(*(own[index] for _, index in sized[:-1]))
        leaves = self._leaves_loop(first, arms)
        again = [] if leaves else [arms[begin] - shared for begin in self._entered_again(deciders, arms)]
        serialized = sum(slots[:-1]) + sum(self._weights.weight(block) for arm in again for block in arm)
        idle = (slots[-1] - slots[-2]) // 2
        if not leaves and is_predicated(self._function, self._weights, own):
            return BranchCost(serialized, idle // self._weights.rounds(first), NOTHING, NOTHING, is_predicated=True)
        share = self._share_in_turns(shorter, again) if serialized else NOTHING
        is_marker, on_data = self._markers.tests(deciders), self._hangs_on_data(shorter)
        if leaves or not idle:
            return BranchCost(
                serialized,
                0,
                share,
                NOTHING,
                tests_marker=is_marker,
                hangs_on_data=on_data,
                enters_again=bool(again),
            )
        longer = self._share(self._weights.part(own[sized[-1][1]]), (slots[-1] - slots[-2]) / slots[-1])
        waits = self._of_some_lanes(longer, USUAL_WAIT)
        return BranchCost(
            serialized,
            idle // self._weights.rounds(first),
            share,
            waits,
            wait_within=longer,
            tests_marker=is_marker,
            hangs_on_data=on_data,
            enters_again=bool(again),
        )

    def _hangs_on_data(self, arm: frozenset[BasicBlockId]) -> bool:
        """Is there a loop in it, of unknown length, that lanes leave apart?"""
        return any(
            cycle.blocks <= arm
            and self._divergence.loop_level(cycle) is Level.VARYING
            and not is_bounded(self._affine, cycle)
            for cycle in self._control.cycles
        )

    def _share_in_turns(self, shorter: frozenset[BasicBlockId], again: Sequence[frozenset[BasicBlockId]]) -> Share:
        """Of a kernel that grows by what runs again: of it each arm counts once."""
        once, more = self._share(self._weights.part(shorter)), self._share(self._weights.part(chain(*again)))
        ends = ((one + other) / (1 + other) for one, other in zip(once.ends, more.ends, strict=True))
        return Share(*ends)

    def _entered_again(
        self, deciders: Sequence[BasicBlockId], arms: Mapping[BasicBlockId, frozenset[BasicBlockId]]
    ) -> Iterator[BasicBlockId]:
        """Arms that lanes come to apart, each once for every time after the first."""
        entered: set[BasicBlockId] = set()
        for position, decider in enumerate(deciders):
            if position and is_short(self._function, self._weights, (decider,), decides=True):
                continue
            grading = self._grader.decision(decider) if len(deciders) > 1 else None
            if grading is None or grading.grade not in (Grade.STRUCTURED, Grade.DATA_DEPENDENT):
                continue
            for begin in self._control.successors[decider]:
                if begin in entered and not self._reports(arms[begin]):
                    yield begin
                if begin in arms:
                    entered.add(begin)

    def _reports(self, arm: frozenset[BasicBlockId]) -> bool:
        """Does the arm print?  What it reports is an error that does not happen, or the run is not about speed."""
        return not self._printing.isdisjoint(arm)

    def _leaves_loop(self, first: BasicBlockId, arms: Mapping[BasicBlockId, frozenset[BasicBlockId]]) -> bool:
        cycle = self._control.innermost_cycle(first)
        return cycle is not None and any(
            begin not in cycle.blocks or not cycle.blocks.issuperset(arm) for begin, arm in arms.items()
        )
