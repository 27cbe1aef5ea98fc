"""Who touched each piece of memory last: what a race detector remembers.

Memory is cut into units of `unit` bytes.  An entry is one number: the thread + 1 in the high 32 bits, the time of its
access (a number of an event) in the low 32; 0 is nobody.  Per unit there is one entry for plain writes, and three for
plain reads and for strong accesses (atomics, volatile writes), because many threads may do these at once:

    0   whoever came last after all others were ordered before it
    1   another thread of the same block
    2   a thread of another block

so that any third thread meets one of them: a writer of the same block 0 or 1, a writer of another block 0, and one of
the block of entry 0 that is ordered after it still 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Entries: TypeAlias = NDArray[np.uint64]
Integers: TypeAlias = NDArray[np.int64]
Ordered: TypeAlias = Callable[[Integers, Integers], NDArray[np.bool_]]
"""For threads and times of earlier accesses: which of them are ordered before the current ones, element by element."""

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
    """Three entries per unit, as above."""

    def __init__(self, threads_per_block: int) -> None:
        self._per_block = threads_per_block
        self.slots: list[Entries] = [np.zeros(0, np.uint64) for _ in range(3)]
        self.is_used = False

    def reach(self, units: int) -> None:
        self.slots = [_grown(slot, units) for slot in self.slots]

    def clear(self) -> None:
        self.slots = [np.zeros(0, np.uint64) for _ in range(3)]
        self.is_used = False

    def note(self, units: Integers, threads: Integers, time: int, ordered: Ordered) -> None:
        """The threads used the units; several may have used one."""
        self.is_used = True
        first, same_block, other_block = self.slots
        entries = entries_of(threads, time)
        before = first[units]
        owners = threads_of(before)
        is_past = (before == 0) | ordered(owners, times_of(before))
        fresh = is_past & ((before == 0) | self._share_block(owners, threads))
        same_block[units[fresh]] = 0
        renewed = fresh | (owners == threads)
        first[units[renewed]] = entries[renewed]
        owners = threads_of(first[units])
        others = owners != threads
        together = self._share_block(owners, threads)
        same_block[units[others & together]] = entries[others & together]
        other_block[units[others & ~together]] = entries[others & ~together]

    def _share_block(self, one: Integers, other: Integers) -> NDArray[np.bool_]:
        return one // self._per_block == other // self._per_block


def _grown(array: NDArray[np.uint64], units: int) -> NDArray[np.uint64]:
    if units <= len(array):
        return array
    larger = np.zeros(max(units, 2 * len(array), 1 << 12), np.uint64)
    larger[: len(array)] = array
    return larger
