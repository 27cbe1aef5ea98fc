"""Which accesses of a run are ordered before others, by barriers; times are numbers of events.

Block barriers order everything in the block, grid barriers everything.  Split barriers (named ones and those in
memory) order who arrives in a phase before who finds it complete (`thread_clocks.py`).  `__syncwarp` orders the lanes
that met (those with equal masks), and what was ordered before them: each lane keeps the time up to which it knows the
accesses of each other lane of its warp.
Shuffles and votes order nothing (CUDA C++ Programming Guide, "Warp Shuffle Functions"; "Warp Vote Functions").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows, lanes_of
from sim.observers.race_shadow import Integers
from sim.observers.thread_clocks import ThreadClocks


@final
class HappensBefore:
    def __init__(self, warp_size: int, warps_per_block: int, blocks: int) -> None:
        self._warp_size = warp_size
        self._warps_per_block = warps_per_block
        self._first_warp = 0
        self._rows = 0
        self._grid_time = 0
        self._block_times: Integers = np.zeros(blocks, np.int64)
        self._known: NDArray[np.int64] | None = None
        """(rows, lanes, lanes): up to when the first lane knows what the second did; made at the first `__syncwarp`."""
        self._clocks: ThreadClocks | None = None
        """Made at the first arrival at a split barrier."""

    def wave(self, first_warp: int, rows: int) -> None:
        self._first_warp, self._rows = first_warp, rows
        self._known = None
        self._clocks = None

    def grid_barrier(self, time: int) -> None:
        self._grid_time = time

    def block_barrier(self, rows: Rows, time: int) -> None:
        self._block_times[(self._first_warp + rows) // self._warps_per_block] = time

    def warp_barrier(self, rows: Rows, active: LaneSets, time: int) -> None:
        if self._known is None:
            self._known = np.zeros((self._rows, self._warp_size, self._warp_size), np.int64)
        lanes = lanes_of(active, self._warp_size)
        known = self._known[rows]
        together = np.where(lanes[:, :, None], known, 0).max(axis=1)
        together[lanes] = time
        self._known[rows] = np.where(lanes[:, :, None], together[:, None, :], known)
        if self._clocks is not None:
            for row, present in zip(rows.tolist(), lanes, strict=True):
                threads = (self._first_warp + row) * self._warp_size + np.flatnonzero(present)
                if not self._clocks.share(threads):
                    self._know_block(threads, time)

    def arrive(self, barrier: int, parity: int, threads: Integers, time: int) -> None:
        """Threads of one block arrive in a phase of a split barrier."""
        if self._clocks is None:
            per_block, size = self._threads_per_block, self._warp_size
            self._clocks = ThreadClocks(per_block, self._first_warp * size, self._rows * size)
        self._clocks.arrive(barrier, parity, threads, time)
        for mates, times in self._warp_mates(threads):
            self._clocks.add(barrier, parity, mates, times)

    def end_phase(self, barrier: int, parity: int, threads: Integers, time: int) -> None:
        """Threads of one block find a phase complete."""
        if self._clocks is not None and not self._clocks.learn(barrier, parity, threads):
            self._know_block(threads, time)

    def _know_block(self, threads: Integers, time: int) -> None:
        self._block_times[threads[:1] // self._threads_per_block] = time

    @property
    def _threads_per_block(self) -> int:
        return self._warps_per_block * self._warp_size

    def last_block_barrier(self, threads: Integers) -> Integers:
        """When each thread's block met last; everything in the block is ordered before what comes after it."""
        return np.maximum(self._block_times[threads // self._threads_per_block], self._grid_time)

    def known_threads(self, threads: Integers) -> Iterator[tuple[Integers, Integers]]:
        """For each thread that met others in `__syncwarp` or at split barriers: which, and up to when it knows each."""
        yield from self._warp_mates(threads)
        if self._clocks is None:
            return
        per_block = self._threads_per_block
        for thread in threads.tolist():
            known = self._clocks.known(thread)
            if known.any():
                yield thread // per_block * per_block + np.arange(per_block), known

    def _warp_mates(self, threads: Integers) -> Iterator[tuple[Integers, Integers]]:
        if self._known is None:
            return
        for thread in threads.tolist():
            warp, lane = divmod(thread, self._warp_size)
            known = self._known[warp - self._first_warp, lane]
            if known.any():
                yield warp * self._warp_size + np.arange(self._warp_size), known

    def ordered(self, before: Integers, times: Integers, threads: Integers) -> NDArray[np.bool_]:
        """Whether what thread `before` did at its time is ordered before what `threads` do now, element by element.

        A thread is ordered after itself; nobody (-1) is ordered before nobody.
        """
        blocks = threads // self._threads_per_block
        same_block = before // self._threads_per_block == blocks
        found = (times < self._grid_time) | (same_block & (times < self._block_times[blocks]))
        if self._known is not None:
            warps = threads // self._warp_size
            in_warp = np.flatnonzero(before // self._warp_size == warps)
            rows = warps[in_warp] - self._first_warp
            lane, other = threads[in_warp] % self._warp_size, before[in_warp] % self._warp_size
            found[in_warp] |= times[in_warp] < self._known[rows, lane, other]
        if self._clocks is not None:
            inside = np.flatnonzero(same_block & ~found)
            found[inside] = self._clocks.ordered(before[inside], times[inside], threads[inside])
        return found | (before == threads)
