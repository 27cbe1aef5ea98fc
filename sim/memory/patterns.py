"""The addresses of one access for all threads of a frame, but for numbers on which all threads agree.

What does not depend on these numbers is worked out once: how far into its object each thread reaches, and where in the
arena its element lies.  A round then shifts the view of the arena instead of every address.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from sim.arrays import Lanes, Rows, Values
from sim.memory.steps import Steps, steps_of
from sim.memory.writing import write
from sim.state.frame import Frame


@final
class Pattern:
    """`addresses` where all numbers are 0, of objects of `size` bytes that start at `low`; `indices` are the indices
    that numbers are added to, each of elements of some bytes; `align` is 1 less than what the address is a multiple of.

    With `stride` these are the addresses of the first block, and each other block's lie so many bytes behind the one
    before.
    """

    def __init__(
        self,
        addresses: Values,
        low: Values,
        size: int,
        indices: Sequence[Values],
        strides: Sequence[int],
        width: int,
        align: int,
        frame: Frame,
        stride: int | None,
    ) -> None:
        self._addresses, self._low = np.asarray(addresses), low
        self._steps = steps_of(self._addresses, frame, width, stride)
        self._first, last = _ends(self._addresses, self._steps)
        if low.ndim:
            reach = self._addresses - low
            self._least, self._most = int(reach.min()), int(reach.max())
        else:
            self._least, self._most = self._first - int(low), last - int(low)
        self._by_row: tuple[Values, Values] | None = None
        """The same for each row."""
        self._room = size - width
        self._align = align
        self._ranges = [(int(np.min(index)), int(np.max(index)), *_bounds(index.dtype)) for index in indices]
        self._strides = strides
        self._is_aligned = not align or not ((addresses & align) != 0).any()
        self._blocks, self._rows, self._stride = frame.extents[0], frame.rows, stride
        self._positions: dict[int, Values] = {}
        self._steps_of_warps: dict[tuple[int, int, int], Steps | None] = {}

    def start(self, numbers: Sequence[int], rows: Rows | None, warps: slice | None) -> int | None:
        """The lowest address with these numbers; None where some address of the rows is bad, or some index wraps.
        `warps` are those of each block that the rows are, where they can be told so."""
        shift = 0
        for number, (least, most, lowest, highest), stride in zip(numbers, self._ranges, self._strides, strict=True):
            span = highest - lowest + 1
            number = (number + (span >> 1)) % span - (span >> 1)
            if least + number < lowest or most + number > highest:
                return None
            shift += number * stride
        if self._least + shift < 0 or self._most + shift > self._room:
            if rows is None or self._addresses.ndim == 0 or self._first + shift < 0:
                return None
            least, most = self._of_rows(rows if warps is None or self._stride is None else warps)
            if least + shift < 0 or most + shift > self._room:
                return None
        if self._align and (not self._is_aligned or shift & self._align):
            return None
        return self._first + shift

    def _of_rows(self, rows: Rows | slice) -> tuple[int, int]:
        """How far into their objects these rows reach, or these warps of a block: at least and at most."""
        if self._by_row is None:
            reach = np.broadcast_to(self._addresses - self._low, self._addresses.shape)
            self._by_row = reach.min(axis=1), reach.max(axis=1)
        least, most = self._by_row
        if not isinstance(rows, slice):
            rows = rows % len(least)  # of one block, if these are all alike
        return int(least[rows].min()), int(most[rows].max())

    def steps(self, rows: Rows | None, warps: slice | None) -> Steps | None:
        """Those that the rows make, if they do."""
        if rows is None or warps is None or self._steps is None:
            return self._steps if rows is None else None
        key = warps.start, warps.stop, warps.step
        if key not in self._steps_of_warps:
            self._steps_of_warps[key] = self._steps.of_warps(warps)
        return self._steps_of_warps[key]

    def positions(self, width: int, rows: Rows | None) -> Values:
        """Each thread's place behind the lowest address, in elements of `width` bytes."""
        known = self._positions.get(width)
        if known is None:
            distances = np.asarray(self._addresses - np.int64(self._first))
            if self._stride is not None and distances.ndim and distances.shape[0] * self._blocks == self._rows:
                blocks = np.arange(self._blocks)[:, None, None] * np.int64(self._stride)
                distances = (blocks + distances).reshape(-1, distances.shape[1])
            known = self._positions[width] = distances >> (width.bit_length() - 1)
        return known[rows] if rows is not None and known.ndim and known.shape[0] > 1 else known


def _ends(addresses: Values, steps: Steps | None) -> tuple[int, int]:
    """The lowest and the highest one."""
    if steps is not None and min(steps.steps) >= 0:
        return int(addresses.flat[0]), int(addresses.flat[-1])
    return int(addresses.min()), int(addresses.max())


def _bounds(kind: Any) -> tuple[int, int]:
    if kind == np.bool_:
        return 0, 1
    bounds = np.iinfo(kind)
    return int(bounds.min), int(bounds.max)


@final
class Near:
    """One access in one round: a pattern that starts at an address."""

    __slots__ = ("_pattern", "_rows", "_start", "_steps")

    def __init__(self, pattern: Pattern, start: int, rows: Rows | None, steps: Steps | None) -> None:
        self._pattern = pattern
        self._start = start
        self._rows = rows
        self._steps = steps

    def take(self, memory: Values, offset: int) -> Values:
        """What the threads read of a part at `offset`."""
        start = self._start + offset
        if self._steps is not None and self._steps.lead_to(memory, start):
            return self._steps.take(memory, start)
        return memory[start // memory.itemsize :].take(self._places(memory))

    def put(self, machine: Any, frame: Frame, memory: Values, offset: int, values: Values, lanes: Lanes | None) -> None:
        """Stores a part at `offset`."""
        start, steps = self._start + offset, self._steps
        is_view = steps is not None and not machine.watches and steps.lead_to(memory, start)
        if steps is None or not is_view or not steps.put(frame, memory, start, values, lanes):
            write(machine, frame, memory[start // memory.itemsize :], self._places(memory), values, lanes)

    def _places(self, memory: Values) -> Values:
        """Behind the lowest address."""
        return self._pattern.positions(memory.itemsize, self._rows)
