"""Random graphs and programs: the fixpoint, the definition of paths, and networkx against the nets."""

# networkx annotates its dispatched functions only in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from collections import Counter
from random import Random

import networkx as nx
import pytest

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.graph.control_flow import ControlFlow
from analysis.petri.build import Advance, build_net
from analysis.petri.flow_graph import FlowGraph, flow_graph
from analysis.petri.state_space import StateId, StateSpace, enumerate_states
from analysis.petri.verdict import block_verdict
from tests.petri.fuzz import check_seed
from tests.petri.random_graphs import random_graph


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_graphs_have_the_verdicts_of_fixpoint_and_paths(first: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(first, first + 50):
        check_seed(seed, counts)
    assert sum(counts[words] for words in counts if "net divergent" in words) > 100
    assert sum(counts[words] for words in counts if "net convergent" in words) > 100


def random_flow(seed: int, *, known: bool) -> FlowGraph:
    function = random_graph(Random(seed))
    divergence = analyze_divergence(function, ControlFlow.of(function), LaunchKnowledge())
    graph = flow_graph(divergence, Level.BLOCK, barriers_wait=known)
    return graph if known else FlowGraph(graph.successors, graph.returns)


@pytest.mark.parametrize("seed", range(60))
def test_where_nothing_is_known_the_order_of_threads_changes_no_verdict(seed: int) -> None:
    graph = random_flow(seed, known=False)
    for block in graph.order:
        assert type(block_verdict(graph, block, Advance.FREE)) is type(block_verdict(graph, block, Advance.IN_STEP))


@pytest.mark.parametrize("seed", range(60))
def test_the_state_space_is_what_networkx_makes_of_its_firings(seed: int) -> None:
    graph = random_flow(seed, known=True)
    space = enumerate_states(build_net(graph, graph.order[-1], Advance.IN_STEP))
    assert isinstance(space, StateSpace)
    states = nx.MultiDiGraph()
    states.add_nodes_from(range(len(space.markings)))
    states.add_edges_from((firing.source, firing.target) for firing in space.firings)
    assert nx.descendants(states, 0) | {0} == set(states)
    stopped = {state for state in states if states.out_degree(state) == 0}
    assert stopped - set(space.final_states()) == set(space.dead_states())
    distances = nx.single_source_shortest_path_length(states, 0)
    for state in range(len(space.markings)):
        assert len(space.path_to(StateId(state))) == distances[state]
    for firing in space.firings:
        assert fires(space, firing.source, firing.target)


def fires(space: StateSpace, source: int, target: int) -> bool:
    """Does some transition turn one marking into the other, by the arithmetic of tokens?"""
    before, after = Counter(space.markings[source]), Counter(space.markings[target])
    return any(
        not Counter(transition.takes) - before
        and before - Counter(transition.takes) + Counter(transition.gives) == after
        for transition in space.net.transitions
    )
