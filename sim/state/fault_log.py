"""Collects faults: one per kind and place, with the first thread and a count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar, final

import numpy as np

from analysis.ir.function import Function
from analysis.ir.source import Span
from sim.arrays import Lanes, Rows
from sim.faults import Evidence, Fault, LeftOutLaunch
from sim.specification import LaunchSpecification
from sim.state.frame import Frame, thread_of

Found = TypeVar("Found", Fault, LeftOutLaunch)


@final
class FaultLog(Generic[Found]):
    def __init__(self, launch: LaunchSpecification) -> None:
        self._launch = launch
        self._first: dict[tuple[str, str, Span], Found] = {}
        self._counts: dict[tuple[str, str, Span], int] = {}

    def add(
        self,
        kind: str,
        function: Function,
        span: Span,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes,
        describe: Callable[[Evidence, int, int], Found],
    ) -> None:
        """`describe` makes the fault from the evidence and the position (row, lane) of the first thread in the arrays
        at hand; `lanes` (rows, width) marks the threads; nothing happens if there is none."""
        count = int(np.count_nonzero(lanes))
        if not count:
            return
        key = kind, str(function.id), span
        if key in self._counts:
            self._counts[key] += count
            return
        row, lane = (int(index) for index in np.unravel_index(int(lanes.argmax()), lanes.shape))
        warp = int(frame.warps[row if rows is None else rows[row]])
        block, thread = thread_of(self._launch, warp, lane)
        self._counts[key] = count
        self._first[key] = describe(Evidence(str(function.id), span, block, thread, count), row, lane)

    def faults(self) -> tuple[Found, ...]:
        """In the order in which they first happened."""
        return tuple(
            replace(fault, evidence=replace(fault.evidence, count=self._counts[key]))
            for key, fault in self._first.items()
        )
