"""Order, dominance, control dependence, cycles, joins and regions, against networkx and definitions."""

# networkx annotates its dispatched functions only in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.graph.control_flow import ControlFlow
from analysis.graph.regions import branch_regions, region_of
from analysis.graph.work import MAX_STEPS, Work
from analysis.ir.function import BasicBlock, Function, FunctionKind
from analysis.ir.instructions import BasicBlockId, FunctionId, Return, Switch, SwitchCase, Trap, ValueId
from analysis.ir.source import NO_SPAN
from analysis.ir.types import VOID
from tests.support.textual import read

EXIT = -1


def graph_function(edges: list[list[int]], traps: frozenset[int] = frozenset()) -> Function:
    """A function of empty blocks with these successors."""
    blocks: list[BasicBlock] = []
    for index, targets in enumerate(edges):
        cases = tuple(SwitchCase(number, BasicBlockId(target)) for number, target in enumerate(targets[1:]))
        if targets:
            blocks.append(BasicBlock((), (), Switch(ValueId(0), cases, BasicBlockId(targets[0]), None, NO_SPAN)))
        else:
            blocks.append(BasicBlock((), (), Trap(NO_SPAN) if index in traps else Return(None, NO_SPAN)))
    return Function(FunctionId("f"), "f", FunctionKind.KERNEL, (), VOID, tuple(blocks), (VOID,))


def random_edges(seed: int) -> list[list[int]]:
    """The entry has no predecessors; about a fifth of the blocks return."""
    random = Random(seed)
    count = random.randrange(2, 12)
    edges = [[random.randrange(1, count) for _ in range(random.choice((0, 1, 1, 2, 2, 2, 3)))] for _ in range(count)]
    edges[0] = edges[0] or [1]
    return edges


def digraph(control: ControlFlow) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_node(0)
    for block in control.order:
        graph.add_edges_from((int(block), int(target)) for target in control.successors[block])
        if not control.successors[block]:
            graph.add_edge(int(block), EXIT)
    return graph


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_dominators_are_those_of_networkx(seed: int) -> None:
    control = ControlFlow.of(graph_function(random_edges(seed)))
    expected = nx.immediate_dominators(digraph(control), 0)
    for block in control.order:
        dominator = control.immediate_dominator(block)
        assert (0 if dominator is None else dominator) == (expected.get(block) or 0)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_a_block_dominates_what_cannot_be_reached_without_it(seed: int) -> None:
    control = ControlFlow.of(graph_function(random_edges(seed)))
    for above in map(BasicBlockId, range(len(control.successors))):
        without = digraph(control)
        without.remove_nodes_from([above])
        still = nx.descendants(without, 0) | {0} if above else set[int]()
        for below in map(BasicBlockId, range(len(control.successors))):
            cut_off = control.is_reachable(above) and control.is_reachable(below) and below not in still
            assert control.dominates(above, below) == (above == below or cut_off)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_post_dominators_without_loops_are_those_of_networkx(seed: int) -> None:
    edges = [[target for target in targets if target > block] for block, targets in enumerate(random_edges(seed))]
    control = ControlFlow.of(graph_function(edges))
    expected = nx.immediate_dominators(digraph(control).reverse(), EXIT)
    for block in control.order:
        after = control.immediate_post_dominator(block)
        assert (EXIT if after is None else after) == expected[block]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_control_dependence_without_loops_is_that_of_the_definition(seed: int) -> None:
    """Y depends on X iff Y post-dominates a successor of X, and not X itself."""
    edges = [[target for target in targets if target > block] for block, targets in enumerate(random_edges(seed))]
    control = ControlFlow.of(graph_function(edges))
    for x in control.order:
        expected = {
            y
            for y in control.order
            if any(control.post_dominates(y, s) for s in control.successors[x])
            and (x == y or not control.post_dominates(y, x))
            and x != y
        }
        assert set(control.dependents(x)) == expected


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_cycles_are_strongly_connected_and_nest(seed: int) -> None:
    control = ControlFlow.of(graph_function(random_edges(seed)))
    graph = digraph(control)
    components = {
        frozenset(component)
        for component in nx.strongly_connected_components(graph)
        if len(component) > 1 or any(graph.has_edge(block, block) for block in component)
    }
    outermost = {cycle.blocks for cycle in control.cycles if cycle.parent is None}
    assert outermost == components
    for cycle in control.cycles:
        assert nx.is_strongly_connected(graph.subgraph(cycle.blocks))
        entries = {b for b in cycle.blocks if any(p not in cycle.blocks for p in graph.predecessors(b))}
        assert set(cycle.entries) == entries or 0 in cycle.blocks
        assert cycle.header in cycle.entries
        if cycle.reducible:
            assert all(control.dominates(cycle.header, block) for block in cycle.blocks)
        if cycle.parent is not None:
            assert cycle.blocks < control.cycles[cycle.parent].blocks
            assert control.cycles[cycle.parent].depth == cycle.depth - 1


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_joins_without_loops_are_where_two_disjoint_paths_meet(seed: int) -> None:
    edges = [[target for target in targets if target > block] for block, targets in enumerate(random_edges(seed))]
    control = ControlFlow.of(graph_function(edges))
    graph = digraph(control)
    for branch in control.order:
        for block in control.order:
            expected = block != branch and _disjoint_paths(graph, branch, block) >= 2
            assert (block in control.joins(branch)) == expected


