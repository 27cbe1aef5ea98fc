"""Repairs of findings that put barriers in or move them: what editors offer and the shell applies, each one checked by
runs of both versions before it is applied (`sim.equivalence.checked_barriers`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.features.exchange_repairs import EXCHANGE_CODES, exchange_repairs
from analysis.features.race_repairs import race_repairs
from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.block_barriers.meet import draft_meeting
from analysis.refactor.block_barriers.model import CannotMeet, Met, steps_words
from analysis.refactor.warp_order.model import CannotOrder
from analysis.rules.barrier_in_divergent_call import BarrierInDivergentCall
from analysis.rules.barrier_in_varying_loop import BarrierInVaryingLoop
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.different_barriers_in_arms import DifferentBarriersInArms
from analysis.rules.divergent_barrier import DivergentBarrier
from analysis.rules.early_exit_before_barrier import EarlyExitBeforeBarrier

MEETING_CODES: Final = frozenset(
    rule.code
    for rule in (
        DivergentBarrier,
        BarrierInVaryingLoop,
        EarlyExitBeforeBarrier,
        BarrierInDivergentCall,
        DifferentBarriersInArms,
    )
)
REPAIRED_CODES: Final = EXCHANGE_CODES | MEETING_CODES
"""The rules some of whose findings may be mended so."""


@final
@record
class BarrierRepair:
    """One edit that would mend `findings`, all of them in `function`.

    `place` is the byte offset that tells it from other repairs of its goal in the function; `title` says what it does
    before anything was checked, and `refusal` why it cannot be written, if that is known already.
    """

    goal: BarrierGoal
    function: FunctionFacts
    place: int
    title: str
    findings: tuple[Diagnostic, ...]
    refusal: str | None


def barrier_repairs(analysis: FileAnalysis, findings: Sequence[Diagnostic]) -> Iterator[BarrierRepair]:
    """Those that mend some of the findings, goal by goal, in the order of the text."""
    separated: set[Diagnostic] = set()
    for race in race_repairs(analysis, findings):
        refusal = race.draft.reason.value if isinstance(race.draft, CannotOrder) else None
        start = race.kernel.start
        separated |= set(race.findings)
        yield BarrierRepair(
            BarrierGoal.SEPARATE, race.kernel, start, "Insert `__syncthreads()`", race.findings, refusal
        )
    # A barrier of the warp would leave races between warps as they are.
    for one in exchange_repairs(analysis, [found for found in findings if found not in separated]):
        refusal = one.draft.reason.value if isinstance(one.draft, CannotOrder) else None
        start = one.function.start
        yield BarrierRepair(BarrierGoal.ORDER, one.function, start, "Insert `__syncwarp()`", one.findings, refusal)
    for function, found in _by_function(analysis, findings):
        draft = draft_meeting(analysis, function)
        if draft is not None:
            title = steps_words(draft.steps) if isinstance(draft, Met) else "Bring all threads to the barrier"
            refusal = draft.reason.value if isinstance(draft, CannotMeet) else None
            yield BarrierRepair(BarrierGoal.MEET, function, function.start, title, found, refusal)


def repaired_by_run(analysis: FileAnalysis, findings: Sequence[Diagnostic]) -> Mapping[Diagnostic, str]:
    """The findings for which a repair could be written, with its title; whether it is right is for a run to say."""
    repairs = [one for one in barrier_repairs(analysis, findings) if one.refusal is None]
    return {found: repair.title for repair in reversed(repairs) for found in repair.findings}


def _by_function(
    analysis: FileAnalysis, findings: Sequence[Diagnostic]
) -> Iterator[tuple[FunctionFacts, tuple[Diagnostic, ...]]]:
    """The findings about missed barriers, function by function."""
    for function in analysis.facts.functions:
        inside = (one for one in findings if function.start <= one.start < function.end and one.code in MEETING_CODES)
        found = tuple(inside)
        if found and function.active:
            yield function, found
