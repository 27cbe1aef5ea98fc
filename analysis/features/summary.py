"""What the warps of one function meet, counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import AccessFact, BranchFact, FunctionFacts, OpaqueFact
from analysis.features.access_words import has_bank_conflict, is_uncoalesced
from analysis.ir.record import record
from analysis.rules.wording import counted
from analysis.verdict.barriers import BarrierVerdict
from analysis.verdict.grade import Grade
from analysis.verdict.loops import ASSUMED_TRIPS

MAX_LOOPS: Final = 4
"""Deeper nests do not change which cost is the largest."""


@final
@record
class Prices:
    """Estimates in issue slots, loops counted: what split warps lose here and in functions that are called, what is
    moved in excess, passes that wait."""

    branches: int
    called_branches: int
    uncoalesced: int
    bank_conflicts: int


@final
@record
class FunctionSummary:
    """Divergent are branches that can split a warp other than at a bounds check, which few warps meet; unsafe are
    barriers that are called divergent, unproven those the analysis cannot decide.

    Divergent branches of called functions count apart: each function of the file once, at its worst over all callers.
    Uncoalesced are accesses that surely move twice what is used of it, or more (`a[i] += 1` is one); of the bank
    conflicts the worst counts as `bank_ways` (None: there is none).
    """

    branches: int
    divergent_branches: int
    called_divergent_branches: int
    bounds_checks: int
    barriers: int
    unsafe_barriers: int
    unproven_barriers: int
    opaque: int
    uncoalesced: int
    bank_conflicts: int
    bank_ways: int | None
    prices: Prices


def summarize(analysis: FileAnalysis, function: FunctionFacts) -> FunctionSummary:
    branches = [branch for branch in function.branches if is_divergent(branch)]
    called = [branch for one in _called(analysis, function) for branch in one.branches if is_divergent(branch)]
    uncoalesced = [access for access in function.accesses if is_uncoalesced(access)]
    conflicts = [access for access in function.accesses if has_bank_conflict(access)]
    verdicts = [barrier.verdict for barrier in function.barriers]
    return FunctionSummary(
        len(function.branches),
        len(branches),
        len(called),
        sum(1 for branch in function.branches if is_bounds_check(branch)),
        len(verdicts),
        verdicts.count(BarrierVerdict.DIVERGENT),
        verdicts.count(BarrierVerdict.UNKNOWN),
        len(one_per_place(function.opaque)),
        len({access.span.start for access in uncoalesced}),
        len({access.span.start for access in conflicts}),
        max((access.request.bank_ways or 0 for access in conflicts if access.request is not None), default=None),
        Prices(
            sum(branch.cost for branch in branches),
            sum(branch.cost for branch in called),
            sum(_price(access) for access in uncoalesced),
            sum(_price(access) for access in conflicts),
        ),
    )


def _called(analysis: FileAnalysis, function: FunctionFacts) -> Sequence[FunctionFacts]:
    """Of this file, also through other functions."""
    reached = {
        frame.function
        for view in analysis.views(function)
        if view.root.function.frames[0].function == function.id
        for frame in view.root.function.frames
    }
    return [one for one in analysis.facts.functions if one.id in reached and one.id != function.id]


def _price(access: AccessFact) -> int:
    """Of what is moved in excess, or of the passes that wait: a load of four sectors is 8 slots."""
    request = access.request
    if request is None:
        return 0
    sectors = request.sectors if request.far_apart is None else request.far_apart.sectors
    conflicts = request.bank_conflicts
    units = (sectors or 0) - (request.ideal_sectors or 0) if conflicts is None else conflicts
    return 2 * units * ASSUMED_TRIPS ** min(access.loops, MAX_LOOPS)


def counts_in_words(summary: FunctionSummary) -> str:
    """`1 unsafe barrier · 4-way bank conflict · 2 divergent branches · 1 opaque`: what may be wrong, then what costs,
    the dearest first, then what is not known; with nothing of that to tell, whether warps stay whole."""
    costs: list[tuple[int, str]] = []
    if summary.divergent_branches:
        divergent = counted(summary.divergent_branches, "divergent branch", "divergent branches")
        costs.append((summary.prices.branches, divergent))
    if summary.called_divergent_branches:
        called = counted(summary.called_divergent_branches, "divergent branch", "divergent branches")
        costs.append((summary.prices.called_branches, f"{called} in called functions"))
    if summary.uncoalesced:
        costs.append((summary.prices.uncoalesced, f"{summary.uncoalesced} uncoalesced"))
    if summary.bank_ways is not None:
        conflicts = f"{summary.bank_ways}-way bank conflict" + ("s" if summary.bank_conflicts > 1 else "")
        costs.append((summary.prices.bank_conflicts, conflicts))
    parts = [
        *([counted(summary.unsafe_barriers, "unsafe barrier")] if summary.unsafe_barriers else []),
        *([counted(summary.unproven_barriers, "unproven barrier")] if summary.unproven_barriers else []),
        *(words for _, words in sorted(costs, key=lambda cost: -cost[0])),
    ]
    if not parts:
        parts.append("only bounds checks can split warps" if summary.bounds_checks else "no divergent branches")
    if summary.opaque:
        parts.append(f"{summary.opaque} opaque")
    return " · ".join(parts)


def one_per_place(opaque: Sequence[OpaqueFact]) -> tuple[OpaqueFact, ...]:
    """A call that is not understood is opaque in its result and in what it may change: one construct to a reader."""
    found: dict[tuple[int, int], OpaqueFact] = {}
    for fact in opaque:
        found.setdefault((fact.span.start, fact.span.end), fact)
    return tuple(found.values())


def is_divergent(branch: BranchFact) -> bool:
    """Whether lanes of one warp can go different ways here, other than at a bounds check."""
    return deciding_level(branch) is Level.VARYING and branch.grade is not Grade.BOUNDARY


def is_bounds_check(branch: BranchFact) -> bool:
    """Whether the branch can split a warp, but only one where the data ends."""
    return deciding_level(branch) is Level.VARYING and branch.grade is Grade.BOUNDARY


def deciding_level(branch: BranchFact) -> Level:
    """The group that agrees on the whole branch: for a loop that is the trip count, not the condition alone."""
    return branch.level if branch.trips is None else branch.trips
