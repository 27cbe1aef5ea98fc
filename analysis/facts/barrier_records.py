"""Barriers that threads may miss, with the guards as places: what the barrier rules translate into words.

Question  Which barriers of a function's views are not convergent, what keeps threads away, and through which calls?
Rules     One record per barrier instruction and view.  A record belongs to the function in which the innermost guard
          lies: a barrier in a function that is called in divergent code belongs to the caller, at the call.
          Without a guard (nothing but unknown callers speaks against the barrier) there is no record.
Cost      O(barriers); most functions have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.merge import FrameView, scope_of
from analysis.facts.model import BarrierScope, Location, WhyStep
from analysis.facts.object_ends import destructor_name
from analysis.facts.why import Place, why_steps
from analysis.ir.function import SourceBranchKind
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.races.absent_model import Consequence, Need, NeedKind, consequence_of
from analysis.verdict.barriers import BarrierEvidence, BarrierReason, BarrierSite, BarrierVerdict, Guard, Tier
from analysis.verdict.witness import Witness

PlaceIn: TypeAlias = Callable[[FrameView], Place]
Wanted: TypeAlias = Callable[[BarrierSite, BarrierEvidence], bool]
"""Asked first, because finding the places of a record costs more than all the rest."""


@final
@record
class GuardRecord:
    """One branch with a say in whether threads arrive; `branch` covers its keyword, `kind` is None for a macro's."""

    branch: Location
    kind: SourceBranchKind | None
    level: Level
    reason: BarrierReason
    why: tuple[WhyStep, ...]


@final
@record
class NeedPlace:
    """What needs threads that miss a barrier; `location` is the operation, if text stands behind it."""

    kind: NeedKind
    is_sure: bool
    location: Location | None


@final
@record
class BarrierRecord:
    """One barrier that is not convergent.

    `guards` are innermost first and not empty.  `calls` lead from the innermost guard's function to the barrier's,
    outermost first: empty when both are the same.  `destructor` is the one that the first of them runs at the end of an
    object, as `T::~T`; empty where it runs none.  `needed`: what needs the threads that do not come, if anything may.
    """

    barrier: Location
    scope: BarrierScope
    verdict: BarrierVerdict
    tier: Tier
    reason: BarrierReason
    witness: Witness | None
    guards: tuple[GuardRecord, ...]
    calls: tuple[Location, ...]
    destructor: str
    consequence: Consequence
    needed: NeedPlace | None


def barrier_records(view: FrameView, place_in: PlaceIn, wanted: Wanted) -> Iterator[BarrierRecord]:
    """The records of the function whose frame `view` is, of the barriers that are `wanted`."""
    place: Place | None = None
    for site in paced(view.root.records[view.frame].missed, 10):
        evidence = site.evidence
        if evidence is not None and wanted(site, evidence):
            place = place or place_in(view)
            record = _record(view, site, evidence, place)
            if record is not None:
                yield record


def _record(view: FrameView, site: BarrierSite, evidence: BarrierEvidence, place: Place) -> BarrierRecord | None:
    barrier = location_at(place, site.span)
    guards = tuple(
        record for guard in paced(evidence.guards, 20) if (record := guard_record(view, guard, place)) is not None
    )
    if barrier is None or not guards:
        return None
    need = view.root.needs.get((site.block, site.index))
    return BarrierRecord(
        barrier,
        scope_of(site.instruction),
        site.verdict,
        evidence.tier,
        evidence.reason,
        evidence.witness,
        guards,
        tuple(call for frame in paced(evidence.calls, 10) if (call := _call(view, frame, place)) is not None),
        destructor_name(view.root.function.frames[evidence.calls[0]].function) if evidence.calls else "",
        consequence_of(need),
        None if need is None else _need_place(need, place),
    )


def guard_record(view: FrameView, guard: Guard, place: Place) -> GuardRecord | None:
    """The guard as a place; None where no text stands behind it."""
    location = location_at(place, guard.span)
    if location is None:
        return None
    kind = None if guard.branch is None else view.root.function.branches[guard.branch].kind
    return GuardRecord(location, kind, guard.level, guard.reason, why_steps(guard.why, place))


def _need_place(need: Need, place: Place) -> NeedPlace:
    return NeedPlace(need.kind, need.is_sure, None if need.span is None else location_at(place, need.span))


def _call(view: FrameView, frame: FrameId, place: Place) -> Location | None:
    entered = view.root.function.frames[frame]
    return location_at(place, Span(entered.call.start, entered.call.end, entered.parent))


def location_at(place: Place, span: Span) -> Location | None:
    """None for what no text stands behind."""
    located = place(span)
    return None if located is None else located[0]
