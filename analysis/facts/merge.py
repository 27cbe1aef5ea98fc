"""Facts of one function, at their worst over all places where it was inlined.

A *view* is one frame of one root: the function's own branches, barriers and variables as they stand in one chain of
calls.  Merging takes the worst level, the worst convergence and the worst verdict of all views.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.facts.model import (
    BarrierFact,
    BarrierScope,
    BranchFact,
    OpaqueFact,
    PartOf,
    Taken,
    Unlaunched,
    VariableFact,
)
from analysis.facts.parts import Parts
from analysis.facts.roots import RootAnalysis
from analysis.ir.function import Function, SourceBranch, SourceBranchKind
from analysis.ir.instructions import (
    BlockBarrier,
    Branch,
    GridBarrier,
    Instruction,
    NamedBarrier,
    SourceBranchId,
    Switch,
    WarpBarrier,
)
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.verdict.barriers import BarrierSite, BarrierVerdict, Tier
from analysis.verdict.grade import Grade, Grader, Grading, worse_grading
from analysis.verdict.loops import cycle_of
from analysis.verdict.rounds import Rounds
from analysis.verdict.rounds_by import RoundsBy, worse_rounds
from analysis.verdict.shares import ALL

VERDICT_RANK: Final = {BarrierVerdict.CONVERGENT: 0, BarrierVerdict.UNKNOWN: 1, BarrierVerdict.DIVERGENT: 2}
TIER_RANK: Final = {Tier.ASSUMED: 0, Tier.POSSIBLE: 1, Tier.PROVEN: 2}


@final
@record
class FrameView:
    """One frame of one root.

    `launched_instead`: of a kernel that nothing in the project launches, how many others are launched.
    `taken`: of a device function whose callers in other files are known, what it takes of their kernels.
    """

    root: RootAnalysis
    frame: FrameId
    launched_instead: int = 0
    taken: Taken | None = None

    @property
    def part_of_slots(self) -> PartOf:
        """Of what the root's issue slots are a part, and which."""
        return self._part(None if self.taken is None else self.taken.slots)

    @property
    def part_of_sectors(self) -> PartOf:
        """The same of the sectors that the root moves."""
        return self._part(None if self.taken is None else self.taken.sectors)

    def _part(self, taken: PartOf | None) -> PartOf:
        own = PartOf(ALL, self.root.function.name, self.root.is_of_kernel, self.launched_instead)
        return own if taken is None else taken


def branch_facts(function: Function, views: Sequence[FrameView]) -> tuple[BranchFact, ...]:
    """One fact per source branch of `function`, in source order."""
    return _branch_facts(function, [(view, view.root.divergence) for view in views])


def branches_if_callers_agree(
    function: Function, views: Sequence[FrameView], branches: tuple[BranchFact, ...]
) -> tuple[BranchFact, ...]:
    """`branches` as they are when unknown callers pass the same arguments in every thread; the same order."""
    if all(view.root.if_callers_agree is view.root.divergence for view in views):
        return branches
    return _branch_facts(function, [(view, view.root.if_callers_agree) for view in views])


def _branch_facts(function: Function, views: Sequence[tuple[FrameView, DivergenceResult]]) -> tuple[BranchFact, ...]:
    # Matched by place, not by number: an instance of a template may lack the branches of an arm that it discards.
    here = [(view, divergence, _grader(view, divergence)) for view, divergence in views]
    roots = [view for view, _ in views]
    facts = [_branch_fact(branch, here) for branch in paced(function.branches, 10) if _is_branch(branch, roots)]
    return tuple(sorted(facts, key=lambda fact: (fact.keyword.start, fact.keyword.end)))


def _is_branch(branch: SourceBranch, views: Sequence[FrameView]) -> bool:
    """A call through a pointer is none where the function is known wherever it is inlined (`ir/known_calls.py`)."""
    if branch.kind is not SourceBranchKind.CALL:
        return True
    return any(view.root.divergence.branch_sites(here) for view in views for here in branches_at(view, branch))


def _grader(view: FrameView, divergence: DivergenceResult) -> Grader:
    root = view.root
    is_own = divergence is root.divergence
    return root.grader if is_own else Grader(root.function, root.control, divergence, root.affine)


def branches_at(view: FrameView, branch: BranchFact | SourceBranch) -> tuple[SourceBranchId, ...]:
    """The branches of a view that stand for one source branch."""
    place = branch.kind, branch.keyword.start, branch.keyword.end
    return tuple(view.root.records[view.frame].branches.get(place, ()))


