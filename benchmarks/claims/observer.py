"""Watches one run and holds every claim of a `Subject` against it.

    values     where they are defined and where other blocks read them (`values.py`)
    control    arrivals at blocks and ways out of them (`control.py`)
    accesses   every request (`accesses.py`)

Phis belong to the block that the lanes go to, so they wait until the lanes have moved.
Left out   Functions that are really called.
"""

from __future__ import annotations

from typing import ClassVar, final

import numpy as np

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.types import BooleanType, IntegerType
from analysis.verdict.barriers import BarrierVerdict
from benchmarks.claims.accesses import AccessClaims, Reached
from benchmarks.claims.claim import Claim, Findings, Refutation
from benchmarks.claims.control import ControlClaims
from benchmarks.claims.instances import Instances
from benchmarks.claims.policy import keeps_together
from benchmarks.claims.subject import Subject
from benchmarks.claims.threads import Threads
from benchmarks.claims.values import ValueClaims
from sim.arrays import Lanes, Values, lanes_of
from sim.events import (
    AccessEvent,
    AddressBook,
    Events,
    Observer,
    Run,
    SegmentEvent,
    ValueEvent,
    Wave,
)
from sim.faults import BarrierDivergence, Deadlock, FailedAssertion, OutOfBounds, Trapped
from sim.policies.protocol import EXIT
from sim.result import Result
from sim.specification import LaunchSpecification, Scalar

ENDINGS = (BarrierDivergence, Deadlock, FailedAssertion, Trapped)
"""After these not every thread ended where the program says."""


