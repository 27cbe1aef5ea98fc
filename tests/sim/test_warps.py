"""Threads that meet: shuffles, votes, matches, reductions, barriers of all kinds, cooperative groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.faults import BarrierDivergence, Deadlock, IllegalWarpMask
from sim.policies.registry import POLICIES
from tests.sim.running import run

L = np.arange(32)
FULL = 0xFFFFFFFF


def lanes(expression: str, kind: str = "int", before: str = "", block: int = 32) -> NDArray[Any]:
    """`out[i] = expression` in every lane of one block; `i` is the thread's index."""
    text = f"""#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k({kind} *out) {{ int i = threadIdx.x; {before} out[i] = {expression}; }}"""
    types = {"int": np.int32, "unsigned": np.uint32, "float": np.float32, "double": np.float64, "long long": np.int64}
    found = run(text, {"out": np.zeros(block, types[kind])}, block=block)
    assert found.faults == ()
    return found.arrays["out"]


SHUFFLES = {
    "__shfl_sync(~0u, i * 10, 5)": np.full(32, 50),
    "__shfl_sync(~0u, i * 10, (i + 3) % 32)": (L + 3) % 32 * 10,
    "__shfl_sync(~0u, i, 3, 8)": L // 8 * 8 + 3,
    "__shfl_sync(~0u, i, i + 9, 8)": L // 8 * 8 + (L + 9) % 8,
    "__shfl_up_sync(~0u, i, 2)": np.where(L < 2, L, L - 2),
    "__shfl_up_sync(~0u, i, 3, 8)": np.where(L % 8 < 3, L, L - 3),
    "__shfl_down_sync(~0u, i, 4)": np.where(L > 27, L, L + 4),
    "__shfl_down_sync(~0u, i, 1, 16)": np.where(L % 16 == 15, L, L + 1),
    "__shfl_xor_sync(~0u, i, 5)": L ^ 5,
    "__shfl_up_sync(~0u, i, 33)": np.where(L < 1, L, L - 1),
    "__shfl_down_sync(~0u, i, 34, 16)": np.where(L % 16 > 13, L, L + 2),
    "__shfl_xor_sync(~0u, i, -3, 1)": np.where(L ^ 29 > L, L, L ^ 29),
    "__shfl_xor_sync(~0u, i, 9, 8)": np.where(L % 16 < 8, L, L ^ 9),
    "__shfl_down(i, 1)": np.where(L == 31, L, L + 1),
}


@pytest.mark.parametrize("expression", SHUFFLES)
def test_shuffles(expression: str) -> None:
    assert lanes(expression).tolist() == SHUFFLES[expression].tolist()


def test_a_shuffle_from_a_lane_that_takes_no_part_gives_0() -> None:
    """C++ promises nothing; so it was seen on an NVIDIA H200, with lanes that wait elsewhere and lanes that left."""
    text = "__global__ void k(int *out) { int i = threadIdx.x; if (i >= 22) return; out[i] = SHUFFLE; }"
    expected = {"__shfl_down_sync(0x3fffffu, i + 1, 2)": np.where(L < 20, L + 3, 0)}
    expected["__shfl_xor_sync(0x3fffffu, i + 1, 16)"] = np.where((L ^ 16) < 22, (L ^ 16) + 1, 0)
    for shuffle, values in expected.items():
        found = run(text.replace("SHUFFLE", shuffle), {"out": np.zeros(32, np.int32)})
        assert found.arrays["out"][:22].tolist() == values[:22].tolist()


def test_shuffles_of_other_types() -> None:
    assert lanes("__shfl_xor_sync(~0u, i * 0.5f, 1)", "float").tolist() == ((L ^ 1) * 0.5).tolist()
    assert lanes("__shfl_xor_sync(~0u, i * 0.25, 1)", "double").tolist() == ((L ^ 1) * 0.25).tolist()
    assert lanes("__shfl_sync(~0u, (long long)i << 40, 7)", "long long").tolist() == [7 << 40] * 32


def test_a_reduction_by_shuffles() -> None:
    before = "int v = i * i; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);"
    assert lanes("v", before=before)[0] == (L * L).sum()