def is_reached(view: FrameView, here: SourceBranchId) -> bool:
    """Whether some launch may come to a branch of a view."""
    sites = view.root.divergence.branch_sites(here)
    return not sites or any(block not in view.root.weights.unreached for block, _ in sites)


def _branch_fact(branch: SourceBranch, views: Sequence[tuple[FrameView, DivergenceResult, Grader]]) -> BranchFact:
    level = convergent = Level.GRID
    grading: Grading | None = None
    trips = Level.GRID if branch.kind is SourceBranchKind.LOOP else None
    cost = idle = 0
    serialized = Parts()
    waits = Parts()
    within = Parts()
    rounds_by: RoundsBy | None = None
    tests_marker: list[bool] = []
    hangs_on_data: list[bool] = []
    ways_out: dict[Span, None] = {}
    places = [[(here, is_reached(view, here)) for here in branches_at(view, branch)] for view, _, _ in views]
    reached = {is_run for of_view in places for _, is_run in of_view}
    for (view, divergence, grader), of_view in zip(views, places, strict=True):
        for here, is_run in of_view:
            level = max(level, divergence.branch_level(here))
            convergent = max(convergent, divergence.branch_convergence(here))
            if trips is not None:
                trips = max(trips, _trip_level(view, divergence, here))
                ways_out |= dict.fromkeys(_ways_out(view, divergence, here))
            is_graded = is_run or True not in reached  # the grade goes into the price, as the cost does
            if is_graded and (grading is None or grading.grade is not Grade.DATA_DEPENDENT):  # nothing is worse
                grading = worse_grading(grading, grader.grade(here))
            estimate = view.root.costs.get(here) if is_run else None
            if estimate is not None:
                cost, idle = max(cost, estimate.serialized), max(idle, estimate.idle)
                serialized.add(estimate.serialized_share, view.root, view.part_of_slots)
                waits.add(estimate.idle_share, view.root, view.part_of_slots)
                within.add(estimate.wait_within, view.root, view.part_of_slots)
                rounds_by = worse_rounds(rounds_by, estimate.rounds_by)
                tests_marker.append(estimate.tests_marker)
                hangs_on_data.append(estimate.hangs_on_data)
    return BranchFact(
        branch.kind,
        branch.keyword,
        branch.extent,
        level,
        None if grading is None else grading.grade,
        convergent,
        trips,
        cost,
        idle,
        serialized.largest(),
        waits.largest(),
        None if grading is None else grading.splits,
        trips is Level.VARYING
        and (grading is None or grading.splits is None)  # else its rounds are counted, for each thread
        and all(_rests_on_step(view, divergence, grader.rounds, branch) for view, divergence, grader in views),
        tuple(ways_out),
        within.largest(),
        rounds_by,
        reached == {False},
        bool(tests_marker) and all(tests_marker),
        bool(hangs_on_data) and all(hangs_on_data),
        None if grading is None else grading.last_along,
        Level.VARYING in (level, trips) and all(_rests_on_rows(view, branch) for view, _, _ in views),
    )


def _rests_on_step(view: FrameView, divergence: DivergenceResult, rounds: Rounds, branch: SourceBranch) -> bool:
    """Whether all loops of a view that stand for the branch are left together if an unknown step is long enough."""
    root = view.root
    cycles = [cycle_of(root.function, root.control, divergence, here) for here in branches_at(view, branch)]
    return all(cycle is None or rounds.rests_on_step(cycle) for cycle in cycles)


def _rests_on_rows(view: FrameView, branch: SourceBranch) -> bool:
    """Whether lanes part at no branch of a view that stands for it, and leave no loop apart, in blocks of one row."""
    rows, places = view.root.if_blocks_are_rows, branches_at(view, branch)
    if rows is view.root.divergence:
        return False
    return all(max(rows.branch_level(here), _trip_level(view, rows, here)) < Level.VARYING for here in places)


def _trip_level(view: FrameView, divergence: DivergenceResult, here: SourceBranchId) -> Level:
    """The level of the trip count of a source loop: the join of everything that decides about leaving it."""
    cycle = cycle_of(view.root.function, view.root.control, view.root.divergence, here)
    return divergence.branch_level(here) if cycle is None else divergence.loop_level(cycle)


