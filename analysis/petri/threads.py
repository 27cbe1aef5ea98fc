"""The paths of the two threads behind a state of the state space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.petri.net import PlaceId, Role
from analysis.petri.state_space import StateId, StateSpace


@final
@record
class Witness:
    """The blocks that two threads pass, in order."""

    first: tuple[BasicBlockId, ...]
    second: tuple[BasicBlockId, ...]


@final
@dataclass
class Thread:
    """Where a thread stands, and the blocks that it entered."""

    place: PlaceId
    blocks: list[BasicBlockId]


def threads_at(space: StateSpace, state: StateId) -> tuple[Thread, Thread]:
    """The two threads on the way to a state.

    Tokens look alike, so of two threads in one place the first is taken to be the one that goes on.
    """
    net = space.net
    start = net.start[-1]
    threads = Thread(start, [BasicBlockId(ENTRY)]), Thread(start, [BasicBlockId(ENTRY)])
    for firing in space.path_to(state):
        transition = net.transitions[firing.transition]
        source, target = transition.takes[0], transition.gives[0]
        place = net.places[target]
        for thread in [thread for thread in threads if thread.place == source][: transition.takes.count(source)]:
            thread.place = target
            if place.role is Role.AT_BLOCK and place.block is not None:
                thread.blocks.append(place.block)
    return threads
