"""Who touched each piece of memory last: what a race detector remembers.

Memory is cut into units of `unit` bytes.  An entry is one number: the thread + 1 in the high 32 bits, the time of its
access (a number of an event) in the low 32; 0 is nobody.  Per unit there is one entry for plain writes, and four for
plain reads and for strong accesses (atomics, volatile writes), because many threads may do these at once:

    0   some thread
    1   another thread of its warp
    2   a thread of another warp of its block
    3   a thread of another block

so that any further thread meets one of them with which it is not ordered: one of the same warp 0 or 1, or after a
barrier of its warp 2; one of another warp 0, and after a barrier of its block still 3.

An entry goes when an access takes the same part, or is ordered after it: whatever is not ordered with the entry is not
ordered with that access either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Entries: TypeAlias = NDArray[np.uint64]
Integers: TypeAlias = NDArray[np.int64]
Ordered: TypeAlias = Callable[[Integers, Integers, Integers], NDArray[np.bool_]]
"""For threads and times of earlier accesses, and the threads of current ones: which earlier ones are ordered before."""

MAX_UNITS: Final = 1 << 23
"""How many different units are remembered, of some 60 bytes each."""
_PAGE_BITS: Final = 10
_THREAD_SHIFT: Final = np.uint64(32)
_TIME: Final = np.uint64(0xFFFFFFFF)


def entries_of(threads: Integers, time: int) -> Entries:
    return (threads + 1).astype(np.uint64) << _THREAD_SHIFT | np.uint64(time)


def threads_of(entries: Entries) -> Integers:
    """-1 for nobody."""
    return (entries >> _THREAD_SHIFT).astype(np.int64) - 1


def times_of(entries: Entries) -> Integers:
    return (entries & _TIME).astype(np.int64)


@final
class UnitNumbers:
    """Numbers the units that are used, a page at a time: what is remembered grows with them, not with addresses."""

    def __init__(self) -> None:
        self.count = 0
        """All numbers are below."""
        self.is_full = False
        """Whether some unit got no number."""
        self._first: Integers = np.full(0, -1, np.int64)

    def of(self, units: Integers) -> Integers:
        """-1 for units beyond `MAX_UNITS` different ones."""
        pages = units >> _PAGE_BITS
        missing = int(pages.max()) + 1 - len(self._first)
        if missing > 0:
            self._first = np.concatenate((self._first, np.full(max(missing, len(self._first)), -1, np.int64)))
        first = self._first[pages]
        if (first < 0).any():
            fresh = np.unique(pages[first < 0])[: (MAX_UNITS - self.count) >> _PAGE_BITS]
            self._first[fresh] = self.count + (np.arange(len(fresh)) << _PAGE_BITS)
            self.count += len(fresh) << _PAGE_BITS
            first = self._first[pages]
            self.is_full |= bool((first < 0).any())
        return np.where(first < 0, -1, first + (units & ((1 << _PAGE_BITS) - 1)))


@final
class LastWriters:
    """One entry per unit, with the bits that were written, as far as they were one number."""

    def __init__(self) -> None:
        self.entries: Entries = np.zeros(0, np.uint64)
        self.bits: NDArray[np.uint64] = np.zeros(0, np.uint64)

    def reach(self, units: int) -> None:
        self.entries = _grown(self.entries, units)
        self.bits = _grown(self.bits, units)

    def clear(self) -> None:
        self.entries = np.zeros(0, np.uint64)
        self.bits = np.zeros(0, np.uint64)


@final
class LastUsers:
    """Four entries per unit, as above."""

    def __init__(self, threads_per_warp: int, threads_per_block: int) -> None:
        self._per_warp = threads_per_warp
        self._per_block = threads_per_block
        self.slots: list[Entries] = []
        self.is_used = False
        self.clear()

    def reach(self, units: int) -> None:
        self.slots = [_grown(slot, units) for slot in self.slots]

    def clear(self) -> None:
        self.slots = [np.zeros(0, np.uint64) for _ in range(4)]
        self.is_used = False

    def note(self, units: Integers, threads: Integers, time: int, ordered: Ordered) -> None:
        """The threads used the units; several may have used one."""
        self.is_used = True
        entries = entries_of(threads, time)
        first, same_warp, same_block, other_block = self.slots
        before = first[units]
        owners = threads_of(before)
        is_past = ordered(owners, times_of(before), threads)
        in_warp = owners // self._per_warp == threads // self._per_warp
        renewed = is_past & in_warp
        first[units[renewed]] = entries[renewed]
        left = np.flatnonzero(is_past & ~in_warp | (before == 0))
        left = left[first[units[left]] == before[left]]
        if len(left):
            self._replace_first(units[left], threads[left], entries[left], ordered)
        owners = threads_of(first[units])
        others = np.flatnonzero(owners != threads)
        if not len(others):
            return
        units, threads, entries, owners = units[others], threads[others], entries[others], owners[others]
        in_warp = owners // self._per_warp == threads // self._per_warp
        in_block = owners // self._per_block == threads // self._per_block
        for slot, chosen in ((same_warp, in_warp), (same_block, in_block & ~in_warp), (other_block, ~in_block)):
            slot[units[chosen]] = entries[chosen]

    def _replace_first(self, units: Integers, threads: Integers, entries: Entries, ordered: Ordered) -> None:
        """First entries that are ordered before accesses of other warps: the nearest entry that is not takes its place.

        So what each entry is to the first one holds.  Where none is left, the access becomes the first.
        """
        first, *others = self.slots
        first[units] = 0
        for slot in others:
            before = slot[units]
            if before.any():
                gone = ordered(threads_of(before), times_of(before), threads)
                slot[units[gone]] = 0
                moved = units[(first[units] == 0) & (slot[units] != 0)]
                first[moved] = slot[moved]
                slot[moved] = 0
        unused = first[units] == 0
        first[units[unused]] = entries[unused]


def _grown(array: NDArray[np.uint64], units: int) -> NDArray[np.uint64]:
    if units <= len(array):
        return array
    larger = np.zeros(max(units, 2 * len(array), 1 << 12), np.uint64)
    larger[: len(array)] = array
    return larger
