"""Threads that wait for each other: who has arrived where, and when they may go on.

Warp      a lane waits until every live lane that its mask names has arrived at the same operation.
Block     a thread waits until every live thread of its block waits at a block barrier; those that went past it on their
          way to the end are missed (`passed_barriers.py`).
Grid      the same for all resident threads; a block that has left as a whole never comes, so nobody may go on.
Named     a thread waits until as many threads as the barrier counts have arrived at it.
Phase     a thread waits until a phase of a memory barrier is complete (`phases.py`).  Who only tries is told that it is
          not when nobody else can do anything, a few times; then nobody will ever complete it.
Stuck     where nobody can run and somebody waits, the program is wrong: the fault is recorded, and those who wait go
          on without the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.instructions import BlockBarrier, GridBarrier, NamedBarrier, PhaseWait, WarpBarrier
from analysis.ir.operators import PhaseQuestion
from analysis.ir.source import Span
from sim.arrays import Lanes, LaneSets, Rows, Values, lane_sets, lanes_of
from sim.code.generate import FunctionCode
from sim.code.segments import BlockMeeting, Meeting, meeting_of
from sim.events import ArrivalEvent, BarrierEvent, BarrierScope, Observers, PhaseEvent, SegmentEvent
from sim.faults import BarrierDivergence, Deadlock, Evidence, Fault, IllegalWarpMask, StuckBarrier
from sim.machine.counters import Counters, lane_total
from sim.machine.meeting_kinds import scope_of, tries, waits
from sim.machine.named_barriers import BarrierKey, NamedBarriers
from sim.machine.passed_barriers import PassedBarriers
from sim.machine.phases import Phases
from sim.policies.protocol import Policy, SegmentGraph
from sim.state.fault_log import FaultLog
from sim.state.frame import Frame

MAX_TIMEOUTS: Final = 2


@final
class Waiting:
    """`live` are the lanes that have not left; `_at[segment]` those that wait there."""

    def __init__(
        self,
        code: FunctionCode,
        functions: Sequence[Callable[..., Any]],
        named: Mapping[int, Callable[..., Any]],
        frame: Frame,
        policy: Policy,
        counters: Counters,
        faults: FaultLog[Fault],
        observers: Observers,
        warps_per_block: int,
        phases: Phases,
        graph: SegmentGraph,
        *,
        is_kernel: bool,
        barriers_in_turn: bool,
    ) -> None:
        """`is_kernel`: who leaves the frame has ended; else it has returned to its caller."""
        self._function = code.segmented.function
        self._first = code.segmented.first
        self._meetings: dict[int, Meeting] = {}
        for number, segment in enumerate(code.segmented.segments, self._first):
            meeting = meeting_of(segment)
            if meeting is not None:
                self._meetings[number] = meeting
        self._functions = functions
        self._named = named
        self._frame = frame
        self._policy = policy
        self._counters = counters
        self._faults = faults
        self._observers = observers
        self._per_block = warps_per_block
        self._phases = phases
        self._is_kernel = is_kernel
        self._barriers_in_turn = barriers_in_turn
        self._width: int = frame.live.shape[1]
        self._at: dict[int, LaneSets] = {}
        barriers = [number for number, meeting in self._meetings.items() if isinstance(meeting, BlockBarrier)]
        self._has_parted = False
        """Whether threads of a block failed to meet at a block barrier."""
        self._passed = PassedBarriers(barriers if is_kernel else (), graph, frame.rows)
        self._named_barriers = NamedBarriers()
        self._timeouts = 0
        """How often in a row those who try were sent away."""
        self.live = lane_sets(frame.live)
        self.is_due = False
        """Whether threads left since barriers were last looked at."""
        self.has_met = False
        """Whether threads met at a barrier since the engine last asked."""

    def leave(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        """These lanes left the frame with that segment."""
        self.live[rows] &= ~lanes
        self._passed.leave(segment, rows, lanes)
        self._timeouts = 0
        self.is_due = bool(self._at)

    def arrive(self, segment: int, rows: Rows, active: LaneSets) -> None:
        """The active lanes of these rows came to the meeting that `segment` is."""
        match self._meetings[segment]:
            case BlockBarrier() | GridBarrier():
                self._at_barrier(segment, rows, active)
            case NamedBarrier(arrive_only=arrive_only):
                self._at_named_barrier(segment, rows, active, arrive_only)
            case PhaseWait(question=question):
                self._at_phase(segment, rows, active, question)
            case _:
                self._in_warp(segment, rows, active)

    # -- warps --------------------------------------------------------------------------------------------------------

    def _in_warp(self, segment: int, rows: Rows, active: LaneSets) -> None:
        missing, foreign = self._missing(segment, rows, active, active)
        if foreign is not None:
            self._report_mask(segment, rows, active, foreign)
        elif missing is None:
            self._check_masks_agree(segment, rows, active)
        if missing is None:
            self._meet(segment, rows, active)
            self._policy.advance(rows, segment, ((segment + 1, active),))
            return
        if not self._policy.can_switch:
            self._report_mask(segment, rows, active, missing)
            self._meet(segment, rows, active)
            self._policy.advance(rows, segment, ((segment + 1, active),))
            return
        self._policy.block(rows)
        self._wait(segment, rows, active)
        self._release_complete(segment, rows)

    def _missing(
        self, segment: int, rows: Rows, active: LaneSets, arrived: LaneSets
    ) -> tuple[Lanes | None, Lanes | None]:
        """Active lanes that wait for others, and active lanes that their own mask does not name; None for none."""
        named = self._named.get(segment)
        if named is None:
            return None, None
        selected = None if len(rows) == self._frame.rows else rows
        asked = np.asarray(named(self._frame, selected)).astype(np.uint64)
        if asked.ndim == 0:
            asked = asked.reshape(1, 1)
        lanes = lanes_of(active, self._width)
        own = asked >> np.arange(self._width, dtype=np.uint64) & np.uint64(1)
        foreign: Lanes = lanes & (own == 0)
        missing: Lanes = lanes & ((asked & self.live[rows][:, None] & ~arrived[:, None]) != 0)
        return (missing if missing.any() else None), (foreign if foreign.any() else None)

    def _release_complete(self, segment: int, rows: Rows) -> bool:
        """Lets those lanes go whose named lanes have all arrived; whether there were any."""
        waiting = self._at[segment][rows]
        missing, _ = self._missing(segment, rows, waiting, waiting)
        ready = waiting if missing is None else waiting & ~lane_sets(missing)
        going = ready != 0
        if not going.any():
            return False
        self._check_masks_agree(segment, rows[going], ready[going])
        self._release(segment, rows[going], ready[going])
        return True

    def _check_masks_agree(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        """Lanes that meet and name each other pass one mask."""
        if segment not in self._named:
            return
        asked = np.asarray(self._named[segment](self._frame, rows)).astype(np.uint64)
        if asked.size == 1 or (asked == asked[:, :1]).all():
            return
        asked = np.broadcast_to(asked, (len(rows), self._width))
        own = lanes_of(lanes, self._width)
        names = asked[:, :, None] >> np.arange(self._width, dtype=np.uint64) & np.uint64(1) != 0
        differs = names & own[:, None, :] & own[:, :, None] & (asked[:, :, None] != asked[:, None, :])

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            other = int(asked[row, int(differs[row, lane].argmax())])
            return IllegalWarpMask(evidence, int(asked[row, lane]), int(lanes[row]), other)

        span = self._meetings[segment].span
        self._faults.add("warp-mask", self._function, span, self._frame, rows, differs.any(axis=2), describe)

    # -- blocks -------------------------------------------------------------------------------------------------------

    def _at_barrier(self, segment: int, rows: Rows, active: LaneSets) -> None:
        is_everybody = len(rows) == self._frame.rows or not len(rows) % self._per_block
        is_everybody = is_everybody and not self._at and np.count_nonzero(active == self._live_of(rows)) == len(rows)
        if is_everybody and self._are_whole(segment, rows) and not self._is_passed(segment, rows):
            self._meet(segment, rows, active)
            self._policy.advance(rows, segment, ((segment + 1, active),))
            return
        self._policy.block(rows)
        self._wait(segment, rows, active)
        self.complete_barriers()

    def _live_of(self, rows: Rows) -> LaneSets:
        return self.live if len(rows) == self._frame.rows else self.live[rows]

    def _are_whole(self, segment: int, rows: Rows) -> bool:
        """Whether the rows are all live rows of their blocks, or of the grid."""
        if isinstance(self._meetings[segment], GridBarrier):
            return len(rows) == np.count_nonzero(self.live) and not self._has_lost_a_block()
        if len(rows) == self._frame.rows:
            return True
        slots = self._frame.block_slot[:, 0]
        alive = np.bincount(slots[self.live != 0], minlength=int(slots[-1]) + 1)
        here = np.bincount(slots[rows], minlength=len(alive))
        return bool(((here == 0) | (here == alive)).all())

    def _has_lost_a_block(self) -> bool:
        """Whether all threads of some block have ended."""
        slots = self._frame.block_slot[:, 0]
        alive = np.bincount(slots[self.live != 0], minlength=int(slots[-1]) + 1)
        return self._is_kernel and not alive.all()

    def complete_barriers(self) -> None:
        """Lets go the blocks whose live threads all wait at barriers."""
        self.is_due = False
        for kind in (BlockBarrier, GridBarrier):
            segments = [segment for segment in self._at if isinstance(self._meetings[segment], kind)]
            if not segments:
                continue
            waiting = np.bitwise_or.reduce([self._at[segment] for segment in segments])
            unfinished = waiting != self.live
            if kind is GridBarrier:
                if not unfinished.any() and not self._has_lost_a_block():
                    self._release_barrier(segments, np.flatnonzero(waiting))
                continue
            slots = self._frame.block_slot[:, 0]
            blocked = np.bincount(slots, weights=unfinished) > 0
            rows = np.flatnonzero(~blocked[slots] & (waiting != 0))
            if len(rows):
                self._release_barrier(segments, rows)

    def _release_barrier(self, segments: list[int], rows: Rows) -> None:
        """All live threads of these rows' blocks wait at one of the segments."""
        present = [segment for segment in segments if self._at[segment][rows].any()]
        are_several = len({self._meetings[segment].span for segment in present}) > 1
        if are_several or any(self._is_passed(segment, rows) for segment in present):
            self._report_divergence(present, rows)
        if are_several:
            present = self._whose_turn_it_is(present)
        for segment in present:
            here = rows[self._at[segment][rows] != 0]
            self._release(segment, here, self._at[segment][here])

    def _is_passed(self, segment: int, rows: Rows) -> bool:
        """Once threads have failed to meet, who passes what follows from that."""
        return not self._has_parted and self._passed.is_passed(segment, rows, self._frame.block_slot[:, 0])

    def _whose_turn_it_is(self, segments: list[int]) -> list[int]:
        """Of the segments at which threads wait: all, or those of the barrier that comes first."""
        if not self._barriers_in_turn:
            return segments
        first = self._meetings[min(segments)].span
        return [segment for segment in segments if self._meetings[segment].span == first]

    def _at_named_barrier(self, segment: int, rows: Rows, active: LaneSets, arrive_only: bool) -> None:
        barrier, count = self._barrier_and_count(segment, rows)
        shape = (len(rows), self._width)
        numbers = np.broadcast_to(barrier, shape)
        wanted = None if count is None else np.broadcast_to(count, shape)
        first = lanes_of(active, self._width).argmax(axis=1)
        if arrive_only:
            self._meet(segment, rows, active)
            self._policy.advance(rows, segment, ((segment + 1, active),))
        else:
            self._policy.block(rows)
            self._wait(segment, rows, active)
        for index, row in enumerate(rows.tolist()):
            key = BarrierKey(int(self._frame.block_slot[row, 0]), int(numbers[index, first[index]]))
            needed = self._block_threads(key.slot) if wanted is None else int(wanted[index, first[index]])
            if not arrive_only:
                self._named_barriers.wait(segment, row, key)
            phase = self._named_barriers.phase(key, self._width)
            for observer in self._observers:
                observer.arrival(ArrivalEvent(self._frame.wave_rows[[row]], active[[index]], *phase))
            if self._named_barriers.arrive(key, int(active[index]).bit_count(), needed):
                self._release_named(key, phase)

    def _barrier_and_count(self, segment: int, rows: Rows) -> tuple[Values, Values | None]:
        """The barrier's number and how many threads it counts (None: all of the block)."""
        found = self._named[segment](self._frame, rows)
        meeting = self._meetings[segment]
        return found if len(meeting.operands) > 1 else (found, None)

    def _block_threads(self, slot: int) -> int:
        return lane_total(self.live[self._frame.block_slot[:, 0] == slot])

    def _release_named(self, key: BarrierKey, phase: tuple[Values, Values]) -> None:
        for segment, rows in self._named_barriers.leave(key):
            lanes = self._at[segment][rows]
            self._release(segment, rows, lanes)
            shape = (len(rows), self._width)
            ended = PhaseEvent(self._frame.wave_rows[rows], lanes, *(np.broadcast_to(part, shape) for part in phase))
            for observer in self._observers:
                observer.phase(ended)

    # -- phases of memory barriers ------------------------------------------------------------------------------------

    def _at_phase(self, segment: int, rows: Rows, active: LaneSets, question: PhaseQuestion) -> None:
        going = active & self._complete(segment, rows)
        if question is PhaseQuestion.TEST or (going == active).all():
            self._meet(segment, rows, active)
            self._policy.advance(rows, segment, ((segment + 1, active),))
            return
        self._policy.block(rows)
        self._wait(segment, rows, active)
        some = going != 0
        if some.any():
            self._release(segment, rows[some], going[some])

    def end_phases(self) -> None:
        """Lets go all whose phase is complete."""
        self._phases.has_completed = False
        for segment in [one for one in self._at if isinstance(self._meetings[one], PhaseWait)]:
            rows = np.flatnonzero(self._at[segment])
            going = self._at[segment][rows] & self._complete(segment, rows)
            some = going != 0
            if some.any():
                self._release(segment, rows[some], going[some])

    def _complete(self, segment: int, rows: Rows) -> LaneSets:
        return lane_sets(self._phases.complete(*self._asked(segment, rows)))

    def _asked(self, segment: int, rows: Rows) -> tuple[Values, Values]:
        """The addresses of the barriers and the parities of the phases that threads ask for: (rows, lanes)."""
        address, parity = self._named[segment](self._frame, rows)
        shape = (len(rows), self._width)
        return np.broadcast_to(address, shape), np.broadcast_to(parity, shape)

    def _send_away(self) -> bool:
        """Tells those who only try that their phase is not complete; whether there were any to be told."""
        trying = [segment for segment, meeting in self._meetings.items() if segment in self._at and tries(meeting)]
        if not trying or self._timeouts == MAX_TIMEOUTS:
            return False
        self._timeouts += 1
        for segment in trying:
            rows = np.flatnonzero(self._at[segment])
            self._release(segment, rows, self._at[segment][rows])
        return True

    # -- waiting and going on -----------------------------------------------------------------------------------------

    def _wait(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        waiting = self._at.setdefault(segment, np.zeros(self._frame.rows, np.uint64))
        waiting[rows] |= lanes

    def _release(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        """These lanes, which wait at `segment`, have met and go on behind it."""
        waiting = self._at[segment]
        waiting[rows] &= ~lanes
        if not waiting.any():
            del self._at[segment]
        self._meet(segment, rows, lanes)
        self._policy.release(rows, lanes, segment + 1)

    def _meet(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        """Runs the meeting's exchange for all lanes that take part."""
        width, meeting = self._width, self._meetings[segment]
        asked = None if not isinstance(meeting, PhaseWait) else self._asked(segment, rows)
        complete = lanes if asked is None else lanes & lane_sets(self._phases.complete(*asked))
        if scope_of(meeting) is not BarrierScope.WARP and (asked is None or (waits(meeting) and complete.any())):
            self.has_met, self._timeouts = True, 0
        is_full = np.count_nonzero(lanes == np.uint64((1 << width) - 1)) == len(rows)
        selected = None if len(rows) == self._frame.rows else rows
        self._counters.count(segment, len(rows), len(rows) * width if is_full else lane_total(lanes))
        self._functions[segment - self._first](self._frame, selected, None if is_full else lanes_of(lanes, width))
        if self._observers:
            wave_rows = self._frame.wave_rows[rows]
            happened = SegmentEvent(wave_rows, lanes, segment, ((segment + 1, lanes),))
            for observer in self._observers:
                observer.segment(happened)
            if asked is not None:
                some = complete != 0
                ended = PhaseEvent(wave_rows[some], complete[some], asked[0][some], asked[1][some])
                for observer in self._observers:
                    observer.phase(ended)
                return
            if isinstance(meeting, NamedBarrier):
                return
            masks = self._masks(segment, selected, len(rows))
            barrier = BarrierEvent(scope_of(meeting), wave_rows, lanes, masks)
            for observer in self._observers:
                observer.barrier(barrier)

    def _masks(self, segment: int, selected: Rows | None, rows: int) -> NDArray[np.uint64] | None:
        """The masks of a warp barrier, by row and lane; None where one number stands for all."""
        if not isinstance(self._meetings[segment], WarpBarrier):
            return None
        masks = np.asarray(self._named[segment](self._frame, selected)).astype(np.uint64)
        return None if masks.size == 1 else np.broadcast_to(masks, (rows, self._width))

    # -- nobody can run -----------------------------------------------------------------------------------------------

    def resolve(self) -> bool:
        """Called when no row can run: whether somebody can now.  False where nobody waits: the frame is done."""
        for segment in sorted(self._at):
            is_of_warp = not isinstance(self._meetings[segment], BlockMeeting)
            if is_of_warp and self._release_complete(segment, np.flatnonzero(self._at[segment])):
                return True
        before = dict.fromkeys(self._at)
        self.complete_barriers()
        if before != dict.fromkeys(self._at):
            return True
        if not self._at:
            return False
        if not self._policy.can_switch and self._make_way():
            return True
        if self._send_away():
            return True
        split = [one for one in self._at if isinstance(self._meetings[one], NamedBarrier | PhaseWait)]
        segment = min(split or self._at)
        rows = np.flatnonzero(self._at[segment])
        lanes = self._at[segment][rows]
        match self._meetings[segment]:
            case BlockBarrier():
                segments = [one for one in self._at if isinstance(self._meetings[one], BlockBarrier)]
                waiting = np.bitwise_or.reduce([self._at[one] for one in segments])
                rows = np.flatnonzero(waiting)
                self._report_divergence(segments, rows)
                for one in self._whose_turn_it_is(segments):
                    here = np.flatnonzero(self._at[one])
                    self._release(one, here, self._at[one][here])
            case GridBarrier() | NamedBarrier() | PhaseWait():
                self._report_deadlock(segment, rows, lanes)
                self._named_barriers.forget(segment)
                self._phases.is_forced = True
                self._release(segment, rows, lanes)
                self._phases.is_forced = False
            case _:
                self._report_mask(segment, rows, lanes, lanes_of(lanes, self._width))
                self._release(segment, rows, lanes)
        return True

    def _make_way(self) -> bool:
        """Lets others of the same warps go first, where the policy runs one side of a branch at a time.

        Machines with memory barriers let the sides of a branch take turns; what waits for one is not held up by order.
        """
        at_phases = [lanes for segment, lanes in self._at.items() if isinstance(self._meetings[segment], PhaseWait)]
        if at_phases and self._policy.make_way(np.flatnonzero(np.bitwise_or.reduce(at_phases)), at_joins=True):
            return True
        return self._policy.make_way(np.flatnonzero(np.bitwise_or.reduce(list(self._at.values()))), at_joins=False)

    # -- faults -------------------------------------------------------------------------------------------------------

    def _report_mask(self, segment: int, rows: Rows, arrived: LaneSets, wrong: Lanes) -> None:
        named = np.broadcast_to(np.asarray(self._named[segment](self._frame, rows)), wrong.shape)

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            return IllegalWarpMask(evidence, int(named[row, lane]), int(arrived[row]))

        self._faults.add("warp-mask", self._function, self._meetings[segment].span, self._frame, rows, wrong, describe)

    def _standing(self, segments: list[int], warps: Rows | slice = slice(None)) -> tuple[tuple[Span, int], ...]:
        found = ((self._meetings[one].span, lane_total(self._at[one][warps])) for one in sorted(segments))
        return tuple((span, count) for span, count in found if count)

    def _report_divergence(self, segments: list[int], rows: Rows) -> None:
        self._has_parted = True
        waiting = np.bitwise_or.reduce([self._at[one] for one in segments])[rows]
        where = self._meetings[min(segments)].span

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            slots = self._frame.block_slot[:, 0]
            block = np.flatnonzero(slots == slots[rows[row]])
            standing = self._standing(segments, block)
            threads = int(np.count_nonzero(self._frame.live[block]))
            return BarrierDivergence(evidence, standing, threads - sum(count for _, count in standing))

        lanes = lanes_of(waiting, self._width)
        self._faults.add("barrier-divergence", self._function, where, self._frame, rows, lanes, describe)

    def _report_deadlock(self, segment: int, rows: Rows, lanes: LaneSets) -> None:
        standing, barriers = self._standing(list(self._at)), self._stuck()
        span = self._meetings[segment].span

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            waiting = np.bitwise_or.reduce([one[rows[row]] for one in self._at.values()])
            is_held_up = not self._policy.can_switch and bool(self.live[rows[row]] & ~waiting)
            return Deadlock(evidence, standing, barriers, is_held_up)

        marked = lanes_of(lanes, self._width)
        self._faults.add("deadlock", self._function, span, self._frame, rows, marked, describe)

    def _stuck(self) -> tuple[StuckBarrier, ...]:
        """The split barriers that threads wait at, each as the first thread of its place sees it."""
        found: list[StuckBarrier] = []
        for segment in sorted(self._at):
            row = int(np.flatnonzero(self._at[segment])[0])
            meeting = self._meetings[segment]
            if isinstance(meeting, NamedBarrier):
                key = self._named_barriers.awaited(segment, row)
                barrier = self._named_barriers.of(key)
                found.append(StuckBarrier(meeting.span, str(key.number), barrier.arrived, barrier.wanted, None))
            elif isinstance(meeting, PhaseWait):
                lane = int(lanes_of(self._at[segment][[row]], self._width)[0].argmax())
                addresses, parities = self._asked(segment, np.array([row]))
                asked = int(parities[0, lane])
                found.append(self._phases.stuck(meeting.span, int(addresses[0, lane]), asked))
        return tuple(found)
