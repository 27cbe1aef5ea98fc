"""Control flow under the mask stack: what is computed, how often each branch diverged."""

from __future__ import annotations

import numpy as np
import pytest

from sim.result import BranchCount, TruncationReason
from sim.specification import Budget
from tests.sim.running import run

I = np.arange(64)  # noqa: E741


def ints(count: int = 64) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.zeros(count, np.int32)


def counts(branches: tuple[BranchCount, ...]) -> list[tuple[int, int]]:
    return [(branch.executed, branch.diverged) for branch in branches]


def test_if_else() -> None:
    text = """__global__ void k(int *out) { int i = threadIdx.x; int v;
        if (i % 2) v = i * 3; else v = -i; out[i] = v; }"""
    found = run(text, {"out": ints()}, block=64)
    assert (found.arrays["out"] == np.where(I % 2, I * 3, -I)).all()
    assert counts(found.branches) == [(2, 2)]


def test_a_branch_between_warps_does_not_diverge() -> None:
    text = """__global__ void k(int *out) { int i = threadIdx.x;
        if (i < 32) out[i] = 1; else out[i] = 2; }"""
    found = run(text, {"out": ints()}, block=64)
    assert (found.arrays["out"] == np.where(I < 32, 1, 2)).all()
    assert counts(found.branches) == [(2, 0)]


def test_the_trace_of_a_loop_with_a_varying_trip_count() -> None:
    """`while (i < tid)`: each round loses one lane; all lanes are together again after it."""
    text = """__global__ void k(int *out) { int t = threadIdx.x; int i = 0, s = 0;
        while (i < t) { s += i; i++; } out[t] = s; }"""
    found = run(text, {"out": ints(4)}, block=4, warp_size=4)
    assert found.arrays["out"].tolist() == [0, 0, 1, 3]
    assert counts(found.branches) == [(4, 3)]


def test_nested_loops_with_break_and_continue() -> None:
    text = """__global__ void k(int *out) { int t = threadIdx.x; int s = 0;
        for (int i = 0; i < 8; i++) { if (i == t % 5) continue;
            for (int j = 0; j < t % 4 + i; j++) { if (s > 100) break; s += i * j + 1; } }
        out[t] = s; }"""
    found = run(text, {"out": ints()}, block=64)
    expected: list[int] = []
    for t in range(64):
        s = 0
        for i in range(8):
            if i == t % 5:
                continue
            for j in range(t % 4 + i):
                if s > 100:
                    break
                s += i * j + 1
        expected.append(s)
    assert found.arrays["out"].tolist() == expected


def test_switch_with_fall_through() -> None:
    text = """__global__ void k(int *out) { int t = threadIdx.x; int v = 0;
        switch (t % 6) { case 0: v = 10; break; case 1: v += 1; case 2: v += 2; break;
          case 4: v = 40; default: v += 7; }
        out[t] = v; }"""
    found = run(text, {"out": ints()}, block=64)
    table = {0: 10, 1: 3, 2: 2, 3: 7, 4: 47, 5: 7}
    assert found.arrays["out"].tolist() == [table[t % 6] for t in range(64)]
    assert counts(found.branches) == [(2, 2)]


def test_values_that_trade_places_in_a_loop() -> None:
    text = """__global__ void k(int *out, int n) { int a = threadIdx.x, b = 100 - a;
        for (int i = 0; i < n + threadIdx.x % 3; i++) { int c = a; a = b; b = c; } out[threadIdx.x] = a * 1000 + b; }"""
    found = run(text, {"out": ints(), "n": 5}, block=64)
    expected = [(100 - t) * 1000 + t if (5 + t % 3) % 2 else t * 1000 + 100 - t for t in range(64)]
    assert found.arrays["out"].tolist() == expected


def test_early_return_of_part_of_a_warp() -> None:
    text = """__global__ void k(int *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return; out[i] = i; if (i % 3 == 0) return; out[i] += 1000; }"""
    found = run(text, {"out": ints(100), "n": 100}, grid=2, block=64)
    i = np.arange(100)
    assert (found.arrays["out"] == np.where(i % 3 == 0, i, i + 1000)).all()
    assert found.faults == ()


