"""Is there a thread of a launch for which an index expression leaves its type?

Method   A thread that comes to the index is moved along one coordinate after the other (its block, its place in the
         block, the rounds of the loops around) as far as the comparisons on the way let it, where that makes the
         number larger; in a few orders.  What is found is evaluated exactly, so nothing is reported that is not so.
Loops    rounds count up to the first in which a counter would wrap; one more if the wrapped counter goes on.  A loop
         whose end is not known is looked at in its first round.
Limits   bounds that are no step function of each coordinate may hide a thread that overflows.
Cost     about 32 evaluations for each coordinate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias, final

from analysis.affine.interval import type_range
from analysis.graph.cycles import Cycle, CycleId
from analysis.graph.work import Work
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.pace import spend
from analysis.ir.record import record
from analysis.ir.types import IntegerType
from analysis.overflow.candidates import Candidate
from analysis.overflow.model import Extents, Launched, Point
from analysis.overflow.thread_values import PLACES, FunctionFlow, ThreadValues, comes

MAX_ROUNDS: Final = 1 << 40
ADDRESS_BITS: Final = 64
_PASSES: Final = 2
_PLACES: Final = tuple((what, axis) for what in (0, 1) for axis in (0, 1, 2))

Coordinate: TypeAlias = "tuple[int, int] | CycleId"
"""(0, axis): the thread in its block; (1, axis): its block; a loop: its round."""


_Moment: TypeAlias = tuple[Extents, Extents, frozenset[tuple[CycleId, int]]]


@final
@record
class Found:
    """A thread, the number that its type does not hold, and whether memory decides if it comes there, or what it reads.

    `read`: the arguments that it comes there with.
    """

    point: Point
    number: int
    is_assumed: bool
    read: frozenset[ValueId]


@final
class Moments:
    """What the threads of one launch compute, and where they come, for all candidates of it."""

    def __init__(self, flow: FunctionFlow, launched: Launched, work: Work) -> None:
        self.flow: Final = flow
        self.launched: Final = launched
        self.work: Final = work
        self.extents: Final = {(what, axis): (launched.block, launched.grid)[what][axis] for what, axis in _PLACES}
        """How far each coordinate goes."""
        self.coordinates: Final = [one for one in _read_in(flow) if self.extents[one] > 1]
        """Those along which threads differ."""
        self._values: dict[_Moment, ThreadValues] = {}
        self._known: dict[tuple[BasicBlockId, _Moment], bool | None] = {}
        self._latches: dict[CycleId, Sequence[BasicBlockId]] = {}

    def values(self, point: Point) -> ThreadValues:
        """Of a thread at a moment, each worked out once."""
        moment = _key(point)
        found = self._values.get(moment)
        if found is None:
            found = self._values[moment] = ThreadValues(self.flow, self.launched, point, self.work)
        return found

    def comes(self, point: Point, block: BasicBlockId, around: Sequence[Cycle]) -> bool | None:
        """Whether the thread comes to a block in these loops.  None: it does not; else whether that is assumed."""
        key = block, _key(point)
        if key not in self._known:
            self._known[key] = self._reached(point, block, around)
        return self._known[key]

    def _reached(self, point: Point, block: BasicBlockId, around: Sequence[Cycle]) -> bool | None:
        spend(10)
        coming = comes(self.flow, self.values(point), ENTRY, block)
        if not coming.is_possible:
            return None
        for cycle in around:
            round_ = point.rounds[cycle.id]
            if round_ == 0:
                continue
            before = self.values(_with(point, cycle.id, round_ - 1))
            ways = [comes(self.flow, before, cycle.header, latch) for latch in self._latches_of(cycle)]
            # How often a loop runs must be known: who assumes it assumes any number.
            if len(ways) != 1 or not ways[0].is_possible or ways[0].is_assumed:
                return None
        return coming.is_assumed

    def _latches_of(self, cycle: Cycle) -> Sequence[BasicBlockId]:
        if cycle.id not in self._latches:
            before = self.flow.control.predecessors[cycle.header]
            self._latches[cycle.id] = [BasicBlockId(one) for one in before if one in cycle.blocks]
        return self._latches[cycle.id]


@final
class Search:
    """For one candidate in one launch."""

    def __init__(self, moments: Moments, candidate: Candidate) -> None:
        self._moments = moments
        self._flow = moments.flow
        self._launched = moments.launched
        self._candidate = candidate
        self._around: Sequence[Cycle] = moments.flow.control.cycles_around(candidate.block)[::-1]

    def found(self) -> Found | None:
        """None if no thread was found."""
        type_ = self._flow.types[self._candidate.value]
        assert isinstance(type_, IntegerType)
        if not self.is_known() or (start := self._start) is None:
            return None
        for sign in (1, -1) if type_.signed else (1,):
            for order in self._orders():
                point = self._climbed(start, order, sign)
                found = self._overflow(point, type_, sign)
                if found is not None:
                    return found
        return None

    def is_known(self) -> bool:
        """Can it be told what the first thread computes?  If not, that of no other thread can."""
        first = Point((0, 0, 0), (0, 0, 0), {cycle.id: 0 for cycle in self._around})
        return self._values(first).exact(self._candidate.value) is not None

    @cached_property
    def _start(self) -> Point | None:
        """A thread that comes there."""
        return next((one for one in self._starts() if self._comes(one) is not None), None)

    def is_cut(self, axis: int) -> bool:
        """Do comparisons keep the last blocks of the grid along an axis from the place?"""
        start = self._start
        return start is None or self._comes(_with(start, (1, axis), self._launched.grid[axis] - 1)) is None

    # -- threads ----------------------------------------------------------------------------------------------------

    def _starts(self) -> Iterator[Point]:
        rounds = {cycle.id: 0 for cycle in self._around}
        zero = Point((0, 0, 0), (0, 0, 0), rounds)
        yield zero
        for share in (0.0, 0.5, 1.0):
            threads, blocks = (
                _three([max(int((extent - 1) * share), min(1, extent - 1)) for extent in extents])
                for extents in self._both()
            )
            yield Point(threads, (0, 0, 0), rounds)
            yield Point(threads, blocks, rounds)

    def _both(self) -> tuple[Extents, Extents]:
        return self._launched.block, self._launched.grid

    def _orders(self) -> Iterator[Sequence[Coordinate]]:
        blocks = [one for one in self._moments.coordinates if one[0] == 1]
        threads = [one for one in self._moments.coordinates if one[0] == 0]
        loops: list[Coordinate] = [cycle.id for cycle in self._around]
        yield [*blocks, *threads, *loops]
        yield [*blocks[::-1], *threads[::-1], *loops]
        yield [*loops, *blocks, *threads]
        yield [*loops, *blocks[::-1], *threads[::-1]]

    def _climbed(self, point: Point, order: Sequence[Coordinate], sign: int) -> Point:
        best = self._number(point, sign)
        for _ in range(_PASSES):
            for coordinate in order:
                moved = self._furthest(point, coordinate)
                number = self._number(moved, sign)
                if number is not None and (best is None or number >= best):
                    point, best = moved, number
        return point

    def _number(self, point: Point, sign: int) -> int | None:
        number = self._values(point).exact(self._candidate.value)
        return None if number is None else sign * number

    def _overflow(self, point: Point, type_: IntegerType, sign: int) -> Found | None:
        values, candidate = self._values(point), self._candidate
        number, whole = values.exact(candidate.value), type_range(type_)
        if number is None or (number <= whole.high if sign > 0 else number >= whole.low):
            return None
        seen, meant = values.machine(candidate.index), values.exact(candidate.index)
        if seen is None or meant is None:
            if not type_.signed:
                return None
        elif self._is_one_address(seen, meant):
            return None
        is_assumed = self._comes(point)
        if is_assumed is None:
            return None
        read = self._read(point)
        return Found(point, number, is_assumed or not read.isdisjoint(self._launched.assumed), read)

    def _is_one_address(self, one: int, other: int) -> bool:
        """Whether two indices mean one element: addresses have as many bits as the largest integers."""
        type_ = self._flow.types[self._candidate.index]
        is_whole = isinstance(type_, IntegerType) and type_.bits == ADDRESS_BITS
        return one == other or (is_whole and (one - other) % (1 << ADDRESS_BITS) == 0)

    def _read(self, point: Point) -> frozenset[ValueId]:
        """The arguments that it is asked for on the way of one thread, and for the number and the index there."""
        values, candidate = ThreadValues(self._flow, self._launched, point, self._moments.work), self._candidate
        comes(self._flow, values, ENTRY, candidate.block)
        for one in (candidate.value, candidate.index):
            values.exact(one)
        values.machine(candidate.index)
        return frozenset(self._launched.scalars.keys() & values.asked)

    # -- ways -------------------------------------------------------------------------------------------------------

    def _furthest(self, point: Point, coordinate: Coordinate) -> Point:
        """The last place along a coordinate from which it comes there, at least where it is."""
        low = _at(point, coordinate)
        if isinstance(coordinate, tuple):
            return self._between(point, coordinate, low, self._moments.extents[coordinate] - 1)
        wraps = self._first_wrap(point, coordinate)
        if wraps is None or wraps <= low or not self._goes_on(point, _with(point, coordinate, low + 1)):
            return point
        last = self._between(point, coordinate, low, wraps - 1)
        beyond = _with(point, coordinate, wraps)
        is_last = _at(last, coordinate) == wraps - 1
        return beyond if is_last and self._goes_on(point, beyond) else last

    def _between(self, point: Point, coordinate: Coordinate, low: int, high: int) -> Point:
        """Supposes that it comes there up to some place, and not from there on."""
        if high > low and self._goes_on(point, _with(point, coordinate, high)):
            return _with(point, coordinate, high)
        while high - low > 1:
            middle = (low + high) // 2
            if self._goes_on(point, _with(point, coordinate, middle)):
                low = middle
            else:
                high = middle
        return _with(point, coordinate, low)

    def _goes_on(self, before: Point, point: Point) -> bool:
        """Whether it comes there, and no more is assumed for that."""
        is_assumed = self._comes(point)
        return is_assumed is not None and (not is_assumed or self._comes(before) is True)

    def _comes(self, point: Point) -> bool | None:
        """None: it does not; else whether that is assumed."""
        return self._moments.comes(point, self._candidate.block, self._around)

    def _values(self, point: Point) -> ThreadValues:
        return self._moments.values(point)

    def _first_wrap(self, point: Point, cycle: CycleId) -> int | None:
        """The first round in which some counter of the loop has wrapped; None if nothing counts."""
        flow, values = self._flow, self._values(_with(point, cycle, 0))
        later = self._values(_with(point, cycle, 1))
        found: list[int] = []
        for phi in flow.function.blocks[flow.control.cycles[cycle].header].phis:
            type_ = flow.types[phi.result]
            if not isinstance(type_, IntegerType) or flow.counter(phi) is None:
                continue
            first, second = values.exact(phi.result), later.exact(phi.result)
            if first is None or second is None or first == second:
                continue
            step, whole = second - first, type_range(type_)
            room = whole.high - first if step > 0 else first - whole.low
            found.append(room // abs(step) + 1)
        return min(*found, MAX_ROUNDS) if found else None


def _read_in(flow: FunctionFlow) -> list[tuple[int, int]]:
    """The coordinates that the function reads, blocks first."""
    found: dict[tuple[int, int], None] = {}
    for register in flow.registers:
        place = PLACES.get(register)
        if place is not None and place[0] in (0, 1):
            found[place] = None
        elif place is None:
            found |= dict.fromkeys([(0, 0), (0, 1), (0, 2)])
    return sorted(found)


def _three(numbers: Sequence[int]) -> Extents:
    x, y, z = numbers
    return x, y, z


def _key(point: Point) -> _Moment:
    return point.thread, point.at, frozenset(point.rounds.items())


def _at(point: Point, coordinate: Coordinate) -> int:
    if isinstance(coordinate, tuple):
        what, axis = coordinate
        return (point.thread, point.at)[what][axis]
    return point.rounds[coordinate]


def _with(point: Point, coordinate: Coordinate, number: int) -> Point:
    if not isinstance(coordinate, tuple):
        return Point(point.thread, point.at, {**point.rounds, coordinate: number})
    what, axis = coordinate
    numbers = list((point.thread, point.at)[what])
    numbers[axis] = number
    thread, at = (_three(numbers), point.at) if what == 0 else (point.thread, _three(numbers))
    return Point(thread, at, point.rounds)
