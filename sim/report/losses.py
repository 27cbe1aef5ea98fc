"""Which splits of warps does a run lose most by?

Rules    The lanes that idle at an instruction are put down to the innermost branch around it at which a warp split,
         from the line of the branch to the line where its paths meet, in one function.  Of a called function in which
         none did, they are put down to the branch around the call.  None stands for all that idles with no split around
         it: lanes that a warp never had, or that left before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sim.observers.places import FunctionSpan
from sim.observers.work import Work
from sim.report.model import BranchReport, LossReport, SourcePlace
from sim.report.places import SourcePlaces, Spot


def loss_reports(
    work: Mapping[FunctionSpan, Work], branches: Iterable[BranchReport], places: SourcePlaces
) -> tuple[LossReport, ...]:
    """The largest first."""
    splitting = [branch for branch in branches if branch.diverged]
    lost: dict[SourcePlace | None, int] = {}
    for place, done in work.items():
        idle = done.slots - done.thread_instructions
        if idle:
            branch = _branch_around(places.spots(place), splitting)
            lost[branch] = lost.get(branch, 0) + idle
    return tuple(LossReport(place, lanes) for place, lanes in sorted(lost.items(), key=lambda entry: -entry[1]))


def _branch_around(spots: Iterable[Spot], splitting: Iterable[BranchReport]) -> SourcePlace | None:
    for spot in spots:
        around = [branch.place for branch in splitting if _is_around(branch, spot)]
        if around:
            return max(around, key=lambda place: (place.line, place.column))
    return None


def _is_around(branch: BranchReport, spot: Spot) -> bool:
    if branch.place.path != spot.path or not spot.first_line <= branch.place.line <= spot.line:
        return False
    meets = branch.reconvergence
    if meets is None or meets.path != spot.path or not branch.place.line < meets.line <= spot.last_line:
        return True  # at the end of the function, or behind the call of it
    return spot.line < meets.line
