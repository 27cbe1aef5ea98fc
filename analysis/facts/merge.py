"""Facts of one function, at their worst over all places where it was inlined.

A *view* is one frame of one root: the function's own branches, barriers and variables as they stand in one chain of
calls.  Merging takes the worst level, the worst convergence and the worst verdict of all views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, final

from analysis.divergence.levels import Level
from analysis.facts.model import BarrierFact, BarrierScope, BranchFact, OpaqueFact, VariableFact
from analysis.facts.roots import RootAnalysis
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function, SourceBranch, SourceBranchKind, VariableId
from analysis.ir.instructions import (
    BlockBarrier,
    GridBarrier,
    Instruction,
    NamedBarrier,
    Opaque,
    SourceBranchId,
    WarpBarrier,
)
from analysis.ir.source import FrameId, Span
from analysis.verdict.barriers import BarrierSite, BarrierVerdict
from analysis.verdict.grade import Grade, grade_branch

VERDICT_RANK: Final = {BarrierVerdict.CONVERGENT: 0, BarrierVerdict.UNKNOWN: 1, BarrierVerdict.DIVERGENT: 2}
GRADE_RANK: Final = {None: 0, Grade.ALIGNED: 1, Grade.BOUNDARY: 2, Grade.STRUCTURED: 3, Grade.DATA_DEPENDENT: 4}

Item = TypeVar("Item")


@final
@dataclass(frozen=True, slots=True)
class View:
    """One frame of one root."""

    root: RootAnalysis
    frame: FrameId


def branch_facts(function: Function, views: Sequence[View]) -> tuple[BranchFact, ...]:
    """One fact per source branch of `function`, in source order."""
    facts = [_branch_fact(SourceBranchId(index), branch, views) for index, branch in enumerate(function.branches)]
    return tuple(sorted(facts, key=lambda fact: (fact.keyword.start, fact.keyword.end)))


def _branch_fact(branch_id: SourceBranchId, branch: SourceBranch, views: Sequence[View]) -> BranchFact:
    level = convergent = Level.GRID
    grade: Grade | None = None
    trips = Level.GRID if branch.kind is SourceBranchKind.LOOP else None
    for view in views:
        here = SourceBranchId(view.root.function.frames[view.frame].branch_base + branch_id)
        divergence = view.root.divergence
        level = max(level, divergence.branch_level(here))
        convergent = max(convergent, divergence.branch_convergence(here))
        if trips is not None:
            trips = max(trips, trip_level(view, here, branch))
        graded = grade_branch(view.root.function, view.root.control, divergence, here)
        if GRADE_RANK[graded] > GRADE_RANK[grade]:
            grade = graded
    return BranchFact(branch.kind, branch.keyword, branch.extent, level, grade, convergent, trips)


def trip_level(view: View, here: SourceBranchId, branch: SourceBranch) -> Level:
    """The level of the trip count of a source loop: the join of everything that decides about leaving it."""
    cycle = _cycle_of(view, here, branch)
    return view.root.divergence.branch_level(here) if cycle is None else view.root.divergence.loop_level(cycle)


def _cycle_of(view: View, here: SourceBranchId, branch: SourceBranch) -> Cycle | None:
    root = view.root
    for block, _ in root.divergence.branch_sites(here):
        innermost = root.control.innermost_cycle(block)
        if innermost is not None:
            return innermost
    # `for (;;)` decides nothing itself: its cycle is the outermost one whose header stands inside the construct.
    for cycle in reversed(root.control.cycles):
        span = root.function.blocks[cycle.header].terminator.span
        if span.frame == view.frame and branch.extent.start <= span.start < span.end <= branch.extent.end:
            return cycle
    return None


def barrier_facts(views: Sequence[View]) -> tuple[BarrierFact, ...]:
    """One fact per barrier site, in source order."""
    worst: dict[tuple[int, int], BarrierFact] = {}
    for view in views:
        for site in view.root.barriers:
            if site.span.frame != view.frame:
                continue
            key = (site.span.start, site.span.end)
            known = worst.get(key)
            if known is None or VERDICT_RANK[site.verdict] > VERDICT_RANK[known.verdict]:
                worst[key] = _barrier_fact(site)
    return tuple(worst[key] for key in sorted(worst))


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


def opaque_facts(views: Iterable[View]) -> tuple[OpaqueFact, ...]:
    """Every opaque construct once, in source order."""
    found: dict[tuple[int, int, str], OpaqueFact] = {}
    for view in views:
        for _, instruction in view.root.function.instructions():
            if isinstance(instruction, Opaque) and instruction.span.frame == view.frame:
                span = Span(instruction.span.start, instruction.span.end)
                found[span.start, span.end, instruction.construct] = OpaqueFact(span, instruction.construct)
    return tuple(found[key] for key in sorted(found))


def variable_facts(function: Function, views: Sequence[View]) -> tuple[VariableFact, ...]:
    """The declared variables, each with the worst level of any value it was given."""
    levels: dict[int, Level] = {}
    for view in views:
        base = view.root.function.frames[view.frame].variable_base
        for definition in view.root.function.definitions:
            if definition.span.frame == view.frame:
                own = definition.variable - base
                levels[own] = max(levels.get(own, Level.GRID), view.root.divergence.level(definition.value))
    parameter_names = {parameter.span for parameter in function.parameters}
    return tuple(
        VariableFact(variable.name, variable.span, levels[index], variable.span in parameter_names)
        for index, variable in enumerate(function.variables)
        if index in levels and variable.name
    )


def worst(views: Sequence[View], measure: Callable[[View], int]) -> View:
    """The view that `measure` ranks highest; the first of equals."""
    return max(views, key=measure)


def own_variable(view: View, variable: VariableId) -> VariableId:
    """The number of `variable` in the function itself."""
    return VariableId(variable - view.root.function.frames[view.frame].variable_base)
