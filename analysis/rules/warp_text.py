"""The sentences that the rules about operations of warps share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from analysis.facts.model import Location
from analysis.facts.warp_records import WarpRecord
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Load,
    Match,
    ReadSpecial,
    Shuffle,
    Store,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.rules.diagnostic import Related
from analysis.rules.guard_text import guard_words
from analysis.rules.origin import chain_of
from analysis.rules.rule import Subject
from analysis.rules.witness_text import extent_text, ranges_text
from analysis.verdict.barriers import Tier
from analysis.warp.model import WarpCase, WarpProblemKind

_SURENESS: Final[Mapping[Tier | None, int]] = {Tier.PROVEN: 2, Tier.POSSIBLE: 1, Tier.ASSUMED: 0, None: 0}


def records_of(subject: Subject, kind: WarpProblemKind) -> Iterator[WarpRecord]:
    """One for each place to mark: of several calls, or of several launches, the one in which it is surest."""
    best: dict[Location, WarpRecord] = {}
    for record in subject.analysis.warp_records(subject.function, kind):
        known = best.get(record.site)
        if known is None or _SURENESS[record.problem.tier] > _SURENESS[known.problem.tier]:
            best[record.site] = record
    yield from best.values()


def operation_words(record: WarpRecord) -> str:
    """`this shuffle`; from a call: `the shuffle that this call leads to`."""
    match record.problem.instruction:
        case WarpBarrier():
            noun = "`__syncwarp`"
        case Shuffle():
            noun = "shuffle"
        case Vote():
            noun = "vote"
        case Match():
            noun = "match"
        case WarpReduce():
            noun = "reduction"
        case Load() | Store() | Atomic():
            noun = "access"
        case ReadSpecial():
            noun = "active mask"
        case Binary():
            noun = "expression"
    return f"this {noun}" if record.site == record.operation else f"the {noun} behind this call"


def lanes_text(lanes: int) -> str:
    """`lane 3`, `lanes 0-15`, `lanes 0, 2, 4, … (16 threads)`."""
    ranges: list[tuple[int, int]] = []
    for lane in range(lanes.bit_length()):
        if lanes >> lane & 1:
            if ranges and ranges[-1][1] == lane - 1:
                ranges[-1] = ranges[-1][0], lane
            else:
                ranges.append((lane, lane))
    return f"{'lane' if lanes.bit_count() == 1 else 'lanes'} {ranges_text(tuple(ranges))}"


def mask_text(mask: int, warp_size: int) -> str:
    return f"{mask:#0{2 + warp_size // 4}x}"


def case_text(case: WarpCase) -> str:
    """In which launch: ` (blocks of 64 threads, n = 33)`; nothing where it is the same in all."""
    if not case.arguments:
        return "" if case.warp == 0 else f" (warp {case.warp} of blocks of {extent_text(case.shape)} threads)"
    arguments = ", ".join(f"{name} = {value}" for name, value in case.arguments)
    return f" (warp {case.warp} of blocks of {extent_text(case.shape)} threads, {arguments})"


def where_text(subject: Subject, record: WarpRecord) -> str:
    """Where lanes part: `: at the `if` at line 3, `i < 16` depends on `threadIdx.x``; nothing without a guard."""
    if not record.guards:
        return ""
    words = guard_words(subject.analysis, record.guards[0])
    return f": at {words.place}, {words.cause}"


def related_of(subject: Subject, record: WarpRecord) -> tuple[Related, ...]:
    """The innermost guard with its causes, and the operation itself if the finding stands at a call."""
    related: list[Related] = []
    if record.guards:
        first = record.guards[0]
        related.append(Related(first.branch, f"Lanes part here: {guard_words(subject.analysis, first).cause}."))
        related += chain_of(first.why)
    if record.site != record.operation:
        related.append(Related(record.operation, "The operation."))
    return tuple(related)
