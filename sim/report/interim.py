"""Reports on a simulation that has not ended: when they are made, and who gets them.

When     First some time after the simulation began, once the run at hand has counted for a moment; then at twice the
         time.  Making one takes time from the run: what takes long is done rarely.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Final, final

from sim.glance import Glance
from sim.report.model import KernelReport
from sim.result import Result

FIRST_SECONDS: Final = 0.7
COUNTED_SECONDS: Final = 0.2
"""What a run counts before it is worth a look."""
_GROWTH: Final = 2.0
_REST: Final = 5.0
"""Between two reports, in times of what the first of them took."""


@final
class Interim:
    """For one simulation, which begins when this is made; `tell` gets the reports, from within the run."""

    def __init__(
        self,
        tell: Callable[[KernelReport], None],
        *,
        first: float = FIRST_SECONDS,
        counted: float = COUNTED_SECONDS,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._tell = tell
        self._counted = counted
        self._clock = clock
        self._started = clock()
        self._due = first

    def glance(self, report: Callable[[Result], KernelReport]) -> Glance:
        """For the next run."""

        def show(so_far: Result) -> float:
            self.tell_if_due(lambda: report(so_far))
            return self._due - self._seconds

        return Glance(max(self._counted, self._due - self._seconds), show)

    def tell_if_due(self, report: Callable[[], KernelReport]) -> None:
        """Tells what is known already, if it is time."""
        began = self._seconds
        if began >= self._due:
            self._tell(report())
            ended = self._seconds
            self._due = max(_GROWTH * ended, ended + _REST * (ended - began))

    @property
    def _seconds(self) -> float:
        return self._clock() - self._started
