"""Memory requests: what did each access of a warp cost?

Counted    sectors of 32 bytes for global, constant and local memory, beside the sectors that the same bytes would fill;
           passes over the banks for shared memory, where `bank_conflicts` are those that the width does not need.  The
           rules are those of `analysis.access`; a request is one access site run by one warp (or the part of it that
           is active).  Local memory is interleaved by words, so that one offset in all lanes is one row.
Cost       Where all warps address memory in the same way, up to their bases, a handful of requests is counted; sorted
           only otherwise.
Left out   Textures, fragments of matrices (`fragments.py`), and accesses outside of every object.
Source     CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory", "Shared Memory and Memory Banks".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, final

import numpy as np

from analysis.access.model import BANK_BYTES, SECTOR_BYTES
from analysis.access.moved import moved_bytes
from analysis.ir.instructions import Atomic, Load, Store
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.arrays import Lanes, Values
from sim.events import AccessEvent, AccessSite, AddressBook, Events, Observer, Run, Wave
from sim.faults import AccessKind
from sim.observers.fragments import Fragments
from sim.observers.places import FunctionSpan
from sim.observers.reductions import Reductions
from sim.observers.request_cost import (
    Counts,
    count_bank_passes,
    count_distinct,
    count_sectors,
    count_turns,
    interleaved,
)
from sim.observers.spaces import AccessSpaces


@final
@record
class RequestCount:
    """Sums over requests; `sectors` of those to global, constant and local memory, `bank_passes` of those to shared.

    `local_sectors`: those of `sectors` that are local memory, where a compiler keeps what does not fit into registers.
    `distinct_addresses`: how many places the atomics among the requests update, each request for itself.
    `turns`: the sectors of those to global memory, each again for lanes that share an address.
    """

    requests: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    bank_passes: int = 0
    bank_conflicts: int = 0
    local_sectors: int = 0
    distinct_addresses: int = 0
    turns: int = 0

    def __add__(self, other: RequestCount) -> RequestCount:
        return RequestCount(
            self.requests + other.requests,
            self.sectors + other.sectors,
            self.ideal_sectors + other.ideal_sectors,
            self.bank_passes + other.bank_passes,
            self.bank_conflicts + other.bank_conflicts,
            self.local_sectors + other.local_sectors,
            self.distinct_addresses + other.distinct_addresses,
            self.turns + other.turns,
        )


@final
@record
class SiteRequests:
    """One access site and one space; a site whose pointer is generic may have several.

    `is_reduction`: an atomic whose result nothing uses.
    """

    place: FunctionSpan
    kind: AccessKind
    space: MemorySpace
    count: RequestCount
    is_reduction: bool = False


@final
@record
class RequestAnswer:
    sites: tuple[SiteRequests, ...]

    @property
    def total(self) -> RequestCount:
        return sum((site.count for site in self.sites), RequestCount())

    def by_place(self) -> Mapping[FunctionSpan, RequestCount]:
        """What `places.by_line` sums up."""
        found: dict[FunctionSpan, RequestCount] = {}
        for site in self.sites:
            found[site.place] = found.get(site.place, RequestCount()) + site.count
        return found


@final
class RequestObserver(Observer):
    events: ClassVar[Events] = Events.ACCESSES

    def __init__(self) -> None:
        self._warp_size = 0
        self._addresses: AddressBook | None = None
        self._spaces: AccessSpaces | None = None
        self._fragments = Fragments()
        self._sites: dict[int, AccessSite] = {}
        self._moved: dict[int, tuple[int, int]] = {}
        self._counts: dict[tuple[int, MemorySpace], RequestCount] = {}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._warp_size = run.launch.warp_size
        self._addresses = addresses
        self._spaces = AccessSpaces(addresses)
        self._fragments = Fragments()
        self._sites, self._moved, self._counts = {}, {}, {}

    def wave(self, wave: Wave) -> None:
        assert self._spaces is not None
        self._spaces.forget()

    def access(self, event: AccessEvent) -> None:
        assert self._spaces is not None
        if self._fragments.has(event.site):
            return
        shape = (len(event.rows), self._warp_size)
        space = self._spaces.of_site(event.site)
        if space is not MemorySpace.GENERIC:
            self._note(event.site, space, event.addresses, event.lanes, shape)
            return
        addresses = np.broadcast_to(event.addresses, shape)
        for found, where in self._spaces.of_addresses(addresses):
            if found is not MemorySpace.GENERIC:
                lanes = where if event.lanes is None else where & event.lanes
                self._note(event.site, found, addresses, lanes, shape)

    def answer(self) -> RequestAnswer:
        """In the order in which sites first ran."""
        reductions = Reductions()
        return RequestAnswer(
            tuple(
                SiteRequests(
                    FunctionSpan(str(site.function.id), site.span), site.kind, space, count, reductions.has(site)
                )
                for (key, space), count in self._counts.items()
                for site in (self._sites[key],)
            )
        )

    def _note(
        self, site: AccessSite, space: MemorySpace, addresses: Values, lanes: Lanes | None, shape: tuple[int, int]
    ) -> None:
        if lanes is not None and lanes.all():
            lanes = None
        if lanes is not None:
            rows = lanes.any(axis=1)
            if not rows.all():
                addresses = np.broadcast_to(addresses, shape)[rows]
                lanes = lanes[rows]
                shape = lanes.shape[0], shape[1]
        if not shape[0]:
            return
        size, width = self._moved_by(site)
        is_shared = space is MemorySpace.SHARED
        if space is MemorySpace.LOCAL:
            addresses = self._interleaved(np.broadcast_to(addresses, shape))
            if size > BANK_BYTES:
                addresses, lanes, size = as_words(addresses, lanes, size, self._warp_size)
                shape = addresses.shape
        elif not (is_shared and site.kind is AccessKind.ATOMIC) and addresses.ndim == 2 and addresses.shape[1] == 1:
            lanes, shape = None, (shape[0], 1)  # one address for all lanes is one lane's
        addresses, lanes, times = representatives(np.broadcast_to(addresses, shape), lanes)
        is_atomic = site.kind is AccessKind.ATOMIC
        distinct = total(count_distinct(addresses, lanes), times) if is_atomic else 0
        if is_shared:
            banks = count_bank_passes(addresses, lanes, width, is_atomic=is_atomic)
            passes, conflicts = total(banks.passes, times), total(banks.conflicts, times)
            count = RequestCount(shape[0], bank_passes=passes, bank_conflicts=conflicts, distinct_addresses=distinct)
        else:
            sectors, ideal = count_sectors(addresses, lanes, size)
            moved = total(sectors, times)
            local = moved if space is MemorySpace.LOCAL else 0
            ideal_sectors = total(ideal, times)
            turns = total(count_turns(addresses, lanes), times) if is_atomic else 0
            count = RequestCount(shape[0], moved, ideal_sectors, 0, 0, local, distinct, turns)
        key = id(site), space
        self._sites[id(site)] = site
        self._counts[key] = self._counts.get(key, RequestCount()) + count

    def _interleaved(self, addresses: Values) -> Values:
        assert self._addresses is not None
        return interleaved(addresses - self._addresses.starts(addresses), self._warp_size)

    def _moved_by(self, site: AccessSite) -> tuple[int, int]:
        known = self._moved.get(id(site))
        if known is None:
            known = self._moved[id(site)] = moved_by(site)
        return known


def moved_by(site: AccessSite) -> tuple[int, int]:
    """Bytes per lane, and how many of them one instruction moves."""
    instruction = site.instruction
    assert isinstance(instruction, Load | Store | Atomic)
    value = instruction.value if isinstance(instruction, Store) else instruction.result
    size, width = moved_bytes(site.function.types[value], site.function.structs)
    return size or site.width, width or BANK_BYTES


def as_words(addresses: Values, lanes: Lanes | None, size: int, warp_size: int) -> tuple[Values, Lanes | None, int]:
    """Elements of local memory that are wider than a word: each of their words lies in a row of its own."""
    words = -(-size // BANK_BYTES)
    rows = np.arange(words) * (BANK_BYTES * warp_size)
    spread = (addresses[:, :, None] + rows).reshape(len(addresses), -1)
    return spread, None if lanes is None else np.repeat(lanes, words, axis=1), BANK_BYTES


def representatives(addresses: Values, lanes: Lanes | None) -> tuple[Values, Lanes | None, Counts | None]:
    """Requests that cost the same as all of them, with how often each occurs; the requests themselves for None.

    Requests that differ by a multiple of a sector's size fill sectors and banks in the same way.
    """
    if len(addresses) < 2:
        return addresses, lanes, None
    first = addresses[:, :1] if lanes is None else np.take_along_axis(addresses, lanes.argmax(axis=1)[:, None], axis=1)
    relative = addresses - first
    if lanes is not None:
        if not (lanes == lanes[0]).all():
            return addresses, lanes, None
        relative = np.where(lanes[0], relative, 0)
    if not (relative == relative[0]).all():
        return addresses, lanes, None
    times = np.bincount(first[:, 0] % SECTOR_BYTES, minlength=SECTOR_BYTES)
    phases = np.flatnonzero(times)
    chosen = relative[0] - relative[0].min() + phases[:, None]
    kept = None if lanes is None else np.broadcast_to(lanes[0], chosen.shape)
    return chosen + (relative[0].min() % SECTOR_BYTES), kept, times[phases]


def total(counts: Counts, times: Counts | None) -> int:
    return int(counts.sum() if times is None else (counts * times).sum())
