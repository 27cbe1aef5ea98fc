"""What each barrier of a function orders, with its accesses as places in files.

One record per `__syncthreads()` of the text: all calls of its function, and all kernels that make them, are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.access.model import AccessKind
from analysis.facts.merge import FrameView
from analysis.facts.model import Location
from analysis.facts.race_records import ItemIn, place_of
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.races.ordering import BarrierOrder, BarrierOrdering, OrderedPair
from analysis.races.uses import MemoryUses


@final
@record
class OrderedAccess:
    """One of two accesses; `text` is what is written there."""

    location: Location
    text: bytes
    kind: AccessKind


@final
@record
class OrderedAccesses:
    """The barrier keeps `before` in front of `after`; `is_next_round`: around a loop, against the order of the text."""

    before: OrderedAccess
    after: OrderedAccess
    is_next_round: bool


@final
@record
class OrderRecord:
    """`pairs` in the order of the text; `is_everything`: nothing else can need the barrier, in any of its contexts."""

    barrier: Span
    pairs: tuple[OrderedAccesses, ...]
    is_everything: bool

    @property
    def is_nothing(self) -> bool:
        return self.is_everything and not self.pairs


def order_records(views: Sequence[FrameView], item_in: ItemIn) -> tuple[OrderRecord, ...]:
    """Of the function whose views these are; none for a barrier of which some context says nothing."""
    known: dict[Span, list[tuple[FrameView, BarrierOrder]]] = {}
    unknown: set[Span] = set()
    for view in views:
        orders = {(order.site.block, order.site.index): order for order in _ordering(view).orders()}
        for site in view.root.records[view.frame].barriers:
            place, order = Span(site.span.start, site.span.end), orders.get((site.block, site.index))
            if order is None:
                unknown.add(place)
            else:
                known.setdefault(place, []).append((view, order))
    places = sorted(known.keys() - unknown, key=lambda place: place.start)
    return tuple(_record(place, known[place], item_in) for place in places)


def barriers_without_order(views: Sequence[FrameView]) -> tuple[Span, ...]:
    """Where the barriers stand that order nothing in any context of the function."""
    places: dict[Span, bool] = {}
    for view in views:
        for site in view.root.records[view.frame].barriers:
            place = Span(site.span.start, site.span.end)
            places[place] = places.get(place, True) and (site.block, site.index) in view.root.idle_barriers
    return tuple(place for place, is_nothing in places.items() if is_nothing)


def _ordering(view: FrameView) -> BarrierOrdering:
    root = view.root
    known = MemoryUses(root.function, root.control, root.divergence, root.affine, root.spaces, root.launch)
    return BarrierOrdering(known, root.barriers)


def _record(place: Span, orders: Sequence[tuple[FrameView, BarrierOrder]], item_in: ItemIn) -> OrderRecord:
    found: dict[OrderedAccesses, None] = {}
    is_everything = all(order.is_everything for _, order in orders)
    for view, order in orders:
        for pair in order.pairs:
            located = _located(view, pair, item_in)
            if located is None:
                is_everything = False
            else:
                found[located] = None
    pairs = sorted(found, key=lambda pair: (pair.is_next_round, pair.before.location.start, pair.after.location.start))
    return OrderRecord(place, tuple(pairs), is_everything)


def _located(view: FrameView, pair: OrderedPair, item_in: ItemIn) -> OrderedAccesses | None:
    before, after = place_of(view, pair.before, item_in), place_of(view, pair.after, item_in)
    if before is None or after is None:
        return None
    first = OrderedAccess(before.location, before.text, pair.before.kind)
    return OrderedAccesses(first, OrderedAccess(after.location, after.text, pair.after.kind), pair.is_next_round)