def test_short_circuit() -> None:
    text = """__global__ void k(int *x, int *out, int n) { int i = threadIdx.x;
        if (i < n && x[i] > 2 || i == 60) out[i] = 1; }"""
    x = np.arange(50, dtype=np.int32) % 5
    found = run(text, {"x": x, "out": ints(), "n": 50}, block=64)
    inside = np.zeros(64, bool)
    inside[:50] = x > 2
    assert (found.arrays["out"] == (inside | (I == 60))).all()
    assert found.faults == ()


def test_goto() -> None:
    text = """__global__ void k(int *out) { int i = threadIdx.x, n = 0;
        again: n++; if (n < i % 4) goto again; if (i & 1) goto end; n += 100; end: out[i] = n; }"""
    found = run(text, {"out": ints()}, block=64)
    expected = [max(1, t % 4) + (0 if t & 1 else 100) for t in range(64)]
    assert found.arrays["out"].tolist() == expected


def test_blocks_and_waves() -> None:
    """More blocks than are resident at once."""
    text = """__global__ void k(int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = i ^ blockIdx.x; }"""
    found = run(text, {"out": ints(300 * 256)}, grid=300, block=256)
    i = np.arange(300 * 256)
    assert (found.arrays["out"] == i ^ i // 256).all()


def test_three_dimensions() -> None:
    text = """__global__ void k(int *out) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int z = blockIdx.z * blockDim.z + threadIdx.z;
        out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = x + 100 * y + 10000 * z; }"""
    found = run(text, {"out": ints(2 * 4 * 3 * 2 * 2 * 3)}, grid=(2, 3, 2), block=(4, 2, 3))
    z, y, x = np.meshgrid(np.arange(6), np.arange(6), np.arange(8), indexing="ij")
    assert (found.arrays["out"] == (x + 100 * y + 10000 * z).ravel()).all()


@pytest.mark.parametrize("warp_size", [4, 8, 16, 32, 64])
def test_warp_sizes(warp_size: int) -> None:
    text = """__global__ void k(int *out) { int i = threadIdx.x; int n = 0;
        while (n < i % 7) n += 2; out[i] = n * 100 + warpSize; }"""
    found = run(text, {"out": ints(96)}, block=96, warp_size=warp_size)
    assert found.arrays["out"].tolist() == [((t % 7 + 1) // 2 * 2) * 100 + warp_size for t in range(96)]


def test_an_infinite_loop_ends_with_the_budget() -> None:
    text = "__global__ void k(int *out) { int i = 0; while (out[0] == 0) { i++; } out[1] = i; }"
    found = run(text, {"out": ints(2)}, budget=Budget(seconds=0.3))
    assert found.truncated is not None
    assert found.truncated.reason is TruncationReason.TIME
    # Where in the loop depends on the moment.
    assert text.index("while") <= found.truncated.span.start < found.truncated.span.end <= text.index("}") + 1


def test_a_long_loop_ends_with_the_step_budget() -> None:
    text = "__global__ void k(int *out) { int s = 0; for (int i = 0; i < 1000000000; i++) s += i; out[0] = s; }"
    found = run(text, {"out": ints(1)}, budget=Budget(max_steps=20_000))
    assert found.truncated is not None
    assert found.truncated.reason is TruncationReason.STEPS


def test_a_statement_expression_is_its_last_value_and_has_a_scope_of_its_own() -> None:
    text = """
        #define LEAST(a, b) ({ auto _a = (a); auto _b = (b); _a < _b ? _a : _b; })
        __global__ void k(int *x) {
          int _a = 40, i = threadIdx.x;
          x[i] = LEAST(LEAST(i, 5), 3) + _a + ({ int v[2] = {i, 7}; v[1]; });
          if (i == 31) ({ x[0] = -1; });
        }"""
    result = run(text, {"x": np.zeros(32, np.int32)})
    assert result.arrays["x"].tolist() == [-1, *(min(i, 3) + 47 for i in range(1, 32))]
