"""Kernels with their pictures beside them, as text; compared whole.

One line per node: `B1* 3: x = 1 | if a < b: varying -> B2 true, B3 false ; needs B0`.  `*` runs divergent, `~` only
warps run together, `^` marks a back edge, `needs` lists who decides whether the node runs.
"""

from __future__ import annotations

import pytest

from analysis.divergence.levels import Level
from analysis.features.control_flow_graph.build import control_flow_graph
from analysis.features.control_flow_graph.model import ControlFlowGraph, GraphNode
from analysis.features.control_flow_graph.rows import RowKind, rows_of
from tests.rules.fixture import analyze

MARKS = {Level.GRID: "", Level.BLOCK: "", Level.WARP: "~", Level.VARYING: "*"}


def graph_of(text: str, name: str = "k", *, inlined: bool = False) -> ControlFlowGraph:
    analysis = analyze(text)
    function = next(function for function in analysis.facts.functions if function.name == name)
    graph = control_flow_graph(analysis, function, inlined=inlined)
    assert graph is not None
    return graph


def described(graph: ControlFlowGraph) -> str:
    return "\n".join(_described(graph, node) for node in graph.nodes)


def _described(graph: ControlFlowGraph, node: GraphNode) -> str:
    rows = [
        (f"{row.number}: " if row.kind is RowKind.SOURCE else "") + row.text + (f": {row.remark}" if row.remark else "")
        for row in rows_of(node)
    ]
    ways = [
        f"B{edge.target}{'^' if edge.is_back else ''}{' ' + edge.label if edge.label else ''}"
        for edge in graph.edges
        if edge.source == node.id
    ]
    deciders = [f"B{item.decider}" for item in graph.dependences if item.dependent == node.id]
    return (
        f"B{node.id}{MARKS[node.convergent]} {' | '.join(rows)}"
        + (f" -> {', '.join(ways)}" if ways else "")
        + (f" ; needs {', '.join(deciders)}" if deciders else "")
    )


BRANCH = """__global__ void k(int *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 1; else { x[i] = 2; }
  __syncthreads();
}
/*
B0 2: int i = threadIdx.x | if i < n: varying -> B2 true, B1 false
B1* 3: x[i] = 2 -> B3 ; needs B0
B2* 3: x[i] = 1 -> B3 ; needs B0
B3 4: __syncthreads() | block barrier: safe | return
*/"""

LOOP = """__global__ void k(int *x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[threadIdx.x] == i) break;
    x[i] = n;
  }
}
/*
B0 2: int i = 0 -> B1
B1* for i < n: uniform -> B2 true, B5 false ; needs B2
B2* if x[threadIdx.x] == i: varying -> B4 true, B3 false ; needs B1
B3* 4: x[i] = n | 2: i++ -> B1^ ; needs B2
B4* 3: break -> B5 ; needs B2
B5 return
*/"""

UNSAFE = """__global__ void k(int n) {
  if (threadIdx.x < 7) {
    __syncthreads();
  }
}
/*
B0 if threadIdx.x < 7: varying -> B1 true, B2 false
B1* 3: __syncthreads() | block barrier: unsafe -> B2 ; needs B0
B2 return
*/"""

COPY = """__global__ void k(float *x, float best) {
  float v = x[threadIdx.x];
  if (v > best) best = v;
  x[0] = best;
}
/*
B0 2: float v = x[threadIdx.x] | if v > best: varying -> B1 true, B2 false
B1* 3: best = v -> B2 ; needs B0
B2 4: x[0] = best | return
*/"""

SWITCH = """__global__ void k(int *x, int n) {
  switch (n) {
    case 1: case 2: x[0] = 1; break;
    case 3: x[0] = 3;
    default: x[0] = 4;
  }
}
/*
B0 switch n: uniform -> B3 case 1, 2, B1 case 3, B2 default
B1 4: x[0] = 3 -> B2 ; needs B0
B2 5: x[0] = 4 -> B4 ; needs B0
B3 3: x[0] = 1 | 3: break -> B4 ; needs B0
B4 return
*/"""

OPERATORS = """__global__ void k(int *x, int *y, int n) {
  int i = threadIdx.x;
  if (n > 2 && y[i] > 1) x[i] = n ? x[1] : y[1];
}
/*
B0 2: int i = threadIdx.x | if n > 2: uniform -> B1 true, B6 false
B1 if y[i] > 1: varying -> B2 true, B6 false ; needs B0
B2* n ?: uniform -> B4 true, B3 false ; needs B1
B3* 3: y[1] -> B5 ; needs B2
B4* 3: x[1] -> B5 ; needs B2
B5* 3: x[i] = n ? x[1] : y[1] -> B6 ; needs B1
B6 return
*/"""