VOTES: dict[str, int] = {
    "__ballot_sync(~0u, i % 3 == 0)": sum(1 << i for i in range(0, 32, 3)),
    "__any_sync(~0u, i == 7)": 1,
    "__any_sync(~0u, i == 32)": 0,
    "__all_sync(~0u, i < 32)": 1,
    "__all_sync(~0u, i < 31)": 0,
    "__activemask()": FULL,
    "__reduce_add_sync(~0u, (unsigned)i)": 496,
    "__reduce_max_sync(~0u, (unsigned)(i ^ 5))": 31,
    "__reduce_xor_sync(~0u, (unsigned)i)": 0,
}


@pytest.mark.parametrize("expression", VOTES)
def test_votes_and_reductions(expression: str) -> None:
    assert lanes(expression, "unsigned").tolist() == [VOTES[expression]] * 32


def test_match() -> None:
    same = [sum(1 << j for j in range(32) if j % 4 == i % 4) for i in range(32)]
    assert lanes("__match_any_sync(~0u, i & 3)", "unsigned").tolist() == same
    assert lanes("__match_all_sync(~0u, 5, &p) + p", "unsigned", "int p;").tolist() == [0] * 32  # all ones, plus one
    assert lanes("__match_all_sync(~0u, i, &p) + p", "unsigned", "int p;").tolist() == [0] * 32


def test_a_vote_in_a_branch_counts_who_is_there() -> None:
    text = """__global__ void k(unsigned *out) { int i = threadIdx.x; unsigned v = 0;
        if (i & 1) v = __ballot_sync(0xAAAAAAAA, i > 10); else v = __activemask(); out[i] = v; }"""
    found = run(text, {"out": np.zeros(32, np.uint32)})
    yes = sum(1 << i for i in range(11, 32, 2))
    assert found.arrays["out"].tolist() == [yes if i % 2 else 0x55555555 for i in range(32)]
    assert found.faults == ()


def test_lane_masks() -> None:
    text = """__global__ void k(unsigned *a, unsigned *b) { int i = threadIdx.x; unsigned m, n;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); asm("mov.u32 %0, %%lanemask_ge;" : "=r"(n));
        a[i] = m; b[i] = n; }"""
    found = run(text, {"a": np.zeros(32, np.uint32), "b": np.zeros(32, np.uint32)})
    assert found.arrays["a"].tolist() == [(1 << i) - 1 for i in range(32)]
    assert found.arrays["b"].tolist() == [FULL & ~((1 << i) - 1) for i in range(32)]


def test_a_mask_that_names_lanes_that_are_elsewhere() -> None:
    text = """__global__ void k(unsigned *out) { int i = threadIdx.x;
        if (i < 8) out[i] = __ballot_sync(0xFFFFFFFF, 1); }"""
    found = run(text, {"out": np.zeros(32, np.uint32)})
    (fault,) = found.faults
    assert isinstance(fault, IllegalWarpMask)
    assert (fault.mask, fault.arrived, fault.evidence.count) == (FULL, 0xFF, 8)
    assert found.arrays["out"][:8].tolist() == [0xFF] * 8


def test_a_mask_without_the_calling_lane() -> None:
    text = "__global__ void k() { __syncwarp(0x0000FFFF); }"
    (fault,) = run(text, {}).faults
    assert isinstance(fault, IllegalWarpMask)
    assert fault.evidence.count == 16


