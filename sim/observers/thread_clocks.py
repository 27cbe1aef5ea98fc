"""What each thread knows of every other thread of its block, where split barriers order them.

    clock[t][o]    the time up to which what thread `o` did is ordered before what thread `t` does now

An arrival joins the thread's clock, with its own entry at the time of the arrival, to the clock of the barrier's phase;
who finds that phase complete joins the phase's clock to its own.  A barrier keeps two phases, of either parity: the
first arrival of a later phase begins its clock anew.

Shared     Threads that know the same share one clock: who waits together learns together.
Generous   Beyond `MAX_ENTRIES` entries who finds a phase complete is ordered after all that its block did: that hides
           races, and invents none.
Source     Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 1978; Flanagan, Freund,
           "FastTrack", PLDI 2009, section 2 (vector clocks of locks and barriers).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sim.observers.race_shadow import Integers

MAX_ENTRIES: Final = 1 << 24
"""Of all clocks together."""

Known: TypeAlias = Callable[[int], tuple[Integers, Integers]]
"""The threads of the block that a thread knows by other means, and up to when."""


@final
class _Phases:
    """The clocks of a barrier's two phases, by parity, and which had the last arrival."""

    def __init__(self, threads: int) -> None:
        self.clocks: NDArray[np.int64] = np.zeros((2, threads), np.int64)
        self.latest = 0


@final
class ThreadClocks:
    """Threads are numbered in the launch; those of one wave of blocks are followed at a time."""

    def __init__(self, threads_per_block: int, first_thread: int, threads: int) -> None:
        self._per_block = threads_per_block
        self._first = first_thread
        self._clocks: NDArray[np.int64] = np.zeros((1, threads_per_block), np.int64)
        self._used = 1
        self._clock_of: Integers = np.zeros(threads, np.int64)
        """The position of each thread's clock; 0 is that of who knows nobody."""
        self._phases: dict[int, _Phases] = {}

    def arrive(self, barrier: int, parity: int, threads: Integers, time: int) -> None:
        """Threads of one block arrive in one phase."""
        phases = self._phases.get(barrier)
        if phases is None:
            phases = self._phases[barrier] = _Phases(self._per_block)
        if phases.latest != parity:
            phases.latest = parity
            phases.clocks[parity] = 0
        clock = phases.clocks[parity]
        np.maximum(clock, self._clocks[np.unique(self._clock_of[threads - self._first])].max(axis=0), out=clock)
        clock[threads % self._per_block] = time

    def add(self, barrier: int, parity: int, others: Integers, times: Integers) -> None:
        """What those who arrived last know of `others` by other means."""
        clock = self._phases[barrier].clocks[parity]
        np.maximum.at(clock, others % self._per_block, times)

    def learn(self, barrier: int, parity: int, threads: Integers) -> bool:
        """The threads found the phase complete; false where there is no room to note what they learnt."""
        phases = self._phases.get(barrier)
        return phases is None or self._join(threads, phases.clocks[parity])

    def share(self, threads: Integers) -> bool:
        """The threads, of one block, met: each knows what one of them knew."""
        clocks = np.unique(self._clock_of[threads - self._first])
        return len(clocks) == 1 or self._join(threads, self._clocks[clocks].max(axis=0))

    def known(self, thread: int) -> Integers:
        """A thread's clock, by the position of the other thread in the block."""
        return self._clocks[self._clock_of[thread - self._first]]

    def ordered(self, before: Integers, times: Integers, threads: Integers) -> NDArray[np.bool_]:
        """Whether what `before`, threads of the same blocks, did at their times is ordered before what `threads` do."""
        return times < self._clocks[self._clock_of[threads - self._first], before % self._per_block]

    def _join(self, threads: Integers, learnt: NDArray[np.int64]) -> bool:
        positions = self._clock_of[threads - self._first]
        for position in np.unique(positions).tolist():
            joined = np.maximum(self._clocks[position], learnt)
            if (joined == self._clocks[position]).all():
                continue
            if not self._make_room():
                return False
            self._clocks[self._used] = joined
            self._clock_of[threads[positions == position] - self._first] = self._used
            self._used += 1
        return True

    def _make_room(self) -> bool:
        """For one clock more: those that no thread has any longer are dropped."""
        if self._used < len(self._clocks):
            return True
        kept, positions = np.unique(np.append(self._clock_of, 0), return_inverse=True)
        size = max(2 * len(kept), 16)
        if size * self._per_block > MAX_ENTRIES:
            return False
        clocks = np.zeros((size, self._per_block), np.int64)
        clocks[: len(kept)] = self._clocks[kept]
        self._clocks, self._used = clocks, len(kept)
        self._clock_of = positions[:-1].astype(np.int64)
        return True
