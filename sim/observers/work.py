"""Work: how many instructions did warps and threads execute for each piece of source text?

SIMD efficiency is thread instructions per lane of the warps that were issued: 1 where no lane ever idled.  Text that
never ran is listed with zeros, so this is the coverage, too.  Barriers are counted beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, final

from analysis.ir.collectives import BlockBarrier, GridBarrier, NamedBarrier, WarpBarrier
from analysis.ir.instructions import Instruction
from analysis.ir.record import record
from analysis.ir.source import FrameId
from sim.arrays import population
from sim.events import AddressBook, BarrierScope, Events, Observer, Run, Segment, SegmentEvent
from sim.observers.places import FunctionSpan, issued_in


@final
@record
class Work:
    """`slots` are the lanes that were issued, whether they took part or not."""

    warp_instructions: int
    thread_instructions: int
    slots: int

    def __add__(self, other: Work) -> Work:
        return Work(
            self.warp_instructions + other.warp_instructions,
            self.thread_instructions + other.thread_instructions,
            self.slots + other.slots,
        )

    @property
    def simd_efficiency(self) -> float:
        """1 for what never ran."""
        return self.thread_instructions / self.slots if self.slots else 1.0


@final
@record
class Barrier:
    """One barrier in the program."""

    place: FunctionSpan
    scope: BarrierScope


@final
class WorkObserver(Observer):
    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self) -> None:
        self._segments: tuple[Segment, ...] = ()
        self._warp_size = 0
        self._warps: list[int] = []
        self._lanes: list[int] = []

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._segments, self._warp_size = run.segments, run.launch.warp_size
        self._warps, self._lanes = [0] * len(run.segments), [0] * len(run.segments)

    def segment(self, event: SegmentEvent) -> None:
        self._warps[event.segment] += len(event.rows)
        self._lanes[event.segment] += int(population(event.active).sum())

    def answer(self) -> Mapping[FunctionSpan, Work]:
        """By place, in the order of the program; `places.by_line` sums them up."""
        found: dict[FunctionSpan, Work] = {}
        nothing = Work(0, 0, 0)
        for segment, warps, lanes in zip(self._segments, self._warps, self._lanes, strict=True):
            once = Work(warps, lanes, warps * self._warp_size)
            for one in issued_in(segment):
                place = FunctionSpan(str(segment.function.id), one.span)
                found[place] = found.get(place, nothing) + once
        return found

    def arrivals(self) -> Mapping[FunctionSpan, int]:
        """How often a warp (or the part of it that is active) came to each place; `arrivals_by_line` sums them up."""
        found: dict[FunctionSpan, int] = {}
        for segment, warps in zip(self._segments, self._warps, strict=True):
            for place in {FunctionSpan(str(segment.function.id), one.span) for one in issued_in(segment)}:
                found[place] = max(found.get(place, 0), warps)
        return found

    def barriers(self) -> Mapping[Barrier, Work]:
        """How often warps, and with how many lanes, came to each barrier; also to those where none did."""
        found: dict[Barrier, Work] = {}
        nothing = Work(0, 0, 0)
        for segment, warps, lanes in zip(self._segments, self._warps, self._lanes, strict=True):
            for one in segment.instructions:
                scope = scope_of(one)
                if scope is not None:
                    barrier = Barrier(FunctionSpan(str(segment.function.id), one.span), scope)
                    found[barrier] = found.get(barrier, nothing) + Work(warps, lanes, warps * self._warp_size)
        return found


def scope_of(instruction: Instruction) -> BarrierScope | None:
    """Who waits for each other there; None for what is no barrier of a whole warp, block or grid."""
    match instruction:
        case WarpBarrier():
            return BarrierScope.WARP
        case BlockBarrier() | NamedBarrier():
            return BarrierScope.BLOCK
        case GridBarrier():
            return BarrierScope.GRID
        case _:
            return None


def arrivals_by_line(
    arrivals: Mapping[FunctionSpan, int], line_of: Callable[[FunctionSpan], int | None]
) -> dict[int, int]:
    """How often warps came to each line: to the place of it where they came most often, for each inlined copy."""
    copies: dict[tuple[str, FrameId, int], int] = {}
    for place, count in arrivals.items():
        line = line_of(place)
        if line is not None:
            key = place.function, place.span.frame, line
            copies[key] = max(copies.get(key, 0), count)
    lines: dict[int, int] = {}
    for (_, _, line), count in copies.items():
        lines[line] = lines.get(line, 0) + count
    return lines
