"""Small helpers for splits and for tables that grow."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.protocol import Split

_Number = TypeVar("_Number", bound=np.generic)


def taken_ways(split: Split) -> list[tuple[int, LaneSets]]:
    """The targets that a lane of some row goes to."""
    return [(target, lanes) for target, lanes in split if np.count_nonzero(lanes)]


def ways_per_row(ways: Split, rows: int) -> NDArray[np.intp]:
    """(rows,): to how many of the targets lanes of each row go."""
    count = np.zeros(rows, np.intp)
    for _, lanes in ways:
        count += lanes != 0
    return count


def doubled(table: NDArray[_Number]) -> NDArray[_Number]:
    """The table with as many empty (zero) lines below it."""
    return np.concatenate([table, np.zeros_like(table)])


def where(flags: NDArray[np.bool_]) -> Rows:
    """Their positions; to take these costs a third of indexing with the flags."""
    return flags.nonzero()[0]
