"""cub's block and warp routines, and reductions of groups with functions of the file, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sim.running import run

THREADS = 96
HEAD = """#include <cub/cub.cuh>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    struct Larger { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
    __device__ int larger(int a, int b) { return a > b ? a : b; }
    struct Span { int low, high; };
    __device__ Span joined(Span a, Span b) {
        Span r; r.low = min(a.low, b.low); r.high = max(a.high, b.high); return r; }
    """


def block(body: str, block: int = THREADS, items: int = 1) -> NDArray[Any]:
    """`in` and `out` are ints, `items` of them per thread; `i` is the thread."""
    text = f"""{HEAD} __global__ void k(int *in, int *out) {{ int i = threadIdx.x;
        typedef cub::BlockReduce<int, {THREADS}> Reduce; typedef cub::BlockScan<int, {THREADS}> Scan;
        __shared__ union {{ typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; }} temp;
        {body} }}"""
    found = run(text, {"in": given(block * items), "out": np.full(block * items, -1, np.int32)}, block=block)
    assert found.faults == ()
    return found.arrays["out"]


def given(count: int) -> NDArray[np.int32]:
    return np.random.default_rng(5).integers(-50, 100, count).astype(np.int32)


REDUCTIONS: dict[str, Any] = {
    "Reduce(temp.reduce).Sum(in[i])": np.sum,
    "Reduce(temp.reduce).Reduce(in[i], cub::Max())": np.max,
    "Reduce(temp.reduce).Reduce(in[i], Larger())": np.max,
    "Reduce(temp.reduce).Reduce(in[i], larger)": np.max,
    "Reduce(temp.reduce).Reduce(in[i], [](int a, int b) { return a < b ? a : b; })": np.min,
}


@pytest.mark.parametrize("expression", REDUCTIONS)
def test_a_reduction_gives_its_result_to_thread_0(expression: str) -> None:
    found = block(f"int r = {expression}; if (i == 0) out[0] = r;")
    assert found[0] == REDUCTIONS[expression](given(THREADS))


def test_a_reduction_of_the_first_threads() -> None:
    assert block("int r = Reduce(temp.reduce).Sum(in[i], 41); if (i == 0) out[0] = r;")[0] == given(THREADS)[:41].sum()


def test_a_reduction_of_a_block_that_is_smaller_than_its_type_says() -> None:
    found = block("int r = Reduce(temp.reduce).Reduce(in[i], cub::Sum{}, blockDim.x); if (i == 0) out[0] = r;", 40)
    assert found[0] == given(40).sum()


def test_a_reduction_of_structs_and_of_items() -> None:
    body = """typedef cub::BlockReduce<Span, 96> R; __shared__ typename R::TempStorage t;
        Span s; s.low = s.high = in[i]; s = R(t).Reduce(s, joined); if (i == 0) { out[0] = s.low; out[1] = s.high; }"""
    assert block(body)[:2].tolist() == [given(THREADS).min(), given(THREADS).max()]
    body = "int v[2] = {in[2 * i], in[2 * i + 1]}; int r = Reduce(temp.reduce).Sum(v); if (i == 0) out[0] = r;"
    assert block(body, items=2)[0] == given(2 * THREADS).sum()


def test_the_largest_with_its_place() -> None:
    body = """typedef cub::KeyValuePair<int, int> Pair; typedef cub::BlockReduce<Pair, 96> R;
        __shared__ typename R::TempStorage t; Pair p(i, in[i]); Pair q = R(t).Reduce(p, cub::ArgMax());
        if (i == 0) { out[0] = q.key; out[1] = q.value; }"""
    assert block(body)[:2].tolist() == [given(THREADS).argmax(), given(THREADS).max()]


def before(values: NDArray[Any], start: int = 0) -> NDArray[Any]:
    return np.concatenate(([0], np.cumsum(values)[:-1])) + start


def with_total(values: NDArray[Any]) -> NDArray[Any]:
    return before(values) + values.sum()


def from_seven(values: NDArray[Any]) -> NDArray[Any]:
    return before(values, 7)


SCANS: dict[str, Any] = {
    "int r; Scan(temp.scan).InclusiveSum(in[i], r); out[i] = r;": np.cumsum,
    "int r; Scan(temp.scan).ExclusiveSum(in[i], r); out[i] = r;": before,
    "int r, t; Scan(temp.scan).ExclusiveSum(in[i], r, t); out[i] = r + t;": with_total,
    "int r; Scan(temp.scan).InclusiveScan(in[i], r, cub::Max()); out[i] = r;": np.maximum.accumulate,
    "int r; Scan(temp.scan).ExclusiveScan(in[i], r, 7, cub::Sum()); out[i] = r;": from_seven,
    "int r; Scan(temp.scan).InclusiveScan(in[i], r, larger); out[i] = r;": np.maximum.accumulate,
}


@pytest.mark.parametrize("body", SCANS)
def test_a_scan(body: str) -> None:
    assert block(body).tolist() == SCANS[body](given(THREADS)).tolist()


@pytest.mark.parametrize("kind", ["Inclusive", "Exclusive"])
def test_a_scan_of_items(kind: str) -> None:
    body = f"""int v[3]; for (int j = 0; j < 3; j++) v[j] = in[3 * i + j];
        Scan(temp.scan).{kind}Sum(v, v); for (int j = 0; j < 3; j++) out[3 * i + j] = v[j];"""
    values = given(3 * THREADS)
    assert block(body, items=3).tolist() == (np.cumsum(values) if kind == "Inclusive" else before(values)).tolist()


def test_groups_reduce_by_functions_of_the_file() -> None:
    body = """auto w = cg::tiled_partition<8>(cg::this_thread_block());
        out[i] = cg::reduce(w, in[i], [](int a, int b) { return a > b ? a : b; })
               + cg::reduce(w, in[i], Larger()) + cg::reduce(w, in[i], cg::greater<int>());"""
    expected = 3 * np.repeat(given(THREADS).reshape(-1, 8).max(axis=1), 8)
    assert block(body).tolist() == expected.tolist()


def test_warps_reduce_and_scan() -> None:
    body = """typedef cub::WarpReduce<int> W; typedef cub::WarpScan<int> S; __shared__ typename W::TempStorage t[3];
        __shared__ typename S::TempStorage s[3]; int r = W(t[i / 32]).Reduce(in[i], larger), q;
        S(s[i / 32]).InclusiveScan(in[i], q, larger); out[i] = i % 32 ? q : r;"""
    warps = given(THREADS).reshape(3, 32)
    expected = np.maximum.accumulate(warps, axis=1)
    expected[:, 0] = warps.max(axis=1)
    assert block(body).tolist() == expected.ravel().tolist()


def test_parts_by_label_know_their_number_and_how_many_there_are() -> None:
    body = """auto w = cg::tiled_partition<32>(cg::this_thread_block());
        auto g = cg::labeled_partition(w, i % 32 / 3 % 4);
        out[i] = 1000 * g.meta_group_size() + 100 * g.meta_group_rank() + g.size();"""
    labels = np.arange(THREADS) % 32 // 3 % 4
    sizes = np.array([9, 9, 8, 6])
    assert block(body).tolist() == (4000 + 100 * labels + sizes[labels]).tolist()
