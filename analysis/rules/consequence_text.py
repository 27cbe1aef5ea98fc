"""What follows for those who wait at a barrier if others never come, in one sentence."""

from __future__ import annotations

from typing import Final, assert_never

from analysis.facts.barrier_records import NeedPlace
from analysis.facts.file_analysis import FileAnalysis
from analysis.races.absent_model import Consequence, NeedKind
from analysis.rules.diagnostic import Related
from analysis.rules.source_text import one_line

ALLOWED: Final = (
    " Those that do not come leave the kernel, and nothing afterwards needs them: allowed since compute capability 7.0,"
    " not by the programming model."
)


def consequence_text(analysis: FileAnalysis, consequence: Consequence, needed: NeedPlace | None) -> str:
    """With a blank in front; empty where the sentence before says it all: the threads are waited for.

    "they" are the threads that do not come.
    """
    if consequence is Consequence.NOTHING:
        return ALLOWED
    return "" if needed is None else _need_text(needed, _named(analysis, needed))


def related_need(needed: NeedPlace | None) -> tuple[Related, ...]:
    """The operation that needs them."""
    if needed is None or needed.location is None:
        return ()
    match needed.kind:
        case NeedKind.WAITED_FOR:
            message = "The others wait here meanwhile."
        case NeedKind.UNKNOWN:
            message = "What this does is not known."
        case NeedKind.NOT_WAITED:
            message = "Those that do not come are here meanwhile."
        case NeedKind.LANES | NeedKind.REDUCTION | NeedKind.ARRIVALS | NeedKind.ELEMENT | NeedKind.UNORDERED:
            message = "This needs them." if needed.is_sure else "This may need them."
        case _:
            assert_never(needed.kind)
    return (Related(needed.location, message),)


def _need_text(needed: NeedPlace, name: str | None) -> str:
    who, sure = name or "what comes afterwards", needed.is_sure
    start = f"{who[0].upper()}{who[1:]}"
    match needed.kind:
        case NeedKind.WAITED_FOR:
            return ""
        case NeedKind.LANES:
            return f" {start} {'expects' if sure else 'may expect'} their lanes, which have left."
        case NeedKind.REDUCTION:
            return f" {start} does not count what they would bring."
        case NeedKind.ARRIVALS:
            return f" {start} {'waits' if sure else 'may wait'} for them."
        case NeedKind.ELEMENT:
            return f" {start} {'reads' if sure else 'may read'} what they should have written."
        case NeedKind.NOT_WAITED:
            return f" They go on without waiting: {who} {'touches' if sure else 'may touch'} what the others write."
        case NeedKind.UNORDERED:
            return f" {start} may touch what they wrote before they left, and no barrier orders that."
        case NeedKind.UNKNOWN:
            return f" It is not known whether {who} needs them."
        case _:
            assert_never(needed.kind)


def _named(analysis: FileAnalysis, needed: NeedPlace) -> str | None:
    place = needed.location
    if place is None:
        return None
    if place.path != analysis.facts.path:
        return f"what stands in {place.path.rpartition('/')[2]}"
    written = one_line(analysis.document.text[place.start : place.end])
    return f"`{written}` at line {analysis.document.lines.line_of(place.start) + 1}"
