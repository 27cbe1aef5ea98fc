"""Accesses to memory and barriers, one of each for each place in the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.types import MemorySpace
from sim.events import BarrierScope
from sim.faults import AccessKind
from sim.observers.requests import RequestAnswer, RequestCount, SiteRequests
from sim.observers.work import Barrier, Work
from sim.report.model import AccessPart, AccessReport, AccessUse, BarrierReport, SourcePlace
from sim.report.places import SourcePlaces

_NO_REQUESTS: Final = RequestCount()
_USES: Final = {AccessKind.LOAD: AccessUse.LOAD, AccessKind.STORE: AccessUse.STORE, AccessKind.ATOMIC: AccessUse.ATOMIC}


def access_reports(answer: RequestAnswer, places: SourcePlaces) -> tuple[AccessReport, ...]:
    """Of the kernel and all that it calls, each access of the text once."""
    found: dict[SourcePlace, dict[tuple[MemorySpace, AccessUse], RequestCount]] = {}
    for site in answer.sites:
        place = places.of(site.place)
        if place is not None:
            parts, key = found.setdefault(place, {}), (site.space, _use(site))
            parts[key] = parts.get(key, _NO_REQUESTS) + site.count
    return tuple(_report(place, found[place]) for place in sorted(found, key=_order))


def barrier_reports(counts: Mapping[Barrier, Work], places: SourcePlaces) -> tuple[BarrierReport, ...]:
    """Likewise, with those that no warp came to."""
    found: dict[tuple[SourcePlace, BarrierScope], Work] = {}
    for barrier, count in counts.items():
        place = places.of(barrier.place)
        if place is not None:
            key = place, barrier.scope
            found[key] = found[key] + count if key in found else count
    ordered = sorted(found.items(), key=lambda one: _order(one[0][0]))
    return tuple(
        BarrierReport(place, scope, count.warp_instructions, count.thread_instructions)
        for (place, scope), count in ordered
    )


def _use(site: SiteRequests) -> AccessUse:
    return AccessUse.REDUCTION if site.is_reduction else _USES[site.kind]


def _report(place: SourcePlace, parts: Mapping[tuple[MemorySpace, AccessUse], RequestCount]) -> AccessReport:
    total = sum(parts.values(), _NO_REQUESTS)
    return AccessReport(place, total, tuple(AccessPart(space, kind, count) for (space, kind), count in parts.items()))


def _order(place: SourcePlace) -> tuple[str, int, int]:
    return place.path, place.line, place.column
