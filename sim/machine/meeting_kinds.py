"""What kind of meeting a segment is: who has to come, and whether a thread may go on without the others."""

from __future__ import annotations

from analysis.ir.instructions import BlockBarrier, GridBarrier, NamedBarrier, PhaseWait
from analysis.ir.operators import PhaseQuestion
from sim.code.segments import Meeting
from sim.events import BarrierScope


def tries(meeting: Meeting) -> bool:
    """Does a thread wait for a while, and go on with the answer no?"""
    return isinstance(meeting, PhaseWait) and meeting.question is PhaseQuestion.TRY


def waits(meeting: Meeting) -> bool:
    """Does a thread wait for a phase to end?"""
    return isinstance(meeting, PhaseWait) and meeting.question is not PhaseQuestion.TEST


def scope_of(meeting: Meeting) -> BarrierScope:
    match meeting:
        case BlockBarrier() | NamedBarrier() | PhaseWait():
            return BarrierScope.BLOCK
        case GridBarrier():
            return BarrierScope.GRID
        case _:
            return BarrierScope.WARP
