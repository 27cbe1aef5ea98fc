"""The addresses of one access for all threads of a frame, but for numbers on which all threads agree.

What does not depend on these numbers is worked out once: how far into its object each thread reaches, and where in the
arena its element lies.  A round then shifts the view of the arena instead of every address.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from sim.arrays import Lanes, Rows, Values
from sim.memory.steps import steps_of
from sim.memory.writing import write
from sim.state.frame import Frame


@final
class Pattern:
    """`addresses` where all numbers are 0, of objects of `size` bytes that start at `low`; `indices` are the indices
    that numbers are added to, each of elements of some bytes; `align` is 1 less than what the address is a multiple of;
    `extents` are those of the threads of all blocks.
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
        extents: tuple[int, ...],
    ) -> None:
        reach = np.asarray(addresses - low)
        self._least, self._most = int(reach.min()), int(reach.max())
        self._by_row = (reach.min(axis=1), reach.max(axis=1)) if reach.ndim and reach.shape[0] > 1 else None
        """The same for each row."""
        self._room = size - width
        self._align = align
        self._ranges = [(int(np.min(index)), int(np.max(index)), *_bounds(index.dtype)) for index in indices]
        self._strides = strides
        self._first = int(np.min(addresses))
        self._distances = np.asarray(addresses - np.int64(self._first))
        self._is_aligned = not align or not ((addresses & align) != 0).any()
        self.steps = steps_of(self._distances, extents, width)
        self._positions: dict[int, Values] = {}

    def start(self, numbers: Sequence[int], rows: Rows | None) -> int | None:
        """The lowest address with these numbers; None where some address of the rows is bad, or some index wraps."""
        shift = 0
        for number, (least, most, lowest, highest), stride in zip(numbers, self._ranges, self._strides, strict=True):
            span = highest - lowest + 1
            number = (number + (span >> 1)) % span - (span >> 1)
            if least + number < lowest or most + number > highest:
                return None
            shift += number * stride
        if self._least + shift < 0 or self._most + shift > self._room:
            if rows is None or self._by_row is None or self._first + shift < 0:
                return None
            least, most = self._by_row
            if int(least[rows].min()) + shift < 0 or int(most[rows].max()) + shift > self._room:
                return None
        if self._align and (not self._is_aligned or shift & self._align):
            return None
        return self._first + shift

    def positions(self, width: int, rows: Rows | None) -> Values:
        """Each thread's place behind the lowest address, in elements of `width` bytes."""
        known = self._positions.get(width)
        if known is None:
            known = self._positions[width] = self._distances >> (width.bit_length() - 1)
        return known[rows] if rows is not None and known.ndim and known.shape[0] > 1 else known


def _bounds(kind: Any) -> tuple[int, int]:
    if kind == np.bool_:
        return 0, 1
    bounds = np.iinfo(kind)
    return int(bounds.min), int(bounds.max)


@final
class Near:
    """One access in one round: a pattern that starts at an address."""

    __slots__ = ("_pattern", "_rows", "_shape", "_start")

    def __init__(self, pattern: Pattern, start: int, rows: Rows | None, shape: tuple[int, int]) -> None:
        self._pattern = pattern
        self._shape = shape
        self._start = start
        self._rows = rows

    def take(self, memory: Values, offset: int) -> Values:
        """What the threads read of a part at `offset`."""
        start, steps = self._start + offset, self._pattern.steps
        if steps is not None and self._rows is None:
            return steps.view(memory, start).copy().reshape(self._shape)
        return memory[start // memory.itemsize :].take(self._places(memory))

    def put(self, machine: Any, frame: Frame, memory: Values, offset: int, values: Values, lanes: Lanes | None) -> None:
        """Stores a part at `offset`."""
        start, steps = self._start + offset, self._pattern.steps
        if (
            steps is None
            or self._rows is not None
            or machine.watches
            or not steps.put(frame, memory, start, values, lanes)
        ):
            write(machine, frame, memory[start // memory.itemsize :], self._places(memory), values, lanes)

    def _places(self, memory: Values) -> Values:
        """Behind the lowest address."""
        return self._pattern.positions(memory.itemsize, self._rows)
