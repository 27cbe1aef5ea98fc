"""Shuffles, votes, matches and reductions among the lanes of a warp, and reductions over blocks.

`lanes` are the lanes that take part (None: all), `named` the mask operand: the lanes that a lane asked for.
Shapes are (rows, width); `shape` says it where an operand is a scalar.

A shuffle from a lane that takes no part is undefined; it gives 0, as an NVIDIA H200 was seen to do.
Source    PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sim.arrays import Lanes, Rows, Values

if TYPE_CHECKING:
    from sim.state.frame import Frame

Shape = tuple[int, int]


def _segments(width: Values, shape: Shape) -> tuple[Values, Values, Values]:
    """Each lane's number, the first lane of its segment and its last."""
    lane = np.arange(shape[1], dtype=np.int64)[None, :]
    size = np.clip(np.asarray(width).astype(np.int64), 1, shape[1])
    first = lane - lane % size
    return lane, first, first + size - 1


def shuffle_idx(source: Values, width: Values, shape: Shape) -> Values:
    """The lane to read from: a lane of the own segment."""
    _, first, last = _segments(width, shape)
    return first + np.asarray(source).astype(np.int64) % (last - first + 1)


def shuffle_up(delta: Values, width: Values, shape: Shape) -> Values:
    lane, first, _ = _segments(width, shape)
    source = lane - _in_warp(delta, shape)
    return np.where(source < first, lane, source)


def shuffle_down(delta: Values, width: Values, shape: Shape) -> Values:
    lane, _, last = _segments(width, shape)
    source = lane + _in_warp(delta, shape)
    return np.where(source > last, lane, source)


def shuffle_xor(bits: Values, width: Values, shape: Shape) -> Values:
    """A source in a later segment is refused, one in an earlier segment is read: that is how PTX defines it."""
    lane, _, last = _segments(width, shape)
    source = lane ^ _in_warp(bits, shape)
    return np.where(source > last, lane, source)


def _in_warp(operand: Values, shape: Shape) -> Values:
    """Of a distance as many bits count as a lane's number has: one of 33 is one of 1."""
    return np.asarray(operand).astype(np.int64) & (shape[1] - 1)


def take_lanes(values: Values, source: Values, lanes: Lanes | None, shape: Shape) -> Values:
    """A source outside of the warp, which only an illegal width leads to, is taken round."""
    inside = np.broadcast_to(source, shape) % shape[1]
    taken = np.take_along_axis(np.broadcast_to(values, shape), inside, axis=1)
    if lanes is None:
        return taken
    return np.where(np.take_along_axis(lanes, inside, axis=1), taken, taken.dtype.type(0))


# -- votes ------------------------------------------------------------------------------------------------------------


def _present(lanes: Lanes | None, shape: Shape) -> Lanes:
    return np.ones(shape, np.bool_) if lanes is None else lanes


def _bits(lanes: Lanes) -> Values:
    """(rows,) sets of lanes."""
    weights = np.uint64(1) << np.arange(lanes.shape[1], dtype=np.uint64)
    return np.where(lanes, weights, np.uint64(0)).sum(axis=1, dtype=np.uint64)


def _asked(named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    """For each lane the set of lanes that count: those that are named and take part."""
    present = _bits(_present(lanes, shape))[:, None]
    if named is None:
        return np.broadcast_to(present, shape)
    return np.broadcast_to(named, shape).astype(np.uint64) & present


def vote_ballot(truth: Values, named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    yes = _bits(np.broadcast_to(truth, shape) & _present(lanes, shape))[:, None]
    return yes & _asked(named, lanes, shape)


def vote_any(truth: Values, named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    return vote_ballot(truth, named, lanes, shape) != 0


def vote_all(truth: Values, named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    return vote_ballot(truth, named, lanes, shape) == _asked(named, lanes, shape)


def vote_uni(truth: Values, named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    """Whether all of them say the same."""
    yes = vote_ballot(truth, named, lanes, shape)
    return (yes == 0) | (yes == _asked(named, lanes, shape))


# -- matches and reductions -------------------------------------------------------------------------------------------


def _equal_pairs(values: Values, shape: Shape) -> Lanes:
    """(rows, width, width): which lanes hold the same bits."""
    whole = np.ascontiguousarray(np.broadcast_to(values, shape))
    if whole.dtype.kind == "f":
        whole = whole.view(f"u{whole.dtype.itemsize}")
    return whole[:, :, None] == whole[:, None, :]


def match_any(values: Values, named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    weights = np.uint64(1) << np.arange(shape[1], dtype=np.uint64)
    same = np.where(_equal_pairs(values, shape), weights, np.uint64(0)).sum(axis=2, dtype=np.uint64)
    return same & _asked(named, lanes, shape)


def match_all(values: Values, named: Values | None, lanes: Lanes | None, shape: Shape) -> Values:
    """The mask where all named lanes agree, else 0."""
    asked = _asked(named, lanes, shape)
    return np.where(match_any(values, named, lanes, shape) == asked, asked, np.uint64(0))


_REDUCTIONS: Final[dict[str, np.ufunc]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def warp_reduce(operator: str, values: Values, named: Values, lanes: Lanes | None, shape: Shape) -> Values:
    """Lane by lane from 0 up, over the named lanes that take part."""
    ufunc = _REDUCTIONS[operator]
    asked = _asked(named, lanes, shape)
    whole = np.broadcast_to(values, shape)
    result = np.array(whole)
    started = np.zeros(shape, np.bool_)
    for lane in range(shape[1]):
        member = (asked >> np.uint64(lane) & np.uint64(1)) != 0
        value = whole[:, lane : lane + 1]
        result = np.where(member, np.where(started, ufunc(result, value), value), result)
        started |= member
    return result


# -- over the block ---------------------------------------------------------------------------------------------------


def _per_block(
    truth: Values, frame: Frame, rows: Rows | None, lanes: Lanes | None, shape: Shape
) -> tuple[Values, Values]:
    """For each row how many threads of its block say yes, and how many are asked."""
    present = _present(lanes, shape)
    yes = (np.broadcast_to(truth, shape) & present).sum(axis=1)
    slots = frame.block_slot[:, 0] if rows is None else frame.block_slot[rows, 0]
    blocks = int(slots.max()) + 1
    count = np.bincount(slots, weights=yes, minlength=blocks)
    asked = np.bincount(slots, weights=present.sum(axis=1), minlength=blocks)
    return count[slots][:, None], asked[slots][:, None]


def block_count(truth: Values, frame: Frame, rows: Rows | None, lanes: Lanes | None, shape: Shape) -> Values:
    return _per_block(truth, frame, rows, lanes, shape)[0].astype(np.int64)


def block_and(truth: Values, frame: Frame, rows: Rows | None, lanes: Lanes | None, shape: Shape) -> Values:
    yes, asked = _per_block(truth, frame, rows, lanes, shape)
    return yes == asked


def block_or(truth: Values, frame: Frame, rows: Rows | None, lanes: Lanes | None, shape: Shape) -> Values:
    return _per_block(truth, frame, rows, lanes, shape)[0] > 0
