"""Whose doing a fault is: the program's, or that of numbers and contents that were chosen for the run.

Rules    A fault is labelled with the choices that decide where its access goes, whether its assertion holds, or whether
         threads come there; an array that was chosen to start unwritten is behind a read of what nothing has written,
         one whose length was chosen behind an access past its end.
         What the access itself depends on is named first, then what lets threads come, then the shape; with the
         option that gives the first.  Pointers in memory cannot be given: they are null in every simulation.
         The label does not excuse the fault: a program that relies on its inputs may want to know.
Limits   Places in functions that are called, not inlined, are not followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Assert, Atomic, Instruction, Load, Store
from sim.faults import FailedAssertion, MachineFault, Misaligned, OutOfBounds, ReadOnlyWrite, UninitialisedRead
from sim.launch.choices import Choice
from sim.launch.dependence import Dependence, Dependences
from sim.launch.flow import Flow
from sim.report.model import FaultReport
from sim.report.words import choice_words

_SHAPE: Final = ("block", "grid", "shared")
_NULL: Final = "; pointers that lie in memory ({}) cannot be given: they are null in every simulation"
_OF_ACCESS: Final = (OutOfBounds, Misaligned, UninitialisedRead, ReadOnlyWrite)


@final
class Origins:
    """For the kernel whose `flow` it is, launched with these choices."""

    def __init__(self, flow: Flow, choices: Sequence[Choice]) -> None:
        self._flow = flow
        self._dependences = Dependences(flow)
        self._chosen: Mapping[str, Choice] = {choice.name: choice for choice in choices if choice.is_chosen}

    def labelled(self, report: FaultReport, fault: MachineFault) -> FaultReport:
        """The report with the choices behind the fault, if there are any."""
        if fault.evidence.function != str(self._flow.function.id) or not self._chosen:
            return report
        values: list[ValueId] = []
        blocks: list[BasicBlockId] = []
        for block in self._flow.control.order:
            for instruction in self._flow.function.blocks[block].instructions:
                if instruction.span == fault.evidence.span:
                    values += _deciders(instruction, fault)
                    blocks.append(block)
        own = self._dependences.of(values)
        if isinstance(fault, OutOfBounds) and fault.is_null and own.contents:
            names = tuple(sorted(own.contents))
            return replace(report, message=report.message + _NULL.format(", ".join(names)), chosen=names)
        direct = {*_named(own), *_buffer(fault)} & self._chosen.keys()
        behind = direct | (_named(self._dependences.guards(blocks)) & self._chosen.keys())
        if not behind:
            return report
        order = sorted(behind, key=lambda name: (name in _SHAPE, name not in direct, name))
        cause = f"; what was chosen may be the cause: {choice_words(order, self._chosen)}"
        words = f"{cause}; to decide it, give {_option(order[0])}"
        return replace(report, message=report.message + words, chosen=tuple(sorted(behind)))


def _option(name: str) -> str:
    return f"--{name}" if name in _SHAPE else f"--arg {name}=…"


def _named(dependence: Dependence) -> frozenset[str]:
    return dependence.numbers | dependence.contents


def _buffer(fault: MachineFault) -> Sequence[str]:
    """The array whose chosen contents or length decides."""
    match fault:
        case UninitialisedRead(buffer=buffer):
            return (buffer,)
        case OutOfBounds(buffer=str() as buffer, offset=offset) if offset >= 0:
            return (buffer,)
        case _:
            return ()


def _deciders(instruction: Instruction, fault: MachineFault) -> Sequence[ValueId]:
    """The values that decide whether there is a fault."""
    match instruction:
        case Load(address=address) | Store(address=address) | Atomic(address=address) if isinstance(fault, _OF_ACCESS):
            return (address,)
        case Assert(condition=condition) if isinstance(fault, FailedAssertion):
            return (condition,)
        case _:
            return ()
