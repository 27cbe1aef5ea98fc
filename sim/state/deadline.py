"""The time of one run: everything that may take long asks here whether it may go on.

The engine asks before each segment, each memory instruction asks, and so does what works through many elements inside
of one.  Asking costs some hundred nanoseconds; a single operation on arrays is the longest that nobody asks.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Final, final

from sim.result import TruncationReason
from sim.state.ending import OutOfBudget

_PROGRESS_SECONDS: Final = 0.1


@final
class Deadline:
    """`progress` hears the share of finished blocks a few times per second; False from it ends the run."""

    def __init__(self, seconds: float, progress: Callable[[float], bool] | None = None) -> None:
        self.segment = 0
        """Where the run is."""
        self.finished = 0.0
        """The share of blocks that are done."""
        self._progress = progress
        self._glance: Callable[[], float] | None = None
        self._started = perf_counter()
        self._end = self._started + seconds
        self._progress_at = inf if progress is None else self._started + _PROGRESS_SECONDS
        self._glance_at = inf
        self._due = min(self._end, self._progress_at)

    @property
    def seconds(self) -> float:
        """Since the start."""
        return perf_counter() - self._started

    def look(self, seconds: float, glance: Callable[[], float]) -> None:
        """Calls `glance` in so many seconds, and again after as many as it says; it must not ask for the time."""
        self._glance = glance
        self._glance_at = perf_counter() + seconds
        self._due = min(self._due, self._glance_at)

    def check(self) -> None:
        """Raises `OutOfBudget` where the time is over, or nobody wants the run any more."""
        now = perf_counter()
        if now < self._due:
            return
        if now > self._end:
            raise OutOfBudget(TruncationReason.TIME, self.segment)
        if self._progress is not None and now >= self._progress_at:
            self._progress_at = now + _PROGRESS_SECONDS
            if not self._progress(self.finished):
                raise OutOfBudget(TruncationReason.CANCELLED, self.segment)
        if self._glance is not None and now >= self._glance_at:
            wanted = self._glance()
            self._glance_at = perf_counter() + wanted
        self._due = min(self._end, self._progress_at, self._glance_at)
