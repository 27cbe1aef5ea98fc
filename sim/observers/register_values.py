"""Register values: how many reads and results of a run are uniform or affine, whatever the program's text says?

This looks at the values themselves, so it bounds what any tagging of registers can find.  An operand counts as what the
lanes that read it see; a register that lanes wrote at different times holds what each of them wrote.
Left out   Functions that are really called, for instance recursive ones.
Cost       A copy of every value that crosses segments, and two comparisons per value and lane.
Source     Collange, "GPU architecture part 2", 2020: "49 % of all reads from the register file are affine".
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np

from analysis.ir.ids import ValueId
from analysis.ir.record import record
from sim.arrays import Lanes, LaneSets, Rows, Values, lanes_of, population
from sim.events import AddressBook, Events, Observer, Run, Segment, SegmentEvent, ValueEvent, Wave
from sim.observers.places import issued_in
from sim.observers.register_kinds import UNIFORM, Kinds, RegisterShares, Tally, immediates, kinds_of


@final
@record
class _Plan:
    """What a segment reads and computes: operands in order, with repetition."""

    reads: tuple[ValueId, ...]
    results: tuple[ValueId, ...]
    own: frozenset[ValueId]


@final
class RegisterValueObserver(Observer):
    events: ClassVar[Events] = Events.VALUES | Events.SEGMENTS

    def __init__(self) -> None:
        self._warp_size = 0
        self._full = np.uint64(0)
        self._rows = 0
        self._plans: dict[int, _Plan] = {}
        self._crossing: frozenset[ValueId] = frozenset()
        self._held: dict[ValueId, list[Values]] = {}
        self._now: dict[ValueId, list[Kinds | int]] = {}
        self._arriving: list[ValueEvent] = []
        self._reads, self._results = Tally.empty(), Tally.empty()

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._warp_size = run.launch.warp_size
        self._full = np.uint64((1 << self._warp_size) - 1)
        literal = immediates(run)
        self._plans = {
            number: _plan(segment, literal)
            for number, segment in enumerate(run.segments)
            if segment.function.id == run.kernel.id
        }
        read_elsewhere = {value for plan in self._plans.values() for value in plan.reads if value not in plan.own}
        self._crossing = frozenset(read_elsewhere)
        self._reads, self._results = Tally.empty(), Tally.empty()

    def wave(self, wave: Wave) -> None:
        self._rows = len(wave.live)
        self._held.clear()

    def value(self, event: ValueEvent) -> None:
        plan = self._plans.get(event.segment)
        if plan is None:
            return
        if event.value not in plan.own:
            self._arriving.append(event)  # a phi of the next segment: this one still reads what it held before
            return
        shape = (len(event.rows), self._warp_size)
        self._now[event.value] = [kinds_of(part, event.lanes, shape) for part in event.parts]
        if event.value in self._crossing:
            self._hold(event)

    def segment(self, event: SegmentEvent) -> None:
        plan = self._plans.get(event.segment)
        if plan is None:
            return
        several = population(event.active) > 1
        for value in plan.results:
            for kinds in self._now.get(value, [UNIFORM]):
                self._results.add(kinds, several)
        before: dict[ValueId, list[Kinds | int]] = {}
        for value in plan.reads:
            found = self._now.get(value) or before.get(value)
            if found is None:
                found = before[value] = self._kinds_held(value, event.rows, event.active)
            for kinds in found:
                self._reads.add(kinds, several)
        self._now.clear()
        for arriving in self._arriving:
            self._hold(arriving)
        self._arriving.clear()

    def answer(self) -> RegisterShares:
        return RegisterShares(self._reads.count(), self._results.count())

    def _kinds_held(self, value: ValueId, rows: Rows, active: LaneSets) -> list[Kinds | int]:
        """What the active lanes see in a register; what was never reported is the same for the whole grid."""
        held = self._held.get(value)
        if held is None:
            return [UNIFORM]
        lanes: Lanes | None = None if (active == self._full).all() else lanes_of(active, self._warp_size)
        return [kinds_of(part[rows], lanes, (len(rows), self._warp_size)) for part in held]

    def _hold(self, event: ValueEvent) -> None:
        if event.value not in self._crossing:
            return
        held = self._held.get(event.value)
        if held is None:
            shape = (self._rows, self._warp_size)
            held = self._held[event.value] = [np.zeros(shape, part.dtype) for part in event.parts]
        for old, new in zip(held, event.parts, strict=True):
            old[event.rows] = new if event.lanes is None else np.where(event.lanes, new, old[event.rows])


def _plan(segment: Segment, literal: frozenset[ValueId]) -> _Plan:
    issued = issued_in(segment)
    reads = tuple(value for one in issued for value in one.operands if value not in literal)
    own = frozenset(one.result for one in segment.instructions if one.result is not None)
    results = tuple(one.result for one in segment.instructions if one.result is not None and one.result not in literal)
    return _Plan(reads, results, own)
