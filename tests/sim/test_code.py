"""From IR to Python: how blocks are cut, where values live, and what the generated code looks like."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from analysis.ir.instructions import BlockBarrier, Shuffle
from sim.code.generate import generate
from sim.code.placement import ParameterRoot, SymbolRoot, place_values
from sim.code.segments import cut, graph_of, meeting_of
from sim.observers.races import RaceObserver
from sim.policies.protocol import EXIT
from tests.sim.running import kernel_of, run


def test_meetings_are_segments_of_their_own() -> None:
    text = """__global__ void k(int *x) { int i = threadIdx.x; __syncthreads(); x[i] = __shfl_xor_sync(~0u, i, 1);
        __syncthreads(); __syncthreads(); x[i]++; }"""
    segmented = cut(kernel_of(text).function, 10)
    kinds = [type(meeting_of(segment)) for segment in segmented.segments]
    nothing = type(None)
    assert kinds[0] is nothing
    assert [kind for kind in kinds if kind is not nothing] == [BlockBarrier, Shuffle, BlockBarrier, BlockBarrier]
    assert kinds[-3:] == [BlockBarrier, BlockBarrier, nothing]
    assert graph_of([segmented]).successors == (*((11 + i,) for i in range(len(kinds) - 1)), ())


def test_branches_reconverge_at_their_immediate_post_dominator() -> None:
    text = """__global__ void k(int *x, int n) { int s = 0;
        for (int i = 0; i < n; i++) { if (i & 1) s += i; else s -= i; } x[0] = s; }"""
    segmented = cut(kernel_of(text).function, 0)
    graph = graph_of([segmented])
    branches = {number: graph.reconvergence[number] for number, to in enumerate(graph.successors) if len(to) == 2}
    header, inner = sorted(branches)
    (after_loop,) = (number for number, to in enumerate(graph.successors) if not to)
    assert branches[header] == after_loop
    (latch,) = graph.successors[branches[inner]]
    assert graph.successors[latch] == (header,)


def test_a_branch_into_an_endless_loop_reconverges_behind_it() -> None:
    """Only those who do not enter the loop ever come there."""
    text = "__global__ void k(int *x, int n) { if (n) for (;;) x[0]++; }"
    graph = graph_of([cut(kernel_of(text).function, 0)])
    assert graph.successors[graph.reconvergence[0]] == ()
    assert graph.reconvergence[graph.reconvergence[0]] == EXIT


def test_what_depends_on_arguments_alone_is_computed_once() -> None:
    text = """__global__ void k(float *x, int n) { int last = (n - 1) * blockDim.x;
        for (int i = threadIdx.x; i < last; i += 32) x[i] = last; }"""
    code = generate(kernel_of(text), 32, havoc=False, observes_values=False).text
    prologue, first = code.split("def segment_0", 1)
    assert "c1 - c" in prologue
    assert "block_dim_x" in prologue
    assert "block_dim_x" not in first


def test_roots_pass_through_loops_and_end_where_pointers_mix() -> None:
    text = """__global__ void k(int *a, int *b, int n) { __shared__ int s[32]; int *p = a; int *q = n > 3 ? a : b;
        for (int i = 0; i < n; i++) p += 2; *p = 1; *q = 2; s[n] = 3; }"""
    function = kernel_of(text).function
    placed = place_values(cut(function, 0))
    stores = [one for _, one in function.instructions() if type(one).__name__ == "Store"]
    roots = [placed.roots.get(store.operands[0]) for store in stores]
    assert isinstance(roots[0], ParameterRoot)
    assert roots[1] is None
    assert isinstance(roots[2], SymbolRoot)
    assert placed.alignments[stores[0].operands[0]] == 4


def test_the_generated_code_of_a_branch() -> None:
    text = "__global__ void k(int *x) { int v = 3; if (x[0] > 5) v = 7; x[threadIdx.x] = v; }"
    code = generate(kernel_of(text), 32, havoc=False, observes_values=False).text
    assert "some, others = outcome(" in code
    assert "taken = taken_lanes(" in code
    compile(code, "k", "exec")


def test_registers_of_several_names_for_one_value_stay_apart() -> None:
    """Two phis that receive one value share no array: a later write to one must not reach the other."""
    text = """__global__ void k(int *x, int n) { int a = x[threadIdx.x], b = a, c = a;
        for (int i = 0; i < n + (int)threadIdx.x / 32; i++) { int t = a + i; b = t; if (threadIdx.x & 1) c = t; a = b; }
        x[threadIdx.x] = a * 10000 + b * 100 + c; }"""
    found = run(text, {"x": np.arange(64, dtype=np.int32) % 5, "n": 2}, block=64)
    expected: list[int] = []
    for t in range(64):
        a = b = c = t % 5
        for i in range(2 + t // 32):
            b = a + i
            c = b if t & 1 else c
            a = b
        expected.append(a * 10000 + b * 100 + c)
    assert found.arrays["x"].tolist() == expected


def test_large_local_arrays_make_fewer_blocks_resident() -> None:
    text = """__global__ void k(int *x) { int t[2000];
        for (int i = 0; i < 3; i++) t[i * 600 + threadIdx.x] = i + blockIdx.x;
        x[blockIdx.x * 64 + threadIdx.x] = t[600 + threadIdx.x]; }"""
    found = run(text, {"x": np.zeros(64 * 900, np.int32)}, grid=900, block=64)
    assert (found.arrays["x"] == np.arange(64 * 900) // 64 + 1).all()
    assert found.faults == ()


def test_what_a_run_used_is_free_when_it_is_over() -> None:
    """Without the collector, which a process that analyses many files hardly ever starts."""
    text = """__device__ int twice(int v) { return v > 8 ? 2 * v : twice(v + 1); }
        __global__ void k(int *x) { __shared__ int s[32]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();
        x[threadIdx.x] = twice(s[31 - threadIdx.x]); }"""
    observer = RaceObserver()
    alive = weakref.ref(observer)
    gc.disable()
    try:
        run(text, {"x": np.arange(32, dtype=np.int32)}, observers=[observer])
        del observer
        assert alive() is None
    finally:
        gc.enable()
