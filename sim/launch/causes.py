"""Which names of a launch are behind a fault: what decides where its access goes, and what lets threads come there.

Rules     Whether something was written before it is read depends on where the writes go as well.
Limits   Places in functions that are called, not inlined, are not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.inputs.dependence import Dependence, Dependences
from analysis.inputs.flow import Flow
from analysis.ir.control import Trap
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Assert, Atomic, Instruction, Load, Store
from analysis.ir.record import record
from sim.faults import (
    FailedAssertion,
    MachineFault,
    Misaligned,
    OutOfBounds,
    ReadOnlyWrite,
    UninitialisedRead,
)

_OF_ACCESS: Final = (OutOfBounds, Misaligned, UninitialisedRead, ReadOnlyWrite)


@final
@record
class Cause:
    """`own`: of the access or assertion itself, if there is one (`is_computed`); `guards`: of the conditions around
    it."""

    own: Dependence
    guards: Dependence
    is_computed: bool = True


@final
class Causes:
    """Of the faults of one kernel."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._dependences = Dependences(flow)

    def of(self, fault: MachineFault) -> Cause | None:
        """None where the fault lies in a function that is called."""
        if fault.evidence.function != str(self._flow.function.id):
            return None
        values: list[ValueId] = []
        blocks: list[BasicBlockId] = []
        for block in self._flow.control.order:
            found = self._flow.function.blocks[block]
            for instruction in found.instructions:
                if instruction.span == fault.evidence.span:
                    values += _deciders(instruction, fault)
                    if isinstance(fault, UninitialisedRead) and isinstance(instruction, Load):
                        values += self._dependences.stored_at(instruction.address)
                    blocks.append(block)
            if isinstance(found.terminator, Trap) and found.terminator.span == fault.evidence.span:
                blocks.append(block)
        blocks = blocks or self._ending(fault)
        return Cause(self._dependences.of(values), self._dependences.guards(blocks), is_computed=bool(values))

    def _ending(self, fault: MachineFault) -> list[BasicBlockId]:
        """The blocks whose end the fault is about: threads that go round a loop for ever stand at one."""
        blocks = self._flow.function.blocks
        span = fault.evidence.span
        return [block for block in self._flow.control.order if blocks[block].terminator.span == span]


def names_of(dependence: Dependence) -> frozenset[str]:
    return dependence.numbers | dependence.contents


def _deciders(instruction: Instruction, fault: MachineFault) -> Sequence[ValueId]:
    """The values that decide whether there is a fault."""
    match instruction:
        case Load(address=address) | Store(address=address) | Atomic(address=address) if isinstance(fault, _OF_ACCESS):
            return (address,)
        case Assert(condition=condition) if isinstance(fault, FailedAssertion):
            return (condition,)
        case _:
            return ()
