"""What the patent says of its figures, on control flow that fits its words.

The figures are drawings, and the text that we have does not hold them.  It says this of the control flow (Fig. 3A): six
nodes; 1 is the entry, 6 the exit, 4 holds a barrier; node 2 is divergent (Fig. 6) and node 5 convergent (Fig. 7); nodes
4 and 5 both follow node 3.  These graphs have all of that; in the first one, node 5 is convergent only because a thread
that goes to the barrier instead would wait for ever.

Nodes count from 1 in the patent and blocks from 0 here.
"""

from __future__ import annotations

from typing import Final

import pytest

from analysis.ir.ids import BasicBlockId
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph
from analysis.petri.net import Marking, PetriNet, Role, Transition
from analysis.petri.state_space import StateSpace, enumerate_states
from analysis.petri.verdict import Convergent, Divergent, Witness, block_verdict

TWO_ARMS: Final = {1: (2, 3), 2: (3,), 3: (4, 5), 4: (6,), 5: (6,), 6: ()}
BARRIER_IN_LOOP: Final = {1: (2, 3), 2: (3,), 3: (4, 5), 4: (3,), 5: (6,), 6: ()}
FITTING: Final = (TWO_ARMS, BARRIER_IN_LOOP)


def graph_of(nodes: dict[int, tuple[int, ...]], barriers: tuple[int, ...] = (4,)) -> FlowGraph:
    successors = [tuple(target - 1 for target in nodes[node]) for node in sorted(nodes)]
    return FlowGraph(successors, returns=(5,), waiting=tuple(node - 1 for node in barriers))


def node(number: int) -> BasicBlockId:
    return BasicBlockId(number - 1)


def space_of(graph: FlowGraph, selected: int | None = None) -> StateSpace:
    space = enumerate_states(build_net(graph, None if selected is None else node(selected), Advance.FREE))
    assert isinstance(space, StateSpace)
    return space


def words(net: PetriNet, marking: Marking) -> str:
    """As the patent writes markings, with its numbers: `p1 p1`."""
    numbered: list[str] = []
    for place in marking:
        block = net.places[place].block
        if block is not None:
            numbered.append(f"p{block + 1}" + net.places[place].name.removeprefix(f"p{block}"))
    return " ".join(sorted(numbered))


def test_a_plain_block_is_a_place_and_an_edge_a_transition() -> None:
    """Fig. 2A."""
    net = build_net(FlowGraph([(1,), ()], returns=(1,)), None, Advance.FREE)
    assert [place.name for place in net.places] == ["p0", "p1"]
    assert net.transitions == (Transition((net.start[0],), (net.ended,)),)


def test_a_barrier_takes_two_tokens_and_gives_two() -> None:
    """Fig. 2B."""
    net = build_net(FlowGraph([()], returns=(0,), waiting=(0,)), None, Advance.FREE)
    into, out = (net.places.index(place) for place in net.places)
    assert [place.name for place in net.places] == ["p0_i", "p0_o"]
    assert [(transition.takes, transition.gives) for transition in net.transitions] == [((into, into), (out, out))]


def test_the_indicator_has_two_places_and_starts_even() -> None:
    """Fig. 5: an input and an output place, two indicator places, two transitions."""
    net = build_net(FlowGraph([()], returns=(0,)), BasicBlockId(0), Advance.FREE)
    places = {place.role: index for index, place in enumerate(net.places)}
    into, out, odd, even = (places[role] for role in (Role.AT_BLOCK, Role.PAST_BLOCK, Role.ODD, Role.EVEN))
    assert {(transition.takes, transition.gives) for transition in net.transitions} == {
        ((into, even), (out, odd)),
        ((into, odd), (out, even)),
    }
    assert sorted(net.start) == sorted((into, into, even))


@pytest.mark.parametrize("nodes", FITTING)
def test_both_threads_start_in_the_entry_and_end_in_the_exit(nodes: dict[int, tuple[int, ...]]) -> None:
    """Fig. 3B."""
    space = space_of(graph_of(nodes))
    assert words(space.net, space.markings[0]) == "p1 p1"
    assert [words(space.net, space.markings[state]) for state in space.final_states()] == ["p6 p6"]


