"""Repairs of findings that put barriers in or move them: what editors offer and the shell applies, each one checked by
runs of both versions before it is applied (`sim.equivalence.checked_barriers`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.features.exchange_repairs import EXCHANGE_CODES, exchange_repairs
from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.warp_order.model import CannotOrder
from analysis.rules.diagnostic import Diagnostic

REPAIRED_CODES: Final = EXCHANGE_CODES
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
    for one in exchange_repairs(analysis, findings):
        refusal = one.draft.reason.value if isinstance(one.draft, CannotOrder) else None
        start = one.function.start
        yield BarrierRepair(BarrierGoal.ORDER, one.function, start, "Insert `__syncwarp()`", one.findings, refusal)


def repaired_by_run(analysis: FileAnalysis, findings: Sequence[Diagnostic]) -> Mapping[Diagnostic, str]:
    """The findings for which a repair could be written, with its title; whether it is right is for a run to say."""
    repairs = [one for one in barrier_repairs(analysis, findings) if one.refusal is None]
    return {found: repair.title for repair in reversed(repairs) for found in repair.findings}
