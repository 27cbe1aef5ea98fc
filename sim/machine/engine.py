"""The loop: picks a segment, runs its function for all warps that stand there, tells the policy where they went.

Order     The lowest segment first, so that those behind catch up.  In every other 16 turns the warps that have waited
          longest run wherever they stand, so that a lock's holder is not starved by those who spin on it.
          A launch may ask for one warp after the other instead (`WarpOrder`); then those that wait get their turns more
          rarely.
Shortcut  While all warps that can run go the same way and nothing can merge, the loop stays with them and asks neither
          scheduler nor policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np

from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Load,
    Math,
    PointerDifference,
    ReadSpecial,
    Select,
    Store,
    SymbolAddress,
    Unary,
    Undefined,
)
from sim.arrays import Lanes, LaneSets, Rows, lane_sets, lanes_of
from sim.code.generate import FunctionCode
from sim.code.segments import meeting_of
from sim.events import Observers, SegmentEvent
from sim.machine.counters import Counters, lane_total
from sim.machine.livelock import LivelockWatch
from sim.machine.phases import Phases
from sim.machine.waiting import Waiting
from sim.policies.protocol import EXIT, NOTHING, Policy, SegmentGraph, Split
from sim.specification import WarpOrder
from sim.state.frame import Frame

_PLAIN: Final = (
    Constant,
    Undefined,
    SymbolAddress,
    ReadSpecial,
    Unary,
    Binary,
    Compare,
    Select,
    Convert,
    Bitcast,
    Math,
    BuildAggregate,
    ExtractElement,
    InsertElement,
    ElementAddress,
    FieldAddress,
    PointerDifference,
    Load,
    Store,
    Atomic,
)
"""Instructions that do the same for a thread whichever other warps run with it."""

_TURNS: Final = 16
_LONE_TURNS: Final = 1024
"""Of so many turns of warps that run one after the other, `_TURNS` are for those that have waited longest; of
`_LONE_TURNS_OF_POLLING` where threads wait for what others write."""
_LONE_TURNS_OF_POLLING: Final = 64


@final
class Engine:
    """Runs one frame: the warps of a wave, or those that called a function."""

    def __init__(
        self,
        code: FunctionCode,
        functions: Sequence[Callable[..., Any]],
        waiting: Waiting,
        graph: SegmentGraph,
        counters: Counters,
        observers: Observers,
        frame: Frame,
        policy: Policy,
        warp_size: int,
        phases: Phases,
        watch: LivelockWatch | None,
        on_livelock: Callable[[int, Rows, LaneSets], None],
        order: WarpOrder,
        *,
        may_widen: bool,
    ) -> None:
        """`may_widen`: nobody watches which warps take part in an instruction."""
        self._first = code.segmented.first
        self._functions = functions
        self._meets = [meeting_of(segment) is not None for segment in code.segmented.segments]
        self._may_widen = may_widen
        self._is_plain = [all(isinstance(one, _PLAIN) for one in one.instructions) for one in code.segmented.segments]
        self._waiting = waiting
        self._graph = graph
        self._counters = counters
        self._observers = observers
        self._frame = frame
        self._policy = policy
        self._width = warp_size
        self._phases = phases
        self._watch = watch
        self._on_livelock = on_livelock
        self._order = order
        self._lone_turns = _LONE_TURNS_OF_POLLING if graph.polling else _LONE_TURNS
        self._full = np.uint64((1 << warp_size) - 1)
        self._tick = 0
        self._favoured = 0
        self._last_run = np.zeros(frame.rows, np.int64)

    def run(self, rows: Rows, lanes: LaneSets) -> None:
        """From the entry until every lane has left."""
        self._policy.start(rows, lanes, self._first)
        while True:
            if self._waiting.is_due:
                self._waiting.complete_barriers()
            if self._phases.has_completed:
                self._waiting.end_phases()
            segment, chosen = self._together() if self._order is WarpOrder.TOGETHER else self._alone()
            if segment < 0:
                if not self._waiting.resolve():
                    return
                continue
            self._last_run[chosen] = self._tick
            if self._meets[segment - self._first]:
                self._waiting.arrive(segment, chosen, self._policy.active.take(chosen))
                if self._watch is not None and self._waiting.has_met:
                    self._waiting.has_met = False
                    self._watch.progress()
            else:
                self._chain(segment, chosen)

    def _together(self) -> tuple[int, Rows]:
        """The segment to run and all rows that stand there; NOTHING where no row can."""
        segment = self._pick()
        return segment, (self._policy.segment == segment).nonzero()[0]

    def _alone(self) -> tuple[int, Rows]:
        """The same for one row that runs by itself."""
        current = self._policy.segment
        able = np.flatnonzero(current >= 0)
        if not len(able):
            return NOTHING, able
        self._tick += 1
        if self._tick % self._lone_turns >= self._lone_turns - _TURNS:
            row = int(able[self._last_run[able].argmin()])
        else:
            row = int(able[0 if self._order is WarpOrder.FIRST_ALONE else -1])
        return int(current[row]), np.array([row])

    def _pick(self) -> int:
        """The segment to run; NOTHING where no row can."""
        current = self._policy.segment
        self._tick += 1
        if self._tick & _TURNS:
            if not self._tick % _TURNS or current[self._favoured] < 0:
                self._favoured = int(np.where(current >= 0, self._last_run, self._tick).argmin())
            return int(current[self._favoured])
        return int(current.view(np.uint64).min().view(np.int64))  # NOTHING is the largest unsigned number

    def _chain(self, segment: int, rows: Rows) -> None:
        """Runs `segment`, and what follows it as long as the rows stay together and alone."""
        policy, frame, counters = self._policy, self._frame, self._counters
        active = policy.active.take(rows)
        is_full = np.count_nonzero(active == self._full) == len(rows)
        mask = None if is_full else lanes_of(active, self._width)
        selected = None if len(rows) == frame.rows else rows
        everywhere: Lanes | None = None
        if mask is not None and selected is not None and self._may_widen and 2 * len(rows) > frame.rows:
            # To leave a few rows out costs more, for each register, than to let them take part with no lane.
            everywhere = np.zeros((frame.rows, self._width), np.bool_)
            everywhere[rows] = mask
        total = len(rows) * self._width if is_full else lane_total(active)
        alone = len(rows) == np.count_nonzero(policy.segment >= 0)
        followed: dict[int, bool] = {}  # the policy's state stays as it is until `advance`
        while True:
            if self._watch is not None and self._watch.repeats(segment, rows, active):
                self._on_livelock(segment, rows, active)
            counters.count(segment, len(rows), total)
            if everywhere is not None and self._is_plain[segment - self._first]:
                found = _of_rows(self._functions[segment - self._first](frame, None, everywhere), rows)
            else:
                found = self._functions[segment - self._first](frame, selected, mask)
            targets = self._graph.successors[segment]
            if found is None:
                target = targets[0] if targets else EXIT
            elif found is True or found is False:
                target = targets[0] if found or len(targets) == 1 else targets[1]
            else:
                self._divide(segment, rows, active, found)
                return
            split = ((target, active),)
            if self._observers:
                self._tell(rows, active, segment, split)
            if target not in followed:
                is_alone = alone and target != EXIT and not self._meets[target - self._first]
                followed[target] = is_alone and policy.follows(rows, target)
            if not followed[target]:
                policy.advance(rows, segment, split)
                if target == EXIT:
                    self._waiting.leave(segment, rows, active)
                    if self._watch is not None:
                        self._watch.progress()
                return
            segment = target

    def _divide(self, segment: int, rows: Rows, active: LaneSets, found: Lanes | list[Lanes]) -> None:
        """The lanes go to several targets."""
        targets = self._graph.successors[segment]
        split: Split
        if isinstance(found, list):
            split = tuple((target, lane_sets(lanes)) for target, lanes in zip(targets, found, strict=True))
        else:
            taken, (if_true, if_false) = lane_sets(found), targets
            split = ((if_true, taken), (if_false, active & ~taken))
        self._counters.count_divergence(segment, split)
        if self._observers:
            self._tell(rows, active, segment, split)
        self._policy.advance(rows, segment, split)

    def _tell(self, rows: Rows, active: LaneSets, segment: int, split: Split) -> None:
        event = SegmentEvent(self._frame.wave_rows[rows], active, segment, split)
        for observer in self._observers:
            observer.segment(event)


def _of_rows(found: Lanes | list[Lanes] | bool | None, rows: Rows) -> Lanes | list[Lanes] | bool | None:
    """Where the lanes of these rows go, of what a segment says about all rows."""
    if found is None or isinstance(found, bool):
        return found
    return [lanes[rows] for lanes in found] if isinstance(found, list) else found[rows]
