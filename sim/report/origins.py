"""Whose doing a fault is: the program's, or that of numbers and contents that were chosen for the run.

Rules    A fault is labelled with the choices that decide where its access goes, whether its assertion holds, or whether
         threads come there; an array that was chosen to start unwritten is behind a read of what nothing has written,
         one whose length was chosen behind an access past its end.  An access that lies in no array may be one past
         the end of any of these.
         What the access itself depends on is named first, then what lets threads come, then the shape; with the
         option that gives the first.  Pointers in memory cannot be given.
         As races do (`races.py`), a fault that needs a choice becomes a note: chosen numbers or contents in its address
         or assertion, chosen contents behind the conditions around it.  Where nothing is computed (a trap, a barrier
         that threads miss), the conditions are all there is, and their numbers count as well.  A chosen shape excuses
         nothing, nor do numbers that only let threads come: an access may be wrong for all of them.
Limits   Places in functions that are called, not inlined, are not followed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.inputs.flow import Flow
from sim.faults import MachineFault, OutOfBounds, UninitialisedRead
from sim.launch.causes import Causes, names_of
from sim.launch.choices import Choice
from sim.report.model import FaultReport
from sim.report.words import choice_words

_SHAPE: Final = ("block", "grid", "shared")
_NULL: Final = "; pointers that lie in memory ({}) are chosen and cannot be given: null at the ends of lists"


@final
class Origins:
    """For the kernel whose `flow` it is, launched with these choices; `grows`: arrays whose length was chosen."""

    def __init__(self, flow: Flow, choices: Sequence[Choice], grows: Collection[str]) -> None:
        self._causes = Causes(flow)
        self._grows = grows
        self._chosen: Mapping[str, Choice] = {choice.name: choice for choice in choices if choice.is_chosen}

    def labelled(self, report: FaultReport, fault: MachineFault) -> FaultReport:
        """The report with the choices behind the fault, if there are any."""
        cause = self._causes.of(fault) if self._chosen else None
        if cause is None:
            return report
        own = cause.own
        if isinstance(fault, OutOfBounds) and fault.is_null and own.contents:
            names = tuple(sorted(own.contents))
            message = report.message + _NULL.format(", ".join(names))
            return replace(report, message=message, chosen=names, is_note=True)
        direct = {*names_of(own), *self._buffer(fault)} & self._chosen.keys()
        behind = direct | (names_of(cause.guards) & self._chosen.keys())
        if not behind:
            return report
        order = sorted(behind, key=lambda name: (name in _SHAPE, name not in direct, name))
        words = f"; what was chosen may be the cause: {choice_words(order, self._chosen)}"
        words += f"; to decide it, give {_option(order[0])}"
        decisive = {*direct, *cause.guards.contents, *(() if cause.is_computed else names_of(cause.guards))}
        is_note = not self._chosen.keys().isdisjoint(decisive.difference(_SHAPE))
        return replace(report, message=report.message + words, chosen=tuple(sorted(behind)), is_note=is_note)

    def _buffer(self, fault: MachineFault) -> Sequence[str]:
        """The array whose chosen contents or length decides."""
        match fault:
            case UninitialisedRead(buffer=buffer):
                return (buffer,)
            case OutOfBounds(buffer=str() as buffer, offset=offset) if offset >= 0 and buffer in self._grows:
                return (buffer,)
            case OutOfBounds(buffer=None, is_null=False):
                return tuple(self._grows)
            case _:
                return ()


def _option(name: str) -> str:
    """As comments above kernels and editors take it; the shell does behind `--arg`, or as `--grid`."""
    return f"{name}=…"
