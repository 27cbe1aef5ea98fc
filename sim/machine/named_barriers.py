"""Named barriers (`bar.sync`, `bar.arrive`): who has come to each, and who waits there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from sim.arrays import Rows, Values


class BarrierKey(NamedTuple):
    """A named barrier of a resident block."""

    slot: int
    number: int

    @property
    def identity(self) -> int:
        """A negative number of its own, by which observers know it."""
        return -1 - (self.slot << 8 | self.number & 0xFF)


@final
@dataclass(slots=True)
class NamedBarrier:
    """`wanted` is for how many threads the barrier waits, as the last warp that came says."""

    arrived: int = 0
    wanted: int = 0
    rounds: int = 0
    """How often it was complete."""


@final
@dataclass(slots=True)
class NamedBarriers:
    _barriers: dict[BarrierKey, NamedBarrier] = field(default_factory=dict[BarrierKey, NamedBarrier])
    _waiting: dict[int, dict[int, BarrierKey]] = field(default_factory=dict[int, "dict[int, BarrierKey]"])
    """For each segment the waiting rows, with where they wait."""

    def of(self, key: BarrierKey) -> NamedBarrier:
        return self._barriers.setdefault(key, NamedBarrier())

    def phase(self, key: BarrierKey, width: int) -> tuple[Values, Values]:
        """The barrier and the parity of its phase as observers see them, (1, width)."""
        return np.full((1, width), key.identity), np.full((1, width), self.of(key).rounds & 1)

    def arrive(self, key: BarrierKey, threads: int, wanted: int) -> bool:
        """Whether that completes the barrier, which begins anew then."""
        barrier = self.of(key)
        barrier.arrived += threads
        barrier.wanted = wanted
        if barrier.arrived < wanted:
            return False
        barrier.arrived = 0
        barrier.rounds += 1
        return True

    def wait(self, segment: int, row: int, key: BarrierKey) -> None:
        self._waiting.setdefault(segment, {})[row] = key

    def awaited(self, segment: int, row: int) -> BarrierKey:
        return self._waiting[segment][row]

    def leave(self, key: BarrierKey) -> list[tuple[int, Rows]]:
        """Those who wait at the barrier do so no longer: their segments and rows."""
        found: list[tuple[int, Rows]] = []
        for segment, waiting in self._waiting.items():
            rows = sorted(row for row, awaited in waiting.items() if awaited == key)
            for row in rows:
                del waiting[row]
            if rows:
                found.append((segment, np.array(rows, np.intp)))
        return found

    def forget(self, segment: int) -> None:
        """Nobody waits at the segment any longer."""
        self._waiting.pop(segment, None)
