"""What a run found wrong, in words: one sentence per fault, that says what happened and where; for data races see
`races.py`."""

from __future__ import annotations

from typing import Final, assert_never

from analysis.ir.source import Span
from analysis.rules.wording import quantity
from sim.faults import (
    AccessKind,
    BarrierDivergence,
    Deadlock,
    FailedAssertion,
    IllegalShuffleWidth,
    IllegalWarpMask,
    InactiveLaneRead,
    LeftOutLaunch,
    Livelock,
    MachineFault,
    Misaligned,
    OutOfBounds,
    ReadOnlyWrite,
    StackOverflow,
    StuckBarrier,
    Trapped,
    UninitialisedRead,
)
from sim.report.model import FaultReport, RelatedPlace
from sim.report.places import SourcePlaces

LEFT_OUT_LAUNCH: Final = "left-out-launch"
VERBS = {AccessKind.LOAD: "reads", AccessKind.STORE: "writes", AccessKind.ATOMIC: "updates"}


def fault_report(fault: MachineFault, places: SourcePlaces) -> FaultReport:
    """The fault at its place, with who caused it first."""
    evidence = fault.evidence
    return FaultReport(
        kind=kind_of(fault),
        place=places.place(evidence.function, evidence.span),
        block=evidence.block,
        thread=evidence.thread,
        count=evidence.count,
        message=message_of(fault, places),
        related=_related(fault, places),
    )


def left_out_launch(launch: LeftOutLaunch, places: SourcePlaces) -> FaultReport:
    """A note."""
    evidence = launch.evidence
    return FaultReport(
        kind=LEFT_OUT_LAUNCH,
        place=places.place(evidence.function, evidence.span),
        block=evidence.block,
        thread=evidence.thread,
        count=evidence.count,
        message="the kernel that is launched here is not run: what it does to memory is missing",
        is_note=True,
    )


def kind_of(fault: MachineFault) -> str:
    """The word for programs; part of the `simulate --json` contract."""
    match fault:
        case OutOfBounds():
            return "out-of-bounds"
        case Misaligned():
            return "misaligned"
        case UninitialisedRead():
            return "uninitialised-read"
        case ReadOnlyWrite():
            return "read-only-write"
        case BarrierDivergence():
            return "barrier-divergence"
        case IllegalWarpMask():
            return "illegal-warp-mask"
        case IllegalShuffleWidth():
            return "illegal-shuffle-width"
        case InactiveLaneRead():
            return "inactive-lane-read"
        case FailedAssertion():
            return "failed-assertion"
        case Trapped():
            return "trap"
        case StackOverflow():
            return "stack-overflow"
        case Livelock():
            return "livelock"
        case Deadlock():
            return "deadlock"
        case _:
            assert_never(fault)


def message_of(fault: MachineFault, places: SourcePlaces) -> str:
    """A sentence without the place and the thread, which stand beside it."""
    match fault:
        case OutOfBounds(access=access, buffer=None, offset=address) if fault.is_null:
            behind = f" and {address} bytes" if address else ""
            return f"{VERBS[access]} through a null pointer{behind}"
        case OutOfBounds(access=access, buffer=None, offset=address, width=width):
            return f"{VERBS[access]} {width} bytes at address {address:#x}, where no buffer lies"
        case OutOfBounds(access=access, buffer=buffer, offset=offset, size=size, width=width):
            where = f"{-offset} bytes before its start" if offset < 0 else f"at byte {offset} of {size}"
            return f"{VERBS[access]} {width} bytes outside of {buffer}, {where}"
        case Misaligned(access=access, buffer=buffer, offset=offset, width=width, alignment=alignment):
            return f"{VERBS[access]} {width} bytes at byte {offset} of {buffer or 'memory'}, no multiple of {alignment}"
        case UninitialisedRead(buffer=buffer, offset=offset):
            return f"reads byte {offset} of {buffer}, which nothing has written"
        case ReadOnlyWrite(buffer=buffer):
            return f"writes to {buffer}, which is constant"
        case BarrierDivergence(evidence=evidence, waiting=waiting, missing=missing):
            sites = [_site(places, evidence.function, span, count) for span, count in waiting]
            absent = f"; {missing} never come" if missing else ""
            return f"threads of one block do not meet: {', '.join(sites)}{absent}"
        case IllegalWarpMask(mask=mask, other=int(other)):
            return f"the lanes that meet here pass different masks, {mask:#010x} and {other:#010x}"
        case IllegalShuffleWidth(width=width):
            return f"the width of the shuffle is {width}, no power of two up to the size of a warp"
        case InactiveLaneRead(source=source):
            return f"all lanes read from lane {source}, which takes no part"
        case IllegalWarpMask(mask=mask, arrived=arrived):
            return f"the mask {mask:#010x} and the lanes that are here, {arrived:#010x}, do not fit"
        case FailedAssertion(of_callee=True):
            return "calls none of the functions that may be meant: the pointer, or the object, was never set"
        case FailedAssertion():
            return "the assertion fails"
        case Trapped():
            return "the kernel traps"
        case StackOverflow(depth=depth):
            return f"calls nest deeper than {depth}"
        case Livelock():
            return "threads repeat the same state for ever: what they wait for cannot run"
        case Deadlock(evidence=evidence, waiting=waiting, barriers=barriers, is_held_up=is_held_up):
            sites = [_site(places, evidence.function, span, count) for span, count in waiting]
            states = [f"; {_barrier(places, evidence.function, barrier)}" for barrier in barriers[:_MAX_BARRIERS]]
            order = "; other lanes of a warp could go on, but this policy runs one side of a branch first"
            standing = f"every thread waits and nobody can come: {', '.join(sites)}{''.join(states)}"
            return standing + order if is_held_up else standing
        case _:
            assert_never(fault)


def _site(places: SourcePlaces, function: str, span: Span, count: int) -> str:
    place = places.place(function, span)
    return f"{count} wait in line {place.line}" if place is not None else f"{count} wait"


_MAX_BARRIERS: Final = 4
"""That are described; the lines of all are named."""


def _barrier(places: SourcePlaces, function: str, barrier: StuckBarrier) -> str:
    """`full (line 12) is in its phase of parity 0, to which 0 of 1 arrived; 16 bytes of copies are missing`"""
    place = places.place(function, barrier.span)
    where = "" if place is None else f" (line {place.line})"
    phase = barrier.phase
    if phase is None:
        return f"{barrier.arrived} of {barrier.expected} threads arrived at barrier {barrier.name}{where}"
    if not phase.is_valid:
        return f"{barrier.name}{where} was never initialised"
    came = f"{barrier.name}{where} is in its phase of parity {phase.parity}, to which {barrier.arrived} of "
    came += f"{barrier.expected} arrived"
    missing = f" and {phase.bytes} bytes of copies are missing" if phase.bytes else ""
    other = f"; what is awaited is the end of one of parity {phase.asked}" if phase.asked != phase.parity else ""
    return came + missing + other


def _related(fault: MachineFault, places: SourcePlaces) -> tuple[RelatedPlace, ...]:
    """Where the threads stand that do not meet."""
    if not isinstance(fault, BarrierDivergence | Deadlock):
        return ()
    return tuple(
        RelatedPlace(
            places.place(fault.evidence.function, span),
            f"{quantity(count, 'thread')} wait{'s' if count == 1 else ''} here",
        )
        for span, count in fault.waiting
    )
