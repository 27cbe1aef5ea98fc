"""Checked accesses: every load, store and atomic asks here which of its addresses are good.

A site is one memory instruction.  Where the object that the pointer was made for is known (`low` and `size`, arrays
where each block or thread has its own), one unsigned comparison decides; otherwise the shadow bytes do.  Bad lanes are
reported once per site and sent to the null page: they read zero, and do not write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np

from sim.arrays import Lanes, Rows, Values, chosen, members
from sim.events import AccessEvent, AccessSite, Observers
from sim.faults import AccessKind, Evidence, Fault, Misaligned, OutOfBounds, ReadOnlyWrite, UninitialisedRead
from sim.memory.arena import VALID, WRITTEN, Allocation, Arena
from sim.memory.elements import Elements, Home
from sim.memory.patterns import Near, Pattern
from sim.memory.steps import Steps
from sim.result import FAR_BYTES, Extent
from sim.state.deadline import Deadline
from sim.state.fault_log import FaultLog
from sim.state.frame import Frame

_U8: Final = np.uint64
_FEW: Final = 1
"""So often an address is worked out before a pattern is made of it."""
_MANY_ROWS: Final = 512
"""With so many rows a pattern is worth its price at once: two rounds of a loop cost more."""
_MOST_PATTERNS: Final = 96
"""Of one frame; with 2,048 warps each takes a megabyte."""
_PATTERN: Final = {width: int.from_bytes(bytes([VALID] * width), "little") for width in (1, 2, 4, 8)}
_TYPES: Final[dict[int, Any]] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@final
class Access:
    """One site of one launch.

    `parts` are the (offset, width) of the scalars; `tracked` says that the bytes may be unwritten, or that it is not
    known which object they belong to; `region` is where that object is one, as far as it is known, and `home` where its
    elements are that the pointer's indices count.  The address must be a multiple of `alignment`: 1 where it is by
    construction.
    """

    def __init__(
        self,
        site: AccessSite,
        parts: tuple[tuple[int, int], ...],
        arena: Arena,
        faults: FaultLog[Fault],
        extents: dict[str, Extent],
        observers: Observers,
        deadline: Deadline,
        *,
        region: Allocation | None,
        home: Home | None,
        tracked: bool,
        alignment: int,
        read_only: bool,
    ) -> None:
        self._site = site
        self._parts = parts
        self._arena = arena
        self._faults = faults
        self._extents = extents
        self._observers = observers
        self._deadline = deadline
        self._region = region
        self._home = home
        self._tracked = tracked
        self._align = alignment - 1
        self._read_only = read_only

    def load(
        self,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        address: Values,
        low: Values | None,
        size: int,
        reach: Values | None = None,
    ) -> Values:
        """Addresses that may be read; inactive and bad lanes may have been sent to the null page.

        `reach` is `address - low`, where it is known.
        """
        self._deadline.check()
        bad = self._bad(address, low, size, reach)
        if bad is not None:
            address, _ = self._sort_out(frame, rows, lanes, address, low, size, bad)
        if self._tracked and not self._is_whole():
            self._require_written(frame, rows, lanes, address)
        if self._observers:
            self._tell(frame, rows, lanes, address)
        return address

    def store(
        self,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        address: Values,
        low: Values | None,
        size: int,
        reach: Values | None = None,
        values: tuple[Values, ...] = (),
    ) -> tuple[Values, Lanes | None]:
        """Addresses, and the lanes that may write (None: all); `values` are only shown to observers."""
        self._deadline.check()
        bad = self._bad(address, low, size, reach)
        if bad is not None or self._read_only:
            address, lanes = self._sort_out(frame, rows, lanes, address, low, size, bad)
        if self._tracked and not self._is_whole():
            self._mark_written(address, lanes)
        if self._observers:
            self._tell(frame, rows, lanes, address, values)
        return address, lanes

    @property
    def near(self) -> Callable[..., Near | None] | None:
        """Finds where a pattern of addresses starts; nothing where every address has to be looked at."""
        is_watched = self._observers or self._read_only or (self._tracked and self._region is None)
        return None if is_watched else self._near

    def _near(
        self,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        make: Callable[[Frame], Any],
        numbers: Sequence[int],
        kept: dict[Any, Any] | None = None,
    ) -> Near | None:
        """None where some address may be bad or the memory may be unwritten; `make` is the generated function of the
        pattern, which is worth its price from the second time on.  `kept` are the patterns of all alike waves, in which
        all blocks are alike."""
        patterns = frame.patterns if kept is None else kept
        known = patterns.get(self, 0)
        if not isinstance(known, Pattern):
            is_alike = kept is not None and frame.warps_per_block > 0
            if not known and len(patterns) >= _MOST_PATTERNS:
                return None
            if known < _FEW and frame.rows < _MANY_ROWS:
                patterns[self] = known + 1
                return None
            known = patterns[self] = self._pattern(frame, make, is_alike=is_alike)
        warps = None if rows is None else frame.warps_of(rows)
        start, steps = known.start(numbers, rows, warps), known.steps(rows, warps)
        if start is None or (self._tracked and not self._is_whole() and not self._track_near(steps, start, lanes)):
            return None
        self._deadline.check()
        return Near(known, start, rows, steps)

    def _pattern(self, frame: Frame, make: Callable[[Frame], Any], *, is_alike: bool) -> Pattern:
        """`is_alike`: it is worked out for one block."""
        address, low, size, indices, strides = make(frame.first_block() if is_alike else frame)
        apart = 0 if self._home is None or not low.ndim else self._home.stride
        stride = apart if is_alike else None
        return Pattern(address, low, size, indices, strides, self._site.width, self._align, frame, stride)

    def _track_near(self, steps: Steps | None, start: int, lanes: Lanes | None) -> bool:
        """Marks what is written; whether all that is read was.  False where only a look at each address tells."""
        if steps is None or (lanes is not None and not steps.are_apart):
            return False
        is_load = self._site.kind is AccessKind.LOAD
        for offset, width in self._parts:
            full, shadow = _TYPES[width](_PATTERN[width] * (VALID | WRITTEN)), self._arena.shadows[width]
            if not steps.lead_to(shadow, start + offset):
                return False
            marks = steps.view(shadow, start + offset)
            if not is_load:
                marks[...] = full if lanes is None else np.where(lanes.reshape(marks.shape), full, marks)
            elif marks.min() != full and (lanes is None or ((marks != full) & lanes.reshape(marks.shape)).any()):
                return False
        if self._region is not None and (not is_load or lanes is None):
            self._arena.note_written(self._region, steps.shape[0] * steps.shape[1])
        return True

    @property
    def elements(self) -> Callable[..., Values | None] | None:
        """Finds where elements lie by their indices; nothing where every address has to be looked at."""
        home, width = self._home, self._site.width
        if home is None or home.size < width or self._observers or self._read_only or self._align:
            return None
        elements = Elements(home, width)

        def find(
            frame: Frame, rows: Rows | None, lanes: Lanes | None, index: Values, is_held: bool = False
        ) -> Values | None:
            places = elements.places(frame, rows, index, is_held=is_held)
            if places is None or (self._tracked and not self._is_whole() and not self._track(frame, lanes, places)):
                return None
            self._deadline.check()
            return places

        return find

    def _track(self, frame: Frame, lanes: Lanes | None, places: Values) -> bool:
        """Marks what is written; whether all that is read was."""
        width = self._site.width
        shadow, full = self._arena.shadows[width], _TYPES[width](_PATTERN[width] * (VALID | WRITTEN))
        if self._site.kind is AccessKind.LOAD:
            found = shadow.take(places)
            if found.min() != full:  # a byte is 0, VALID or both: no other word is as large
                return lanes is not None and not ((found != full) & lanes).any()
        else:
            if lanes is not None:
                places = members(places, frame.chooser.positions(lanes), lanes.shape)
            shadow[places] = full
        if self._region is not None:
            self._arena.note_written(self._region, places.size)
        return True

    # -- which lanes are bad ----------------------------------------------------------------------------------------

    def _bad(self, address: Values, low: Values | None, size: int, reach: Values | None) -> Lanes | None:
        """None where every address is good, inactive lanes included."""
        if low is not None:
            limit = max(size - self._site.width + 1, 0)
            far = (address - low if reach is None else reach).view(_U8)
            if not self._align and int(far.max()) < limit:
                return None
            bad: Lanes = far >= _U8(limit)
        else:
            bad = self._wild(address)
        if self._align:
            bad = bad | ((address & self._align) != 0)
        return bad if bad.any() else None

    def _wild(self, address: Values) -> Lanes:
        """Not inside of any object."""
        arena = self._arena
        outside: Lanes = address.view(_U8) >= _U8(arena.size)
        if outside.any():
            address = np.where(outside, 0, address)
        bad = outside
        for offset, width in self._parts:
            at = (address + offset) >> (width.bit_length() - 1)
            pattern = _TYPES[width](_PATTERN[width])
            bad = bad | (arena.shadows[width].take(at) & pattern != pattern)
        return bad

    def _sort_out(
        self,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        address: Values,
        low: Values | None,
        size: int,
        bad: Lanes | None,
    ) -> tuple[Values, Lanes]:
        """Reports active bad lanes; addresses with these and the inactive ones at 0, and the lanes that are good."""
        shape = (frame.rows if rows is None else len(rows), frame.thread_x.shape[1])
        if lanes is not None and bad is not None and not self._read_only and not (bad & lanes).any():
            return address & (bad.astype(np.int64) - np.int64(1)), lanes
        full = np.broadcast_to(address, shape)
        active = np.ones(shape, np.bool_) if lanes is None else lanes
        wrong = active if bad is None else active & bad
        if wrong.any():
            self._report(frame, rows, full, None if low is None else np.broadcast_to(low, shape), size, wrong)
        good = active & ~wrong
        return np.where(good, full, 0), good

    # -- written or not -----------------------------------------------------------------------------------------------

    def _is_whole(self) -> bool:
        return self._region is not None and self._region.base in self._arena.whole

    def _require_written(self, frame: Frame, rows: Rows | None, lanes: Lanes | None, address: Values) -> None:
        unwritten: Lanes | None = None
        for offset, width in self._parts:
            at = (address + offset) >> (width.bit_length() - 1)
            full = _TYPES[width](_PATTERN[width] * WRITTEN)
            found = self._arena.shadows[width].take(at)
            if found.min() != full:  # a byte is 0, VALID or both: no other word is as large
                missing = found & full != full
                unwritten = missing if unwritten is None else unwritten | missing
        if unwritten is None:
            if self._region is not None:
                self._arena.note_written(self._region, address.size)
            return
        shape = (frame.rows if rows is None else len(rows), frame.thread_x.shape[1])
        unwritten = np.broadcast_to(unwritten & (address != 0), shape)
        if lanes is not None:
            unwritten = unwritten & lanes
        full_address = np.broadcast_to(address, shape)

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            name, offset, _ = self._where(int(full_address[row, lane]))
            return UninitialisedRead(evidence, name or "memory", offset, self._site.width)

        self._faults.add("uninitialised", self._site.function, self._site.span, frame, rows, unwritten, describe)

    def _mark_written(self, address: Values, lanes: Lanes | None) -> None:
        if lanes is not None:
            address = chosen(address, lanes)
        for offset, width in self._parts:
            at = (address + offset) >> (width.bit_length() - 1)
            self._arena.shadows[width][at] = _TYPES[width](_PATTERN[width] * (VALID | WRITTEN))
        if self._region is not None:
            self._arena.note_written(self._region, address.size)

    # -- evidence -----------------------------------------------------------------------------------------------------

    def _report(
        self, frame: Frame, rows: Rows | None, address: Values, low: Values | None, size: int, wrong: Lanes
    ) -> None:
        site = self._site
        in_range = self._in_range(address, low, size)
        outside = wrong & ~in_range

        def out_of_bounds(evidence: Evidence, row: int, lane: int) -> Fault:
            at = int(address[row, lane])
            if low is None:
                name, offset, length = self._where(at)
                return OutOfBounds(evidence, site.kind, name, offset, length, site.width)
            start = int(low[row, lane])
            name, _, _ = self._where(start)
            return OutOfBounds(evidence, site.kind, name, at - start, size, site.width)

        def misaligned(evidence: Evidence, row: int, lane: int) -> Fault:
            name, offset, _ = self._where(int(address[row, lane]))
            return Misaligned(evidence, site.kind, name, offset, site.width, self._align + 1)

        def read_only(evidence: Evidence, row: int, lane: int) -> Fault:
            name, offset, _ = self._where(int(address[row, lane]))
            return ReadOnlyWrite(evidence, name or "constant memory", offset)

        log, function, span = self._faults, site.function, site.span
        log.add("out-of-bounds", function, span, frame, rows, outside, out_of_bounds)
        if low is not None and outside.any():
            self._extend(address, low, outside)
        inside = wrong & in_range
        crooked = inside & ((address & self._align) != 0)
        log.add("misaligned", function, span, frame, rows, crooked, misaligned)
        if self._read_only:
            log.add("read-only", function, span, frame, rows, inside & ~crooked, read_only)

    def _in_range(self, address: Values, low: Values | None, size: int) -> Lanes:
        if low is None:
            return ~np.broadcast_to(self._wild(address), address.shape)
        return (address - low).view(_U8) < _U8(max(size - self._site.width + 1, 0))

    def _extend(self, address: Values, low: Values, outside: Lanes) -> None:
        name, _, _ = self._where(int(low[outside][0]))
        if name is None:
            return
        offsets = (address - low)[outside]
        offsets = offsets[np.abs(offsets) <= FAR_BYTES - self._site.width]
        if not len(offsets):
            return
        old = self._extents.get(name, Extent(0, 0))
        highest = int(offsets.max()) + self._site.width
        self._extents[name] = Extent(min(old.low, int(offsets.min())), max(old.high, highest))

    def _where(self, address: int) -> tuple[str | None, int, int]:
        """Name of the object, offset in it, its size; the address itself where there is none."""
        found = self._arena.find(address)
        return (None, address, 0) if found is None else (found[0].name, found[2], found[0].size)

    def _tell(
        self,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        address: Values,
        values: tuple[Values, ...] = (),
    ) -> None:
        wave_rows = frame.wave_rows if rows is None else frame.wave_rows[rows]
        event = AccessEvent(wave_rows, lanes, self._site, address, values)
        for observer in self._observers:
            observer.access(event)
