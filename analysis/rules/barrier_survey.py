"""Which barriers of a file are worth a diagnostic, each once, and where it belongs.

Rules    Block and grid barriers only: a warp barrier in divergent code is a matter of its mask.
         A barrier that names its participants (a thread count, a mask) in a way that is not followed is left alone.
         Of all call contexts the surest one speaks, with what follows in the worst one.  A barrier that is unsafe in
         its own function is reported there and nowhere else; one that is unsafe only because of a call is reported at
         each such call, once per call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, final

from analysis.facts.barrier_records import BarrierRecord, Wanted
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import scope_of
from analysis.facts.model import BarrierScope, Location
from analysis.ir.instructions import FunctionId
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.races.absent_model import Consequence
from analysis.verdict.barriers import BarrierEvidence, BarrierReason, BarrierSite, BarrierVerdict, Tier

_SURENESS: Final[Mapping[Tier, int]] = {Tier.PROVEN: 2, Tier.POSSIBLE: 1, Tier.ASSUMED: 0}
_GRAVITY: Final[Mapping[Consequence, int]] = {
    Consequence.NOTHING: 0,
    Consequence.UNDECIDED: 1,
    Consequence.MISSING: 2,
}


@final
@record
class UnsafeBarrier:
    """One finding: `site` is what to mark, the barrier itself or the call that leads to it."""

    site: Location
    function: FunctionId
    record: BarrierRecord

    @property
    def reason(self) -> BarrierReason:
        return self.record.reason


def survey_barriers(analysis: FileAnalysis) -> tuple[UnsafeBarrier, ...]:
    """Every unsafe barrier of the file, and every call in it that leads to one."""
    found = list(_records(analysis, _is_reportable))
    own = [unsafe for unsafe in found if unsafe.reason is not BarrierReason.CALL]
    barriers = {unsafe.record.barrier for unsafe in own}
    calls = [
        unsafe for unsafe in found if unsafe.reason is BarrierReason.CALL and unsafe.record.barrier not in barriers
    ]
    return (*_surest(own), *_surest(calls))


def unsafe_barriers_at(analysis: FileAnalysis, barrier: Location) -> tuple[UnsafeBarrier, ...]:
    """All that speaks against one barrier, reportable or not, the surest first."""
    every = _records(analysis, lambda _site, _evidence: True)
    found = [unsafe for unsafe in every if unsafe.record.barrier == barrier]
    return tuple(sorted(found, key=lambda unsafe: -_SURENESS[unsafe.record.tier]))


def _records(analysis: FileAnalysis, wanted: Wanted) -> Iterator[UnsafeBarrier]:
    for function in paced(analysis.facts.functions, 3):
        if function.active:
            for record in analysis.barrier_records(function, wanted):
                yield UnsafeBarrier(_site(record), function.id, record)


def _site(record: BarrierRecord) -> Location:
    return record.calls[0] if record.reason is BarrierReason.CALL and record.calls else record.barrier


def _is_reportable(barrier: BarrierSite, evidence: BarrierEvidence) -> bool:
    if scope_of(barrier.instruction) is BarrierScope.WARP or evidence.reason is BarrierReason.CALLERS:
        return False
    return barrier.verdict is BarrierVerdict.DIVERGENT or evidence.tier is Tier.ASSUMED


def _surest(found: Iterable[UnsafeBarrier]) -> tuple[UnsafeBarrier, ...]:
    """One per site."""
    best: dict[Location, UnsafeBarrier] = {}
    worst: dict[Location, BarrierRecord] = {}
    for unsafe in found:
        known = best.get(unsafe.site)
        if known is None or _SURENESS[unsafe.record.tier] > _SURENESS[known.record.tier]:
            best[unsafe.site] = unsafe
        before = worst.get(unsafe.site)
        if before is None or _GRAVITY[unsafe.record.consequence] > _GRAVITY[before.consequence]:
            worst[unsafe.site] = unsafe.record
    return tuple(_with_consequence(unsafe, worst[site]) for site, unsafe in best.items())


def surest(found: Iterable[UnsafeBarrier]) -> UnsafeBarrier:
    """The first of which most is known."""
    return max(found, key=lambda unsafe: _SURENESS[unsafe.record.tier])


def worst_consequence(records: Iterable[BarrierRecord]) -> BarrierRecord:
    """The record of which most follows."""
    return max(records, key=lambda record: _GRAVITY[record.consequence])


def _with_consequence(unsafe: UnsafeBarrier, worst: BarrierRecord) -> UnsafeBarrier:
    record = unsafe.record
    if record.consequence is worst.consequence:
        return unsafe
    return replace(unsafe, record=replace(record, consequence=worst.consequence, needed=worst.needed))
