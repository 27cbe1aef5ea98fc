"""Atomic operations: all threads of a group, in the order of rows and lanes.

Threads are sorted by address, stably.  Where the old values follow from a prefix sum they are computed at once;
otherwise the k-th thread of every address runs in round k, and an address that many threads fight for is run one
thread after the other.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sim.arrays import Lanes, Values
from sim.memory.arena import Arena
from sim.values.floats import bfloat16_bits, bfloat16_from_bits, to_bfloat16


def atomic(
    machine: Any,
    operator: str,
    kind: str,
    address: Values,
    lanes: Lanes | None,
    shape: tuple[int, int],
    *arguments: Values,
) -> Values:
    """The old values; (rows, lanes), zero where a lane took no part."""
    arena: Arena = machine.arena
    stored = "u2" if kind == "bf" else kind
    view: Values = getattr(arena, stored)
    present = np.ones(shape, np.bool_) if lanes is None else lanes
    at = np.broadcast_to(address, shape)[present] >> (view.dtype.itemsize.bit_length() - 1)
    values = [np.broadcast_to(argument, shape)[present] for argument in arguments]
    held: Any = np.float32 if kind == "bf" else view.dtype
    old = np.zeros(shape, held)
    if len(at):
        before = None if not machine.watches else view[at].copy()
        old[present] = _run(view, operator, kind, at, values)
        if before is not None:
            machine.note_change(bool((view[at] != before).any()))
    return old


def _run(view: Values, operator: str, kind: str, at: Values, values: list[Values]) -> Values:
    order = np.argsort(at, kind="stable")
    sorted_at = at[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_at[1:] != sorted_at[:-1])))
    lengths = np.diff(np.append(starts, len(at)))
    operands = [value[order] for value in values]
    if operator == "load":
        found = _load(view, kind, sorted_at)
    elif operator in ("add", "sub") and view.dtype.kind in "iu" and kind != "bf":
        found = _prefix_sums(view, operator, sorted_at, starts, lengths, operands[0])
    else:
        found = _rounds(view, operator, kind, sorted_at, starts, lengths, operands)
    result = np.empty_like(found)
    result[order] = found
    return result


def _load(view: Values, kind: str, at: Values) -> Values:
    found = view[at]
    return bfloat16_from_bits(found) if kind == "bf" else found


def _prefix_sums(view: Values, operator: str, at: Values, starts: Values, lengths: Values, value: Values) -> Values:
    """Integer sums wrap, so the old value is the first one plus what came before."""
    change = value if operator == "add" else np.negative(value)
    total = np.cumsum(change, dtype=view.dtype)
    before = total - change
    old = view[at] + before - np.repeat(before[starts], lengths)
    ends = starts + lengths - 1
    view[at[starts]] = old[ends] + change[ends]
    return old


def _rounds(
    view: Values, operator: str, kind: str, at: Values, starts: Values, lengths: Values, operands: list[Values]
) -> Values:
    old = np.empty(len(at), np.float32 if kind == "bf" else view.dtype)
    combine = _COMBINE[operator]
    targets = at[starts]
    current = _load(view, kind, targets)
    for step in range(int(lengths.max())):
        running = np.flatnonzero(lengths > step)
        index = starts[running] + step
        seen = current[running]
        old[index] = seen
        new = combine(seen, *(operand[index] for operand in operands))
        current[running] = to_bfloat16(new) if kind == "bf" else new
    view[targets] = bfloat16_bits(current) if kind == "bf" else current
    return old


def _add(old: Values, value: Values) -> Values:
    return old + value


def _subtract(old: Values, value: Values) -> Values:
    return old - value


def _exchange(old: Values, value: Values) -> Values:
    return value


def _compare_and_swap(old: Values, expected: Values, value: Values) -> Values:
    same = old.view(f"u{old.dtype.itemsize}") == np.ascontiguousarray(expected).view(f"u{old.dtype.itemsize}")
    return np.where(same, value, old)


def _increment(old: Values, limit: Values) -> Values:
    return (old + old.dtype.type(1)) * (old < limit)


def _decrement(old: Values, limit: Values) -> Values:
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


_COMBINE: Final[dict[str, Any]] = {
    "add": _add,
    "sub": _subtract,
    "min": np.fmin,
    "max": np.fmax,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": _exchange,
    "store": _exchange,
    "cas": _compare_and_swap,
    "inc": _increment,
    "dec": _decrement,
}
