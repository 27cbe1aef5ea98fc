"""The array types of the simulator, and sets of lanes as bits.

A *row* is one resident warp; a *lane set* is one unsigned 64-bit integer per row whose bit `i` stands for lane `i`.
Values of threads are arrays of shape (rows, lanes), or (rows, 1) or () where all lanes, or all threads, agree.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, cast, final

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[Any]
"""One value per thread; an array or a NumPy scalar that broadcasts to (rows, lanes)."""
Lanes: TypeAlias = NDArray[np.bool_]
"""(rows, lanes): which threads are meant."""
LaneSets: TypeAlias = NDArray[np.uint64]
"""(rows,): the same as bits."""
Rows: TypeAlias = NDArray[np.intp]
"""(rows,): indices of resident warps, ascending."""


def scalar(number: np.generic) -> Values:
    """A NumPy scalar where values are expected: it has the members that are used, and broadcasts."""
    return cast("Values", number)


_WORDS: Final[dict[int, Any]] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
"""Sets of so many lanes fill a word: all are packed at once, a tenth of the time that row by row takes."""


def lane_sets(lanes: Lanes) -> LaneSets:
    """Bits from booleans: (rows, width <= 64) to (rows,)."""
    rows, width = lanes.shape
    if width not in _WORDS:
        padded = np.zeros((rows, 64), np.bool_)
        padded[:, :width] = lanes
        lanes, width = padded, 64
    return np.packbits(lanes.reshape(-1), bitorder="little").view(_WORDS[width]).astype(np.uint64, copy=False)


def lanes_of(sets: LaneSets, width: int) -> Lanes:
    """Booleans from bits: (rows,) to (rows, width)."""
    if width in _WORDS:
        octets = sets.astype(_WORDS[width]).view(np.uint8)
        return np.unpackbits(octets, bitorder="little").reshape(-1, width).view(np.bool_)
    octets = np.ascontiguousarray(sets).view(np.uint8).reshape(len(sets), 8)
    return np.unpackbits(octets, axis=1, count=width, bitorder="little").view(np.bool_)


def chosen(values: Values, lanes: Lanes) -> Values:
    """`values` of these lanes, row by row: what indexing with `lanes` gives, whatever their pattern at one speed."""
    return members(values, np.flatnonzero(lanes), lanes.shape)


def members(values: Values, positions: NDArray[np.intp], shape: tuple[int, int]) -> Values:
    """`values` of the threads at these positions, counted row by row."""
    if values.shape == shape:
        return values.take(positions)
    if values.ndim and values.shape[1] == 1:
        return values.reshape(-1).take(positions // shape[1])
    return np.broadcast_to(values, shape).take(positions)


@final
class Chooser:
    """`np.where(lanes, new, old)` of one type, and the positions of lanes, again and again for the same lanes.

    Where lanes are mixed, a processor guesses wrong at every other element of `np.where`; bits do not depend on that.
    """

    __slots__ = ("_lanes", "_masks", "_positions")

    def __init__(self) -> None:
        self._lanes: Lanes | None = None
        self._masks: dict[int, Values] = {}
        self._positions: NDArray[np.intp] | None = None

    def positions(self, lanes: Lanes) -> NDArray[np.intp]:
        """Where the threads of these lanes stand, counted row by row."""
        self._turn_to(lanes)
        if self._positions is None:
            self._positions = np.flatnonzero(lanes)
        return self._positions

    def _turn_to(self, lanes: Lanes) -> None:
        if lanes is not self._lanes:
            self._lanes, self._masks, self._positions = lanes, {}, None

    def choose(self, lanes: Lanes, new: Values, old: Values) -> Values:
        size = old.dtype.itemsize
        if lanes.size < _MANY or new.dtype != old.dtype or size not in _MASKS:
            return np.where(lanes, new, old)
        if old.dtype == np.bool_:
            return old ^ ((old ^ new) & lanes)
        self._turn_to(lanes)
        mask = self._masks.get(size)
        if mask is None:
            mask = self._masks[size] = np.negative(lanes.view(np.int8)).astype(_MASKS[size], copy=False)
        before = np.asarray(old).view(mask.dtype)
        result = np.bitwise_xor(np.asarray(new).view(mask.dtype), before)
        if result.shape == mask.shape:
            result &= mask
        else:
            result = result & mask
        result ^= before
        return result.view(old.dtype)


_MANY: Final = 2048
_MASKS: Final[dict[int, Any]] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def population(sets: LaneSets) -> NDArray[np.uint8]:
    """How many lanes each set has."""
    return np.bitwise_count(sets)