def _disjoint_paths(graph: nx.DiGraph[int], source: int, target: int) -> int:
    """How many paths share nothing but their ends (Menger, by unit flow through split nodes)."""
    network: nx.DiGraph[tuple[int, str]] = nx.DiGraph()
    for node in graph:
        network.add_edge((node, "in"), (node, "out"), capacity=9 if node in (source, target) else 1)
    for start, end in graph.edges:
        network.add_edge((start, "out"), (end, "in"), capacity=1)
    value, _ = nx.maximum_flow(network, (source, "out"), (target, "in"))
    return int(value)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_regions_are_closed(seed: int) -> None:
    control = ControlFlow.of(graph_function(random_edges(seed)))
    for region in branch_regions(control):
        for block in control.order:
            for target in control.successors[block]:
                if block not in region.blocks and target in region.blocks:
                    assert target == region.entry
                if block in region.blocks and target not in region.blocks:
                    assert target == region.exit


def test_blocks_that_the_entry_does_not_reach_have_no_facts() -> None:
    control = ControlFlow.of(graph_function([[1], [], [1]]))
    lost = BasicBlockId(2)
    assert not control.is_reachable(lost)
    assert control.immediate_dominator(lost) is None
    assert control.controllers(lost) == ()
    assert control.exits == (BasicBlockId(1),)


def test_two_edges_to_one_block_are_no_branch() -> None:
    control = ControlFlow.of(graph_function([[1, 1], []]))
    assert control.successors[0] == (1,)
    assert control.dependents(BasicBlockId(0)) == []


@pytest.mark.parametrize(
    ("edges", "block", "controllers"),
    [
        ([[1, 2], [2], []], 1, {0}),  # if
        ([[1], [2, 3], [1], []], 2, {1}),  # while: the body
        ([[1], [2, 3], [1], []], 1, {1}),  # while: the header depends on itself
        ([[1], [2, 3], [1], []], 3, set[int]()),  # while: the code behind does not
        ([[1], [1, 2], []], 1, {1}),  # do
        ([[1], [2, 3], [4], [4, 5], [1], []], 3, {1}),  # some iterations pass 2 instead
        ([[1, 2], [1], []], 2, {0}),  # an endless loop holds threads back
        ([[1], [2, 3], [4, 5], [4], [1], []], 4, {1, 2}),  # break in one arm
    ],
)
def test_control_dependence_within_the_iteration(edges: list[list[int]], block: int, controllers: set[int]) -> None:
    control = ControlFlow.of(graph_function(edges))
    assert set(control.controllers(BasicBlockId(block))) == controllers


def test_a_trap_holds_nobody_back_but_depends_on_its_branch() -> None:
    control = ControlFlow.of(graph_function([[1, 2], [], []], frozenset({1})))
    assert control.doomed == [False, True, False]
    assert control.controllers(BasicBlockId(2)) == ()
    assert control.controllers(BasicBlockId(1)) == (0,)


def test_every_block_reaches_the_exit_even_from_an_endless_loop() -> None:
    control = ControlFlow.of(graph_function([[1], [2], [1]]))
    assert control.immediate_post_dominator(BasicBlockId(0)) == 1
    assert control.immediate_post_dominator(BasicBlockId(2)) is None
    assert control.post_dominates(BasicBlockId(1), BasicBlockId(0))


