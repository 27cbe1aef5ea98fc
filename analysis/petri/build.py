"""From control flow to a Petri net with two tokens, one for each of two threads.

Patent      A block is a place, an edge a transition (its Fig. 2A).  A block with a barrier that waits has two places
            and a transition between them that takes two tokens and gives two (Fig. 2B).  The selected block has the
            indicator subnet (Fig. 5): two transitions lead through the block, and each passing moves the one token of
            the indicator from `even` to `odd` or back.  Both threads start in the entry and end in one place: that of
            the returning block, or one behind it if there are several or it is more than a plain block.
Free        The net of the patent: threads advance in any order, nothing is known of branches.
In step     The thread that is behind in the same iteration advances first (ranks from `block_order.py`), and a thread
            that has finished an iteration waits until the other has finished it or has left the loop.  So the two
            stand at one block together exactly if they execute the same dynamic instance of it; there a branch that
            is agreed takes both one way.  A thread that is alone there takes any way.  A barrier pairs the same
            instance only.
Exact       In step, the complete runs are exactly the pairs of paths that respect what is agreed and, where barriers
            wait, pass the same instances of barriers in the same order: two threads have nothing else in common, so
            the order in which they advance changes nothing.
Source      US patent 9,134,979; "in step" is ours.
"""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.graph.cycles import CycleId
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.petri.block_order import BlockOrder
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.net import PetriNet, Place, PlaceId, Role, Transition


class Advance(Enum):
    """In which order the two threads advance."""

    FREE = "free"
    IN_STEP = "in step"


def build_net(graph: FlowGraph, selected: BasicBlockId | None, advance: Advance) -> PetriNet:
    """`selected` gets the indicator subnet."""
    assert advance is Advance.IN_STEP or not graph.agreed, "only threads in step can agree"
    return _Builder(graph, selected, None if advance is Advance.FREE else graph.positions).build()


@final
class _Builder:
    """Places and transitions so far."""

    def __init__(self, graph: FlowGraph, selected: BasicBlockId | None, order: BlockOrder | None) -> None:
        self.graph = graph
        self.selected = selected
        self.order = order
        self.places: list[Place] = []
        self.transitions: list[Transition] = []
        self.entrance: dict[BasicBlockId, PlaceId] = {}
        self.way_out: dict[BasicBlockId, PlaceId] = {}
        self.iteration_end: dict[CycleId, PlaceId] = {}
        self.headed = {cycle.header: cycle for cycle in graph.cycles}

    def build(self) -> PetriNet:
        even = self.place("even", Role.EVEN, None, None) if self.selected is not None else None
        odd = self.place("odd", Role.ODD, None, None) if self.selected is not None else None
        for block in sorted(self.graph.order):
            self.block(block, even, odd)
        self.ends_of_iterations()
        for block in sorted(self.graph.order):
            self.edges(block)
        ended = self.ended()
        start = (self.entrance[BasicBlockId(ENTRY)],) * 2
        return PetriNet(
            tuple(self.places),
            tuple(self.transitions),
            start if even is None else tuple(sorted((even, *start))),
            ended,
            odd,
        )

    def place(self, name: str, role: Role, block: BasicBlockId | None, position: int | None, step: int = 0) -> PlaceId:
        """A block has up to three places, one behind the other."""
        rank = None if position is None else 3 * position + step
        self.places.append(Place(name, role, block, rank))
        return PlaceId(len(self.places) - 1)

    def block(self, block: BasicBlockId, even: PlaceId | None, odd: PlaceId | None) -> None:
        position = None if self.order is None else self.order.blocks[block]
        waits, counted = block in self.graph.waiting, block == self.selected
        name = f"p{block}"
        here = self.place(f"{name}_i" if waits or counted else name, Role.AT_BLOCK, block, position)
        self.entrance[block] = here
        if waits:
            past = self.place(f"{name}_b" if counted else f"{name}_o", Role.PAST_BARRIER, block, position, 1)
            self.transitions.append(Transition((here, here), (past, past)))
            here = past
        if counted:
            assert even is not None, "a selected block has an indicator"
            assert odd is not None, "a selected block has an indicator"
            past = self.place(f"{name}_o", Role.PAST_BLOCK, block, position, 2)
            self.transitions.append(Transition((here, even), (past, odd)))
            self.transitions.append(Transition((here, odd), (past, even)))
            here = past
        self.way_out[block] = here

    def ends_of_iterations(self) -> None:
        if self.order is None:
            return
        for cycle in self.graph.cycles:
            end = self.place(f"n{cycle.header}", Role.NEXT_ITERATION, cycle.header, self.order.iteration_ends[cycle.id])
            self.iteration_end[cycle.id] = end
            self.together_or_alone(end, self.entrance[cycle.header])

    def edges(self, block: BasicBlockId) -> None:
        targets = self.graph.successors[block]
        for target in targets:
            source, destination = self.way_out[block], self.destination(block, target)
            if self.order is not None and (block in self.graph.agreed or len(targets) == 1):
                self.together_or_alone(source, destination)
            else:
                self.transitions.append(Transition((source,), (destination,)))

    def destination(self, block: BasicBlockId, target: BasicBlockId) -> PlaceId:
        """Where an edge leads: an edge back to a header ends the iteration."""
        cycle = self.headed.get(target)
        if self.order is None or cycle is None or block not in cycle.blocks:
            return self.entrance[target]
        return self.iteration_end[cycle.id]

    def together_or_alone(self, source: PlaceId, target: PlaceId) -> None:
        self.transitions.append(Transition((source, source), (target, target)))
        self.transitions.append(Transition((source,), (target,), alone=True))

    def ended(self) -> PlaceId:
        """The place of the only returning block, or one behind all of them."""
        returns = sorted(self.graph.returns)
        if len(returns) == 1:
            return self.way_out[returns[0]]
        end = self.place("end", Role.ENDED, None, None if self.order is None else self.order.count)
        for block in returns:
            self.transitions.append(Transition((self.way_out[block],), (end,)))
        return end
