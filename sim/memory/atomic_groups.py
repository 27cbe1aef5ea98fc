"""Many threads that fight for one address: their old values, one thread after the other, without a step for each.

add, sub    floating-point sums are rounded after each thread, as an accumulation does
inc, dec    with one limit for all, the values go round in a cycle
cas         between two swaps that change something nothing happens: the next one is looked up
else        thread by thread
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from sim.arrays import Values
from sim.state.deadline import Deadline

Round: TypeAlias = Callable[[Values], Values]


def old_values(
    operator: str, first: Values, operands: list[Values], deadline: Deadline, rounded: Round | None
) -> tuple[Values, Any]:
    """What each thread of a group saw, and what the last one left; `first` is memory's value, (1,).

    `rounded` makes new values what memory can hold; None where NumPy's arithmetic does that already.
    """
    value = operands[0]
    match operator:
        case "add" | "sub" if rounded is None:
            return _sums(first, value if operator == "add" else np.negative(value))
        case "inc" | "dec" if first.dtype == np.uint32 and (value == value[0]).all():
            return _cycle(operator, int(first[0]), int(value[0]), len(value))
        case "cas":
            return _swaps(first, value, operands[1], deadline)
        case _:
            return _one_by_one(operator, first, operands, deadline, rounded)


def _sums(first: Values, change: Values) -> tuple[Values, Any]:
    sums = np.add.accumulate(np.concatenate((first, change.astype(first.dtype))), dtype=first.dtype)
    return sums[:-1], sums[-1]


def _cycle(operator: str, first: int, limit: int, count: int) -> tuple[Values, Any]:
    """Values from `first` on, which may lie above the limit and enters the cycle of 0 to `limit` then."""
    period = limit + 1
    if operator == "inc":
        start, step = (first, 1) if first <= limit else (-1, 1)
    else:
        start, step = (first, -1) if first <= limit else (limit + 1, -1)
    values = ((start + step * np.arange(count + 1)) % period).astype(np.uint32)
    values[0] = first
    return values[:-1], values[-1]


def _swaps(first: Values, expected: Values, value: Values, deadline: Deadline) -> tuple[Values, Any]:
    """Compared as bits."""
    bits = np.dtype(f"u{first.dtype.itemsize}")
    wanted, new = (np.ascontiguousarray(one, first.dtype).view(bits) for one in (expected, value))
    places: dict[int, list[int]] = {}
    changing = np.flatnonzero(wanted != new)
    for place, number in zip(changing.tolist(), wanted[changing].tolist(), strict=True):
        places.setdefault(number, []).append(place)
    current = int(first.view(bits)[0])
    swapped, values = [0], [current]
    """From the thread of this position on, each sees this value."""
    while True:
        deadline.check()
        found = places.get(current, [])
        index = bisect_left(found, swapped[-1])
        if index == len(found):
            break
        current = int(new[found[index]])
        swapped.append(found[index] + 1)
        values.append(current)
    seen = np.repeat(np.array(values, bits), np.diff([*swapped, len(value)])).view(first.dtype)
    return seen, np.array([current], bits).view(first.dtype)[0]


def _one_by_one(
    operator: str, first: Values, operands: list[Values], deadline: Deadline, rounded: Round | None
) -> tuple[Values, Any]:
    combine = COMBINE[operator]
    old = np.empty(len(operands[0]), first.dtype)
    current = first
    for index in range(len(old)):
        deadline.check()
        old[index] = current[0]
        current = combine(current, *(operand[index : index + 1] for operand in operands))
        current = current if rounded is None else rounded(current)
    return old, current[0]


def _add(old: Values, value: Values) -> Values:
    return old + value


def _subtract(old: Values, value: Values) -> Values:
    return old - value


def _compare_and_swap(old: Values, expected: Values, value: Values) -> Values:
    same = old.view(f"u{old.dtype.itemsize}") == np.ascontiguousarray(expected).view(f"u{old.dtype.itemsize}")
    return np.where(same, value, old)


def _increment(old: Values, limit: Values) -> Values:
    return (old + old.dtype.type(1)) * (old < limit)


def _decrement(old: Values, limit: Values) -> Values:
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


COMBINE: Final[dict[str, Any]] = {
    "add": _add,
    "sub": _subtract,
    "min": np.fmin,
    "max": np.fmax,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "cas": _compare_and_swap,
    "inc": _increment,
    "dec": _decrement,
}
"""The new value, element by element, from the old one and the operands."""
