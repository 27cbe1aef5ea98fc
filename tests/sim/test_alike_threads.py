"""What all threads agree on is held once, and addresses that are a pattern over the threads are worked out once.

Neither may be seen in what a run leaves, counts or reports.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.events import Events, Observer
from sim.faults import OutOfBounds, UninitialisedRead
from sim.policies.ipdom import Ipdom
from sim.policies.min_pc import MinPc
from sim.policies.protocol import PolicyFactory
from sim.result import Result
from sim.specification import ChosenArray, Filling
from tests.sim.running import Given, run


class _Watching(Observer):
    """Asks for every access, so that every address is worked out and checked."""

    events = Events.ACCESSES


def both(text: str, arguments: Given, *, grid: int = 2, block: int = 48, policy: PolicyFactory = Ipdom) -> Result:
    """A run; the same run while every access is watched must not differ."""
    found = run(text, arguments, grid=grid, block=block, policy=policy)
    watched = run(text, arguments, grid=grid, block=block, policy=policy, observers=[_Watching()])
    assert found.memory_digest == watched.memory_digest
    assert found.faults == watched.faults
    assert found.instructions == watched.instructions
    assert found.branches == watched.branches
    return found


@pytest.mark.parametrize("policy", [Ipdom, MinPc])
def test_a_filter(policy: PolicyFactory) -> None:
    text = """__global__ void k(const int *x, const int *h, int *y, int taps) {
        int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
        for (int j = 0; j < taps; j++) sum += h[j] * x[i + taps - 1 - j];
        y[i] = sum; }"""
    x, h = np.arange(105, dtype=np.int32), np.arange(1, 11, dtype=np.int32)
    found = both(text, {"x": x, "h": h, "y": np.zeros(96, np.int32), "taps": 10}, policy=policy)
    assert (found.arrays["y"] == np.convolve(x, h, "valid")).all()


def test_an_index_wraps_where_its_type_does() -> None:
    text = """__global__ void k(int *x) {
        for (unsigned j = 0; j < 8; j++) x[(threadIdx.x + j * 0x20000000u) & 0x1fffffffu] += 1;
        for (unsigned j = 0; j < 4; j++) x[threadIdx.x + 4u - j * 0x40000000u - j * 0xc0000000u] += 16; }"""
    found = both(text, {"x": np.zeros(64, np.int32)}, grid=1)
    expected = np.where(np.arange(64) < 48, 8, 0) + np.where((np.arange(64) >= 4) & (np.arange(64) < 52), 64, 0)
    assert (found.arrays["x"] == expected).all()


def test_a_sum_is_read_where_what_it_is_made_of_is_held_no_more() -> None:
    text = """__global__ void k(int *x, int *y, int n) {
        int m = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
        int i = m + n;
        y[m] = 1;
        for (int j = 0; j < n; j++) x[i] += j; }"""
    found = both(text, {"x": np.zeros(128, np.int32), "y": np.zeros(96, np.int32), "n": 4})
    assert found.arrays["x"].tolist() == [0] * 4 + [6] * 96 + [0] * 28


def test_the_round_in_which_threads_leave_an_array_is_reported() -> None:
    text = """__global__ void k(int *x) { for (int j = 0; j < 40; j += 4) x[threadIdx.x + j] = j; }"""
    found = both(text, {"x": np.zeros(64, np.int32)}, grid=1)
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert fault.offset == 64 * 4
    assert found.arrays["x"].tolist() == [
        index // 4 * 4 if index < 36 else min(index // 4 * 4, 36) for index in range(64)
    ]


def test_a_part_of_the_warps_stays_inside_where_all_would_not() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[96]; int t = threadIdx.x; s[t] = t; __syncthreads();
        for (int half = 48; half > 0; half /= 2) { if (t < half) s[t] += s[t + half]; __syncthreads(); }
        x[blockIdx.x * 96 + t] = s[t]; }"""
    found = both(text, {"x": np.zeros(192, np.int32)}, block=96)
    assert found.faults == ()
    assert found.arrays["x"][0] == found.arrays["x"][96]