def test_a_goto_into_a_loop_makes_it_irreducible() -> None:
    control = ControlFlow.of(graph_function([[1, 2], [2], [1, 3], []]))
    (cycle,) = control.cycles
    assert not cycle.reducible
    assert set(cycle.entries) == {1, 2}
    assert control.exit_branches(cycle) == (2,)


def test_nested_loops() -> None:
    control = ControlFlow.of(graph_function([[1], [2, 5], [3], [3, 4], [1], []]))
    inner, outer = control.cycles
    assert (inner.header, outer.header) == (3, 1)
    assert inner.parent == outer.id
    assert [cycle.id for cycle in control.cycles_around(BasicBlockId(3))] == [inner.id, outer.id]
    assert control.innermost_cycle(BasicBlockId(5)) is None


def test_the_region_of_an_if_and_of_a_loop() -> None:
    diamond = ControlFlow.of(graph_function([[1, 2], [3], [3], []]))
    region = region_of(diamond, BasicBlockId(0))
    assert region is not None
    assert (region.exit, region.blocks) == (3, {0, 1, 2})
    loop = ControlFlow.of(graph_function([[1], [2, 3], [1], []]))
    region = region_of(loop, BasicBlockId(1))
    assert region is not None
    assert (region.exit, region.blocks) == (3, {1, 2})


def test_an_arm_with_a_way_in_from_elsewhere_is_no_region() -> None:
    control = ControlFlow.of(graph_function([[1, 2], [2, 3], [3], []]))
    assert region_of(control, BasicBlockId(1)) is None


def test_joins_of_a_loop_exit_are_asked_per_way_in() -> None:
    named = read("""entry:
  %zero: s32 = const 0
  %c: bool = lt %n, %zero
  branch %c, body, after
body:
  %i: s32 = phi entry: %zero, body: %next
  %next: s32 = add %i, %n
  %stay: bool = lt %next, %n
  branch %stay, body, after
after:
  %x: s32 = phi entry: %zero, body: %next
  return""")
    control = named.control
    assert named.label_set(control.joins(named.block("body"))) == set()
    assert named.label_set(control.joins(named.block("entry"))) == {"after"}


def test_a_join_starts_a_label_of_its_own() -> None:
    """0 parts into 1 and 2; both meet in 3; who comes from there meets in 4 who came straight from 1."""
    control = ControlFlow.of(graph_function([[1, 2], [3, 4], [3], [4], []]))
    assert control.joins(BasicBlockId(0)) == {3, 4}


def test_functions_with_the_same_edges_share_their_graph_but_not_what_they_may_spend() -> None:
    edges = [[1, 2], [3, 4], [3], [4], []]
    works = [Work(), Work()]
    first, second = (ControlFlow.of(graph_function(edges), work) for work in works)
    assert first.order is second.order
    assert first.joins(BasicBlockId(0)) is second.joins(BasicBlockId(0))
    assert works[0].left == works[1].left < MAX_STEPS


def test_where_a_block_traps_the_graph_is_another_one() -> None:
    edges = [[1, 2], [], []]
    returning, trapping = (ControlFlow.of(graph_function(edges, frozenset(traps))) for traps in ((), (1,)))
    assert returning.order == trapping.order
    assert returning.doomed == [False, False, False]
    assert trapping.doomed == [False, True, False]


def test_what_decides_about_a_block_in_a_loop_decides_how_often_as_well() -> None:
    """0 enters the loop of 1, 2 and 3, where 1 decides about 2, and 3 goes on or leaves to 4."""
    control = ControlFlow.of(graph_function([[1], [2, 3], [3], [1, 4], []]))
    assert control.deciders(BasicBlockId(2)) == {1, 2, 3}
    assert control.deciders(BasicBlockId(4)) == {4}
    assert control.between(BasicBlockId(1), BasicBlockId(3)) == {2}
    assert control.between(BasicBlockId(3), BasicBlockId(4)) == {1, 2, 3}


def test_the_loops_around_a_block_come_innermost_first() -> None:
    control = ControlFlow.of(graph_function([[1], [2], [2, 3], [1, 4], []]))
    assert [cycle.header for cycle in control.cycles_around(BasicBlockId(2))] == [2, 1]
    assert [cycle.header for cycle in control.cycles_around(BasicBlockId(3))] == [1]
    assert not control.cycles_around(BasicBlockId(4))
