"""Which share of a function's issue slots is spent in a part of it, though nobody knows how often its loops run?

Tree      slots stand in the innermost loop around them, loops in the loops around: one walk gives the weight of every
          loop, and of the whole function, as sums of products of trips.
Unknown   a loop of which no bound is known has a trip count of its own, a symbol.  It cancels where the loop is most of
          the function: there a share is nearly the same for all its values.  Where it does not cancel the share is a
          range: from few rounds in the loops of the part and many in all others, to many in its own and few elsewhere.
Limits    all arms of all branches count as run, also where a whole warp skips them.
Cost      O(loops) for each set of loops that some part stands in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.pace import spend
from analysis.ir.record import record

FEW: Final = 4
"""Rounds of a loop that runs at all: what runs once or twice is seldom written as one."""
TYPICAL: Final = 16
MANY: Final = 256


@final
@record
class Share:
    """Parts of one: what is expected, and the ends of what is possible."""

    low: float
    expected: float
    high: float

    @property
    def ends(self) -> tuple[float, float, float]:
        return self.low, self.expected, self.high

    def plus(self, other: Share) -> Share:
        """Of two parts of the same whole, which may touch but not overlap."""
        return Share(
            min(1.0, self.low + other.low),
            min(1.0, self.expected + other.expected),
            min(1.0, self.high + other.high),
        )


def scaled(share: Share, low: float, expected: float, high: float) -> Share:
    """A part of it that is itself only known between ends."""
    return Share(share.low * low, share.expected * expected, share.high * high)


NOTHING: Final = Share(0.0, 0.0, 0.0)
ALL: Final = Share(1.0, 1.0, 1.0)

Part: TypeAlias = Mapping[CycleId | None, float]
"""Slots of one round, by the innermost loop that they stand in; None: in no loop."""


@final
class LoopTree:
    """The weights of a function's loops for all choices of what is not known."""

    def __init__(self, cycles: Sequence[Cycle], trips: Sequence[float | None], slots: Part) -> None:
        """`trips` by cycle, None where nobody knows; `slots` are those of the whole function."""
        self._slots = slots
        self._around: list[frozenset[CycleId]] = [frozenset()] * len(cycles)
        for cycle in reversed(cycles):  # a parent comes after its children
            above = frozenset[CycleId]() if cycle.parent is None else self._around[cycle.parent]
            self._around[cycle.id] = above if trips[cycle.id] is not None else above | {cycle.id}
        self._is_known = all(count is not None for count in trips)
        self._outer_first = [(cycle.id, cycle.parent, trips[cycle.id]) for cycle in reversed(cycles)]
        self._typical = self._rounds(frozenset(), TYPICAL, TYPICAL)
        self._total = self._weight(slots, self._typical)
        self._extremes: dict[frozenset[CycleId], tuple[_Choice, _Choice]] = {}

    def share(self, part: Part) -> Share:
        """Of the whole function."""
        if not any(part.values()):
            return NOTHING
        expected = self._weight(part, self._typical) / self._total
        if self._is_known:
            return Share(expected, expected, expected)
        own = frozenset[CycleId]().union(*(self._around[cycle] for cycle in part if cycle is not None))
        few, many = self._choices(own)
        ends = [self._weight(part, choice.rounds) / choice.total for choice in (few, many)]
        return Share(min(expected, *ends), expected, max(expected, *ends))

    def _choices(self, own: frozenset[CycleId]) -> tuple[_Choice, _Choice]:
        known = self._extremes.get(own)
        if known is None:
            few = self._rounds(own, FEW, MANY)
            many = self._rounds(own, MANY, FEW)
            known = self._extremes[own] = (
                _Choice(few, self._weight(self._slots, few)),
                _Choice(many, self._weight(self._slots, many)),
            )
        return known

    def _rounds(self, own: frozenset[CycleId], inside: int, elsewhere: int) -> list[float]:
        """Of each loop, if those of `own` of which nothing is known run `inside` times, and the others `elsewhere`."""
        spend(len(self._outer_first))
        found = [1.0] * len(self._outer_first)
        for cycle, parent, trips in self._outer_first:
            rounds = trips if trips is not None else inside if cycle in own else elsewhere
            outer = 1.0 if parent is None else found[parent]
            found[cycle] = min(MOST, outer * rounds)
        return found

    def _weight(self, part: Part, rounds: Sequence[float]) -> float:
        return sum(slots if cycle is None else slots * rounds[cycle] for cycle, slots in part.items()) or 1.0


MOST: Final = 1e30
"""Deeper nests of loops run no more often, so that numbers stay finite."""


@final
@record
class _Choice:
    """How often each loop runs, and what the function weighs then."""

    rounds: Sequence[float]
    total: float