CALLS = """__device__ int pick(int *x, int i) {
  if (i > 3) return x[i];
  return 0;
}
__global__ void k(int *x, int n) {
  int i = threadIdx.x;
  x[i] = pick(x, i) + pick(x, n);
  x[n] = 1;
}
/*
B0 6: int i = threadIdx.x | 7: x[i] = pick(x, i) + pick(x, n) | 8: x[n] = 1 | calls pick: diverges inside | calls pick | return
*/"""  # noqa: E501

PREPROCESSED = """__global__ void k(int *x, int n) {
#ifdef NOTHING
  x[0] = 1;
#else
  x[0] = 2; // not "this; one"
#endif
  while (n) { n--; }
}
/*
B0 5: x[0] = 2 -> B1
B1 while n: uniform -> B3 true, B2 false
B2 return
B3 7: n-- -> B1^ ; needs B1
*/"""

COMMENTS = """__global__ void k(int *x, int n) {
  if (n) {  // behind the brace
    x[0] = 1;  // behind the statement; not of the next one
    /* before it */ x[1] = 2;
  }
}
/*
B0 if n: uniform -> B1 true, B2 false
B1 3: x[0] = 1 | 4: x[1] = 2 -> B2 ; needs B0
B2 return
*/"""


@pytest.mark.parametrize("text", [BRANCH, LOOP, UNSAFE, COPY, SWITCH, OPERATORS, CALLS, PREPROCESSED, COMMENTS])
def test_the_picture_is_what_stands_beside_the_kernel(text: str) -> None:
    source, _, expected = text.rpartition("/*\n")
    assert described(graph_of(source)) == expected.removesuffix("\n*/")


def test_called_functions_are_drawn_on_request() -> None:
    graph = graph_of(CALLS.rpartition("/*\n")[0], inlined=True)
    assert [node.decision.level for node in graph.nodes if node.decision is not None] == [Level.VARYING, Level.GRID]
    assert [node.id for node in graph.nodes if node.divergent] == [1, 2]
    assert not any(node.calls for node in graph.nodes)


def test_a_device_function_is_drawn_at_its_worst_over_its_callers() -> None:
    expected = "B0 if i > 3: varying -> B2 true, B1 false\nB1* 3: return 0 ; needs B0\nB2* 2: return x[i] ; needs B0"
    assert described(graph_of(CALLS.rpartition("/*\n")[0], "pick")) == expected
    uniform = CALLS.rpartition("/*\n")[0].replace("pick(x, i) +", "")
    assert described(graph_of(uniform, "pick")) == expected.replace("varying", "uniform").replace("*", "")


def test_a_barrier_in_a_called_function_is_named_with_it() -> None:
    text = """__device__ void meet() { __syncthreads(); }
__global__ void k(int n) { if (threadIdx.x) meet(); }"""
    (barrier,) = (barrier for node in graph_of(text).nodes for barrier in node.barriers)
    assert (barrier.callee, barrier.verdict.value) == ("meet", "divergent")


def test_a_function_of_which_nothing_is_left_is_one_node() -> None:
    text = """__device__ int same(int a) { return a; }
__global__ void k(int *x) { x[same(threadIdx.x)] = 1; }"""
    assert described(graph_of(text, "same")) == "B0 return"


def test_template_instances_of_other_shape_show_the_most_divergent() -> None:
    text = """template <int N> __device__ int f(int *x, int i) {
  if (N > 1) return x[i];
  if (i > 3) return 1;
  return 2;
}
__global__ void k(int *x, int n) { x[n] = f<2>(x, n) + f<1>(x, threadIdx.x); }"""
    assert any(node.divergent for node in graph_of(text, "f").nodes)


def test_ids_are_positions_and_edges_lead_to_nodes() -> None:
    for text in (BRANCH, LOOP, SWITCH, OPERATORS, CALLS):
        graph = graph_of(text)
        assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))
        assert {id for edge in graph.edges for id in (edge.source, edge.target)} <= set(range(len(graph.nodes)))
        assert all(edge.is_back == (edge.target <= edge.source) for edge in graph.edges)
