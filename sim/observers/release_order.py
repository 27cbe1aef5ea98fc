"""Which accesses fences and strong operations order: last-block-done counters, look-back flags, spin locks.

A thread *releases* when it writes a place with an atomic or volatile operation after a fence, and *acquires* when it
reads that place in the same way later in the run.  What is ordered before the fence is then ordered before what comes
after the acquisition:

    partial[b] = x;  __threadfence();  atomicAdd(&done, 1)   ->   if (atomicAdd(&done, 1) == last) ... partial[...]

What a release publishes   The thread's own accesses up to its fence; those of its block up to the last block barrier
           before the fence; those of others that `__syncwarp` or split barriers ordered; and all that its block had
           acquired.
Who acquires   The thread at once, its warp after `__syncwarp`, its block after a block barrier.
Scopes     A fence for the block orders threads of one block only.
Generous   No fence is asked for after the read, as programs rely on the dependency.  Between two threads of a block it
           may count a fence of one for the other's release.  With more than `MAX_BLOCKS` blocks or `MAX_PLACES` places
           any release is taken for one of what is read.  All three hide races, none invents one.
Source     PTX ISA, "Memory Consistency Model", release and acquire patterns, causality order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.observers.happens_before import HappensBefore
from sim.observers.race_shadow import Integers

MAX_BLOCKS: Final = 1024
MAX_PLACES: Final = 4096

_DEVICE, _BLOCK = 0, 1


@final
@record
class Limits:
    """Per block: everything before `barrier` is published; before `own` what its threads published themselves, and
    before `operation` the strong operations that published."""

    barrier: Integers
    own: Integers
    operation: Integers

    @classmethod
    def none(cls, *shape: int) -> Limits:
        return cls(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def parts(self) -> tuple[Integers, Integers, Integers]:
        return self.barrier, self.own, self.operation

    def learn(self, other: Limits) -> None:
        for mine, theirs in zip(self.parts(), other.parts(), strict=True):
            np.maximum(mine, theirs, out=mine)

    def of(self, block: int) -> Limits:
        """One row, as a view."""
        return Limits(self.barrier[block], self.own[block], self.operation[block])

    def raise_to(self, at: int, barrier: int, own: int, operation: int) -> None:
        for mine, limit in zip(self.parts(), (barrier, own, operation), strict=True):
            mine[at] = max(mine[at], limit)


@final
@record
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
        self._operated: Integers = np.zeros(threads, np.int64)
        """When a thread released last."""
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
            for known, learnt in zip(self._by_block.parts(), self._by_thread.parts(), strict=True):
                known[blocks] = learnt[blocks]

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
            self._publish(threads, time)
        if not self._is_exact:
            return
        # In the order in which the engine lets them use the place: one block after the other.
        for block, unit, members in self._groups(units, threads):
            if writes:
                if reads:
                    self._acquire(block, self._clocks.get((space, unit)))
                self._release(space, unit, block, members, time)
            if reads:
                self._acquire(block, self._clocks.get((space, unit)))

    def ordered(self, before: Integers, times: Integers, threads: Integers, *, is_strong: bool) -> NDArray[np.bool_]:
        """Whether what `before` did at its time was released and then acquired by `threads`, element by element.

        `is_strong`: it was an atomic or volatile operation, maybe the one that released.
        """
        own = times < self._published[before]
        operation = times <= self._operated[before] if is_strong else np.zeros(len(times), np.bool_)
        has_acquired = times < self._acquired[threads]
        if not self._is_exact:
            return (own | operation) & has_acquired
        at = threads // self._per_block, before // self._per_block

        def known(limits: Limits) -> NDArray[np.bool_]:
            found = (times < limits.barrier[at]) | own & (times < limits.own[at])
            return found | operation & (times <= limits.operation[at])

        return known(self._by_block) | has_acquired & known(self._by_thread)

    def _publish(self, threads: Integers, time: int) -> None:
        """The releasing threads' own accesses up to their fences, and what they know of their warps'."""
        fenced = threads[self._fence[_BLOCK, threads] > 0]
        self._operated[fenced] = time
        self._published[fenced] = np.maximum(self._published[fenced], self._fence[_BLOCK, fenced])
        for mates, times in self._order.known_threads(fenced):
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
        known, own = self._by_thread.of(block), clock.in_block
        known.learn(clock.everybody)
        known.raise_to(block, own.barrier[block], own.own[block], own.operation[block])

    def _release(self, space: MemorySpace, unit: int, block: int, threads: Integers, time: int) -> None:
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
        clock.in_block.raise_to(block, barriers[_BLOCK], fences[_BLOCK], time)
        if fences[_DEVICE]:
            clock.everybody.learn(self._by_thread.of(block))
            clock.everybody.raise_to(block, barriers[_DEVICE], fences[_DEVICE], time)
