"""The time that a comparison may take, shared among its runs, and the wish of the caller to go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeAlias, final

Progress: TypeAlias = Callable[[float], bool]
"""Hears a share between 0 and 1; False ends everything."""

LEAST_SECONDS: Final = 0.05
"""A run with less is not begun."""


@final
class Allowance:
    """Counts from when it is made."""

    def __init__(self, seconds: float, progress: Progress | None = None) -> None:
        self._end = time.perf_counter() + seconds
        self._seconds = seconds
        self._progress = progress
        self.is_cancelled = False

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())

    @property
    def is_over(self) -> bool:
        return self.is_cancelled or self.left < LEAST_SECONDS

    def goes_on(self, _: float = 0.0) -> bool:
        """What a run asks as its progress: the share of time that is over is what the caller hears, as a run does not
        know how many come after it."""
        if self._progress is not None and not self.is_cancelled:
            self.is_cancelled = not self._progress(min(1.0, 1 - self.left / self._seconds))
        return not self.is_cancelled

    def part(self, share: float) -> Allowance:
        """An allowance of `share` of what is left; cancelled with this one."""
        inner = Allowance(self.left * share, self.goes_on)
        inner.is_cancelled = self.is_cancelled
        return inner
