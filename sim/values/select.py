"""Which lanes go where, and what registers hold afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.arrays import Lanes, LaneSets, Rows, Values, lane_sets

if TYPE_CHECKING:
    from sim.state.frame import Frame


def at(register: Values, rows: Rows) -> Values:
    """What a register holds in these rows: a scalar where all threads agree."""
    return register[rows] if register.ndim else register


def keep(frame: Frame, old: Values, rows: Rows | None, lanes: Lanes | None, new: Values) -> Values:
    """The register `old` with `new` in the given rows and lanes (None: all).

    A register is as wide as its values differ: a scalar, (rows, 1) or (rows, lanes).  It is written in place only
    through `rows`, so an array that another register or the thread indices share is marked in `frame.shared`.
    """
    if rows is None and lanes is None and new.ndim and new.shape[0] == frame.rows:
        frame.share(new)
    return _written(frame, old, rows, lanes, new)


def adopt(frame: Frame, old: Values, rows: Rows | None, lanes: Lanes | None, new: Values) -> Values:
    """`keep` for an array that nobody else holds."""
    return new if rows is None and lanes is None and new.ndim == 0 else _written(frame, old, rows, lanes, new)


def _written(frame: Frame, old: Values, rows: Rows | None, lanes: Lanes | None, new: Values) -> Values:
    if rows is None:
        if lanes is not None:
            return frame.chooser.choose(lanes, new, old)
        if new.ndim == 0:
            return new
        if new.shape[0] == frame.rows:
            return new
        result = np.empty((frame.rows, new.shape[1]), new.dtype)
        result[...] = new
        return result
    width = frame.width if lanes is not None or (new.ndim and new.shape[1] > 1) else 1
    if not old.ndim or old.shape[1] < width:
        wide = np.empty((frame.rows, width), old.dtype)
        wide[...] = old
        old = wide
    elif old.base is not None or id(old) in frame.shared:
        old = old.copy()
    old[rows] = new if lanes is None else frame.chooser.choose(lanes, new, old[rows])
    return old


def outcome(condition: Values, lanes: Lanes | None) -> tuple[bool, bool]:
    """Whether any thread goes the true way, and any the false way."""
    if lanes is None:
        count = int(np.count_nonzero(condition))
        return count > 0, count < condition.size
    count = int(np.count_nonzero(condition & lanes))
    return count > 0, count < int(np.count_nonzero(lanes))


def taken_lanes(condition: Values, lanes: Lanes | None, shape: tuple[int, int]) -> Lanes:
    """The lanes of the true way of a branch."""
    if lanes is not None:
        return condition & lanes
    return condition if condition.shape == shape else np.broadcast_to(condition, shape)


def other_lanes(taken: Lanes, lanes: Lanes | None) -> Lanes:
    """Those of the false way."""
    return ~taken if lanes is None else lanes & ~taken


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
