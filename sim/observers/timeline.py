"""Timeline: which lanes of one warp were active at each of its steps, as in the drawings of mask stacks.

step  place        lanes
   0  i = 0        1111
   1  i < tid      1111
   2  i++          .111
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np

from analysis.ir.record import record
from sim.events import AddressBook, Events, Observer, Run, Segment, SegmentEvent, Wave
from sim.observers.places import FunctionSpan, place_of
from sim.observers.running import RunningLanes

MAX_STEPS: Final = 4096


@final
@record
class SegmentRun:
    """The warp ran `segment`, which begins at `place`; lane i is bit i of `active`, and of those that had not left."""

    segment: int
    place: FunctionSpan | None
    active: int
    running: int


@final
@record
class Timeline:
    """The first steps of a warp: `warp` counts in the block, `block` in linear order; `omitted` steps came after."""

    block: int
    warp: int
    warp_size: int
    steps: tuple[SegmentRun, ...]
    omitted: int


@final
class TimelineObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self, block: int = 0, warp: int = 0, max_steps: int = MAX_STEPS) -> None:
        self._block, self._warp, self._max_steps = block, warp, max_steps
        self._row = -1
        self._warp_size = 0
        self._segments: tuple[Segment, ...] = ()
        self._running: RunningLanes | None = None
        self._steps: list[SegmentRun] = []
        self._omitted = 0

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._segments, self._warp_size = run.segments, run.launch.warp_size
        self._running = RunningLanes(run)
        self._steps, self._omitted = [], 0

    def wave(self, wave: Wave) -> None:
        assert self._running is not None
        self._running.wave(wave)
        at = int(np.searchsorted(wave.blocks, self._block))
        is_resident = at < len(wave.blocks) and wave.blocks[at] == self._block and self._warp < wave.warps_per_block
        self._row = at * wave.warps_per_block + self._warp if is_resident else -1

    def segment(self, event: SegmentEvent) -> None:
        assert self._running is not None
        at = int(np.searchsorted(event.rows, self._row))
        if self._row < 0 or at == len(event.rows) or event.rows[at] != self._row:
            return
        if len(self._steps) == self._max_steps:
            self._omitted += 1
            return
        running = int(self._running.lanes[self._row])
        place = place_of(self._segments[event.segment])
        self._steps.append(SegmentRun(event.segment, place, int(event.active[at]), running))
        self._running.leave(event)

    def answer(self) -> Timeline:
        return Timeline(self._block, self._warp, self._warp_size, tuple(self._steps), self._omitted)


def drawn(active: int, warp_size: int) -> str:
    """Lane 0 first: `1` for a lane that runs, `.` for one that does not."""
    return "".join("1" if active >> lane & 1 else "." for lane in range(warp_size))
