"""Whose turn it is among the lanes of a warp."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets

_ONE: Final = np.uint64(1)
_LAST_BIT: Final = np.uint64(63)


def next_member(lanes: LaneSets, after: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(rows,): the first lane of the set after the lane `after`, in a circle; an arbitrary lane for an empty set."""
    shift = (after + _ONE) & _LAST_BIT
    turned = (lanes >> shift) | (lanes << ((_LAST_BIT - after) & _LAST_BIT))
    lowest = turned & (~turned + _ONE)
    return (np.bitwise_count(lowest - _ONE).astype(np.uint64) + shift) & _LAST_BIT
