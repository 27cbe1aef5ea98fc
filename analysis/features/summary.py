"""What the warps of one function meet, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from analysis.divergence.levels import Level
from analysis.facts.model import BranchFact, FunctionFacts, OpaqueFact
from analysis.features.access_words import has_bank_conflict, is_uncoalesced
from analysis.rules.wording import counted
from analysis.verdict.barriers import BarrierVerdict
from analysis.verdict.grade import Grade


@final
@dataclass(frozen=True, slots=True)
class FunctionSummary:
    """Divergent are branches that can split a warp other than at a bounds check; unsafe are barriers that are called
    divergent, unproven those the analysis cannot decide.

    Uncoalesced are accesses that surely move twice what is used of it, or more (`a[i] += 1` is one); of the bank
    conflicts the worst counts as `bank_ways` (None: there is none).
    """

    branches: int
    divergent_branches: int
    barriers: int
    unsafe_barriers: int
    unproven_barriers: int
    opaque: int
    uncoalesced: int
    bank_conflicts: int
    bank_ways: int | None


def summarize(function: FunctionFacts) -> FunctionSummary:
    conflicts = [access for access in function.accesses if has_bank_conflict(access)]
    verdicts = [barrier.verdict for barrier in function.barriers]
    return FunctionSummary(
        len(function.branches),
        sum(is_divergent(branch) for branch in function.branches),
        len(verdicts),
        verdicts.count(BarrierVerdict.DIVERGENT),
        verdicts.count(BarrierVerdict.UNKNOWN),
        len(one_per_place(function.opaque)),
        len({access.span.start for access in function.accesses if is_uncoalesced(access)}),
        len({access.span.start for access in conflicts}),
        max((access.request.bank_ways or 0 for access in conflicts if access.request is not None), default=None),
    )


def counts_in_words(summary: FunctionSummary) -> str:
    """`2 divergent branches · 1 unsafe barrier`; counts that are zero are left out, except the first."""
    parts = [counted(summary.divergent_branches, "divergent branch", "divergent branches")]
    if summary.unsafe_barriers:
        parts.append(counted(summary.unsafe_barriers, "unsafe barrier"))
    if summary.unproven_barriers:
        parts.append(counted(summary.unproven_barriers, "unproven barrier"))
    if summary.uncoalesced:
        parts.append(f"{summary.uncoalesced} uncoalesced")
    if summary.bank_ways is not None:
        parts.append(f"{summary.bank_ways}-way bank conflict" + ("s" if summary.bank_conflicts > 1 else ""))
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


def deciding_level(branch: BranchFact) -> Level:
    """The group that agrees on the whole branch: for a loop that is the trip count, not the condition alone."""
    return branch.level if branch.trips is None else branch.trips
