"""What policies are told about the code besides its edges: polling loops, convergence, the layout."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from analysis.ir.instructions import Atomic, Load, Store
from sim.code.convergence import with_convergence
from sim.code.generate import generate
from sim.code.polling import polling_blocks
from sim.policies.layout import code_addresses
from sim.policies.post_dominance import post_dominance
from sim.policies.protocol import EXIT, SegmentGraph
from sim.specification import LaunchSpecification
from tests.sim.policies.graphs import arbitrary_graphs, statements, structured_graph
from tests.sim.policies.walk import graph_of
from tests.sim.running import kernel_of

POLLS = {
    "while (atomicCAS(p, 0, 1) != 0) {}": True,
    "while (atomicExch(p, 1)) { for (int j = 0; j < 9; ++j) q[j] = j; }": True,
    "bool done = false; while (!done) { if (atomicCAS(p, 0, 1) == 0) done = true; }": True,
    "volatile int *v = p; while (*v == 0) {}": True,
    "while (*p == 0) __threadfence();": True,
    "unsigned ns = 8; while (atomicCAS(p, 0, 1) == 1) { __nanosleep(ns); if (ns < 256) ns *= 2; }": True,
    "for (int j = 0; j < q[0]; ++j) atomicAdd(p, 1);": False,
    "for (int j = 0; j < q[0]; ++j) q[atomicAdd(p, 1)] = j;": False,
    "while (*p == 0) {}": False,
    "int old = atomicAdd(p, 1); while (old > 0) { old -= q[old]; }": False,
    "for (int j = 0; j < 4; ++j) { while (atomicCAS(p, 0, 1) != 0) {} }": True,
}


@pytest.mark.parametrize("body", POLLS)
def test_loops_that_poll(body: str) -> None:
    function = kernel_of(f"__global__ void k(int *p, int *q) {{ {body} }}").function
    assert bool(polling_blocks(function)) == POLLS[body]


def test_only_the_loop_that_polls_is_marked() -> None:
    body = "for (int j = 0; j < q[0]; ++j) { while (atomicCAS(p, 0, 1)) {} q[j] = 1; }"
    function = kernel_of(f"__global__ void k(int *p, int *q) {{ {body} }}").function
    marked = polling_blocks(function)

    def homes(kind: type[Atomic] | type[Load] | type[Store]) -> set[int]:
        return {i for i, block in enumerate(function.blocks) if any(isinstance(x, kind) for x in block.instructions)}

    assert homes(Atomic) <= marked
    assert marked.isdisjoint(homes(Load) | homes(Store))


def proven(text: str, block: int = 64) -> SegmentGraph:
    launch = LaunchSpecification(grid=(1, 1, 1), block=(block, 1, 1), arguments={})
    kernel = kernel_of(text)
    code = generate(kernel, 32, havoc=False, observes_values=False)
    return with_convergence(code.graph, code.functions[kernel.function.id].segmented, launch)


def test_convergence_reaches_the_graph() -> None:
    uniform = proven("__global__ void k(int n, int *o) { int s = 0; while (s < n) s += o[s]; o[threadIdx.x] = s; }")
    assert uniform.convergent == frozenset(range(len(uniform.successors)))
    varying = proven(
        "__global__ void k(int n, int *o) { int s = threadIdx.x; while (s < n) s += 3; o[threadIdx.x] = s; }"
    )
    entry_and_end = {0, len(varying.successors) - 1}
    assert entry_and_end <= varying.convergent < frozenset(range(len(varying.successors)))


def test_where_nothing_is_left_but_to_return() -> None:
    graph = proven("__global__ void k(int n, int *o) { if (threadIdx.x < n) o[threadIdx.x] = 1; }")
    (end,) = [segment for segment, successors in enumerate(graph.successors) if not successors]
    assert graph.returning == {end}
    assert graph.convergent == frozenset(range(len(graph.successors)))
    works = proven("__global__ void k(int n, int *o) { if (threadIdx.x < n) o[threadIdx.x] = 1; o[n] = 2; }")
    assert works.returning == frozenset()


def test_what_follows_a_loop_lies_behind_it() -> None:
    """while (true) { 1: if (done) break; 3: body }  2: after.  Reverse post-order may number the exit first."""
    graph = graph_of([1], [2, 3], [], [1])
    assert code_addresses(graph).tolist() == [0, 2, 3, 1]


def test_all_trips_of_a_loop_meet_at_its_header() -> None:
    """while (1: more) { 2: if (skip) continue; 3: body }  4: after.  Lanes that skip wait for those in the body."""
    addresses = code_addresses(graph_of([1], [2, 4], [3, 1], [1], []))
    assert addresses[0] < addresses[2] < addresses[3] < addresses[1] < addresses[4]


@settings(max_examples=200, deadline=None)
@given(graph=statements().map(structured_graph))
def test_joins_lie_behind_what_they_join(graph: SegmentGraph) -> None:
    addresses, order = code_addresses(graph), post_dominance(graph)
    assert sorted(addresses) == list(range(len(graph.successors)))
    for segment, join in enumerate(graph.reconvergence):
        if join != EXIT and len(graph.successors[segment]) > 1:
            assert addresses[join] > addresses[segment]
            assert order.joins[join]


@settings(max_examples=200, deadline=None)
@given(graph=arbitrary_graphs())
def test_intervals_are_ancestors_in_the_tree(graph: SegmentGraph) -> None:
    order = post_dominance(graph)
    for segment in range(len(graph.successors)):
        above: set[int] = set()
        node = graph.reconvergence[segment]
        while node != EXIT:
            above.add(node)
            node = graph.reconvergence[node]
        found = {
            other
            for other in range(len(graph.successors))
            if order.enter[other] < order.enter[segment] < order.leave[other]
        }
        assert found == above
