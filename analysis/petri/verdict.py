"""Is a block convergent?  The verdict of the state space.

Rule      A block is divergent if some run ends with an odd number of executions of it by the two threads (a red final
          state), and convergent if runs end and none of them does.
Why odd   If two threads execute a block a different number of times, they also can with a difference of one: up to the
          first difference they are at the same place, and from where they meet again one can copy the other; a thread
          that passes the block twice on its own can skip what lies between.
Silent    about runs that never end: `NoRunEnds` where no run that ends passes the block at all.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.state_space import DEFAULT_LIMIT, GaveUp, StateId, StateSpace, enumerate_states
from analysis.petri.threads import Witness, threads_at


@final
@record
class Convergent:
    """Every run that ends executes the block an even number of times."""

    states: int


@final
@record
class Divergent:
    """Two threads can end after they executed the block a different number of times; the first did more often."""

    states: int
    witness: Witness


@final
@record
class NoRunEnds:
    """No run in which both threads end passes the block."""

    states: int


ExactVerdict: TypeAlias = Convergent | Divergent | NoRunEnds | GaveUp


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
        one, other = threads_at(space, red)
        if one.blocks.count(block) < other.blocks.count(block):
            one, other = other, one
        return Divergent(states, Witness(tuple(one.blocks), tuple(other.blocks)))
    return Convergent(states) if _passed_on_the_way(space, ends, block) else NoRunEnds(states)


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
