"""How a run ends before all threads have left."""

from __future__ import annotations

from typing import final

from sim.result import TruncationReason


@final
class KernelAborted(Exception):
    """A trap or a failed assertion ended the kernel; the fault is recorded already."""


@final
class OutOfBudget(Exception):
    """The budget ended in `segment`."""

    def __init__(self, reason: TruncationReason, segment: int) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.segment = segment
