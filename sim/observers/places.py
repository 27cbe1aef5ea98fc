"""Places in the source that observers count for, and their sums by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, final

from analysis.ir.instructions import Instruction, Terminator
from analysis.ir.record import record
from analysis.ir.source import NO_SPAN, Span
from analysis.verdict.latency import is_issued
from sim.events import Run, Segment


@final
@record
class FunctionSpan:
    """`span` is relative to the item of `function` that its frame names."""

    function: str
    span: Span


class Summable(Protocol):
    def __add__(self, other: Any, /) -> Any: ...


Count = TypeVar("Count", bound=Summable)


def by_line(counts: Mapping[FunctionSpan, Count], line_of: Callable[[FunctionSpan], int | None]) -> dict[int, Count]:
    """Sums over the places of each line; `line_of` gives None for a place that is not in the file."""
    lines: dict[int, Count] = {}
    for place, count in counts.items():
        line = line_of(place)
        if line is not None:
            lines[line] = lines[line] + count if line in lines else count
    return lines


def issued_in(segment: Segment) -> tuple[Instruction | Terminator, ...]:
    """What a warp issues when it runs the segment, in order."""
    ending = () if segment.terminator is None else (segment.terminator,)
    return tuple(one for one in (*segment.instructions, *ending) if is_issued(one))


def place_of(segment: Segment) -> FunctionSpan | None:
    """Where the first instruction that a segment issues stands; None for one that only jumps on."""
    for one in issued_in(segment):
        if one.span != NO_SPAN:
            return FunctionSpan(str(segment.function.id), one.span)
    return None


def place_reached(run: Run, segment: int) -> FunctionSpan | None:
    """Where threads go on that come to `segment`: jumps are followed.  None at the end of the function."""
    seen: set[int] = set()
    while segment not in seen:
        place = place_of(run.segments[segment])
        if place is not None:
            return place
        seen.add(segment)
        targets = run.graph.successors[segment]
        if len(targets) != 1:
            return None
        segment = targets[0]
    return None
