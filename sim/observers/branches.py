"""Branches: how often did warps come to each, how often did their lanes part, and how many went where?

Counted    per branch of the IR: `a && b` is two, one after the other; `source` says which source branch they belong to.
           An execution is one arrival of a group of lanes: where a policy runs a warp in parts, each part counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from analysis.ir.ids import SourceBranchId
from analysis.ir.instructions import Branch, Switch
from analysis.ir.record import record
from sim.arrays import population
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent
from sim.observers.places import FunctionSpan, place_reached
from sim.policies.protocol import EXIT


@final
@record
class Side:
    """One way: `target` is where it leads (None: no text stands there); lanes summed over executions."""

    target: FunctionSpan | None
    lanes: int
    divergent_lanes: int
    """Those of divergent executions."""


@final
@record
class BranchActivity:
    """`sides`: of a branch true, then false; of a switch its cases in order, the default last.

    `reconvergence` is where the paths meet at the latest (the immediate post-dominator); None at the end of the kernel.
    """

    place: FunctionSpan
    source: SourceBranchId | None
    executed: int
    diverged: int
    sides: tuple[Side, ...]
    reconvergence: FunctionSpan | None

    @property
    def lanes(self) -> int:
        """Active lanes, summed over executions."""
        return sum(side.lanes for side in self.sides)


@final
@dataclass(slots=True)
class _Count:
    lanes: dict[int, int]
    divergent_lanes: dict[int, int]
    executed: int = 0
    diverged: int = 0
    targets: tuple[int, ...] = field(default=())


@final
class BranchObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self) -> None:
        self._run: Run | None = None
        self._counts: dict[int, _Count] = {}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._run = run
        self._counts = {
            number: _Count(dict.fromkeys(targets, 0), dict.fromkeys(targets, 0), targets=targets)
            for number, targets in enumerate(run.graph.successors)
            if len(targets) > 1
        }

    def segment(self, event: SegmentEvent) -> None:
        count = self._counts.get(event.segment)
        if count is None:
            return
        count.executed += len(event.rows)
        if len(event.split) == 1:
            ((target, lanes),) = event.split
            count.lanes[target] += int(population(lanes).sum())
            return
        diverged = np.sum([lanes != 0 for _, lanes in event.split], axis=0) > 1
        count.diverged += int(np.count_nonzero(diverged))
        for target, lanes in event.split:
            sizes = population(lanes)
            count.lanes[target] += int(sizes.sum())
            count.divergent_lanes[target] += int(sizes[diverged].sum())

    def answer(self) -> tuple[BranchActivity, ...]:
        """In the order of the program, also those that were never reached."""
        return tuple(self._activity(self._run, number, count) for number, count in self._counts.items() if self._run)

    def _activity(self, run: Run, number: int, count: _Count) -> BranchActivity:
        segment = run.segments[number]
        terminator = segment.terminator
        assert isinstance(terminator, Branch | Switch), "nothing else has several successors"
        sides = tuple(
            Side(place_reached(run, target), count.lanes[target], count.divergent_lanes[target])
            for target in count.targets
        )
        met = run.graph.reconvergence[number]
        return BranchActivity(
            FunctionSpan(str(segment.function.id), terminator.span),
            terminator.branch,
            count.executed,
            count.diverged,
            sides,
            None if met == EXIT else place_reached(run, met),
        )
