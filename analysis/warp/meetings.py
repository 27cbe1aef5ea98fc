"""What goes wrong when the lanes of one warp meet at one operation, as far as their masks and lanes are known.

Words     The n-th *round* of an operation is the n-th time that a lane runs it; lanes that name each other meet in the
          same round, because each waits for the others (PTX ISA, "shfl.sync": until all lanes of the mask that have not
          exited have executed it).
Rules     CALLER   a lane runs the operation with a mask without its own bit.
          ABSENT   a lane names another that does not come in that round although it has not exited: it runs code that
                   every lane of the operation comes to later.
          DIFFER   two lanes of a round pass different masks, and one names the other.
          WIDTH    the width is no power of two up to the warp.
          SOURCE   in a round all lanes read from one lane that is not there, or that their mask does not name.
Unknown   A mask that cannot be told says nothing: no problem follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Shuffle
from analysis.ir.operators import ShuffleMode
from analysis.ir.record import record
from analysis.warp.lane_walks import WalkedWarp
from analysis.warp.model import WarpOperation, WarpProblemKind
from analysis.warp.sources import is_width, source_lane


@final
@record
class Arrival:
    """One lane in one round; what is None cannot be told."""

    mask: int | None
    lane: int | None
    width: int | None


@final
@record
class Meeting:
    """All lanes of one warp: `arrivals[lane][round]`, and which of them come to code behind the operation."""

    arrivals: tuple[tuple[Arrival, ...], ...]
    passed: int
    warp_size: int

    @property
    def rounds(self) -> int:
        return max(map(len, self.arrivals), default=0)

    @property
    def is_exact(self) -> bool:
        """All masks are known, and name exactly those who come."""
        size = 1 << self.warp_size
        present = [self.present(number) for number in range(self.rounds)]
        return all(
            arrival.mask is not None and arrival.mask % size == present[number]
            for rounds in self.arrivals
            for number, arrival in enumerate(rounds)
        )

    def present(self, number: int) -> int:
        """The lanes that come in that round."""
        return sum(1 << lane for lane, rounds in enumerate(self.arrivals) if number < len(rounds))


@final
@record
class Mishap:
    """`lanes` in the round, the `mask` of the first lane concerned, the lanes that are `wrong` (see `WarpCase`)."""

    kind: WarpProblemKind
    lanes: int
    mask: int
    wrong: int
    source: int | None = None


Operands: TypeAlias = tuple[int | None, int | None, int | None]
"""Where mask, lane and width stand among the watched values of the block."""


def meeting_at(
    walked: WalkedWarp, block: BasicBlockId, after: frozenset[BasicBlockId], operands: Operands, voted: int | None
) -> Meeting:
    """`voted`: the mask that all lanes pass where it is what they voted."""
    arrivals = tuple(
        tuple(_arrival(values, operands, voted) for visited, values in visits if visited == block)
        for visits in walked.visits
    )
    passed = sum(
        1 << lane for lane, visits in enumerate(walked.visits) if any(visited in after for visited, _ in visits)
    )
    return Meeting(arrivals, passed, walked.trial.launch.warp_size)


def _arrival(values: Sequence[int | None], operands: Operands, voted: int | None) -> Arrival:
    mask, lane, width = (None if at is None else values[at] for at in operands)
    return Arrival(mask if voted is None else voted, lane, width)


def mishaps(operation: WarpOperation, meeting: Meeting) -> Iterator[Mishap]:
    """The first of each kind."""
    found: dict[WarpProblemKind, Mishap] = {}
    everyone = (1 << meeting.warp_size) - 1
    for number in range(meeting.rounds):
        present = meeting.present(number)
        here = {lane: rounds[number] for lane, rounds in enumerate(meeting.arrivals) if number < len(rounds)}
        masks = {lane: arrival.mask & everyone for lane, arrival in here.items() if arrival.mask is not None}
        for mishap in (
            _foreign(present, masks),
            _absent(meeting, number, present, masks),
            _differing(present, masks),
            _bad_width(operation, present, here, meeting.warp_size),
            _inactive_source(operation, present, here, masks, meeting.warp_size),
        ):
            if mishap is not None:
                found.setdefault(mishap.kind, mishap)
    yield from found.values()


def _foreign(present: int, masks: dict[int, int]) -> Mishap | None:
    wrong = [lane for lane, mask in masks.items() if not mask >> lane & 1]
    if not wrong:
        return None
    return Mishap(WarpProblemKind.CALLER, present, masks[wrong[0]], _set(wrong))


def _absent(meeting: Meeting, number: int, present: int, masks: dict[int, int]) -> Mishap | None:
    """Lanes with fewer rounds count only where everyone's masks name everyone: then rounds are in step."""
    exists = (1 << len(meeting.arrivals)) - 1
    late = _set([lane for lane, rounds in enumerate(meeting.arrivals) if rounds and len(rounds) <= number])
    never = exists & meeting.passed & ~_set([lane for lane, rounds in enumerate(meeting.arrivals) if rounds])
    if late and not _are_in_step(meeting):
        late = 0
    missing = never | late & meeting.passed
    concerned = [lane for lane, mask in masks.items() if mask & missing and mask >> lane & 1]
    if not concerned:
        return None
    mask = masks[concerned[0]]
    return Mishap(WarpProblemKind.ABSENT, present, mask, mask & missing)


def _are_in_step(meeting: Meeting) -> bool:
    comes = _set([lane for lane, rounds in enumerate(meeting.arrivals) if rounds])
    return all(
        arrival.mask is not None and not comes & ~arrival.mask for rounds in meeting.arrivals for arrival in rounds
    )


def _differing(present: int, masks: dict[int, int]) -> Mishap | None:
    """Lanes that do not name themselves are another problem."""
    if len(set(masks.values())) < 2:
        return None
    members: dict[int, int] = {}
    for lane, mask in masks.items():
        members[mask] = members.get(mask, 0) | 1 << lane
    for lane, mask in masks.items():
        if mask >> lane & 1:
            others = sum(lanes & theirs & mask for theirs, lanes in members.items() if theirs != mask)
            if others:
                first = (others & -others).bit_length() - 1
                return Mishap(WarpProblemKind.DIFFER, present, mask, others | 1 << lane, masks[first])
    return None


def _bad_width(operation: WarpOperation, present: int, here: dict[int, Arrival], warp_size: int) -> Mishap | None:
    if not isinstance(operation, Shuffle):
        return None
    for lane, arrival in here.items():
        if arrival.width is not None and not is_width(arrival.width, warp_size):
            return Mishap(WarpProblemKind.WIDTH, present, arrival.mask or 0, 1 << lane, arrival.width)
    return None


def _inactive_source(
    operation: WarpOperation, present: int, here: dict[int, Arrival], masks: dict[int, int], warp_size: int
) -> Mishap | None:
    """Reductions read lanes that are not there and drop the result; nobody broadcasts what he does not need."""
    if not isinstance(operation, Shuffle) or operation.mode is not ShuffleMode.INDEX:
        return None
    sources: set[int] = set()
    for lane, arrival in here.items():
        width = warp_size if operation.width is None else arrival.width
        if arrival.lane is None or width is None or not is_width(width, warp_size):
            return None
        sources.add(source_lane(operation.mode, lane, arrival.lane, width, warp_size))
    if len(sources) != 1 or len(masks) != len(here):
        return None
    (source,) = sources
    if present >> source & 1:
        return None
    return Mishap(WarpProblemKind.SOURCE, present, next(iter(masks.values()), 0), present, source)


def _set(lanes: Sequence[int]) -> int:
    return sum(1 << lane for lane in lanes)