def test_every_marking_of_the_state_space() -> None:
    """A state space small enough to be written down: one branch, no barrier (blocks 0 to 2: `if (c) b1; b2`)."""
    space = space_of_graph(FlowGraph([(1, 2), (2,), ()], returns=(2,)))
    markings = {" ".join(space.net.places[place].name for place in marking) for marking in space.markings}
    assert markings == {"p0 p0", "p0 p1", "p0 p2", "p1 p1", "p1 p2", "p2 p2"}
    assert len(space.firings) == 2 + 3 + 2 + 1 + 1  # out of each of them in that order; nothing leads out of `p2 p2`


def space_of_graph(graph: FlowGraph) -> StateSpace:
    space = enumerate_states(build_net(graph, None, Advance.FREE))
    assert isinstance(space, StateSpace)
    return space


@pytest.mark.parametrize("nodes", FITTING)
def test_node_2_is_divergent_because_there_is_a_red_and_a_green_exit(nodes: dict[int, tuple[int, ...]]) -> None:
    """Fig. 6."""
    space = space_of(graph_of(nodes), selected=2)
    exits = [space.markings[state] for state in space.final_states()]
    assert {words(space.net, marking) for marking in exits} == {"p6 p6"}
    assert sorted(space.net.is_red(marking) for marking in exits) == [False, True]
    assert any("p2_o" in words(space.net, marking) for marking in space.markings)
    assert any("p4_o p4_o" in words(space.net, marking) for marking in space.markings)
    assert isinstance(block_verdict(graph_of(nodes), node(2), Advance.FREE), Divergent)


@pytest.mark.parametrize("nodes", FITTING)
def test_node_5_is_convergent_because_its_only_exit_is_green(nodes: dict[int, tuple[int, ...]]) -> None:
    """Fig. 7."""
    space = space_of(graph_of(nodes), selected=5)
    assert [space.net.is_red(space.markings[state]) for state in space.final_states()] == [False]
    assert isinstance(block_verdict(graph_of(nodes), node(5), Advance.FREE), Convergent)


@pytest.mark.parametrize("advance", Advance)
@pytest.mark.parametrize("nodes", FITTING)
def test_every_node_has_its_verdict(nodes: dict[int, tuple[int, ...]], advance: Advance) -> None:
    """Fig. 8 selects one block after the other; only node 2 is divergent."""
    divergent = [n for n in nodes if isinstance(block_verdict(graph_of(nodes), node(n), advance), Divergent)]
    assert divergent == [2]


def test_without_the_barrier_node_5_is_divergent() -> None:
    plain = graph_of(TWO_ARMS, barriers=())
    assert isinstance(block_verdict(plain, node(5), Advance.FREE), Divergent)


def test_no_run_has_a_thread_behind_node_5_and_one_at_the_barrier_and_ends() -> None:
    """Fig. 4: what becomes of two threads that part at node 3."""
    space = space_of(graph_of(TWO_ARMS))
    dead = {words(space.net, space.markings[state]) for state in space.dead_states()}
    assert dead == {"p4_i p6"}


def test_a_branch_that_is_agreed_sends_both_tokens_one_way() -> None:
    """The same control flow with a uniform branch in node 1: now node 2 is convergent too."""
    graph = graph_of(TWO_ARMS)
    known = FlowGraph(graph.successors, graph.returns, graph.waiting, agreed=(0,))
    verdict = block_verdict(known, node(2))
    assert isinstance(verdict, Convergent)


def test_a_divergent_block_comes_with_two_paths() -> None:
    verdict = block_verdict(graph_of(TWO_ARMS), node(2))
    assert isinstance(verdict, Divergent)
    assert verdict.witness == Witness(tuple(node(n) for n in (1, 2, 3, 5, 6)), tuple(node(n) for n in (1, 3, 5, 6)))
