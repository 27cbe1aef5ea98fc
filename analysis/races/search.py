"""The search for two threads that use the same bytes in one interval.

Method    The beginnings of the ways of some threads are followed (`trace.py`); what they use is put together by
          interval and place.  A pair of accesses that meets is followed again for the same two threads with other
          scalars, and in the other shapes that a block may have.
Proof     Two threads of one block that came by the same barriers, use a common byte, and have not met in their warp in
          between, whatever the scalars are.  Two writes count where they are known to write different values.
Cost      `MAX_OPERATIONS` for each launch that is tried; a second one is where the first shows a race.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.access.model import AccessKind
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.races.event_order import in_order
from analysis.races.follower import Follower
from analysis.races.launches import ASSIGNMENTS, launch, named_scalars, shapes_to_try, smaller_shapes, threads_to_try
from analysis.races.model import Participant, RaceWitness
from analysis.races.program import OutOfBounds, Program, offset_in
from analysis.races.stored_values import StoredValues
from analysis.races.trace import Event
from analysis.races.uses import conflict
from analysis.verdict.evaluation import LaunchedBlock

MAX_OPERATIONS: Final = 2_500
"""For the threads of one launch at which accesses usually meet."""
ENOUGH_OPERATIONS: Final = 1_600
"""Other threads are followed as long as less was spent on a launch."""
MAX_ALL_OPERATIONS: Final = 20_000
"""For one kernel."""
MAX_COMPARED: Final = 100_000
"""Instructions that are read again to compare what two threads write, for one kernel."""
GRANULE: Final = 4
"""Bytes that are looked at together."""
MAX_THREADS_EACH: Final = 4
"""Threads that are kept for one use of one place."""
MAX_ALTERNATIVES: Final = 3
"""Pairs of threads that are tried for one pair of uses."""

Pair: TypeAlias = tuple[int, int]
"""Numbers of two uses, the smaller one first."""


@final
@record
class _Meeting:
    """Two events that race."""

    one: Event
    other: Event


_Found: TypeAlias = dict[Pair, list[_Meeting]]


@final
@record
class Sighting:
    """Two threads that meet, whatever the scalars are.

    `is_proven`: in every block that the kernel is made for, and not to write what may be the same.
    """

    witness: RaceWitness
    is_proven: bool


def find_sightings(
    program: Program, knowledge: LaunchKnowledge, candidates: Collection[Pair]
) -> Mapping[Pair, Sighting]:
    """For those pairs that meet in some launch."""
    wanted = frozenset(use for pair in candidates for use in pair)
    return _Search(program, knowledge, wanted).run(frozenset(candidates))


@final
class _Search:
    def __init__(self, program: Program, knowledge: LaunchKnowledge, wanted: frozenset[int]) -> None:
        self._program = program
        self._stored = StoredValues(program)
        self._warp_size = knowledge.warp_size
        self._is_known = bool(knowledge.shapes)
        self._shapes = shapes_to_try(program, knowledge)
        self._knowledge = knowledge
        # Every store may take the place of one before it (`_lasting`).
        stores = (use.number for use in program.uses if use.kind is AccessKind.STORE)
        self._follower = Follower(program, MAX_ALL_OPERATIONS, wanted.union(stores))
        self._elsewhere: dict[tuple[BlockShape, int, int], Sequence[Event] | None] = {}
        """What a thread does by shape, assignment and number; None if the kernel is not made for that."""
        size = sum(len(block.instructions) + 1 for block in program.function.blocks)
        self._comparisons = max(4, MAX_COMPARED // size)

    def run(self, candidates: frozenset[Pair]) -> Mapping[Pair, Sighting]:
        """Of known shapes one is enough; of unknown ones all that the kernel is made for have to agree."""
        found: dict[Pair, Sighting] = {}
        is_first = True
        for shape in self._shapes:
            proven = {pair for pair, sighting in found.items() if sighting.is_proven}
            left = candidates - proven if self._is_known or is_first else frozenset(proven)
            here = self._in_shape(shape, left) if left else None
            if here is None:
                continue
            if is_first or self._is_known:
                found = {**here, **{pair: found[pair] for pair in found if pair in proven or pair not in here}}
            else:
                agreed = {pair for pair, sighting in here.items() if sighting.is_proven}
                found |= {pair: Sighting(found[pair].witness, is_proven=False) for pair in proven - agreed}
            is_first = False
        return self._in_smaller_shape(candidates) if is_first else found

    def _in_smaller_shape(self, candidates: frozenset[Pair]) -> dict[Pair, Sighting]:
        """What is seen in the first smaller block that the kernel is made for: another may be meant."""
        for shape in smaller_shapes(self._program, self._knowledge):
            here = self._in_shape(shape, candidates)
            if here is not None:
                return {pair: Sighting(sighting.witness, is_proven=False) for pair, sighting in here.items()}
        return {}

    def _in_shape(self, shape: BlockShape, candidates: frozenset[Pair]) -> dict[Pair, Sighting] | None:
        """None if the kernel is not made for such blocks."""
        first, others = threads_to_try(self._program, shape)
        share = max(MAX_OPERATIONS // len(first), 60)
        for assignment in range(ASSIGNMENTS):
            here = launch(self._program, shape, self._warp_size, assignment)
            try:
                events = self._follow_all(here, first, others, share)
            except OutOfBounds:
                continue
            meetings = _meetings(self._program, events, candidates, self._warp_size)
            found = {pair: self._sighting(here, assignment, pair, known, share) for pair, known in meetings.items()}
            return {pair: sighting for pair, sighting in found.items() if sighting is not None}
        return None

    def _follow_all(self, here: LaunchedBlock, first: Sequence[int], others: Sequence[int], share: int) -> list[Event]:
        """The others as long as little was spent."""
        follower = self._follower
        before = follower.left
        found = [event for events in follower.follow_each(here, first, share) for event in events]
        enough, followed = before - ENOUGH_OPERATIONS, len(first)
        while others and follower.left > enough:
            # As many as are enough if they cost as much as those before them.
            count = max(1, (follower.left - enough) * followed // max(before - follower.left, 1))
            for events in follower.follow_each(here, others[:count], share):
                found += events
                followed += 1
                if follower.left <= enough:
                    break
            others = others[count:]
        return found

    def _sighting(
        self, here: LaunchedBlock, assignment: int, pair: Pair, found: Sequence[_Meeting], share: int
    ) -> Sighting | None:
        """Of the meetings that no scalar decides about the first that matters, else the first that may matter."""
        possible: RaceWitness | None = None
        for meeting in found:
            if not self._holds_otherwise(here, assignment, pair, meeting, share):
                continue
            matters = self._matters(here, assignment, meeting, share)
            if matters:
                return Sighting(self._witness(here, meeting), is_proven=True)
            if matters is None:
                possible = possible or self._witness(here, meeting)
        return None if possible is None else Sighting(possible, is_proven=False)

    def _holds_otherwise(self, here: LaunchedBlock, assignment: int, pair: Pair, meeting: _Meeting, share: int) -> bool:
        """Do the same two threads meet with other scalars as well?"""
        if not self._program.scalars:
            return True
        tried = 0
        for other in range(ASSIGNMENTS):
            if other == assignment or tried == 2:
                continue
            one = self._otherwise(here.shape, other, meeting.one.thread, share)
            another = None if one is None else self._otherwise(here.shape, other, meeting.other.thread, share)
            if one is None or another is None:
                continue
            tried += 1
            if _meetings(self._program, (*one, *another), frozenset((pair,)), self._warp_size):
                return True
        return False

    def _otherwise(self, shape: BlockShape, assignment: int, thread: int, share: int) -> Sequence[Event] | None:
        """What the thread does with those scalars; None if the kernel is not made for them."""
        key = shape, assignment, thread
        if key not in self._elsewhere:
            there = launch(self._program, shape, self._warp_size, assignment)
            try:
                self._elsewhere[key] = self._follower.follow(there, thread, 2 * share)
            except OutOfBounds:
                self._elsewhere[key] = None
        return self._elsewhere[key]

    def _matters(self, here: LaunchedBlock, assignment: int, meeting: _Meeting, share: int) -> bool | None:
        """Two writes of one value are harmless; None where it is not known what they write."""
        uses = self._program.uses
        one, other = uses[meeting.one.use], uses[meeting.other.use]
        if one.kind is not AccessKind.STORE or other.kind is not AccessKind.STORE:
            return True
        self._comparisons -= 1
        if self._comparisons < 0:
            return None
        return self._stored.differ(here.shape, self._warp_size, assignment, meeting.one, meeting.other, share)

    def _witness(self, here: LaunchedBlock, meeting: _Meeting) -> RaceWitness:
        program = self._program
        first, second, order = in_order(program, meeting.one, meeting.other)
        names = named_scalars(program, here)
        return RaceWitness(
            here.shape,
            self._is_known,
            tuple(names.items()),
            _participant(here, first),
            _participant(here, second),
            offset_in(max(first.address, second.address)),
            order,
            first.thread // self._warp_size == second.thread // self._warp_size,
            first.use > second.use,
            _assumed(meeting),
        )


def _participant(here: LaunchedBlock, event: Event) -> Participant:
    shape, thread = here.shape, event.thread
    x, y, z = thread % shape.x, thread // shape.x % shape.y, thread // (shape.x * shape.y)
    return Participant((x, y, z), thread, event.block)


# -- meetings ---------------------------------------------------------------------------------------------------------

_Place: TypeAlias = tuple[int, int]
"""An interval, and a granule of memory."""
_Used: TypeAlias = tuple[Event, Sequence[_Place]]
"""An event with the places that it uses."""


def _meetings(program: Program, events: Iterable[Event], candidates: Collection[Pair], warp_size: int) -> _Found:
    """For each pair of uses that meets the first few meetings, those of different warps first."""
    widths = {use: program.uses[use].width for pair in candidates for use in pair}
    used = [event for event in events if event.use in widths]
    shared = _used_by_several(used, widths)
    if not shared:
        return {}
    places: dict[_Place, dict[int, list[Event]]] = {}
    placed = [(event, _granules(event, widths[event.use])) for event in used]
    for event, granules in _lasting(program, [one for one in placed if not shared.isdisjoint(one[1])]):
        for place in granules:
            if place in shared:
                _keep(places.setdefault(place, {}).setdefault(event.use, []), event, warp_size)
    found: _Found = {}
    for uses in places.values():
        for pair in _pairs(uses.keys(), candidates):
            known = found.setdefault(pair, [])
            known.extend(_meeting(program, uses[pair[0]], uses[pair[1]], warp_size))
    for known in found.values():
        known.sort(key=lambda meeting: (len(_assumed(meeting)), _is_same_warp(meeting, warp_size)))
        del known[MAX_ALTERNATIVES:]
    return {pair: known for pair, known in found.items() if known}


def _granules(event: Event, width: int) -> Sequence[_Place]:
    """What an event uses, in its interval."""
    first, last = event.address // GRANULE, (event.address + width - 1) // GRANULE
    return [(event.epoch, granule) for granule in range(first, last + 1)]


def _used_by_several(used: Iterable[Event], widths: Mapping[int, int]) -> set[_Place]:
    """The places of more than one thread."""
    users: dict[_Place, int] = {}
    shared: set[_Place] = set()
    for event in used:
        thread, epoch, address = event.thread, event.epoch, event.address
        for granule in range(address // GRANULE, (address + widths[event.use] - 1) // GRANULE + 1):
            if users.setdefault((epoch, granule), thread) != thread:
                shared.add((epoch, granule))
    return shared


def _lasting(program: Program, used: Iterable[_Used]) -> Iterable[_Used]:
    """Without writes that the same thread overwrites in the same interval: the last one tells the same, and better."""
    found: dict[tuple[int, ...], _Used] = {}
    for number, one in enumerate(used):
        event, use = one[0], program.uses[one[0].use]
        if use.kind is AccessKind.STORE:
            key = event.thread, event.epoch, event.meetings, event.address, use.width, len(event.assumed)
            found[key] = one
        else:
            found[(-number - 1,)] = one
    return found.values()


def _keep(kept: list[Event], event: Event, warp_size: int) -> None:
    """Few threads are enough: of different warps if there are such, and after different numbers of meetings."""
    if len(kept) < MAX_THREADS_EACH:
        for other in kept:
            if other.thread == event.thread and other.meetings == event.meetings:
                return
        kept.append(event)
    elif len(kept) == MAX_THREADS_EACH:
        warp = event.thread // warp_size
        for other in kept:
            if other.thread // warp_size == warp:
                return
        kept.append(event)


def _pairs(uses: Collection[int], candidates: Collection[Pair]) -> Iterator[Pair]:
    ordered = sorted(uses)
    for index, one in enumerate(ordered):
        for other in ordered[index:]:
            if (one, other) in candidates:
                yield one, other


def _meeting(program: Program, ones: Sequence[Event], others: Sequence[Event], warp_size: int) -> Iterator[_Meeting]:
    for one in ones:
        for other in others:
            if one.thread != other.thread and _races(program, one, other, warp_size):
                yield _Meeting(one, other)


def _races(program: Program, one: Event, other: Event, warp_size: int) -> bool:
    left, right = program.uses[one.use], program.uses[other.use]
    if not conflict(left, right):
        return False
    if one.address + left.width <= other.address or other.address + right.width <= one.address:
        return False
    if one.thread // warp_size != other.thread // warp_size:
        return True
    # Volatile accesses inside one warp are an idiom of their own, which relied on lanes running together.
    return one.meetings == other.meetings and not (left.is_volatile or right.is_volatile)


def _assumed(meeting: _Meeting) -> tuple[BasicBlockId, ...]:
    """Of both, in the order of the program: one way may be the beginning of the other."""
    return tuple(sorted({*meeting.one.assumed, *meeting.other.assumed}))


def _is_same_warp(meeting: _Meeting, warp_size: int) -> bool:
    return meeting.one.thread // warp_size == meeting.other.thread // warp_size
