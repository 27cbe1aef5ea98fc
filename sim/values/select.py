"""Which lanes go where, and what registers hold afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.arrays import Lanes, LaneSets, Rows, Values, lane_sets


def keep(old: Values, rows: Rows | None, lanes: Lanes | None, new: Values) -> Values:
    """The register `old` with `new` in the given rows and lanes (None: all).

    A register is written in place only through `rows`, so a full write of something that another register or the
    thread indices may share has to copy.
    """
    if rows is None:
        if lanes is not None:
            return np.where(lanes, new, old)
        result = np.empty_like(old)
        result[...] = new
        return result
    old[rows] = new if lanes is None else np.where(lanes, new, old[rows])
    return old


def adopt(old: Values, rows: Rows | None, lanes: Lanes | None, new: Values) -> Values:
    """`keep` for an array that nobody else holds."""
    if rows is None and lanes is None and new.shape == old.shape:
        return new
    return keep(old, rows, lanes, new)


def outcome(condition: Values, lanes: Lanes | None) -> tuple[bool, bool]:
    """Whether any thread goes the true way, and any the false way."""
    if lanes is None:
        count = int(np.count_nonzero(condition))
        return count > 0, count < condition.size
    count = int(np.count_nonzero(condition & lanes))
    return count > 0, count < int(np.count_nonzero(lanes))


def both(condition: Values, lanes: Lanes | None, shape: tuple[int, int]) -> tuple[Lanes, Lanes]:
    """The lanes of the two ways of a branch."""
    taken: Lanes = np.broadcast_to(condition, shape) if lanes is None else condition & lanes
    return taken, ~taken if lanes is None else lanes & ~taken


def case_lanes(
    value: Values, cases: Sequence[Sequence[Any]], lanes: Lanes | None, shape: tuple[int, int]
) -> list[Lanes]:
    """For each target the lanes whose value is one of its labels; what is left goes to the default, the last."""
    rest: Lanes = np.ones(shape, np.bool_) if lanes is None else lanes
    found: list[Lanes] = []
    for labels in cases:
        hit = np.zeros(shape, np.bool_)
        for label in labels:
            hit |= value == label
        hit &= rest
        found.append(hit)
        rest = rest & ~hit
    return [*found, rest]


def active_sets(lanes: Lanes | None, shape: tuple[int, int]) -> LaneSets:
    return lane_sets(np.ones(shape, np.bool_) if lanes is None else lanes)
