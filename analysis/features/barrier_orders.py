"""What a barrier orders, as lines: `line 12 writes `s[i]` before line 17 reads `s[i + 1]``."""

from __future__ import annotations

from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierFact, FunctionFacts
from analysis.facts.order_records import OrderedAccess, OrderedAccesses
from analysis.rules.access_text import address_part
from analysis.rules.race_text import VERBS
from analysis.rules.source_text import one_line
from analysis.rules.wording import counted

MAX_PAIRS: Final = 6


def order_lines(analysis: FileAnalysis, function: FunctionFacts, barrier: BarrierFact) -> tuple[str, ...]:
    """One per pair of accesses, those of one round first; empty where it is not known what the barrier orders."""
    record = next((one for one in analysis.order_records(function) if one.barrier == barrier.span), None)
    if record is None:
        return ()
    if record.is_nothing:
        return ("it orders nothing: no thread uses what another one writes around it",)
    lines = list(dict.fromkeys(_line(analysis, pair) for pair in record.pairs))
    more = len(lines) - MAX_PAIRS
    return (*lines[:MAX_PAIRS], *((f"… and {counted(more, 'more pair')}",) if more > 0 else ()))


def _line(analysis: FileAnalysis, pair: OrderedAccesses) -> str:
    round_words = ", in the next round" if pair.is_next_round else ""
    return f"{_access(analysis, pair.before)} before {_access(analysis, pair.after)}{round_words}"


def _access(analysis: FileAnalysis, access: OrderedAccess) -> str:
    location, part = access.location, address_part(access.text)
    text = one_line(access.text if part is None else access.text[part])
    start = location.start if part is None else location.start + part.start
    line = f"line {analysis.line_in(location.path, start)}"
    where = line if location.path == analysis.facts.path else f"{line} of {location.path.rpartition('/')[2]}"
    return f"{where} {VERBS[access.kind]} `{text}`"
