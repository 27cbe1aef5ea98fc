"""Branches of a report: what a run counted at each, beside what the analysis says about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.levels import Level
from analysis.facts.model import FunctionFacts
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import SourceBranchId
from sim.launch.planner import Plan
from sim.observers.branches import BranchActivity
from sim.observers.static_facts import launch_knowledge
from sim.report.model import BranchReport, SideReport, SourcePlace
from sim.report.places import SourcePlaces
from sim.result import Result

Levels: TypeAlias = Mapping[SourcePlace, Level]


def branch_reports(
    result: Result, activities: Iterable[BranchActivity], places: SourcePlaces, levels: Levels
) -> tuple[BranchReport, ...]:
    """Of the kernel and all that it calls, each source branch once: inlined copies of one are counted together."""
    by_branch: dict[tuple[str, SourceBranchId], list[BranchActivity]] = {}
    for activity in activities:
        if activity.source is not None:
            by_branch.setdefault((activity.place.function, activity.source), []).append(activity)
    found: dict[SourcePlace, BranchReport] = {}
    for count in result.branches:
        place = places.place(count.function, count.keyword)
        if place is None:
            continue
        own = by_branch.get((count.function, count.branch), [])
        met = own[0].reconvergence if own else None
        one = BranchReport(
            place=place,
            text=places.text(count.function, count.keyword),
            executed=count.executed,
            diverged=count.diverged,
            lanes=count.lanes,
            level=levels.get(place),
            sides=_sides(own, places),
            reconvergence=None if met is None else places.of(met),
            is_select=not own,
            is_counting=result.is_running,
        )
        found[place] = _together(found[place], one) if place in found else one
    return tuple(sorted(found.values(), key=lambda branch: (branch.place.path, branch.place.line, branch.place.column)))


def _sides(activities: Sequence[BranchActivity], places: SourcePlaces) -> tuple[SideReport, ...]:
    """By where they lead, in the order of the program; `a && b` leads to `b` as well."""
    return _summed(
        SideReport(None if side.target is None else places.of(side.target), side.lanes, side.divergent_lanes)
        for activity in activities
        for side in activity.sides
    )


def _summed(sides: Iterable[SideReport]) -> tuple[SideReport, ...]:
    found: dict[SourcePlace | None, SideReport] = {}
    for side in sides:
        known = found.get(side.place, SideReport(side.place, 0, 0))
        lanes, divergent = known.lanes + side.lanes, known.divergent_lanes + side.divergent_lanes
        found[side.place] = SideReport(side.place, lanes, divergent)
    return tuple(found.values())


def _together(one: BranchReport, other: BranchReport) -> BranchReport:
    """Two inlined copies of a branch."""
    return replace(
        one,
        executed=one.executed + other.executed,
        diverged=one.diverged + other.diverged,
        lanes=one.lanes + other.lanes,
        sides=_summed((*one.sides, *other.sides)),
        is_select=one.is_select and other.is_select,
    )


def static_levels(plan: Plan, places: SourcePlaces, path: str, static: Iterable[FunctionFacts]) -> Levels:
    """What the analysis says about each branch, by the place of its keyword."""
    own = {
        places.at(path, function.start + branch.keyword.start): branch.level
        for function in static
        for branch in function.branches
    }
    return {**_levels_elsewhere(plan, places, path), **own}


def _levels_elsewhere(plan: Plan, places: SourcePlaces, path: str) -> Levels:
    """Of branches in headers, as they are in this kernel: the worst of all inlined copies."""
    function = plan.kernel.function
    elsewhere = [
        (SourceBranchId(number), place)
        for number, branch in enumerate(function.branches)
        if (place := places.place(str(function.id), branch.keyword)) is not None and place.path != path
    ]
    if not elsewhere:
        return {}
    launch = launch_knowledge(plan.specification, knows_shape=False)
    divergence = analyze_divergence(function, ControlFlow.of(function), launch)
    found: dict[SourcePlace, Level] = {}
    for branch, place in elsewhere:
        found[place] = max(found.get(place, Level.GRID), divergence.branch_level(branch))
    return found
