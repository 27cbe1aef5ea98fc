"""All memory of a launch in one array of bytes; an address is an index into it.

Objects start at multiples of 256 bytes with at least 256 bytes of red zone between, so generic pointers just work and
an access past the end of a buffer lands nowhere.  The first `NULL_PAGE` bytes belong to nobody: null pointers and what
lies a little behind them, and the place that accesses of inactive or faulty threads are sent to.  A shadow byte per
byte says whether an object lies there and whether it was written.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.arrays import Values
from sim.faults import NULL_PAGE
from sim.refusals import LaunchError

PAGE: Final = 256
VALID: Final = 1
WRITTEN: Final = 2
_AT_ONCE: Final = 1 << 23
"""Bytes that one step works on: between two, an interrupt of the user is heard."""

_BYTES_PER_ACCESS: Final = 4
"""Looking at so many shadow bytes costs less than one access that asks whether they are written."""


def _parts(octets: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    return (octets[first : first + _AT_ONCE] for first in range(0, len(octets), _AT_ONCE))


def _copy(source: NDArray[np.uint8], target: NDArray[np.uint8]) -> None:
    for old, new in zip(_parts(source), _parts(target), strict=True):
        new[:] = old


@final
@record
class Allocation:
    """`count` objects of `size` bytes, each `stride` bytes after the one before (one per block or per thread)."""

    name: str
    space: MemorySpace
    base: int
    size: int
    stride: int
    count: int


@final
class Arena:
    """Grows by doubling up to the budget; views by type code are renewed when it does, so never keep one."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._end = NULL_PAGE
        self._starts: list[int] = []
        self._regions: list[Allocation] = []
        self._table: tuple[Values, Values, Values] | None = None
        self.whole: set[int] = set()
        """Where the regions start whose every byte was written, as far as is known."""
        self._unlooked: dict[int, tuple[int, int]] = {}
        """By start of a region: how many accesses since its shadow was looked at, and how many until it is again."""
        self._views(np.zeros(1 << 16, np.uint8), np.zeros(1 << 16, np.uint8))

    def _views(self, data: NDArray[np.uint8], shadow: NDArray[np.uint8]) -> None:
        self.data = data
        self.shadow = shadow
        self.u1, self.u2, self.u4, self.u8 = data, data.view(np.uint16), data.view(np.uint32), data.view(np.uint64)
        self.i1, self.i2 = data.view(np.int8), data.view(np.int16)
        self.i4, self.i8 = data.view(np.int32), data.view(np.int64)
        self.f2, self.f4, self.f8 = data.view(np.float16), data.view(np.float32), data.view(np.float64)
        self.shadows = {1: shadow, 2: shadow.view(np.uint16), 4: shadow.view(np.uint32), 8: shadow.view(np.uint64)}

    def let_go(self) -> None:
        """Of what all buffers hold, after the last look at it."""
        self._views(np.zeros(0, np.uint8), np.zeros(0, np.uint8))

    @property
    def size(self) -> int:
        """Bytes in use, red zones included."""
        return self._end

    @staticmethod
    def stride_of(size: int) -> int:
        """From one object of a region to the next: the size and a red zone."""
        return (size + 2 * PAGE - 1) // PAGE * PAGE

    def reserve(self, size: int) -> None:
        """About so many bytes will be asked for: to grow once costs less than to grow and copy many times."""
        self._grow(min(self._end + size, self._budget))

    def has_room(self, size: int) -> bool:
        """Whether one more object of `size` bytes fits."""
        return self._end + self.stride_of(size) + PAGE <= self._budget

    def allocate(
        self, name: str, space: MemorySpace, size: int, count: int = 1, *, written: bool = False
    ) -> Allocation:
        """New zeroed objects; LaunchError where the memory budget ends."""
        stride = self.stride_of(size)
        total = stride * count
        if self._end + total + PAGE > self._budget:
            raise LaunchError(
                f"{name} needs {total:,} bytes of memory; the budget of {self._budget:,} bytes has "
                f"{max(0, self._budget - self._end):,} left"
            )
        region = Allocation(name, space, self._end, size, stride, count)
        self._grow(self._end + total + PAGE)
        self._end += (total + PAGE - 1) // PAGE * PAGE + PAGE
        self._starts.append(region.base)
        self._regions.append(region)
        self._table = None
        if written:
            self.whole.add(region.base)
        marks = self.shadow[region.base : region.base + total].reshape(count, stride)
        rows = max(1, _AT_ONCE // stride)
        for row in range(0, count, rows):
            for first in range(0, size, _AT_ONCE):
                marks[row : row + rows, first : min(first + _AT_ONCE, size)] = VALID | WRITTEN if written else VALID
        return region

    def fill(self, region: Allocation, octets: NDArray[np.uint8]) -> None:
        """Writes the contents of a region's objects, one after the other."""
        if region.count == 1:
            _copy(octets, self.contents(region))
            return
        for target, source in zip(self._objects(region), octets.reshape(region.count, region.size), strict=True):
            _copy(source, target)

    def _grow(self, needed: int) -> None:
        if needed + PAGE <= len(self.data):
            return
        length = max(2 * len(self.data), (needed + PAGE + 0xFFFF) & ~0xFFFF)
        # The used part is copied; the rest stays untouched zero pages of the operating system.  Both in one piece: what
        # a run gives back is then no more than the C library keeps for the next one, which saves faults of pages.
        data, shadow = np.zeros((2, length), np.uint8)
        _copy(self.data[: self._end], data[: self._end])
        _copy(self.shadow[: self._end], shadow[: self._end])
        self._views(data, shadow)

    def release(self, region: Allocation) -> None:
        """Gives a region back (the memory of a finished call); its place is used again if nothing was put behind it."""
        self._forget_written(region)
        index = bisect_right(self._starts, region.base) - 1
        end = region.base + region.stride * region.count
        self.data[region.base : end] = 0
        self.shadow[region.base : end] = 0
        if index == len(self._regions) - 1:
            self._end = region.base
        del self._regions[index], self._starts[index]
        self._table = None

    def clear(self, region: Allocation) -> None:
        """Back to the state of new objects: zero, not written."""
        self._forget_written(region)
        everything = slice(region.base, region.base + region.stride * region.count)
        self.data[everything] = 0
        self.shadow[everything].reshape(region.count, region.stride)[:, : region.size] = VALID

    def is_written(self, region: Allocation) -> bool:
        """Whether every byte of a region with one object was written."""
        if region.base in self.whole:
            return True
        shadow = self.shadow[region.base : region.base + region.size]
        return all(bool((part & WRITTEN).all()) for part in _parts(shadow))

    def note_written(self, region: Allocation, accesses: int) -> None:
        """So many accesses met written bytes only: looks, rarely, whether all of the region is written."""
        size = region.size * region.count
        seen, wanted = self._unlooked.get(region.base, (0, size // _BYTES_PER_ACCESS))
        seen += accesses
        if seen >= wanted:
            marks = self.shadow[region.base : region.base + region.stride * region.count]
            # Of an object's bytes none is marked as written alone: the least mark tells.
            if region.size and marks.reshape(region.count, region.stride)[:, : region.size].min() >= WRITTEN:
                self.whole.add(region.base)
            seen, wanted = 0, 2 * wanted
        self._unlooked[region.base] = seen, wanted

    def _forget_written(self, region: Allocation) -> None:
        self.whole.discard(region.base)
        self._unlooked.pop(region.base, None)

    def find(self, address: int) -> tuple[Allocation, int, int] | None:
        """The region that holds an address, which of its objects, and the offset in bytes; None in a red zone."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        region = self._regions[index]
        number, offset = divmod(address - region.base, region.stride)
        return (region, number, offset) if number < region.count and offset < region.size else None

    def starts(self, addresses: Values) -> Values:
        """The same for many addresses: where their objects begin; the address itself where there is none."""
        if not self._regions:
            return addresses
        index = np.searchsorted(self._starts, addresses, side="right") - 1
        base, stride, count = (column[index] for column in self._columns())
        number = (addresses - base) // stride
        return np.where((index >= 0) & (number < count), base + number * stride, addresses)

    def are_in(self, space: MemorySpace, addresses: Values) -> NDArray[np.bool_]:
        """Which of these addresses of objects lie in `space`."""
        belongs = np.array([region.space is space for region in self._regions])
        return belongs[np.searchsorted(self._starts, addresses, side="right") - 1]

    def _columns(self) -> tuple[Values, Values, Values]:
        """Base, stride and count of all regions."""
        if self._table is None:
            rows = [(region.base, region.stride, region.count) for region in self._regions]
            base, stride, count = np.array(rows, np.int64).T
            self._table = base, stride, count
        return self._table

    def contents(self, region: Allocation) -> NDArray[np.uint8]:
        """The bytes of a region with one object, a view; of one with several, all of them, a copy."""
        if region.count > 1:
            return self._objects(region).reshape(-1)
        return self.data[region.base : region.base + region.size]

    def _objects(self, region: Allocation) -> NDArray[np.uint8]:
        """(count, size) bytes; a view."""
        everything = self.data[region.base : region.base + region.stride * region.count]
        return everything.reshape(region.count, region.stride)[:, : region.size]
