"""Data races: two threads use the same bytes, at least one writes, and nothing orders them.

Found      in shared memory and in global memory, across warps, blocks and waves, whatever order the run took: barriers
           decide (`happens_before.py`), not the schedule, so a race is seen even if this run happened to get it right.
           Threads of one warp are not ordered by running together: they need `__syncwarp`.
No race    Atomics among themselves, unless one is for its block alone and the other of another block; volatile
           accesses among themselves and with atomics (they are relaxed operations);
           a volatile read is only compared with plain writes before it.  But lanes of one warp that hand over data in
           volatile shared memory mean to run in step, which nothing promises: such a read races with the write.
Locks      Fences with atomics or volatile accesses order what they release and acquire (`release_order.py`).
Grouped    One race per pair of instructions and object (`report/races.py` groups them further, by lines).
Precision  Bytes of the narrowest access of the kernel; of more than four threads that used a unit some are forgotten,
           which can hide a pair, not invent one (`race_shadow.py`).
Limits     Units beyond the first eight million different ones that are touched are not watched.
Cost       Some 60 bytes per unit of memory that is touched, and some ten passes over the addresses of each access.
Source     Flanagan, Freund, "FastTrack", PLDI 2009 (entries instead of vector clocks); PTX ISA, "Memory Consistency
           Model" (what counts as strong).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.instructions import Atomic, Instruction, Load, Store, WarpBarrier
from analysis.ir.operators import AtomicOperator, BarrierOperator
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.arrays import Lanes, lanes_of
from sim.events import (
    AccessEvent,
    AccessSite,
    AddressBook,
    ArrivalEvent,
    BarrierEvent,
    BarrierScope,
    Events,
    Observer,
    PhaseEvent,
    Run,
    SegmentEvent,
    Wave,
)
from sim.faults import AccessKind, DataRace, Evidence, Fault, RaceScope, RaceSite
from sim.observers.fence_walk import FenceWalk
from sim.observers.happens_before import HappensBefore
from sim.observers.race_shadow import (
    Entries,
    Integers,
    LastUsers,
    LastWriters,
    UnitNumbers,
    entries_of,
    threads_of,
    times_of,
)
from sim.observers.release_order import ReleaseOrder
from sim.observers.spaces import AccessSpaces
from sim.observers.split_barriers import TICKS, SplitBarriers
from sim.observers.thread_set import ThreadSet
from sim.state.frame import thread_of
from sim.values.scalars import NoParts, parts_of

_WATCHED: Final = (MemorySpace.GLOBAL, MemorySpace.SHARED)


@final
@record
class RaceAnswer:
    """One race per pair of instructions, object, and scope, in the order in which they were found."""

    races: tuple[DataRace, ...]


@final
@record
class _Key:
    """What one race is about: the earlier and the later access, the object, who is not ordered."""

    other_site: int
    site: int
    buffer: str
    scope: RaceScope


@final
@record
class _Accesses:
    """What one event does to one piece of memory: flat arrays, one element per thread and unit.

    `units` are numbered as they are used, `places` are their positions in memory.
    """

    units: Integers
    places: Integers
    threads: Integers
    bits: NDArray[np.uint64] | None
    site: int
    time: int


def _remembered(accesses: _Accesses) -> _Accesses:
    """Those to units that are kept."""
    kept = accesses.units >= 0
    bits = None if accesses.bits is None else accesses.bits[kept]
    return _Accesses(
        accesses.units[kept], accesses.places[kept], accesses.threads[kept], bits, accesses.site, accesses.time
    )


@final
class _Memory:
    """What was done to one memory."""

    def __init__(self, threads_per_warp: int, threads_per_block: int) -> None:
        self.numbers = UnitNumbers()
        self.writers = LastWriters()
        self.readers = LastUsers(threads_per_warp, threads_per_block)
        self.strong = LastUsers(threads_per_warp, threads_per_block)

    def units(self, places: Integers) -> Integers:
        """Where what was done to these is kept; -1 where nothing is."""
        found = self.numbers.of(places)
        for part in (self.writers, self.readers, self.strong):
            part.reach(self.numbers.count)
        return found

    def clear(self) -> None:
        self.numbers = UnitNumbers()
        for part in (self.writers, self.readers, self.strong):
            part.clear()


@final
class RaceObserver(Observer):
    events: ClassVar[Events] = Events.ACCESSES | Events.BARRIERS | Events.SEGMENTS

    def __init__(self, *, volatile_is_plain: bool = False) -> None:
        """`volatile_is_plain`: volatile accesses race as any others do, for who wants every exchange ordered."""
        self._volatile_is_plain = volatile_is_plain
        self._run: Run | None = None
        self._addresses: AddressBook | None = None
        self._spaces: AccessSpaces | None = None
        self._order = HappensBefore(1, 1, 0)
        self._memories: dict[MemorySpace, _Memory] = {}
        self._first_warp = 0
        self._unit = 4
        self._time = 0
        self._sites: list[AccessSite] = []
        self._of_one_number: set[int] = set()
        """Sites that store a single scalar."""
        self._numbers: dict[int, int] = {}
        self._site_at: list[int] = [0]
        self._for_blocks = False
        """Whether there was an atomic for its own block alone."""
        self._fences: FenceWalk | None = None
        self._release: ReleaseOrder | None = None
        """None where the kernel has no fence."""
        self._split: SplitBarriers | None = None
        self._syncs: frozenset[int] = frozenset()
        self._last_segment = 0
        self._names: dict[int, str] = {}
        """Of objects, by their first address."""
        self._races: dict[_Key, DataRace] = {}
        self._involved: dict[_Key, ThreadSet] = {}
        """Who came later in each race."""
        """Of the access at hand: the elements that race, possibly with several others."""

    # -- events -------------------------------------------------------------------------------------------------------

    def begin(self, run: Run, addresses: AddressBook) -> None:
        launch = run.launch
        self._run, self._addresses, self._spaces = run, addresses, AccessSpaces(addresses)
        self._order = HappensBefore(launch.warp_size, launch.warps_per_block, launch.blocks)
        threads_per_block = launch.warps_per_block * launch.warp_size
        self._memories = {space: _Memory(self._width, threads_per_block) for space in _WATCHED}
        self._unit = _narrowest(run)
        self._fences = FenceWalk(run)
        if self._fences.has_any():
            self._release = ReleaseOrder(self._order, threads_per_block, launch.blocks)
        self._split = SplitBarriers(self._order, self._release, self._spaces, self._unit, launch.warp_size)
        self._syncs = _segments_with(run, WarpBarrier)

    def wave(self, wave: Wave) -> None:
        assert self._spaces is not None
        self._first_warp = wave.first_block * wave.warps_per_block
        self._order.wave(self._first_warp, len(wave.live))
        self._spaces.forget()
        self._memories[MemorySpace.SHARED].clear()
        if self._release is not None:
            self._release.forget_shared()

    def segment(self, event: SegmentEvent) -> None:
        self._last_segment = event.segment
        if self._release is not None and self._fences is not None:
            width = self._width
            threads = ((self._first_warp + event.rows) * width)[:, None] + np.arange(width)
            self._fence(self._fences.at_end(event.segment), threads[lanes_of(event.active, width)])

    def barrier(self, event: BarrierEvent) -> None:
        self._tick(0)
        if BarrierScope.GRID in event.scope:
            self._order.grid_barrier(self._time)
        elif BarrierScope.BLOCK in event.scope:
            self._order.block_barrier(event.rows, self._time)
            if self._release is not None:
                self._release.block_barrier(np.unique(self._blocks_of(event.rows)))
        elif self._last_segment in self._syncs:
            for rows, active in event.meetings():
                self._order.warp_barrier(rows, active, self._time)
                if self._release is not None:
                    threads = ((self._first_warp + rows) * self._width)[:, None] + np.arange(self._width)
                    self._release.warp_barrier(lanes_of(active, self._width), threads)

    def arrival(self, event: ArrivalEvent) -> None:
        assert self._split is not None
        self._pass(TICKS)
        self._split.arrive(event, self._first_warp, self._time)

    def phase(self, event: PhaseEvent) -> None:
        assert self._split is not None
        self._pass(TICKS)
        self._split.end_phase(event, self._first_warp, self._time)

    def access(self, event: AccessEvent) -> None:
        assert self._run is not None
        assert self._spaces is not None
        space = self._spaces.of_site(event.site)
        if space in _WATCHED:
            self._note(event, space, event.lanes)
        elif space is MemorySpace.GENERIC:
            shape = (len(event.rows), self._run.launch.warp_size)
            for found, where in self._spaces.of_addresses(np.broadcast_to(event.addresses, shape)):
                if found in _WATCHED:
                    self._note(event, found, where if event.lanes is None else where & event.lanes)

    def answer(self) -> RaceAnswer:
        return RaceAnswer(tuple(self._counted(key) for key in self._races))

    def faults(self) -> tuple[Fault, ...]:
        return self.answer().races

    # -- one access ---------------------------------------------------------------------------------------------------

    def _note(self, event: AccessEvent, space: MemorySpace, lanes: Lanes | None) -> None:
        shape = (len(event.rows), self._width)
        chosen = slice(None) if lanes is None else lanes.reshape(-1)
        starts: Integers = np.broadcast_to(event.addresses, shape).reshape(-1)[chosen] // self._unit
        if not len(starts):
            return
        lane_threads = ((self._first_warp + event.rows) * self._width)[:, None] + np.arange(self._width)
        threads: Integers = lane_threads.reshape(-1)[chosen]
        if self._fences is not None and self._release is not None:
            self._fence(self._fences.before(event.site), threads)
        bits: NDArray[np.uint64] | None = None
        if len(event.values) == 1:
            values = np.broadcast_to(event.values[0], shape).reshape(-1)[chosen]
            bits = values.view(np.dtype(f"u{values.itemsize}")).astype(np.uint64)
        number = self._number_of(event.site)
        self._tick(number)
        if bits is not None:
            self._of_one_number.add(number)
        memory = self._memories[space]
        count = -(-event.site.width // self._unit)
        if self._release is not None:
            self._synchronize(space, starts, threads, event.site)
        for index in range(count):
            accesses = _Accesses(memory.units(starts + index), starts + index, threads, bits, number, self._time)
            self._use(memory, accesses if not memory.numbers.is_full else _remembered(accesses))

    def _tick(self, site: int) -> None:
        self._time += 1
        self._site_at.append(site)

    def _pass(self, moments: int) -> None:
        for _ in range(moments):
            self._tick(0)

    def _fence(self, is_device: bool | None, threads: Integers) -> None:
        """None: no fence was passed."""
        if is_device is not None and self._release is not None:
            self._tick(0)
            self._release.fence(threads, self._time, is_device=is_device)

    def _synchronize(self, space: MemorySpace, units: Integers, threads: Integers, site: AccessSite) -> None:
        assert self._release is not None
        instruction = site.instruction
        if isinstance(instruction, Atomic) and isinstance(instruction.operator, BarrierOperator):
            return  # the arrival has an event of its own
        if isinstance(instruction, Atomic):
            reads, writes = (
                instruction.operator is not AtomicOperator.STORE,
                instruction.operator is not AtomicOperator.LOAD,
            )
        elif isinstance(instruction, Load | Store) and instruction.volatile:
            reads, writes = site.kind is AccessKind.LOAD, site.kind is AccessKind.STORE
        else:
            return
        self._release.strong(space, units, threads, self._time, reads=reads, writes=writes)

    def _number_of(self, site: AccessSite) -> int:
        number = self._numbers.setdefault(id(site), len(self._sites))
        if number == len(self._sites):
            self._sites.append(site)
        return number

    def _use(self, memory: _Memory, accesses: _Accesses) -> None:
        site = self._sites[accesses.site]
        is_volatile = isinstance(site.instruction, Load | Store) and site.instruction.volatile
        is_volatile &= not self._volatile_is_plain

        is_plain_store = site.kind is AccessKind.STORE and not is_volatile
        self._compare(memory, accesses, memory.writers.entries[accesses.units], with_writes=is_plain_store)
        if site.kind is AccessKind.LOAD:
            if not is_volatile:
                self._compare_all(memory, accesses, memory.strong)
                memory.readers.note(accesses.units, accesses.threads, accesses.time, self._order.ordered)
            elif memory is self._memories.get(MemorySpace.SHARED):
                self._compare_all(memory, accesses, memory.strong, among=self._of_own_warp)
            return
        self._compare_all(memory, accesses, memory.readers)
        if is_plain_store:
            self._compare_all(memory, accesses, memory.strong)
            self._write(memory, accesses)
        else:
            self._for_blocks |= _is_for_block(site)
            if self._for_blocks and memory is self._memories.get(MemorySpace.GLOBAL):
                self._compare_all(memory, accesses, memory.strong, among=self._of_blocks_apart)
                self._compare(memory, accesses, self._at_once(accesses), with_writes=False, with_strong=True)
            memory.strong.note(accesses.units, accesses.threads, accesses.time, self._order.ordered)

    def _write(self, memory: _Memory, accesses: _Accesses) -> None:
        """The last one wins, as in memory; the others of the same instruction race with it."""
        entries = entries_of(accesses.threads, accesses.time)
        memory.writers.entries[accesses.units] = entries
        if accesses.bits is not None:
            memory.writers.bits[accesses.units] = accesses.bits
        self._compare(memory, accesses, memory.writers.entries[accesses.units], with_writes=True)

    def _compare_all(
        self,
        memory: _Memory,
        accesses: _Accesses,
        users: LastUsers,
        *,
        among: Callable[[_Accesses, Entries], Entries] | None = None,
    ) -> None:
        """`among`: which of the users before matter, if not all do."""
        if users.is_used:
            for slot in users.slots:
                before = slot[accesses.units]
                if among is not None:
                    before = among(accesses, before)
                self._compare(memory, accesses, before, with_writes=False, with_strong=users is memory.strong)

    def _of_blocks_apart(self, accesses: _Accesses, before: Entries) -> Entries:
        """What threads of other blocks did, if one of the two is an atomic for its own block alone."""
        size = self._threads_per_block
        found = np.where(threads_of(before) // size != accesses.threads // size, before, np.uint64(0))
        if _is_for_block(self._sites[accesses.site]):
            return found
        times = times_of(found)
        every: list[int] = np.unique(times).tolist()
        narrow = [time for time in every if _is_for_block(self._sites[self._site_at[time]])]
        return np.where(np.isin(times, narrow), found, np.uint64(0))

    def _at_once(self, accesses: _Accesses) -> Entries:
        """For threads of other blocks than the first one that uses a unit with the same instruction: that one."""
        _, firsts, unit = np.unique(accesses.units, return_index=True, return_inverse=True)
        before = entries_of(accesses.threads[firsts][unit], accesses.time)
        return self._of_blocks_apart(accesses, before)

    def _of_own_warp(self, accesses: _Accesses, before: Entries) -> Entries:
        """What volatile stores of other lanes of the same warp did."""
        assert self._run is not None
        size = self._run.launch.warp_size
        threads = threads_of(before)
        is_own = (threads // size == accesses.threads // size) & (threads != accesses.threads)
        times = times_of(before)
        own_times: list[int] = np.unique(times[is_own]).tolist()
        stores = [time for time in own_times if self._is_store(self._site_at[time])]
        return np.where(is_own & np.isin(times, stores), before, np.uint64(0))

    def _is_store(self, site: int) -> bool:
        return site < len(self._sites) and isinstance(self._sites[site].instruction, Store)

    def _compare(
        self,
        memory: _Memory,
        accesses: _Accesses,
        before: Entries,
        *,
        with_writes: bool,
        with_strong: bool = False,
    ) -> None:
        """Reports the accesses that are not ordered after those `before` them."""
        somebody = np.flatnonzero(before)
        if not len(somebody):
            return
        others, times = threads_of(before[somebody]), times_of(before[somebody])
        threads = accesses.threads[somebody]
        racing = ~self._order.ordered(others, times, threads)
        found = np.flatnonzero(racing)
        if self._release is not None and len(found):
            is_ordered = self._release.ordered(others[found], times[found], threads[found], is_strong=with_strong)
            found = found[~is_ordered]
        if not len(found):
            return
        by_site: dict[int, list[int]] = {}
        places_found: list[int] = somebody[found].tolist()
        times_found: list[int] = times[found].tolist()
        for place, time in zip(places_found, times_found, strict=True):
            by_site.setdefault(self._site_at[time], []).append(place)
        for other_site, places in by_site.items():
            self._report(memory, accesses, np.array(places), before, other_site, with_writes)

    # -- evidence -----------------------------------------------------------------------------------------------------

    def _report(
        self,
        memory: _Memory,
        accesses: _Accesses,
        places: NDArray[np.intp],
        before: Entries,
        other_site: int,
        with_writes: bool,
    ) -> None:
        assert self._addresses is not None
        starts = self._addresses.starts(accesses.places[places] * self._unit)
        others = threads_of(before[places])
        across = others // self._threads_per_block != accesses.threads[places] // self._threads_per_block
        agree = np.zeros(len(places), np.bool_)
        if with_writes and self._writes_alike(other_site, accesses.site) and accesses.bits is not None:
            agree = memory.writers.bits[accesses.units[places]] == accesses.bits[places]
        for start in np.unique(starts).tolist():
            for scope, where in ((RaceScope.BLOCK, ~across), (RaceScope.GRID, across)):
                group = np.flatnonzero(where & (starts == start))
                if len(group):
                    key = _Key(other_site, accesses.site, self._name_at(start), scope)
                    self._add(key, accesses, places[group], others[group], bool(agree[group].all()))

    def _name_at(self, start: int) -> str:
        """Of the object; each block's copy of a shared one has the same."""
        if start not in self._names:
            found = None if self._addresses is None else self._addresses.find(start)
            self._names[start] = "memory" if found is None else found.name
        return self._names[start]

    def _add(self, key: _Key, accesses: _Accesses, places: NDArray[np.intp], others: Integers, agree: bool) -> None:
        self._involved.setdefault(key, ThreadSet()).add(accesses.threads[places])
        known = self._races.get(key)
        if known is None:
            first = int(places[0])
            address = int(accesses.places[first]) * self._unit
            self._races[key] = self._race(key, int(accesses.threads[first]), int(others[0]), address, agree)
        elif known.same_value and not agree:
            self._races[key] = replace(known, same_value=False)

    def _writes_alike(self, one: int, other: int) -> bool:
        """Whether both places write one number of the same size, so that the numbers can be compared."""
        return {one, other} <= self._of_one_number and self._sites[one].width == self._sites[other].width

    def _race(self, key: _Key, thread: int, other: int, address: int, agree: bool) -> DataRace:
        other_site, site = self._sites[key.other_site], self._sites[key.site]
        found = None if self._addresses is None else self._addresses.find(address)
        name, offset = ("memory", address) if found is None else (found.name, found.offset)
        return DataRace(
            self._evidence(site, thread),
            self._evidence(other_site, other),
            site.kind,
            other_site.kind,
            name,
            offset,
            agree,
            found is not None and found.space == MemorySpace.SHARED.value,
            key.scope,
            (self._site(site), self._site(other_site)),
        )

    def _site(self, site: AccessSite) -> RaceSite:
        assert self._run is not None
        return RaceSite(self._run.segments[site.segment].block, site.instruction)

    def _evidence(self, site: AccessSite, thread: int) -> Evidence:
        assert self._run is not None
        warp, lane = divmod(thread, self._run.launch.warp_size)
        block, index = thread_of(self._run.launch, warp, lane)
        return Evidence(str(site.function.id), site.span, block, index, 0)

    def _counted(self, key: _Key) -> DataRace:
        race, count = self._races[key], len(self._involved[key])
        return replace(race, evidence=replace(race.evidence, count=count), other=replace(race.other, count=count))

    @property
    def _width(self) -> int:
        assert self._run is not None
        return self._run.launch.warp_size

    @property
    def _threads_per_block(self) -> int:
        assert self._run is not None
        return self._run.launch.warps_per_block * self._run.launch.warp_size

    def _blocks_of(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        assert self._run is not None
        return (self._first_warp + rows) // self._run.launch.warps_per_block


def _segments_with(run: Run, kind: type[Instruction]) -> frozenset[int]:
    return frozenset(
        number
        for number, segment in enumerate(run.segments)
        if any(isinstance(one, kind) for one in segment.instructions)
    )


def _narrowest(run: Run) -> int:
    """Bytes of the narrowest scalar that the program reads or writes; at most 8."""
    widths = [8]
    for segment in run.segments:
        for one in segment.instructions:
            if isinstance(one, Load | Store | Atomic):
                types, structs = segment.function.types, segment.function.structs
                value = one.value if isinstance(one, Store) else one.result
                try:
                    widths += [part.width for part in parts_of(types[value], structs, run.launch.warp_size)]
                except NoParts:
                    continue
    return min(widths)


def _is_for_block(site: AccessSite) -> bool:
    return isinstance(site.instruction, Atomic) and site.instruction.is_for_block
