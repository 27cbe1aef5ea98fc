"""Programs whose threads wait for each other in memory: what finishes, what goes round in circles, and who says so."""

from __future__ import annotations

import numpy as np
import pytest

from sim.faults import Livelock
from sim.policies.ipdom import Ipdom
from sim.policies.registry import POLICIES
from sim.policies.round_robin import RoundRobin
from sim.specification import Budget
from tests.sim.running import run

SPIN_LOCK = """__global__ void k(int *lock, int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    *sum += 1; __threadfence(); atomicExch(lock, 0); }"""
POLITE_LOCK = """__global__ void k(int *lock, int *sum) { bool done = false;
    while (!done) { if (atomicCAS(lock, 0, 1) == 0) {
        *sum += 1; __threadfence(); atomicExch(lock, 0); done = true; } } }"""


def lock() -> dict[str, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    return {"lock": np.zeros(1, np.int32), "sum": np.zeros(1, np.int32)}


def test_a_spin_lock_goes_round_in_circles_under_the_stack() -> None:
    found = run(SPIN_LOCK, lock(), policy=Ipdom, block=64, budget=Budget(seconds=60))
    (fault,) = found.faults
    assert isinstance(fault, Livelock)
    assert fault.blocks_left == 0
    assert SPIN_LOCK.encode()[fault.evidence.span.start : fault.evidence.span.end] == b"atomicCAS(lock, 0, 1) != 0"


def test_a_spin_lock_finishes_where_threads_take_turns() -> None:
    found = run(SPIN_LOCK, lock(), policy=RoundRobin, block=64)
    assert found.arrays["sum"][0] == 64
    assert found.faults == ()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
def test_a_lock_that_is_taken_and_freed_in_one_branch_finishes(policy: type[Ipdom]) -> None:
    found = run(POLITE_LOCK, lock(), policy=policy, grid=3, block=64)
    assert found.arrays["sum"][0] == 192
    assert found.faults == ()


def test_a_warp_that_waits_for_another_one_finishes() -> None:
    text = """__global__ void k(volatile int *flag, int *out) { int i = threadIdx.x;
        if (i < 32) { while (*flag == 0) {} out[i] = 7; } else if (i == 32) {
        for (int j = 0; j < 5000; j++) out[32] = j;
        *flag = 1; } }"""
    found = run(text, {"flag": np.zeros(1, np.int32), "out": np.zeros(64, np.int32)}, block=64)
    assert found.arrays["out"][:32].tolist() == [7] * 32
    assert found.faults == ()


def test_waiting_for_a_block_that_is_not_resident() -> None:
    text = """__global__ void k(volatile int *flag) { if (blockIdx.x == gridDim.x - 1) *flag = 1;
        else while (*flag == 0) {} }"""
    (fault,) = run(text, {"flag": np.zeros(1, np.int32)}, grid=100, block=1024).faults
    assert isinstance(fault, Livelock)
    assert fault.blocks_left == 36


def test_a_loop_that_counts_is_no_livelock() -> None:
    text = "__global__ void k(int *out) { int n = 0; while (n < 30000) n++; out[threadIdx.x] = n; }"
    found = run(text, {"out": np.zeros(32, np.int32)})
    assert found.arrays["out"].tolist() == [30000] * 32
    assert found.faults == ()


def test_a_loop_that_counts_in_memory_is_no_livelock() -> None:
    text = "__global__ void k(volatile int *n) { while (*n < 30000) *n = *n + 1; }"
    found = run(text, {"n": np.zeros(1, np.int32)}, block=1)
    assert found.arrays["n"][0] == 30000


def test_a_loop_that_waits_for_the_clock_is_no_livelock() -> None:
    text = "__global__ void k(int *out) { long long end = clock64() + 50000; while (clock64() < end) {} out[0] = 1; }"
    found = run(text, {"out": np.zeros(1, np.int32)}, block=1)
    assert found.arrays["out"][0] == 1
    assert found.faults == ()