def _ways_out(view: FrameView, divergence: DivergenceResult, here: SourceBranchId) -> Iterator[Span]:
    """Where threads of a warp decide apart whether they leave a loop, of the branches in the text of its function."""
    function, control = view.root.function, view.root.control
    cycle = cycle_of(function, control, divergence, here)
    if cycle is None:
        return
    exits = control.exit_branches(cycle)
    for block in sorted(control.exit_influences(cycle), key=lambda block: (block not in exits, block)):
        terminator = function.blocks[block].terminator
        if not isinstance(terminator, Branch | Switch) or terminator.branch is None:
            continue
        keyword = function.branches[terminator.branch].keyword
        if keyword.frame == view.frame and divergence.terminator_level(block) is Level.VARYING:
            yield Span(keyword.start, keyword.end)


def unlaunched_kernels(views: Sequence[FrameView]) -> Unlaunched | None:
    """The kernels that run a function, if nothing launches any of them."""
    parts = [view.part_of_slots for view in views]
    if not parts or not all(part.launched_instead for part in parts):
        return None
    return Unlaunched(tuple(sorted({part.whole for part in parts})), min(part.launched_instead for part in parts))


def barrier_facts(views: Sequence[FrameView]) -> tuple[BarrierFact, ...]:
    """One fact per barrier site, in source order."""
    worst: dict[tuple[int, int], BarrierFact] = {}
    for view in views:
        for site in view.root.records[view.frame].barriers:
            key = (site.span.start, site.span.end)
            known = worst.get(key)
            fact = _barrier_fact(site)
            if known is None or _badness(fact) > _badness(known):
                worst[key] = fact
    return tuple(worst[key] for key in sorted(worst))


def _badness(fact: BarrierFact) -> tuple[int, int]:
    """Verdict first; of two divergent ones, the proven counts more than the possible."""
    return VERDICT_RANK[fact.verdict], -1 if fact.evidence is None else TIER_RANK[fact.evidence.tier]


def _barrier_fact(site: BarrierSite) -> BarrierFact:
    own = Span(site.span.start, site.span.end)
    return BarrierFact(own, scope_of(site.instruction), site.verdict, site.evidence)


def scope_of(instruction: Instruction) -> BarrierScope:
    """Which threads a barrier instruction waits for."""
    match instruction:
        case GridBarrier():
            return BarrierScope.GRID
        case WarpBarrier():
            return BarrierScope.WARP
        case BlockBarrier() | NamedBarrier():
            return BarrierScope.BLOCK
        case _:
            raise AssertionError(f"not a barrier: {instruction}")


def opaque_facts(views: Iterable[FrameView]) -> tuple[OpaqueFact, ...]:
    """Every opaque construct once, in source order."""
    found: dict[tuple[int, int, str], OpaqueFact] = {}
    for view in views:
        for opaque in view.root.records[view.frame].opaques:
            span = Span(opaque.span.start, opaque.span.end)
            found[span.start, span.end, opaque.construct] = OpaqueFact(span, opaque.construct)
    return tuple(found[key] for key in sorted(found))


def cut_off_facts(views: Iterable[FrameView]) -> tuple[OpaqueFact, ...]:
    """Every place that was not looked at because it would take too long, once, in source order."""
    found = dict.fromkeys(place for view in views for place in view.root.records[view.frame].cut_off)
    return tuple(sorted(found, key=lambda place: (place.span.start, place.span.end, place.construct)))


def variable_facts(function: Function, views: Sequence[FrameView]) -> tuple[VariableFact, ...]:
    """The declared variables, each with the worst level of the values it is declared with, and of all it is given.

    One that is declared without a value is as bad as any value that it is given.
    """
    declared: dict[tuple[int, int], Level] = {}
    given: dict[tuple[int, int], Level] = {}
    for view in views:
        for definition in paced(view.root.records[view.frame].definitions):
            span = view.root.function.variables[definition.variable].span
            place = span.start, span.end
            level = view.root.divergence.level(definition.value)
            given[place] = max(given.get(place, Level.GRID), level)
            if (definition.span.start, definition.span.end) == place:
                declared[place] = max(declared.get(place, Level.GRID), level)
    parameters = {(parameter.span.start, parameter.span.end) for parameter in function.parameters}
    return tuple(
        VariableFact(variable.name, variable.span, given[place], declared.get(place, given[place]), place in parameters)
        for variable in paced(function.variables)
        if variable.name and (place := (variable.span.start, variable.span.end)) in given
    )
