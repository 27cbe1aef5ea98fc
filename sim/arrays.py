"""The array types of the simulator, and sets of lanes as bits.

A *row* is one resident warp; a *lane set* is one unsigned 64-bit integer per row whose bit `i` stands for lane `i`.
Values of threads are arrays of shape (rows, lanes), or (rows, 1) or () where all lanes, or all threads, agree.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast

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


def lane_sets(lanes: Lanes) -> LaneSets:
    """Bits from booleans: (rows, width <= 64) to (rows,)."""
    rows, width = lanes.shape
    if width < 64:
        padded = np.zeros((rows, 64), np.bool_)
        padded[:, :width] = lanes
        lanes = padded
    return np.packbits(lanes, axis=1, bitorder="little").view(np.uint64)[:, 0]


def lanes_of(sets: LaneSets, width: int) -> Lanes:
    """Booleans from bits: (rows,) to (rows, width)."""
    octets = np.ascontiguousarray(sets).view(np.uint8).reshape(len(sets), 8)
    return np.unpackbits(octets, axis=1, count=width, bitorder="little").view(np.bool_)


def population(sets: LaneSets) -> NDArray[np.uint8]:
    """How many lanes each set has."""
    return np.bitwise_count(sets)
