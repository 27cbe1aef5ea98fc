"""Which accesses fences and strong operations order: last-block-done counters, look-back flags, spin locks.

A thread *releases* when it writes a place with an atomic or volatile operation after a fence, and *acquires* when it
reads that place in the same way later in the run.  What is ordered before the fence is then ordered before what comes
after the acquisition:

    partial[b] = x;  __threadfence();  atomicAdd(&done, 1)   ->   if (atomicAdd(&done, 1) == last) ... partial[...]

What a release publishes   The thread's own accesses up to its fence; those of its block up to the last block barrier
           before the fence; those of its warp that `__syncwarp` ordered; and all that its block had acquired.
Who acquires   The thread at once, its warp after `__syncwarp`, its block after a block barrier.
Scopes     A fence for the block orders threads of one block only.
Generous   No fence is asked for after the read, as programs rely on the dependency.  Between two threads of a block it
           may count a fence of one for the other's release.  With more than `MAX_BLOCKS` blocks or `MAX_PLACES` places
           any release is taken for one of what is read.  All three hide races, none invents one.
Source     PTX ISA, "Memory Consistency Model", release and acquire patterns, causality order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.types import MemorySpace
from sim.observers.happens_before import HappensBefore
from sim.observers.race_shadow import Integers

MAX_BLOCKS: Final = 1024
MAX_PLACES: Final = 4096

_DEVICE, _BLOCK = 0, 1


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """Per block: everything before `barrier` is published; before `own` what its threads published themselves."""

    barrier: Integers
    own: Integers

    @classmethod
    def none(cls, *shape: int) -> Limits:
        return cls(np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def raise_to(self, block: int, barrier: int, own: int) -> None:
        self.barrier[block] = max(self.barrier[block], barrier)
        self.own[block] = max(self.own[block], own)


@final
@dataclass(frozen=True, slots=True)
class _Clock:
    """What was released at one place: to everybody, and within each block."""

    everybody: Limits
    in_block: Limits


@final
class ReleaseOrder:
    """Fed with fences and strong operations in the order of the run; `order` knows the barriers."""

    def __init__(self, order: HappensBefore, threads_per_block: int, blocks: int) -> None:
        self._order = order
        self._per_block = threads_per_block
        self._blocks = blocks
        threads = threads_per_block * blocks
        self._fence: Integers = np.zeros((2, threads), np.int64)
        self._barrier_at_fence: Integers = np.zeros((2, threads), np.int64)
        self._published: Integers = np.zeros(threads, np.int64)
        """Up to when a thread's own accesses were released, by itself or by a lane of its warp that knew them."""
        self._acquired: Integers = np.zeros(threads, np.int64)
        self._clocks: dict[tuple[MemorySpace, int], _Clock] = {}
        tracked = blocks if blocks <= MAX_BLOCKS else 0
        self._is_exact = tracked > 0
        self._by_thread = Limits.none(tracked, tracked)
        """(block, other block): what some thread of the block acquired about the other."""
        self._by_block = Limits.none(tracked, tracked)
        """The same, known to the whole block."""

    def forget_shared(self) -> None:
        """Other blocks live where the shared memory of the last ones was."""
        self._clocks = {place: clock for place, clock in self._clocks.items() if place[0] is not MemorySpace.SHARED}

    def fence(self, threads: Integers, time: int, *, is_device: bool) -> None:
        barriers = self._order.last_block_barrier(threads)
        for scope in (_DEVICE, _BLOCK) if is_device else (_BLOCK,):
            self._fence[scope, threads] = time
            self._barrier_at_fence[scope, threads] = barriers

    def block_barrier(self, blocks: Integers) -> None:
        acquired = self._acquired.reshape(self._blocks, self._per_block)
        acquired[blocks] = acquired[blocks].max(axis=1, keepdims=True)
        if self._is_exact:
            self._by_block.barrier[blocks] = self._by_thread.barrier[blocks]
            self._by_block.own[blocks] = self._by_thread.own[blocks]

    def warp_barrier(self, lanes: NDArray[np.bool_], threads: Integers) -> None:
        """`lanes` and `threads` are (rows, warp size): what one of the lanes acquired, all know."""
        latest = np.where(lanes, self._acquired[threads], 0).max(axis=1, keepdims=True)
        self._acquired[threads] = np.where(lanes, latest, self._acquired[threads])

    def strong(
        self, space: MemorySpace, units: Integers, threads: Integers, time: int, *, reads: bool, writes: bool
    ) -> None:
        """The threads use the units with atomic or volatile operations."""
        if reads:
            self._acquired[threads] = time
        if writes:
            self._publish(threads)
        if not self._is_exact:
            return
        # In the order in which the engine lets them use the place: one block after the other.
        for block, unit, members in self._groups(units, threads):
            if writes:
                if reads:
                    self._acquire(block, self._clocks.get((space, unit)))
                self._release(space, unit, block, members)
            if reads:
                self._acquire(block, self._clocks.get((space, unit)))

    def ordered(self, before: Integers, times: Integers, threads: Integers) -> NDArray[np.bool_]:
        """Whether what `before` did at its time was released and then acquired by `threads`, element by element."""
        own = times < self._published[before]
        has_acquired = times < self._acquired[threads]
        if not self._is_exact:
            return own & has_acquired
        block, other = threads // self._per_block, before // self._per_block
        by_block, by_thread = self._by_block, self._by_thread
        known = (times < by_block.barrier[block, other]) | own & (times < by_block.own[block, other])
        mine = (times < by_thread.barrier[block, other]) | own & (times < by_thread.own[block, other])
        return known | has_acquired & mine

    def _publish(self, threads: Integers) -> None:
        """The releasing threads' own accesses up to their fences, and what they know of their warps'."""
        fenced = threads[self._fence[_BLOCK, threads] > 0]
        self._published[fenced] = np.maximum(self._published[fenced], self._fence[_BLOCK, fenced])
        for mates, times in self._order.known_lanes(fenced):
            self._published[mates] = np.maximum(self._published[mates], times)

    def _groups(self, units: Integers, threads: Integers) -> Iterator[tuple[int, int, Integers]]:
        """(block, unit, threads of that block at that unit)."""
        blocks = threads // self._per_block
        order = np.lexsort((units, blocks))
        blocks, units, threads = blocks[order], units[order], threads[order]
        starts = np.flatnonzero(np.r_[True, (np.diff(blocks) != 0) | (np.diff(units) != 0)])
        for start, end in zip(starts, [*starts[1:], len(units)], strict=True):
            yield int(blocks[start]), int(units[start]), threads[start:end]

    def _acquire(self, block: int, clock: _Clock | None) -> None:
        if clock is None:
            return
        known = self._by_thread
        np.maximum(known.barrier[block], clock.everybody.barrier, out=known.barrier[block])
        np.maximum(known.own[block], clock.everybody.own, out=known.own[block])
        at = block, block
        known.barrier[at] = max(known.barrier[at], clock.in_block.barrier[block])
        known.own[at] = max(known.own[at], clock.in_block.own[block])

    def _release(self, space: MemorySpace, unit: int, block: int, threads: Integers) -> None:
        fences = self._fence[:, threads].max(axis=1)
        if not fences[_BLOCK]:
            return
        clock = self._clocks.get((space, unit))
        if clock is None:
            if len(self._clocks) == MAX_PLACES:
                self._is_exact = False
                return
            clock = self._clocks[space, unit] = _Clock(Limits.none(self._blocks), Limits.none(self._blocks))
        barriers = self._barrier_at_fence[:, threads].max(axis=1)
        clock.in_block.raise_to(block, barriers[_BLOCK], fences[_BLOCK])
        if fences[_DEVICE]:
            everybody = clock.everybody
            np.maximum(everybody.barrier, self._by_thread.barrier[block], out=everybody.barrier)
            np.maximum(everybody.own, self._by_thread.own[block], out=everybody.own)
            everybody.raise_to(block, barriers[_DEVICE], fences[_DEVICE])
