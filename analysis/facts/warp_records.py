"""Problems of warp operations as places: what the rules about masks translate into words.

Rules     One record per problem and view.  A record belongs to the function in which the innermost guard lies: an
          operation of a function that is called where lanes have parted belongs to the caller, at the call.  Problems
          that no guard explains belong to the function of the operation.
          An operation that no text of the function stands behind (a library function that exchanges) has no record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from analysis.facts.barrier_records import GuardRecord, PlaceIn, guard_record, location_at
from analysis.facts.merge import FrameView
from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.verdict.barriers import calls_between
from analysis.warp.model import WarpProblem, WarpProblemKind

_BY_GUARD: Final = frozenset({WarpProblemKind.ABSENT, WarpProblemKind.CALLER, WarpProblemKind.SOURCE})
"""Kinds that the guards around an operation explain."""


@final
@record
class WarpRecord:
    """`site` is what to mark: the operation, or the call that leads to it; `operation` and `other` are places."""

    problem: WarpProblem
    site: Location
    operation: Location
    guards: tuple[GuardRecord, ...]
    other: Location | None
    warp_size: int

    @property
    def kind(self) -> WarpProblemKind:
        return self.problem.kind


def warp_records(view: FrameView, place_in: PlaceIn, kind: WarpProblemKind) -> Iterator[WarpRecord]:
    """The records of one kind of the function whose frame `view` is."""
    for problem in view.root.warp_problems:
        if problem.kind is not kind:
            continue
        calls = _calls(view, problem)
        home = view.root.function.frames[calls[0]].parent if calls else problem.span.frame
        if home != view.frame:
            continue
        place = place_in(view)
        operation = location_at(place, problem.span)
        entered = view.root.function.frames[calls[0]] if calls else None
        span = problem.span if entered is None else Span(entered.call.start, entered.call.end, entered.parent)
        site = location_at(place, span)
        if operation is None or site is None:
            continue
        guards = tuple(found for guard in problem.guards if (found := guard_record(view, guard, place)) is not None)
        other = None if problem.other is None else location_at(place, problem.other)
        yield WarpRecord(problem, site, operation, guards, other, view.root.launch.warp_size)


def _calls(view: FrameView, problem: WarpProblem) -> tuple[FrameId, ...]:
    if problem.kind not in _BY_GUARD or not problem.guards:
        return ()
    return calls_between(view.root.function, problem.guards[0].span.frame, problem.span.frame)
