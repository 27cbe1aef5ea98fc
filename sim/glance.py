"""Looking at a run that has not ended: what it has counted until then, as a result of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.ir.record import record
from sim.result import Result


@final
@record
class Glance:
    """After so many `seconds` of the run (memory and code are there by then), and again after as many as `show` says.

    The result that `show` gets has no arrays and no digest, and is truncated because it is still running.  Looking
    changes nothing: the run goes on, and ends as it would have.
    """

    seconds: float
    show: Callable[[Result], float]
