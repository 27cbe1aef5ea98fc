"""Claims about accesses: space, stride, pattern, and what requests cost at most.

A cost is that of the warp that needs most, with all lanes that take part; a request of fewer lanes never needs more.
So costs are upper bounds in every run.  An exact one is also reached, by some warp, if all warps of the grid come with
all the lanes that are there, the shape is the one that was known, and the policy keeps lanes together.
Skipped    Requests of lanes that execute different rounds of a loop together, as some policies let them.
           Accesses outside of every object; costs where the rows of the block are no multiple of the warp and the
           analysis did not know the shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

import numpy as np

from analysis.access.model import BANK_BYTES, Access, AccessKind, AccessPattern, Basis, Participation
from analysis.ir.types import MemorySpace
from benchmarks.claims.claim import Claim, Findings, Refutation
from benchmarks.claims.instances import Instances
from benchmarks.claims.policy import keeps_together
from benchmarks.claims.subject import Subject
from benchmarks.claims.threads import Threads
from sim.arrays import Lanes, Rows, Values
from sim.events import AccessEvent, AccessSite, AddressBook, Run
from sim.observers.request_cost import count_bank_passes, count_sectors, interleaved
from sim.observers.requests import as_words, moved_by
from sim.observers.spaces import AccessSpaces

_STEPS: Final = (AccessPattern.BROADCAST, AccessPattern.WARP_SEQUENTIAL, AccessPattern.STRIDED)


@final
@dataclass(slots=True)
class Reached:
    """The most that a request of an access cost, and with how many lanes."""

    cost: int = 0
    ideal: int = 0
    lanes: int = 0
    warps: set[int] = field(default_factory=set[int])
    """Who came, by their linear number in the grid."""


@final
@dataclass(slots=True)
class _State:
    wrong: dict[tuple[Claim, int], tuple[Access, str, str]] = field(
        default_factory=dict[tuple[Claim, int], tuple[Access, str, str]]
    )
    checked: set[tuple[Claim, int]] = field(default_factory=set[tuple[Claim, int]])
    reached: dict[int, Reached] = field(default_factory=dict[int, Reached])


@final
class AccessClaims:
    def __init__(self, subject: Subject, instances: Instances, run: Run, addresses: AddressBook) -> None:
        self._subject = subject
        self._instances = instances
        self._addresses = addresses
        self._spaces = AccessSpaces(addresses)
        self._warp_size = run.launch.warp_size
        x, y, z = run.launch.block
        self._is_line = y == z == 1
        self._fills_rows = x % run.launch.warp_size == 0
        self._expects_exact = keeps_together(run, subject) and len(subject.launch.shapes) == 1
        self._warps = run.launch.blocks * run.launch.warps_per_block
        self._state = _State()

    @property
    def reached(self) -> dict[int, Reached]:
        """By the identity of the instruction."""
        return self._state.reached

    def wave(self) -> None:
        self._spaces.forget()

    def access(self, event: AccessEvent, rows: Rows, lanes: Lanes, threads: Threads) -> None:
        access = self._subject.accesses.get(id(event.site.instruction))
        if access is None:
            return
        addresses = np.broadcast_to(event.addresses, lanes.shape).astype(np.int64)
        lanes = lanes & self._in_objects(addresses) & self._of_one_round(access, rows, lanes)
        some = lanes.any(axis=1)
        if not some.any():
            return
        rows, lanes, addresses = rows[some], lanes[some], addresses[some]
        site = event.site
        self._space(site, access, addresses, lanes)
        if access.space in (MemorySpace.LOCAL, MemorySpace.GENERIC):
            found = self._space_of(addresses, lanes)
            if found is MemorySpace.LOCAL:
                addresses = addresses - self._addresses.starts(addresses)
            elif access.space is MemorySpace.LOCAL or found is None:
                return
        self._stride(site, access, rows, addresses, lanes, threads)
        self._pattern(site, access, addresses, lanes)
        self._cost(site, access, rows, addresses, lanes, threads)

    # -- one claim each ---------------------------------------------------------------------------------------------

    def _space(self, site: AccessSite, access: Access, addresses: Values, lanes: Lanes) -> None:
        if access.space is MemorySpace.GENERIC:
            return
        self._note(Claim.SPACE, site)
        for space, where in self._spaces.of_addresses(addresses):
            if space is not access.space and (where & lanes).any():
                self._refute(Claim.SPACE, site, access, access.space.value, space.value)

    def _stride(
        self, site: AccessSite, access: Access, rows: Rows, addresses: Values, lanes: Lanes, threads: Threads
    ) -> None:
        """Neighbours in one row of the block."""
        if access.stride is None:
            return
        blocks = threads.thread_rows(rows)
        pairs = lanes[:, 1:] & lanes[:, :-1] & (blocks[:, 1:] == blocks[:, :-1])
        if not pairs.any():
            return
        self._note(Claim.STRIDE, site)
        steps = (addresses[:, 1:] - addresses[:, :-1])[pairs]
        if (steps != access.stride).any():
            seen = str(steps[steps != access.stride][0])
            self._refute(Claim.STRIDE, site, access, str(access.stride), seen)

    def _pattern(self, site: AccessSite, access: Access, addresses: Values, lanes: Lanes) -> None:
        pattern = access.pattern
        request = access.request
        if pattern not in _STEPS or request is None or not self._knows_rows(request.basis):
            return
        if access.space is MemorySpace.LOCAL:
            pattern = AccessPattern.BROADCAST  # one row of interleaved memory is one offset in all lanes
        pairs = lanes[:, 1:] & lanes[:, :-1]
        steps = addresses[:, 1:] - addresses[:, :-1]
        if not pairs.any():
            return
        self._note(Claim.PATTERN, site)
        first = np.take_along_axis(steps, pairs.argmax(axis=1)[:, None], axis=1)
        wanted = {AccessPattern.BROADCAST: 0, AccessPattern.WARP_SEQUENTIAL: access.bytes}.get(pattern)
        wrong = pairs & (steps != (first if wanted is None else wanted))
        if wrong.any():
            self._refute(Claim.PATTERN, site, access, access.pattern.value, f"a step of {steps[wrong][0]}")

    def _cost(
        self, site: AccessSite, access: Access, rows: Rows, addresses: Values, lanes: Lanes, threads: Threads
    ) -> None:
        request = access.request
        if request is None or not self._knows_rows(request.basis):
            return
        size, width = moved_by(site)
        reached = self._state.reached.setdefault(id(site.instruction), Reached())
        reached.warps.update(threads.warps(rows)[:, 0].tolist())
        if access.space is MemorySpace.SHARED:
            if request.bank_ways is None:
                return
            self._note(Claim.WAYS, site)
            banks = count_bank_passes(addresses, lanes, width, is_atomic=access.kind is AccessKind.ATOMIC)
            ways = banks.ways
            self._reach(reached, ways, ways, lanes)
            if request.is_exact and int(ways.max()) > request.bank_ways:
                self._refute(Claim.WAYS, site, access, str(request.bank_ways), str(int(ways.max())))
            conflicts = int(banks.conflicts.max())
            if request.is_exact and request.bank_conflicts is not None and conflicts > request.bank_conflicts:
                self._refute(Claim.WAYS, site, access, f"{request.bank_conflicts} conflicts", str(conflicts))
            return
        if access.space is MemorySpace.LOCAL:
            addresses = interleaved(addresses, self._warp_size)
            if size > BANK_BYTES:
                addresses, spread, size = as_words(addresses, lanes, size, self._warp_size)
                assert spread is not None, "who takes part is told"
                lanes = spread
        sectors, ideal = count_sectors(addresses, lanes, size)
        self._reach(reached, sectors, ideal, lanes)
        if request.sectors_max is None:
            return
        self._note(Claim.SECTORS, site)
        if int(sectors.max()) > request.sectors_max:
            claimed = f"{request.sectors}..{request.sectors_max} of {request.ideal_sectors}, {access.participation}"
            self._refute(Claim.SECTORS, site, access, claimed, str(int(sectors.max())))

    def _reach(self, reached: Reached, costs: Values, ideal: Values, lanes: Lanes) -> None:
        at = int(costs.argmax())
        if int(costs[at]) > reached.cost:
            reached.cost, reached.ideal = int(costs[at]), int(ideal[at])
            reached.lanes = int(np.count_nonzero(lanes[at]))

    def _of_one_round(self, access: Access, rows: Rows, lanes: Lanes) -> Lanes:
        """(rows, 1): whether all lanes execute one dynamic instance; claims are about those."""
        keys = self._instances.key(access.block, rows)
        first = np.take_along_axis(keys, lanes.argmax(axis=1)[:, None], axis=1)
        return ((keys == first) | ~lanes).all(axis=1)[:, None]

    # -- what is needed for it --------------------------------------------------------------------------------------

    def _knows_rows(self, basis: Basis) -> bool:
        """Does the block that runs fit what the cost rests on?"""
        return basis is Basis.KNOWN_SHAPE or self._fills_rows or (basis is Basis.LINE and self._is_line)

    def _in_objects(self, addresses: Values) -> Lanes:
        inside = np.zeros(addresses.shape, np.bool_)
        for space, where in self._spaces.of_addresses(addresses):
            if space is not MemorySpace.GENERIC:
                inside |= where
        return inside

    def without_owner(self, addresses: Values) -> Values:
        """Addresses in memory of threads as offsets in it, since every thread has its own; others as they are."""
        starts = self._addresses.starts(addresses)
        for space, where in self._spaces.of_addresses(addresses):
            if space is MemorySpace.LOCAL:
                addresses = np.where(where, addresses - starts, addresses)
        return addresses

    def _space_of(self, addresses: Values, lanes: Lanes) -> MemorySpace | None:
        """None if there are several."""
        found = {space for space, where in self._spaces.of_addresses(addresses) if (where & lanes).any()}
        return found.pop() if len(found) == 1 else None

    def _note(self, claim: Claim, site: AccessSite) -> None:
        self._state.checked.add((claim, id(site.instruction)))

    def _refute(self, claim: Claim, site: AccessSite, access: Access, claimed: str, seen: str) -> None:
        self._state.wrong.setdefault((claim, id(site.instruction)), (access, claimed, seen))

    def settle(self, findings: Findings) -> None:
        for instruction, access in self._subject.accesses.items():
            self._settle_exact(instruction, access)
        for claim, _ in self._state.checked:
            findings.checked[claim] += 1
        for (claim, _), (access, claimed, seen) in self._state.wrong.items():
            subject = f"{access.kind.value} of %{access.address} in block{access.block}"
            memory = access.address in self._subject.from_memory or access.block in self._subject.decided_by_memory
            is_exact = claim is Claim.SPACE or (access.form is not None and access.form.exact)
            findings.refutations.append(Refutation(claim, subject, access.span, claimed, seen, False, memory, is_exact))

    def _settle_exact(self, instruction: int, access: Access) -> None:
        reached, told = self._state.reached.get(instruction), exact_cost(access)
        if told is None or reached is None or not self._expects_exact or len(reached.warps) < self._warps:
            return
        self._state.checked.add((Claim.REACHED, instruction))
        if reached.cost != told:
            self._state.wrong[Claim.REACHED, instruction] = access, str(told), f"{reached.cost} at most"


def exact_cost(access: Access) -> int | None:
    """Of the warp that needs most, where all lanes take part; None where the base or the rows leave it open."""
    request = access.request
    if request is None or not request.is_exact or request.basis is not Basis.KNOWN_SHAPE:
        return None
    if access.participation is not Participation.FULL:
        return None
    if access.space is MemorySpace.SHARED:
        return request.bank_ways
    return request.sectors if request.sectors == request.sectors_max else None


def is_full(access: Access, reached: Reached) -> bool:
    """Did all lanes come that the cost is told for?"""
    request = access.request
    return request is not None and access.participation is Participation.FULL and reached.lanes == request.lanes
