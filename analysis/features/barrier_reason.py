"""Why a barrier is not known to be safe, in one sentence."""

from __future__ import annotations

from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierFact, FunctionFacts, Location
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.rules.barrier_survey import unsafe_barriers_at
from analysis.rules.barrier_text import barrier_words
from analysis.verdict.barriers import BarrierReason, BarrierVerdict, Tier


@final
@record
class BarrierReasonText:
    """`sentence` says who misses the barrier and why, `tier` how sure that is (None: nothing is claimed)."""

    tier: Tier | None
    sentence: str


def barrier_reason(analysis: FileAnalysis, function: FunctionFacts, barrier: BarrierFact) -> BarrierReasonText | None:
    """None for a convergent barrier."""
    if barrier.verdict is BarrierVerdict.CONVERGENT:
        return None
    place = Location(analysis.facts.path, function.start + barrier.span.start, function.start + barrier.span.end)
    unsafe = unsafe_barriers_at(analysis, place)
    if not unsafe:
        return BarrierReasonText(None, _unknown(function, barrier))
    words = barrier_words(analysis, unsafe[0], at_barrier=True)
    call = ""
    if unsafe[0].reason is BarrierReason.CALL and unsafe[0].site.path == analysis.facts.path:
        call = f" The call at line {analysis.document.lines.line_of(unsafe[0].site.start) + 1} leads here."
    return BarrierReasonText(words.tier, f"{words.who()}: {words.where()}.{call}")


def _unknown(function: FunctionFacts, barrier: BarrierFact) -> str:
    if barrier.evidence is not None and barrier.evidence.reason is BarrierReason.CALLERS:
        if function.kind is FunctionKind.KERNEL:
            return "Code that is not understood decides whether all threads arrive."
        if function.rests_on_callers:
            return (
                "Nothing in this function keeps threads away; a call of it may stand in code that not all threads run."
            )
        return "Nothing in this function keeps threads away; its callers are not known."
    return "What keeps threads away is not followed."
