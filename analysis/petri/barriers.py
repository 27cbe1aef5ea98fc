"""Can a thread wait for ever at a barrier?

Rule      Barriers wait, and the two threads run in step.  A state in which nothing can fire although not both threads
          have ended has one thread at a barrier whose instance the other does not execute: it has ended, or it is past
          that instance.  The other goes on alone and may come to a barrier as well; then it waits there.
Strict    Two threads that meet at one barrier in different iterations do not pass it: the program promises that all
          threads arrive at each instance of a barrier, and hardware that lets them pass mixes up their iterations.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.net import PetriNet, Role
from analysis.petri.state_space import DEFAULT_LIMIT, GaveUp, StateSpace, enumerate_states
from analysis.petri.threads import Thread, Witness, threads_at


@final
@record
class Safe:
    """No thread can wait for ever at the barrier."""

    states: int


class OtherThread(Enum):
    """Where the thread is that does not come."""

    ENDED = "ended"
    PAST = "past this instance of the barrier"
    WAITS = "waits at another barrier"


@final
@record
class Stuck:
    """The first thread of the witness waits at the barrier for ever; the second stands at its last block."""

    states: int
    witness: Witness
    other: OtherThread


BarrierOutcome: TypeAlias = Safe | Stuck | GaveUp


def waiting_states(graph: FlowGraph, limit: int = DEFAULT_LIMIT) -> StateSpace | GaveUp:
    """What all barriers of a graph are judged by."""
    return enumerate_states(build_net(graph, None, Advance.IN_STEP), limit)


def barrier_outcome(graph: FlowGraph, space: StateSpace | GaveUp, block: BasicBlockId) -> BarrierOutcome:
    """`block` is one of the blocks of `graph.waiting`, `space` has the waiting states of the graph."""
    if isinstance(space, GaveUp):
        return space
    later: Stuck | None = None
    for state in space.dead_states():
        threads = threads_at(space, state)
        for one, other in (threads, threads[::-1]):
            if _waits_at(graph, space.net, one) == block:
                return _stuck(space, one.blocks, other, _other(graph, space.net, other))
        for one, other in (threads, threads[::-1]):
            if (
                later is None
                and _waits_at(graph, space.net, one) is not None
                and _waits_at(graph, space.net, other) is None
            ):
                way = _way_to(graph, space.net, other, block)
                if way is not None:
                    later = _stuck(space, [*other.blocks, *way], one, OtherThread.WAITS)
    return Safe(len(space.markings)) if later is None else later


def _stuck(space: StateSpace, first: list[BasicBlockId], second: Thread, other: OtherThread) -> Stuck:
    return Stuck(len(space.markings), Witness(tuple(first), tuple(second.blocks)), other)


def _waits_at(graph: FlowGraph, net: PetriNet, thread: Thread) -> BasicBlockId | None:
    """The block of the barrier that a thread waits at in a dead state; None for one that could go on alone."""
    place = net.places[thread.place]
    return place.block if place.role is Role.AT_BLOCK and place.block in graph.waiting else None


def _other(graph: FlowGraph, net: PetriNet, thread: Thread) -> OtherThread:
    if _waits_at(graph, net, thread) is not None:
        return OtherThread.WAITS
    ended = thread.place == net.ended or net.places[thread.place].block in graph.returns
    return OtherThread.ENDED if ended else OtherThread.PAST


def _way_to(graph: FlowGraph, net: PetriNet, thread: Thread, barrier: BasicBlockId) -> tuple[BasicBlockId, ...] | None:
    """The blocks that a thread on its own passes to reach a barrier, with no other barrier on the way."""
    place = net.places[thread.place]
    if place.block is None:
        return None
    ways: list[list[BasicBlockId]] = [[place.block] if place.role is Role.NEXT_ITERATION else []]
    seen: set[BasicBlockId] = set()
    for way in ways:  # which grows
        if way and way[-1] == barrier:
            return tuple(way)
        if way and way[-1] in graph.waiting:
            continue
        for target in graph.successors[way[-1] if way else place.block]:
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return None
