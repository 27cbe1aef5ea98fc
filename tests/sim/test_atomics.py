"""Atomic operations: the memory they leave, and old values that belong to one order of the threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.sim.running import run


def test_a_counter_hands_out_every_number_once() -> None:
    text = """__device__ int counter = 10; __global__ void k(int *out) {
        out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(&counter, 2); }"""
    found = run(text, {"out": np.zeros(512, np.int32)}, grid=4, block=128)
    assert sorted(found.arrays["out"]) == list(range(10, 10 + 1024, 2))
    assert found.variables["counter"] == 10 + 1024


def test_histogram_in_shared_memory() -> None:
    text = """__global__ void k(unsigned char *x, unsigned *h) { __shared__ unsigned s[16];
        if (threadIdx.x < 16) s[threadIdx.x] = 0; __syncthreads();
        atomicAdd(&s[x[blockIdx.x * blockDim.x + threadIdx.x] & 15], 1u); __syncthreads();
        if (threadIdx.x < 16) atomicAdd(&h[threadIdx.x], s[threadIdx.x]); }"""
    x = np.random.default_rng(1).integers(0, 256, 1024, np.uint8)
    found = run(text, {"x": x, "h": np.zeros(16, np.uint32)}, grid=4, block=256)
    assert (found.arrays["h"] == np.bincount(x & 15, minlength=16)).all()
    assert found.faults == ()


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "atomicAdd(&x[i % 3], i)": lambda old, i: old + i,
    "atomicSub(&x[i % 3], i)": lambda old, i: old - i,
    "atomicMin(&x[i % 3], 20 - i)": lambda old, i: min(old, 20 - i),
    "atomicMax(&x[i % 3], i * 7 % 50)": lambda old, i: max(old, i * 7 % 50),
    "atomicAnd(&x[i % 3], ~(1 << i % 8))": lambda old, i: old & ~(1 << i % 8),
    "atomicOr(&x[i % 3], 1 << i % 20)": lambda old, i: old | 1 << i % 20,
    "atomicXor(&x[i % 3], i * 5)": lambda old, i: old ^ i * 5,
    "atomicExch(&x[i % 3], i)": lambda old, i: i,
    "atomicCAS(&x[i % 3], 11, i)": lambda old, i: i if old == 11 else old,
}


@pytest.mark.parametrize("threads", [64, 1024], ids=["few", "many"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_old_values_follow_the_order_of_the_lanes(operation: str, threads: int) -> None:
    """Of 1,024 threads so many fight for one address that none waits for its round."""
    text = f"__global__ void k(int *x, int *out) {{ int i = threadIdx.x; out[i] = {operation}; }}"
    found = run(text, {"x": np.array([10, 11, 12], np.int32), "out": np.zeros(threads, np.int32)}, block=threads)
    memory, old = [10, 11, 12], list[int]()
    for i in range(threads):
        old.append(memory[i % 3])
        memory[i % 3] = OPERATIONS[operation](memory[i % 3], i)
    assert found.arrays["out"].tolist() == old
    assert found.arrays["x"].tolist() == memory


SWAPS: dict[str, Callable[[int, int], int]] = {
    "atomicCAS(&x[i & 1], i % 5, (i * 3 + 1) % 5)": lambda old, i: (i * 3 + 1) % 5 if old == i % 5 else old,
    "atomicCAS(&x[i & 1], i / 2, i / 2 + 1)": lambda old, i: i // 2 + 1 if old == i // 2 else old,
    "atomicCAS(&x[i & 1], 0, 0)": lambda old, i: old,
    "atomicInc(&x[i & 1], 6)": lambda old, i: 0 if old >= 6 else old + 1,
    "atomicInc(&x[i & 1], 0)": lambda old, i: 0,
    "atomicInc(&x[i & 1], i % 7)": lambda old, i: 0 if old >= i % 7 else old + 1,
    "atomicInc(&x[i & 1], 0xffffffff)": lambda old, i: (old + 1) % 2**32,
    "atomicDec(&x[i & 1], 6)": lambda old, i: 6 if old == 0 or old > 6 else old - 1,
    "atomicDec(&x[i & 1], 0)": lambda old, i: 0,
    "atomicDec(&x[i & 1], i % 7)": lambda old, i: i % 7 if old == 0 or old > i % 7 else old - 1,
}


@pytest.mark.parametrize("start", [0, 3, 6, 7, 2**32 - 1])
@pytest.mark.parametrize("operation", SWAPS)
def test_swaps_and_cycles_of_many_threads(operation: str, start: int) -> None:
    text = f"__global__ void k(unsigned *x, unsigned *out) {{ unsigned i = threadIdx.x; out[i] = {operation}; }}"
    found = run(text, {"x": np.array([start, 1], np.uint32), "out": np.zeros(256, np.uint32)}, block=256)
    memory, old = [start, 1], list[int]()
    for i in range(256):
        old.append(memory[i & 1])
        memory[i & 1] = SWAPS[operation](memory[i & 1], i)
    assert found.arrays["out"].tolist() == old
    assert found.arrays["x"].tolist() == memory


@pytest.mark.parametrize("type", ["float", "double", "__half", "__nv_bfloat16"])
def test_sums_of_many_threads_are_rounded_one_after_the_other(type: str) -> None:
    """All at once is as if each thread were a launch of its own."""
    text = f"""__global__ void k({type} *x, {type} *old) {{ int i = threadIdx.x;
        old[i] = atomicAdd(x, ({type})(0.37f * (i + 1))); }}"""
    kinds = {"float": np.float32, "double": np.float64, "__half": np.float16, "__nv_bfloat16": np.uint16}
    total, old = np.zeros(1, kinds[type]), list[Any]()
    together = run(text, {"x": total, "old": np.zeros(64, kinds[type])}, block=64).arrays
    for i in range(64):
        old.append(total[0])
        alone = f"""__global__ void k({type} *x) {{ atomicAdd(x, ({type})(0.37f * ({i} + 1))); }}"""
        total = run(alone, {"x": total}, block=1).arrays["x"]
    assert together["old"].tolist() == old
    assert together["x"].tolist() == total.tolist()


def test_increment_and_decrement_wrap_at_the_limit() -> None:
    text = """__global__ void k(unsigned *x, unsigned *out) {
        out[threadIdx.x] = atomicInc(&x[0], 4); atomicDec(&x[1], 6); }"""
    found = run(text, {"x": np.array([3, 2], np.uint32), "out": np.zeros(32, np.uint32)})
    assert found.arrays["out"][:8].tolist() == [3, 4, 0, 1, 2, 3, 4, 0]
    up, down = 3, 2
    for _ in range(32):
        up = 0 if up >= 4 else up + 1
        down = 6 if down in (0,) or down > 6 else down - 1
    assert found.arrays["x"].tolist() == [up, down]


def test_float_atomics() -> None:
    text = """__global__ void k(float *x, double *y, float *old) { int i = threadIdx.x;
        old[i] = atomicAdd(&x[0], i * 0.1f); atomicAdd(&y[i % 2], 0.5); atomicExch(&x[1], (float)i); }"""
    found = run(text, {"x": np.zeros(2, np.float32), "y": np.zeros(2), "old": np.ones(32, np.float32)})
    total, old = np.float32(0), list[Any]()
    for i in range(32):
        old.append(total)
        total = total + np.float32(i) * np.float32(0.1)
    assert found.arrays["old"].tolist() == old
    assert found.arrays["x"].tolist() == [total, 31.0]
    assert found.arrays["y"].tolist() == [8.0, 8.0]


def test_64_bit_compare_and_swap_builds_a_double_addition() -> None:
    text = """__device__ double add(double *address, double value) {
        unsigned long long *p = (unsigned long long *)address, old = *p, assumed;
        do { assumed = old; old = atomicCAS(p, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
        } while (assumed != old); return __longlong_as_double(old); }
        __global__ void k(double *x) { add(x, threadIdx.x + 1.0); }"""
    found = run(text, {"x": np.zeros(1)}, block=64)
    assert found.arrays["x"][0] == 64 * 65 / 2
    assert found.truncated is None


def test_sums_too_small_for_a_normal_number_are_zero_in_global_memory_alone() -> None:
    """As seen on an NVIDIA H200, and as PTX says of `atom.add.f32`."""
    text = """__global__ void k(float *x, const float *v, float *shared, float *old) {
        __shared__ float s[32]; int i = threadIdx.x; s[i] = x[i]; __syncwarp();
        old[i] = atomicAdd(&x[i], v[i]); atomicAdd(&s[i], v[i]); shared[i] = s[i]; }"""
    x, v = np.zeros((2, 32), np.float32)
    x[:4], v[:4] = [1e-42, -3e-45, 2e-38, 1.0], [0.0, -0.0, -1.2e-38, 1e-42]
    found = run(text, {"x": x, "v": v, "shared": np.zeros(32, np.float32), "old": np.zeros(32, np.float32)})
    assert found.arrays["old"].tolist() == x.tolist()
    assert found.arrays["shared"].tolist() == (x + v).tolist()
    assert found.arrays["x"][:4].tolist() == [0, 0, 0, 1]
    assert np.signbit(found.arrays["x"][:4]).tolist() == [False, True, False, False]


def test_atomics_of_part_of_a_warp() -> None:
    text = "__global__ void k(int *x) { if (threadIdx.x % 2) atomicAdd(x, 1); else atomicAdd(x + 1, 10); }"
    found = run(text, {"x": np.zeros(2, np.int32)})
    assert found.arrays["x"].tolist() == [16, 160]


def test_many_threads_on_one_address_stay_fast() -> None:
    text = "__global__ void k(float *x, int *m) { atomicAdd(x, 1.0f); atomicMax(m, (int)threadIdx.x); }"
    found = run(text, {"x": np.zeros(1, np.float32), "m": np.zeros(1, np.int32)}, grid=64, block=256)
    assert found.arrays["x"][0] == 64 * 256
    assert found.arrays["m"][0] == 255
    assert found.seconds < 60  # one by one they would not end for minutes
