"""Register tags: what dynamic deduplication in hardware would find out by passing tags along, two bits per register.

Each register carries a tag (uniform, affine, generic); instructions compute the tag of their result from those of their
operands (`tag_rules.py`).  What only a part of a warp's running lanes writes becomes generic, as the others keep what
they had.  Compared with `register_values.py`, which sees the values, this gives the share that tags detect: Collange
reports 79 % of affine operands and 75 % of affine computations.
Left out   Functions that are really called.  All parts of a struct or vector share one tag.
Cost       Arrays of one byte per warp and value; no values are looked at.
Source     Collange, "GPU architecture part 2", 2020, "Tagging registers"; Collange, Defour, Zhang, HPPC 2009.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np

from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Phi
from analysis.ir.record import record
from analysis.verdict.latency import is_issued
from sim.arrays import Lanes, LaneSets, Rows, population
from sim.events import AddressBook, Events, Observer, Run, Segment, SegmentEvent, Wave
from sim.observers.register_kinds import GENERIC, UNIFORM, Kinds, RegisterShares, Tally, immediates
from sim.observers.running import RunningLanes
from sim.observers.tag_rules import Rule, rule_of
from sim.values.scalars import NoParts, parts_of


@final
@record
class _Operation:
    """One instruction that a warp issues, or a terminator, which has no result."""

    operands: tuple[ValueId, ...]
    reads: tuple[tuple[ValueId, int], ...]
    """Operands that are registers, with the number of their parts."""
    result: ValueId | None
    parts: int
    rule: Rule | None


@final
class RegisterTagObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self) -> None:
        self._run: Run | None = None
        self._running: RunningLanes | None = None
        self._rows = 0
        self._operations: dict[int, tuple[_Operation, ...]] = {}
        self._phis: dict[int, tuple[tuple[int, tuple[tuple[ValueId, ValueId], ...]], ...]] = {}
        """For each segment: its targets, with the phis there and what arrives at them."""
        self._tags: dict[ValueId, Kinds] = {}
        self._reads, self._results = Tally.empty(), Tally.empty()

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._run, self._running = run, RunningLanes(run)
        literal = immediates(run)
        own = [number for number, segment in enumerate(run.segments) if segment.function.id == run.kernel.id]
        self._operations = {number: _operations(run, run.segments[number], literal) for number in own}
        self._phis = {
            number: tuple(
                (target, _arriving(run.segments[target].phis, run.segments[number].block))
                for target in run.graph.successors[number]
                if run.segments[target].phis
            )
            for number in own
            if run.segments[number].terminator is not None
        }
        self._reads, self._results = Tally.empty(), Tally.empty()

    def wave(self, wave: Wave) -> None:
        assert self._running is not None
        self._running.wave(wave)
        self._rows = len(wave.live)
        self._tags.clear()

    def segment(self, event: SegmentEvent) -> None:
        assert self._running is not None
        operations = self._operations.get(event.segment)
        if operations is None:
            return
        rows, running = event.rows, self._running.lanes[event.rows]
        several = population(event.active) > 1
        whole = event.active == running
        for operation in operations:
            for value, parts in operation.reads:
                tags = self._tag(value, rows)
                for _ in range(parts):
                    self._reads.add(tags, several)
            if operation.result is not None and operation.rule is not None:
                found = operation.rule([self._tag(value, rows) for value in operation.operands])
                tags = np.where(whole, found, GENERIC).astype(np.int8)
                self._array(operation.result)[rows] = tags
                for _ in range(operation.parts):
                    self._results.add(tags, several)
        self._pass_on(event, running)
        self._running.leave(event)

    def answer(self) -> RegisterShares:
        return RegisterShares(self._reads.count(), self._results.count())

    def _pass_on(self, event: SegmentEvent, running: LaneSets) -> None:
        """Phis are copies by the lanes that go to their block; all are read before the first is written."""
        ways = dict(event.split)
        for target, phis in self._phis.get(event.segment, ()):
            lanes = ways.get(target)
            if lanes is None:
                continue
            goes: Lanes = lanes != 0
            rows = event.rows[goes]
            whole = (lanes == running)[goes]
            tags = [np.where(whole, self._tag(value, rows), GENERIC).astype(np.int8) for _, value in phis]
            for (phi, _), found in zip(phis, tags, strict=True):
                self._array(phi)[rows] = found

    def _tag(self, value: ValueId, rows: Rows) -> Kinds:
        """Constants and arguments were never computed by a warp: they are uniform."""
        found = self._tags.get(value)
        return np.full(len(rows), UNIFORM, np.int8) if found is None else found[rows]

    def _array(self, value: ValueId) -> Kinds:
        found = self._tags.get(value)
        if found is None:
            found = self._tags[value] = np.full(self._rows, UNIFORM, np.int8)
        return found


def _operations(run: Run, segment: Segment, literal: frozenset[ValueId]) -> tuple[_Operation, ...]:
    function = segment.function

    def registers(operands: tuple[ValueId, ...]) -> tuple[tuple[ValueId, int], ...]:
        return tuple((value, _parts(function, value)) for value in operands if value not in literal)

    items: list[_Operation] = []
    for one in filter(is_issued, segment.instructions):
        rule = rule_of(function, one, run.launch)
        parts = 0 if one.result is None else _parts(function, one.result)
        items.append(_Operation(one.operands, registers(one.operands), one.result, parts, rule))
    if segment.terminator is not None:
        operands = segment.terminator.operands
        items.append(_Operation(operands, registers(operands), None, 0, None))
    return tuple(items)


def _parts(function: Function, value: ValueId) -> int:
    try:
        return len(parts_of(function.types[value], function.structs))
    except NoParts:
        return 0


def _arriving(phis: tuple[Phi, ...], block: int) -> tuple[tuple[ValueId, ValueId], ...]:
    return tuple((phi.result, value) for phi in phis for source, value in phi.incoming if source == block)