@pytest.mark.parametrize("policy", [one for one in POLICIES.values() if one.can_switch], ids=lambda one: one.name)
def test_lanes_wait_for_each_other_where_the_policy_can_switch(policy: Any) -> None:
    """One operation written twice is two places: only lanes at the same place meet."""
    text = """__global__ void k(int *out) { int i = threadIdx.x; int v = i;
        if (i < 16) { for (int j = 0; j < i; j++) v += j; }
        __syncwarp(); out[i] = __shfl_xor_sync(~0u, v, 16); }"""
    found = run(text, {"out": np.zeros(32, np.int32)}, policy=policy)
    v = np.where(L < 16, L + L * (L - 1) // 2, L)
    assert (found.arrays["out"] == v[L ^ 16]).all()
    assert found.faults == ()


# -- block barriers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
def test_barriers_in_a_loop(policy: Any) -> None:
    text = """__global__ void k(int *x) { __shared__ int s[128]; int i = threadIdx.x; s[i] = x[i];
        for (int d = 64; d > 0; d /= 2) { __syncthreads(); if (i < d) s[i] += s[i + d]; }
        if (i == 0) x[0] = s[0]; }"""
    found = run(text, {"x": np.arange(128, dtype=np.int32)}, block=128, policy=policy)
    assert found.arrays["x"][0] == 127 * 64
    assert found.faults == ()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
def test_reductions_over_the_block(policy: Any) -> None:
    text = """__global__ void k(int *x) { int i = threadIdx.x; int n = __syncthreads_count(i % 3 == 0);
        int a = __syncthreads_and(i < 100 + (int)blockIdx.x), o = __syncthreads_or(i == 70 + (int)blockIdx.x * 100);
        x[blockIdx.x * 100 + i] = n * 4 + (a != 0) * 2 + (o != 0); }"""
    found = run(text, {"x": np.zeros(200, np.int32)}, grid=2, block=100, policy=policy)
    assert set(found.arrays["x"][:100].tolist()) == {34 * 4 + 2 + 1}
    assert set(found.arrays["x"][100:].tolist()) == {34 * 4 + 2}
    assert found.faults == ()


def test_threads_that_left_are_not_waited_for() -> None:
    text = """__global__ void k(int *x) { int i = threadIdx.x; if (i >= 40) return;
        x[i] = 1; __syncthreads(); x[i]++; }"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64)
    assert found.arrays["x"].tolist() == [2] * 40 + [0] * 24
    assert found.faults == ()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize(
    "leave",
    [
        "if (i >= 40) return;",
        "if (!(i < 40)) return;",
        "if (!(i < 40)) { x[i] = 0; return; }",
        "if (i < 40) {} else if (i < 50) return; else { x[i] = 0; return; }",
        "if (i >= 40) { if (i < 50) return; if (i & 1) { x[i] = 0; return; } else return; }",
        "switch (i / 8) { case 0: case 1: case 2: case 3: case 4: break; case 5: return; default: return; }",
    ],
)
def test_how_threads_leave_does_not_decide_whether_the_others_meet(leave: str, policy: Any) -> None:
    text = f"""__global__ void k(int *x) {{ int i = threadIdx.x; {leave}
        x[i] = 1; __syncthreads(); int v = x[39 - i]; __syncthreads(); x[i] = v + 5; }}"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64, policy=policy)
    assert found.faults == ()
    assert found.arrays["x"].tolist() == [6] * 40 + [0] * 24


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize("condition", ["i < 40", "!(i >= 40)"])
def test_sides_that_never_meet_again_and_wait_at_two_barriers(condition: str, policy: Any) -> None:
    text = f"""__global__ void k(int *x) {{ int i = threadIdx.x;
        if ({condition}) {{ __syncthreads(); x[i] = 1; return; }} __syncthreads(); x[i] = 2; }}"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64, policy=policy)
    assert found.arrays["x"].tolist() == [1] * 40 + [2] * 24
    assert [type(fault) for fault in found.faults] == [BarrierDivergence]


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize(
    "body",
    [
        "if (i < 40) { __syncthreads(); x[i] = 1; } else { x[i] = 2; }",
        "if (i >= 40) x[i] = 2; else __syncthreads(); x[i] = 3;",
        "for (int k = i; k < 72; k += 32) { x[i]++; __syncthreads(); } x[i] += 4;",
        "if (i >= 40) x[i] = 2; else if (i >= 0) { x[i] = 5; __syncthreads(); return; } x[i] = 3;",
    ],
)
def test_threads_that_go_past_a_barrier_are_missed(body: str, policy: Any) -> None:
    text = f"__global__ void k(int *x) {{ int i = threadIdx.x; {body} }}"
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64, policy=policy)
    is_passed = "return" not in body
    assert [type(fault) for fault in found.faults] == [BarrierDivergence] * is_passed


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
def test_barrier_divergence(policy: Any) -> None:
    text = """__global__ void k(int *x) { int i = threadIdx.x;
        if (i % 32 < 16) { __syncthreads(); x[i] = 1; } else { x[i] = 2; __syncthreads(); x[i] = 3; } }"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64, policy=policy)
    assert any(isinstance(fault, BarrierDivergence) for fault in found.faults)
    assert found.arrays["x"].tolist() == ([1] * 16 + [3] * 16) * 2
    assert found.truncated is None


def test_barrier_divergence_counts_the_threads_of_one_block() -> None:
    text = """__global__ void k(int *x) { int i = threadIdx.x; if (i < 7) __syncthreads();
        x[blockIdx.x * 64 + i] = 1; }"""
    (fault,) = run(text, {"x": np.zeros(192, np.int32)}, grid=3, block=64).faults
    assert isinstance(fault, BarrierDivergence)
    assert ([count for _, count in fault.waiting], fault.missing, fault.evidence.count) == ([7], 57, 21)


def test_named_barriers() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[64]; int i = threadIdx.x; int half = i / 64;
        if (half == 0) { s[i] = i; asm volatile("bar.sync 1, 64;"); x[i] = s[63 - i]; }
        else { asm volatile("bar.sync 2, 64;"); x[i] = -1; } }"""
    found = run(text, {"x": np.zeros(128, np.int32)}, block=128)
    assert found.arrays["x"].tolist() == list(range(63, -1, -1)) + [-1] * 64
    assert found.faults == ()


def test_a_named_barrier_that_too_few_reach() -> None:
    text = """__global__ void k(int *x) { asm volatile("bar.sync 1, 128;"); x[threadIdx.x] = 1; }"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64)
    assert [type(fault) for fault in found.faults] == [Deadlock]
    assert found.arrays["x"].all()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("leave", "faults"),
    [
        ("if (blockIdx.x == 3) return;", [Deadlock]),
        ("if (blockIdx.x != 1 && n < 0) return;", []),
        ("if (threadIdx.x > 5) return;", []),
        ("g.sync(); if (blockIdx.x == 0) return;", [Deadlock]),
    ],
)
def test_a_grid_barrier_waits_for_every_block(leave: str, faults: list[type], policy: Any) -> None:
    text = f"""#include <cooperative_groups.h>
        __global__ void k(int *x, int n) {{ auto g = cooperative_groups::this_grid(); {leave}
        g.sync(); x[g.thread_rank()] = 1; }}"""
    found = run(text, {"x": np.zeros(256, np.int32), "n": 4}, grid=4, block=64, policy=policy)
    assert [type(fault) for fault in found.faults] == faults
    assert found.truncated is None


