"""Do all threads of a group see the same in one dynamic instance?  Kept as hashes, so that nothing is looked up.

What a thread sees is one 64-bit number; the instance and the group together are another.  Two entries with the same
key must have the same number.  Two keys share a hash once in 2^64, which is never at these sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import Lanes, Values

Words = NDArray[np.uint64]

_COMPACT_AT: Final = 1 << 18


def mixed(words: Words) -> Words:
    """A bijection of 64-bit words that spreads every bit (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def joined(keys: Words, groups: Words) -> Words:
    """One key from the instance and the group."""
    return mixed(keys + mixed(groups + np.uint64(0x9E3779B97F4A7C15)))


@final
@dataclass(frozen=True, slots=True)
class Conflict:
    """Two threads, by their linear number in the grid, and what each saw."""

    threads: tuple[int, int]
    seen: tuple[int, int]


@final
@dataclass(slots=True)
class Agreement:
    """What the threads saw so far of one thing."""

    entries: int = 0
    conflict: Conflict | None = None
    _pending: list[tuple[Words, Words, Words]] = field(default_factory=list[tuple[Words, Words, Words]])
    _size: int = 0

    def note(self, keys: Words, seen: Words, threads: Words, lanes: Lanes) -> None:
        """Arrays of (rows, lanes); only what differs within a row is kept for each lane."""
        first = lanes.argmax(axis=1)
        rows = np.arange(len(lanes))
        some = lanes[rows, first]
        own_key, own_seen = keys[rows, first], seen[rows, first]
        other = lanes & ((keys != own_key[:, None]) | (seen != own_seen[:, None]))
        self._pending.append((own_key[some], own_seen[some], threads[rows, first][some]))
        self._size += int(np.count_nonzero(some))
        if other.any():
            self._pending.append((keys[other], seen[other], threads[other]))
            self._size += int(np.count_nonzero(other))
        if self._size > _COMPACT_AT:
            self.settle()

    def settle(self) -> None:
        """Looks for a conflict and forgets repetitions."""
        if not self._pending:
            return
        keys, seen, threads = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        order = np.argsort(keys, kind="stable")
        keys, seen, threads = keys[order], seen[order], threads[order]
        same = keys[1:] == keys[:-1]
        differing = np.flatnonzero(same & (seen[1:] != seen[:-1]))
        if len(differing) and self.conflict is None:
            at = differing[0]
            self.conflict = Conflict((int(threads[at]), int(threads[at + 1])), (int(seen[at]), int(seen[at + 1])))
        kept = np.concatenate([np.ones(min(1, len(keys)), np.bool_), ~same])
        self._pending = [(keys[kept], seen[kept], threads[kept])]
        self.entries = self._size = int(np.count_nonzero(kept))


@final
@dataclass(slots=True)
class Attendance:
    """How many threads of each group came to each instance of one block."""

    groups: int = 0
    missing: tuple[int, int, int] | None = None
    """A thread that came, how many of its group came, how many there are."""
    _pending: list[tuple[Words, Words, Words, Words]] = field(default_factory=list[tuple[Words, Words, Words, Words]])
    _size: int = 0

    def note(self, keys: Words, expected: Words, threads: Words, lanes: Lanes) -> None:
        """`keys` and `threads` (rows, lanes); `expected` (rows,): the size of the group."""
        first = lanes.argmax(axis=1)
        rows = np.arange(len(lanes))
        own_key = keys[rows, first]
        other = lanes & (keys != own_key[:, None])
        count = np.count_nonzero(lanes & ~other, axis=1).astype(np.uint64)
        self._pending.append((own_key, count, expected, threads[rows, first]))
        self._size += len(own_key)
        if other.any():
            at = np.nonzero(other)
            self._pending.append((keys[at], np.ones(len(at[0]), np.uint64), expected[at[0]], threads[at]))
            self._size += len(at[0])
        if self._size > _COMPACT_AT:
            self._sum()

    def settle(self) -> None:
        """To be called once all threads have ended."""
        if not self._pending:
            return
        self._sum()
        _, counts, expected, threads = self._pending[0]
        self.groups = len(counts)
        short = np.flatnonzero(counts != expected)
        if len(short):
            at = short[0]
            self.missing = int(threads[at]), int(counts[at]), int(expected[at])

    def _sum(self) -> None:
        keys, counts, expected, threads = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        found, first, place = np.unique(keys, return_index=True, return_inverse=True)
        sums = np.bincount(place, weights=counts.astype(np.float64), minlength=len(found)).astype(np.uint64)
        self._pending = [(found, sums, expected[first], threads[first])]
        self._size = len(found)


def as_words(values: Values) -> Words:
    """Numbers as 64-bit words: signed ones with their sign, floating-point ones by their bits; every NaN is one."""
    match values.dtype.kind:
        case "b" | "u":
            return values.astype(np.uint64)
        case "i":
            return values.astype(np.int64).view(np.uint64)
        case _:
            values = np.where(np.isnan(values), values.dtype.type(np.nan), values)  # no machine promises its sign
            return np.ascontiguousarray(values).view(np.dtype(f"u{values.itemsize}")).astype(np.uint64)
