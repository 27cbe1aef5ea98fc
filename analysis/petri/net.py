"""Petri nets: places that hold tokens, transitions that move them.

Marking    The places of all tokens, in ascending order; a place with two tokens stands there twice.
Firing     A transition can fire when the tokens it takes are there; it then takes them and gives its own.
Additions  Two kinds of inhibitor arcs, which a net for threads in step needs and the net of the patent does not:
           `alone`   the transition fires only while no other token is in the place that it takes its token from.
           `rank`    no token that has a rank may lie behind: a transition that takes from a place of rank 7 waits
                     while there is a token in a place of a smaller rank.  A place without a rank hinders nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NewType, TypeAlias, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record

PlaceId = NewType("PlaceId", int)
TransitionId = NewType("TransitionId", int)
Marking: TypeAlias = tuple[PlaceId, ...]


class Role(Enum):
    """What a token in a place means."""

    AT_BLOCK = "at the block"
    PAST_BARRIER = "past the barrier of the block"
    PAST_BLOCK = "past the block"
    NEXT_ITERATION = "at the end of an iteration"
    ENDED = "ended"
    ODD = "odd"
    EVEN = "even"


INDICATORS = frozenset({Role.ODD, Role.EVEN})
"""These count, the other places hold threads."""


@final
@record
class Place:
    """`block` is the block of a place that belongs to one, the header for NEXT_ITERATION."""

    name: str
    role: Role
    block: BasicBlockId | None
    rank: int | None = None


@final
@record
class Transition:
    """The first place of `takes` and of `gives` is where a thread comes from and goes to."""

    takes: tuple[PlaceId, ...]
    gives: tuple[PlaceId, ...]
    alone: bool = False


@final
@record
class PetriNet:
    """`ended` is where threads end, `odd` the indicator place for an odd number of executions."""

    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]
    start: Marking
    ended: PlaceId
    odd: PlaceId | None

    def leaving(self) -> tuple[tuple[TransitionId, ...], ...]:
        """For each place the transitions that take a thread from it."""
        found: list[list[TransitionId]] = [[] for _ in self.places]
        for index, transition in enumerate(self.transitions):
            found[transition.takes[0]].append(TransitionId(index))
        return tuple(map(tuple, found))

    def is_final(self, marking: Marking) -> bool:
        """Have both threads ended?"""
        return marking.count(self.ended) == 2

    def is_red(self, marking: Marking) -> bool:
        """Was the selected block executed an odd number of times?"""
        return self.odd is not None and self.odd in marking


def successors(
    net: PetriNet, leaving: tuple[tuple[TransitionId, ...], ...], marking: Marking
) -> Iterator[tuple[TransitionId, Marking]]:
    """Each transition that can fire, with the marking after it."""
    ranks = [rank for place in marking if (rank := net.places[place].rank) is not None]
    last = min(ranks, default=None)
    for place in dict.fromkeys(marking):
        rank = net.places[place].rank
        if rank is not None and last is not None and last < rank:
            continue
        for index in leaving[place]:
            transition = net.transitions[index]
            if transition.alone and marking.count(place) > 1:
                continue
            after = _fired(transition, marking)
            if after is not None:
                yield index, after


def _fired(transition: Transition, marking: Marking) -> Marking | None:
    """None where a token is missing."""
    left = list(marking)
    for place in transition.takes:
        if place not in left:
            return None
        left.remove(place)
    return tuple(sorted((*left, *transition.gives)))
