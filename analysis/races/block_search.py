"""The search for a thread of block 0 and one of block 1 that use the same bytes.

Proof     The two meet in every launch that is tried in which both come there, and of two writes it is known that they
          write different values.
Cost      `MAX_OPERATIONS` for each launch that is tried, `MAX_ALL_OPERATIONS` for one kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.access.model import AccessKind
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.record import record
from analysis.races.block_pairs import Pair
from analysis.races.follower import Follower
from analysis.races.launches import ASSIGNMENTS, launch, named_scalars, shapes_to_try
from analysis.races.model import Order, Participant, RaceWitness
from analysis.races.program import OutOfBounds, Program, offset_in
from analysis.races.stored_values import StoredValues
from analysis.races.trace import Event
from analysis.verdict.evaluation import LaunchedBlock

MAX_OPERATIONS: Final = 2_400
"""For one launch."""
MAX_ALL_OPERATIONS: Final = 10_000
"""For one kernel."""
MAX_MEETINGS: Final = 3
"""Pairs of threads that are tried for one pair of uses."""
BLOCKS: Final = (0, 1)


@final
@record
class _Meeting:
    """`one` is the use that comes first in the program; the two are of different blocks."""

    one: Event
    other: Event


def find_witnesses(program: Program, known: LaunchKnowledge, pairs: Collection[Pair]) -> Mapping[Pair, RaceWitness]:
    """For those pairs that race."""
    return _Search(program, known, frozenset(use for pair in pairs for use in pair)).run(pairs)


@final
class _Search:
    def __init__(self, program: Program, known: LaunchKnowledge, wanted: frozenset[int]) -> None:
        self._program = program
        self._stored = StoredValues(program, len(BLOCKS))
        self._known = known
        self._follower = Follower(program, MAX_ALL_OPERATIONS, wanted)
        self._followed: dict[tuple[BlockShape, int, int, int], Sequence[Event] | None] = {}
        """By shape, assignment, block and thread."""

    def run(self, pairs: Collection[Pair]) -> Mapping[Pair, RaceWitness]:
        """Of known shapes one is enough; of unknown ones all that the kernel is made for have to agree."""
        found: dict[Pair, RaceWitness] | None = None
        for shape in shapes_to_try(self._program, self._known):
            left = frozenset(pairs) if found is None or self._known.shapes else frozenset(found)
            if not left:
                break
            here = self._in_shape(shape, left)
            if here is None:
                continue
            if found is None or self._known.shapes:
                found = {**here, **(found or {})}
            else:
                found = {pair: found[pair] for pair in found if pair in here}
        return found or {}

    def _in_shape(self, shape: BlockShape, pairs: frozenset[Pair]) -> dict[Pair, RaceWitness] | None:
        """None if the kernel is not made for such blocks."""
        threads = _threads(shape)
        share = max(MAX_OPERATIONS // (len(BLOCKS) * len(threads)), 60)
        for assignment in range(ASSIGNMENTS):
            launches = [self._launch(shape, assignment, block) for block in BLOCKS]
            try:
                events = [
                    _by_use(event for events in self._follower.follow_each(one, threads, share) for event in events)
                    for one in launches
                ]
            except OutOfBounds:
                continue
            found: dict[Pair, RaceWitness] = {}
            for pair in pairs:
                for meeting in _meetings(self._program, events, pair):
                    if self._holds(shape, assignment, meeting, share):
                        found[pair] = self._witness(launches[0], meeting)
                        break
            return found
        return None

    def _launch(self, shape: BlockShape, assignment: int, block: int) -> LaunchedBlock:
        return launch(self._program, shape, self._known.warp_size, assignment, block, len(BLOCKS))

    def _events(self, shape: BlockShape, assignment: int, event: Event, share: int) -> Sequence[Event] | None:
        """What the thread of `event` does with other scalars; None if the kernel is not made for them."""
        key = shape, assignment, event.block, event.thread
        if key not in self._followed:
            try:
                here = self._launch(shape, assignment, event.block)
                self._followed[key] = self._follower.follow(here, event.thread, 2 * share)
            except OutOfBounds:
                self._followed[key] = None
        return self._followed[key]

    def _holds(self, shape: BlockShape, assignment: int, meeting: _Meeting, share: int) -> bool:
        """Do the two threads meet with other scalars wherever both come there, and write different values?"""
        if self._program.scalars and not self._meet_otherwise(shape, assignment, meeting, share):
            return False
        uses = self._program.uses
        if any(uses[event.use].kind is not AccessKind.STORE for event in (meeting.one, meeting.other)):
            return True
        warp_size = self._known.warp_size
        return self._stored.differ(shape, warp_size, assignment, meeting.one, meeting.other, share) is True

    def _meet_otherwise(self, shape: BlockShape, assignment: int, meeting: _Meeting, share: int) -> bool:
        agreed = False
        for other in range(ASSIGNMENTS):
            if other == assignment:
                continue
            first = self._events(shape, other, meeting.one, share)
            second = self._events(shape, other, meeting.other, share)
            if first is None or second is None:
                continue
            ones = [event for event in first if event.use == meeting.one.use]
            others = [event for event in second if event.use == meeting.other.use]
            if not ones or not others:
                continue
            if not any(_overlap(self._program, one, another) for one in ones for another in others):
                return False
            agreed = True
        return agreed

    def _witness(self, here: LaunchedBlock, meeting: _Meeting) -> RaceWitness:
        names = named_scalars(self._program, here)
        return RaceWitness(
            here.shape,
            bool(self._known.shapes),
            tuple(names.items()),
            _participant(here.shape, meeting.one),
            _participant(here.shape, meeting.other),
            offset_in(max(meeting.one.address, meeting.other.address)),
            Order.SAME_ROUND,
            is_same_warp=False,
        )


def _threads(shape: BlockShape) -> Sequence[int]:
    """Those at the ends of a block, where it meets the next one, and at the begins of rows and warps."""
    count = shape.threads
    wanted = {0, 1, 2, shape.x - 1, shape.x, count - 2, count - 1, 32, 64}
    return sorted(thread for thread in wanted if 0 <= thread < count)


_Events: TypeAlias = Mapping[int, Sequence[Event]]
"""By use."""


def _by_use(events: Iterable[Event]) -> _Events:
    found: dict[int, list[Event]] = {}
    for event in events:
        found.setdefault(event.use, []).append(event)
    return found


def _meetings(program: Program, events: Sequence[_Events], pair: Pair) -> Iterator[_Meeting]:
    """The first few of a thread of one block and one of the other."""
    count = 0
    for first, second in (pair, pair[::-1]) if pair[0] != pair[1] else (pair,):
        if first not in events[0] or second not in events[1]:
            continue
        by_place: dict[int, list[Event]] = {}
        for event in events[0][first]:
            by_place.setdefault(event.address // _GRANULE, []).append(event)
        for event in events[1][second]:
            for place in range(event.address // _GRANULE - 1, event.address // _GRANULE + 2):
                for other in by_place.get(place, ()):
                    if _overlap(program, other, event):
                        count += 1
                        yield _Meeting(other, event) if first == pair[0] else _Meeting(event, other)
                        if count == MAX_MEETINGS:
                            return


_GRANULE: Final = 16
"""Bytes; no access is wider."""


def _overlap(program: Program, one: Event, other: Event) -> bool:
    one_end, other_end = (event.address + program.uses[event.use].width for event in (one, other))
    return one.address < other_end and other.address < one_end


def _participant(shape: BlockShape, event: Event) -> Participant:
    thread = event.thread
    x, y, z = thread % shape.x, thread // shape.x % shape.y, thread // (shape.x * shape.y)
    return Participant((x, y, z), thread, event.block)