def test_memory_that_nobody_wrote_is_found_in_a_later_round() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[8][48]; int t = threadIdx.x, sum = 0;
        for (int j = 0; j < 7; j++) s[j][t] = j;
        for (int j = 0; j < 8; j++) sum += s[j][t];
        x[t] = sum; }"""
    found = both(text, {"x": np.zeros(48, np.int32)}, grid=1)
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert fault.offset == 7 * 48 * 4


def test_memory_that_was_written_is_unwritten_again_in_the_next_wave() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[32]; int sum = 0;
        if (blockIdx.x < 2048) s[threadIdx.x] = 1;
        for (int j = 0; j < 6; j++) sum += s[threadIdx.x];
        x[blockIdx.x * 32 + threadIdx.x] = sum; }"""
    found = both(text, {"x": np.zeros(2112 * 32, np.int32)}, grid=2112, block=32)
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert (found.arrays["x"].reshape(2112, 32) == np.where(np.arange(2112) < 2048, 6, 0)[:, None]).all()


def test_values_that_share_an_array_part_again() -> None:
    """`last` and `value` are one array until some warps go on with one of them."""
    text = """__global__ void k(int *x, int *y) { int t = threadIdx.x, value = t, last = 0;
        for (int j = 0; j < 9; j++) { last = value; value = value + 1; if (t / 32 == 1 && j > 4) value = -j; }
        x[t] = value; y[t] = last; }"""
    zeros = np.zeros(96, np.int32)
    found = both(text, {"x": zeros, "y": zeros}, grid=1, block=96)
    value, last = np.arange(96), np.zeros(96, np.int64)
    for j in range(9):
        last, value = value, np.where((np.arange(96) // 32 == 1) & (j > 4), -j, value + 1)
    assert (found.arrays["x"] == value).all()
    assert (found.arrays["y"] == last).all()


def test_what_a_function_returns_twice_is_two_values() -> None:
    text = """struct Pair { int a, b; };
        __device__ Pair twice(int n) { Pair p; if (n > 1000) return twice(n - 1); p.a = n; p.b = n; return p; }
        __global__ void k(int *x) { int t = threadIdx.x; Pair p = twice(t);
        for (int j = 0; j < 4; j++) if (t / 32 == j % 2) p.a += 1;
        x[2 * t] = p.a; x[2 * t + 1] = p.b; }"""
    found = both(text, {"x": np.zeros(128, np.int32)}, grid=1, block=64)
    threads = np.arange(64)
    assert (found.arrays["x"].reshape(64, 2) == np.stack([threads + 2, threads], axis=1)).all()


def test_sums_whose_old_value_nobody_reads_wrap() -> None:
    text = """__global__ void k(unsigned *x, unsigned long long *y) { int t = threadIdx.x;
        for (int j = 0; j < 5; j++) { atomicAdd(&x[t % 3], 0xf0000000u + t); atomicSub(&x[3 + t % 2], 7u); }
        if (t & 1) atomicAdd(&y[t % 4], ~0ull); }"""
    found = both(text, {"x": np.zeros(5, np.uint32), "y": np.zeros(4, np.uint64)}, grid=1)
    threads = np.arange(48)
    sums = [5 * int((0xF0000000 + threads[threads % 3 == left]).sum()) % (1 << 32) for left in range(3)]
    assert found.arrays["x"].tolist() == [*sums, (-7 * 5 * 24) % (1 << 32), (-7 * 5 * 24) % (1 << 32)]
    assert found.arrays["y"].tolist() == [0, (1 << 64) - 12, 0, (1 << 64) - 12]


def test_an_output_that_is_written_in_a_loop_and_read_again() -> None:
    text = """__global__ void k(int *x) { int t = threadIdx.x, sum = 0;
        for (int j = 0; j < 6; j++) x[j * 48 + t] = j;
        for (int j = 0; j < 6; j++) sum += x[j * 48 + t];
        x[t] = sum; }"""
    found = both(text, {"x": ChosenArray(288, Filling.UNINITIALISED)}, grid=1)
    assert found.faults == ()
    assert (found.arrays["x"][:48] == 15).all()
