"""Verdicts of the state space: is a block convergent, and who waits for ever at a barrier?

Block     divergent if some run ends with an odd number of executions of the block by the two threads (a red final
          state), convergent if runs end and none of them does.
Why odd   If two threads execute a block a different number of times, they also can with a difference of one: up to the
          first difference they are at the same place, and from where they meet again one can copy the other; a thread
          that passes the block twice on its own can skip what lies between.
Barrier   A thread waits for ever in a marking that is not final, in which nothing can fire.  In step, this is also said
          where the other thread is past the instance and would meet the barrier in a later iteration only.
Silent    about runs that never end: `NoRunEnds` where no run that ends passes the block at all.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TypeAlias, final

from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.net import PlaceId, Role
from analysis.petri.state_space import DEFAULT_LIMIT, GaveUp, StateId, StateSpace, enumerate_states


@final
@record
class Witness:
    """The blocks that two threads pass, in order: `first` executes more, or it is the one that waits."""

    first: tuple[BasicBlockId, ...]
    second: tuple[BasicBlockId, ...]


@final
@record
class Convergent:
    """Every run that ends executes the block an even number of times."""

    states: int


@final
@record
class Divergent:
    """Two threads can end after they executed the block a different number of times."""

    states: int
    witness: Witness


@final
@record
class NoRunEnds:
    """No run in which both threads end passes the block."""

    states: int


ExactVerdict: TypeAlias = Convergent | Divergent | NoRunEnds | GaveUp


@final
@record
class Safe:
    """No thread can wait for ever at the barrier."""

    states: int


@final
@record
class Stuck:
    """The first thread of the witness waits at the barrier for ever; the second stands at its last block."""

    states: int
    witness: Witness
    other_ended: bool


BarrierOutcome: TypeAlias = Safe | Stuck | GaveUp


def block_verdict(
    graph: FlowGraph, block: BasicBlockId, advance: Advance = Advance.IN_STEP, limit: int = DEFAULT_LIMIT
) -> ExactVerdict:
    if block not in graph.order:
        return NoRunEnds(0)
    space = enumerate_states(build_net(graph, block, advance), limit)
    if isinstance(space, GaveUp):
        return space
    ends = space.final_states()
    red = next((state for state in ends if space.net.is_red(space.markings[state])), None)
    states = len(space.markings)
    if red is not None:
        one, other = _threads(space, red)
        if one.blocks.count(block) < other.blocks.count(block):
            one, other = other, one
        return Divergent(states, Witness(tuple(one.blocks), tuple(other.blocks)))
    return Convergent(states) if _passed_on_the_way(space, ends, block) else NoRunEnds(states)


def barrier_outcome(graph: FlowGraph, block: BasicBlockId, limit: int = DEFAULT_LIMIT) -> BarrierOutcome:
    """`block` is one of the blocks of `graph.waiting`."""
    space = enumerate_states(build_net(graph, None, Advance.IN_STEP), limit)
    if isinstance(space, GaveUp):
        return space
    for state in space.dead_states():
        threads = _threads(space, state)
        for one, other in (threads, threads[::-1]):
            place = space.net.places[one.place]
            if place.block == block and place.role is Role.AT_BLOCK:
                witness = Witness(tuple(one.blocks), tuple(other.blocks))
                return Stuck(len(space.markings), witness, other.place == space.net.ended)
    return Safe(len(space.markings))


def _passed_on_the_way(space: StateSpace, ends: tuple[StateId, ...], block: BasicBlockId) -> bool:
    """Does some run that ends pass the selected block?"""
    before: defaultdict[StateId, list[StateId]] = defaultdict(list)
    for firing in space.firings:
        before[firing.target].append(firing.source)
    found = set(ends)
    waiting = list(ends)
    while waiting:
        state = waiting.pop()
        if any(space.net.places[place].block == block for place in space.markings[state]):
            return True
        new = set(before[state]) - found
        found |= new
        waiting += new
    return False


@final
@dataclass
class _Thread:
    """Where a thread stands, and the blocks that it entered."""

    place: PlaceId
    blocks: list[BasicBlockId]


def _threads(space: StateSpace, state: StateId) -> tuple[_Thread, _Thread]:
    """The two threads on the way to a state.

    Tokens look alike, so of two threads in one place the first is taken to be the one that goes on.
    """
    net = space.net
    start = net.start[-1]
    threads = _Thread(start, [BasicBlockId(ENTRY)]), _Thread(start, [BasicBlockId(ENTRY)])
    for firing in space.path_to(state):
        transition = net.transitions[firing.transition]
        source, target = transition.takes[0], transition.gives[0]
        place = net.places[target]
        for thread in [thread for thread in threads if thread.place == source][: transition.takes.count(source)]:
            thread.place = target
            if place.role is Role.AT_BLOCK and place.block is not None:
                thread.blocks.append(place.block)
    return threads