def test_grid_barrier() -> None:
    text = """#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *x, int n) { cg::grid_group g = cg::this_grid();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[i] = i; g.sync(); int v = x[n - 1 - i]; g.sync(); x[i] = v; }"""
    found = run(text, {"x": np.zeros(256, np.int32), "n": 256}, grid=4, block=64)
    assert found.arrays["x"].tolist() == list(range(255, -1, -1))
    assert found.faults == ()


# -- cooperative groups ---------------------------------------------------------------------------------------------


def test_tiles() -> None:
    before = "auto t = cg::tiled_partition<8>(cg::this_thread_block()); int v = i;"
    before += "for (int d = 4; d > 0; d /= 2) v += t.shfl_xor(v, d); t.sync();"
    sums = np.arange(64).reshape(8, 8).sum(axis=1).repeat(8)
    assert lanes("v", before=before, block=64).tolist() == sums.tolist()
    ranks = "t.thread_rank() + 100 * t.meta_group_rank() + 10000 * t.ballot(i % 2)"
    assert lanes(ranks, before=before, block=64).tolist() == [i % 8 + 100 * (i // 8) + 10000 * 0xAA for i in range(64)]


def test_coalesced_groups() -> None:
    text = """#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *out) { int i = threadIdx.x; out[i] = -1;
        if (i % 3 == 1) { auto g = cg::coalesced_threads();
        out[i] = g.thread_rank() * 100 + g.size() + 10000 * g.shfl(i, 2); } }"""
    found = run(text, {"out": np.zeros(32, np.int32)})
    count = len(range(1, 32, 3))
    expected = [i // 3 * 100 + count + 70000 if i % 3 == 1 else -1 for i in range(32)]
    assert found.arrays["out"].tolist() == expected
    assert found.faults == ()


def test_reduce_over_a_tile() -> None:
    before = "auto t = cg::tiled_partition<16>(cg::this_thread_block());"
    expected = np.arange(32).reshape(2, 16).sum(axis=1).repeat(16)
    assert lanes("cg::reduce(t, i, cg::plus<int>())", before=before).tolist() == expected.tolist()
