"""How long will a launch take?  Answered from the launches of its kernel that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from sim.sweep.model import LaunchPoint, SweptKernel, Unit

PRIOR: Final = 0.5
"""Seconds of a run of which nothing is known."""


@final
class Estimates:
    """Mutable: it learns."""

    def __init__(self) -> None:
        self._known: dict[tuple[SweptKernel, int], dict[LaunchPoint, tuple[float, int]]] = {}
        self._seconds = 0.0
        self._runs = 0

    def learn(self, units: Sequence[Unit], seconds: Sequence[float]) -> None:
        """What each unit took, planning and all."""
        for unit, taken in zip(units, seconds, strict=True):
            sizes = self._known.setdefault((unit.kernel, unit.warp_size), {})
            total, runs = sizes.get(unit.launch.size, (0.0, 0))
            sizes[unit.launch.size] = total + taken, runs + unit.runs
            self._seconds += taken
            self._runs += unit.runs

    @property
    def mean_run(self) -> float:
        """Seconds, over all that was measured."""
        return self._seconds / self._runs if self._runs else PRIOR

    def knows(self, unit: Unit) -> bool:
        """Whether any launch of that kernel was measured."""
        return (unit.kernel, unit.warp_size) in self._known

    def seconds(self, unit: Unit) -> float:
        sizes = self._known.get((unit.kernel, unit.warp_size))
        if not sizes:
            return self.mean_run * unit.runs
        same = sizes.get(unit.launch.size)
        if same is not None:
            return same[0] / same[1] * unit.runs
        threads = unit.launch.threads
        known = [(size.threads, total / runs) for size, (total, runs) in sizes.items()]
        if threads is None or any(one is None for one, _ in known):
            return max(seconds for _, seconds in known) * unit.runs
        nearest, seconds = min(((one or 1, taken) for one, taken in known), key=lambda one: _ratio(one[0], threads))
        return seconds * max(1.0, threads / nearest) * unit.runs


def _ratio(one: int, other: int) -> float:
    return max(one, other) / min(one, other)
