"""Control-flow graphs to walk: structured ones from nested statements, and arbitrary ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final, TypeAlias, final

import networkx as nx
from hypothesis import strategies as st

from analysis.ir.control_flow import reverse_post_order
from sim.policies.protocol import SegmentGraph
from tests.sim.policies.walk import Decide, Walk, graph_of

MAX_VISITS: Final = 4
"""After so many visits to a segment a lane takes the shortest way out."""


@final
@dataclass(frozen=True, slots=True)
class If:
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@final
@dataclass(frozen=True, slots=True)
class While:
    body: tuple[Statement, ...]


@final
@dataclass(frozen=True, slots=True)
class Straight:
    pass


Statement: TypeAlias = If | While | Straight


def statements(depth: int = 3) -> st.SearchStrategy[tuple[Statement, ...]]:
    if depth == 0:
        return st.just((Straight(),))
    inner = statements(depth - 1)
    one: st.SearchStrategy[Statement] = st.one_of(
        st.just(Straight()), st.builds(If, inner, st.one_of(st.just(()), inner)), st.builds(While, inner)
    )
    return st.lists(one, min_size=1, max_size=3).map(tuple)


@final
class Builder:
    """Appends segments; a segment's first successor is the true side."""

    def __init__(self) -> None:
        self.successors: list[list[int]] = [[]]

    def new(self) -> int:
        self.successors.append([])
        return len(self.successors) - 1

    def run(self, body: tuple[Statement, ...], at: int) -> int:
        """Adds the statements after segment `at`; the segment where they end."""
        for statement in body:
            match statement:
                case Straight():
                    end = self.new()
                    self.successors[at] = [end]
                case If(then=then, otherwise=otherwise):
                    first, end = self.new(), self.new()
                    other = self.new() if otherwise else end
                    self.successors[at] = [first, other]
                    self.successors[self.run(then, first)] = [end]
                    if otherwise:
                        self.successors[self.run(otherwise, other)] = [end]
                case While(body=inner):
                    header, first, end = self.new(), self.new(), self.new()
                    self.successors[at] = [header]
                    self.successors[header] = [first, end]
                    self.successors[self.run(inner, first)] = [header]
            at = end
        return at


def structured_graph(body: tuple[Statement, ...]) -> SegmentGraph:
    builder = Builder()
    builder.run(body, 0)
    return _numbered(builder.successors)


@st.composite
def arbitrary_graphs(draw: Callable[[st.SearchStrategy[int]], int]) -> SegmentGraph:
    """Every segment that the entry reaches can leave; anything else goes."""
    count = draw(st.integers(2, 9))
    random = Random(draw(st.integers(0, 2**32)))
    successors = [random.sample(range(1, count), min(random.choice((1, 2, 2, 3)), count - 1)) for _ in range(count)]
    successors[count - 1] = []
    for node in range(count - 1):
        if random.random() < 0.1:
            successors[node] = []
    leaving = _distances(successors)
    for node in range(count):
        # What cannot leave gets a way to the last segment.
        if node not in leaving:
            successors[node] = [*successors[node][:1], count - 1]
    return _numbered(successors)


def _numbered(successors: list[list[int]]) -> SegmentGraph:
    """Numbers as the simulator gives them: reverse post-order, the first successor first; what is not reached goes."""
    order = reverse_post_order(0, [targets[::-1] for targets in successors])
    number = {node: position for position, node in enumerate(order)}
    graph = graph_of(*([number[target] for target in successors[node]] for node in order))
    returning = frozenset(node for node, targets in enumerate(graph.successors) if not targets)
    return replace(graph, convergent=_always_passed(graph), returning=returning)


def _always_passed(graph: SegmentGraph) -> frozenset[int]:
    """Convergent without knowing any branch: every lane comes by exactly once."""
    flow: nx.DiGraph[int] = nx.DiGraph()
    flow.add_nodes_from(range(len(graph.successors)))
    flow.add_edges_from((node, target) for node, targets in enumerate(graph.successors) for target in targets)
    looping = {node for part in nx.strongly_connected_components(flow) if len(part) > 1 for node in part}
    looping |= {node for node, targets in enumerate(graph.successors) if node in targets}
    passed = {0}
    node = graph.reconvergence[0]
    while node >= 0:
        passed.add(node)
        node = graph.reconvergence[node]
    return frozenset(passed - looping)


def _distances(successors: list[list[int]]) -> dict[int, int]:
    """Steps to the nearest way out, of the segments that have one."""
    backward: nx.DiGraph[int] = nx.DiGraph()
    backward.add_nodes_from(range(len(successors)))
    backward.add_edges_from((target, node) for node, targets in enumerate(successors) for target in targets or (-1,))
    return dict(nx.single_source_shortest_path_length(backward, -1))


def random_decisions(graph: SegmentGraph, seed: int, agree: float = 0.3) -> Decide:
    """Reproducible choices; lanes of a row often agree, and in the end all hurry out."""
    distance = _distances([list(targets) for targets in graph.successors])

    def decide(row: int, lane: int, segment: int, visit: int) -> int:
        targets = graph.successors[segment]
        if visit > MAX_VISITS:
            return min(range(len(targets)), key=lambda index: distance[targets[index]])
        common = Random(f"{seed}/{row}/{segment}/{visit}")
        if common.random() < agree:
            return common.randrange(len(targets))
        return Random(f"{seed}/{row}/{lane}/{segment}/{visit}").randrange(len(targets))

    return decide


@st.composite
def walks(
    draw: Callable[[st.SearchStrategy[object]], object], graphs: st.SearchStrategy[SegmentGraph], *, meetings: bool
) -> Walk:
    graph = draw(graphs)
    assert isinstance(graph, SegmentGraph)
    width = draw(st.sampled_from((4, 8, 32, 64)))
    seed = draw(st.integers(0, 2**32))
    assert isinstance(width, int)
    assert isinstance(seed, int)
    random = Random(seed)
    full = (1 << width) - 1
    start = tuple(random.choice((full, full, random.getrandbits(width) | 1)) for _ in range(random.randint(1, 4)))
    inner = [node for node, targets in enumerate(graph.successors) if targets]
    met = frozenset(random.sample(inner, min(len(inner), random.randint(0, 2)))) if meetings else frozenset[int]()
    return Walk(graph, width, start, random_decisions(graph, seed), met, seed)