@final
class ClaimObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS | Events.VALUES | Events.ACCESSES

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._run: Run | None = None
        self._arriving: list[ValueEvent] = []
        function = subject.function
        self._homes: dict[ValueId, BasicBlockId] = {
            item.result: BasicBlockId(number)
            for number, block in enumerate(function.blocks)
            for item in (*block.phis, *block.instructions)
            if item.result is not None
        }
        self._phis = {phi.result for block in function.blocks for phi in block.phis}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        assert run.kernel is self._subject.function, "claims are about the function that runs"
        self._run = run
        self._warp_size = run.launch.warp_size
        self._own = [segment.function.id == run.kernel.id for segment in run.segments]
        self._is_first = [
            number == 0 or run.segments[number - 1].block != segment.block or not self._own[number - 1]
            for number, segment in enumerate(run.segments)
        ]
        self._reads = [self._read_from_elsewhere(number) if own else () for number, own in enumerate(self._own)]
        self._instances = Instances(self._subject.control, self._warp_size)
        self._control = ControlClaims(self._subject, self._instances, run)
        self._accesses = AccessClaims(self._subject, self._instances, run, addresses)

        def own_memory(values: Values) -> Values:
            return self._accesses.without_owner(values)

        reads = {value for values in self._reads for value in values}
        known = known_arguments(self._subject, run.launch)
        self._values = ValueClaims(self._subject, self._instances, known, own_memory, reads)

    def wave(self, wave: Wave) -> None:
        assert self._run is not None
        self._threads = Threads(self._run.launch, wave)
        self._instances.wave(len(wave.live))
        self._values.wave(len(wave.live))
        self._control.wave(self._threads)
        self._accesses.wave()

    def value(self, event: ValueEvent) -> None:
        if not self._own[event.segment]:
            return
        if event.value in self._phis:
            self._arriving.append(event)
        else:
            self._define(event)

    def access(self, event: AccessEvent) -> None:
        if self._own[event.site.segment]:
            shape = len(event.rows), self._warp_size
            lanes = np.ones(shape, np.bool_) if event.lanes is None else np.broadcast_to(event.lanes, shape)
            self._accesses.access(event, event.rows, lanes, self._threads)

    def segment(self, event: SegmentEvent) -> None:
        if not self._own[event.segment]:
            return
        assert self._run is not None
        segment = self._run.segments[event.segment]
        block, rows = BasicBlockId(segment.block), event.rows
        lanes = lanes_of(event.active, self._warp_size)
        if self._is_first[event.segment]:
            self._control.arrive(block, rows, lanes, self._threads)
        for value in self._reads[event.segment]:
            self._values.read(value, block, rows, lanes, self._threads)
        if segment.terminator is not None:
            ways = [
                (-1 if target == EXIT else self._run.segments[target].block, lanes_of(sets, self._warp_size))
                for target, sets in event.split
            ]
            self._control.leave(block, rows, ways, self._threads)
            for target, going in ways:
                if target >= 0 and going.any():
                    self._instances.move(block, target, rows, going)
        for arriving in self._arriving:
            self._define(arriving)
        self._arriving.clear()

    def _define(self, event: ValueEvent) -> None:
        shape = len(event.rows), self._warp_size
        lanes: Lanes = np.ones(shape, np.bool_) if event.lanes is None else np.broadcast_to(event.lanes, shape)
        block = self._homes[event.value]
        self._values.define(event.value, block, event.parts, event.rows, lanes, self._threads)

    def _read_from_elsewhere(self, number: int) -> tuple[ValueId, ...]:
        assert self._run is not None
        segment = self._run.segments[number]
        items = (*segment.instructions, *(() if segment.terminator is None else (segment.terminator,)))
        operands = dict.fromkeys(value for item in items for value in item.operands)
        return tuple(value for value in operands if self._homes.get(value, segment.block) != segment.block)

    # -- what it comes to -------------------------------------------------------------------------------------------

    @property
    def keeps_together(self) -> bool:
        assert self._run is not None
        return keeps_together(self._run, self._subject)

    @property
    def policy(self) -> str:
        assert self._run is not None
        return self._run.policy

    @property
    def diverged(self) -> set[BasicBlockId]:
        """Blocks whose decision parted lanes."""
        return self._control.diverged

    @property
    def decided(self) -> dict[BasicBlockId, int]:
        """How often several lanes together came to decide, by block."""
        return self._control.decided

    @property
    def reached(self) -> dict[int, Reached]:
        """What accesses cost at most, by the identity of their instruction."""
        return self._accesses.reached

    def settle(self, result: Result) -> Findings:
        """To be called once, after the run."""
        assert self._run is not None
        findings = Findings()
        all_ended = result.truncated is None and not any(isinstance(fault, ENDINGS) for fault in result.faults)
        self._values.settle(findings)
        self._control.settle(findings, all_ended=all_ended)
        self._accesses.settle(findings)
        self._barriers(findings, result)
        self._outside(findings, result)
        return findings

    def _barriers(self, findings: Findings, result: Result) -> None:
        faulty = {fault.evidence.span for fault in result.faults if isinstance(fault, BarrierDivergence | Deadlock)}
        for site in self._subject.barriers:
            if site.verdict is BarrierVerdict.CONVERGENT:
                findings.checked[Claim.BARRIER] += 1
                if site.span in faulty:
                    name = f"barrier in block{site.block}"
                    refutation = Refutation(Claim.BARRIER, name, site.span, site.verdict.value, "threads are missing")
                    findings.refutations.append(refutation)

    def _outside(self, findings: Findings, result: Result) -> None:
        """A proof that threads of a block miss the array: if any of the block's threads came, some did."""
        missed = {fault.evidence.span for fault in result.faults if isinstance(fault, OutOfBounds)}
        assert self._run is not None
        for instruction, access in self._subject.accesses.items():
            outside = access.outside
            if outside is None or outside.extent != self._run.launch.block or instruction not in self.reached:
                continue
            findings.checked[Claim.OUTSIDE] += 1
            if access.span not in missed:
                name = f"access in block{access.block}"
                refutation = Refutation(Claim.OUTSIDE, name, access.span, str(outside), "no access missed it")
                findings.refutations.append(refutation)


def known_arguments(subject: Subject, launch: LaunchSpecification) -> dict[ValueId, int]:
    """Whole numbers that are passed, by the value of the parameter, as its type converts them."""
    found: dict[ValueId, int] = {}
    for parameter in subject.function.parameters:
        argument = launch.arguments.get(parameter.name)
        type_ = subject.function.types[parameter.value]
        if isinstance(argument, Scalar) and isinstance(type_, IntegerType | BooleanType):
            number = int(argument.value)
            if isinstance(type_, IntegerType):
                number &= (1 << type_.bits) - 1
                if type_.signed and number >> (type_.bits - 1):
                    number -= 1 << type_.bits
            found[parameter.value] = number
    return found
