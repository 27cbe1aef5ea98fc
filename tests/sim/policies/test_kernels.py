"""Policies in the engine: they differ in counts and in who makes progress, never in what is computed.

That random kernels compute the same under all of them is tested in `tests/sim/random`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.faults import Livelock
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.specification import Budget
from tests.sim.running import run

X = np.random.default_rng(1).integers(-5, 9, 64).astype(np.int32)


def run_random(text: str, policy: str, warp_size: int = 32) -> Result:
    given_arrays = {"n": 3, "x": X, "out": np.zeros(257, np.int32)}
    return run(text, given_arrays, block=64, policy=POLICIES[policy], warp_size=warp_size)


@pytest.mark.parametrize("warp_size", [4, 8, 16, 64])
def test_warps_of_other_widths(warp_size: int) -> None:
    text = """__global__ void k(int n, const int *x, int *out) {
        int t = threadIdx.x, s = 0;
        for (int j = 0; j < (t & 7); ++j) { if ((t ^ j) & 1) s += x[j]; else s -= j; }
        out[t] = s;
    }"""
    counts = {name: run_random(text, name, warp_size) for name in POLICIES}
    assert len({result.memory_digest for result in counts.values()}) == 1
    reconverging = {counts[name].warp_instructions for name in ("ipdom", "counters", "min-pc", "path-list-depth")}
    assert len(reconverging) == 1
    assert counts["round-robin"].warp_instructions >= reconverging.pop()
    assert counts["stackless"].warp_instructions >= counts["preserve"].warp_instructions


LOCK = """__global__ void k(int *lock, int *out) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    volatile int *sum = out;
    *sum = *sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}"""


def take_turns(policy: str, **options: Any) -> Result:
    return run(LOCK, locks(), policy=POLICIES[policy], **options)


def locks() -> dict[str, NDArray[np.int32]]:
    return {"lock": np.zeros(1, np.int32), "out": np.zeros(1, np.int32)}


@pytest.mark.parametrize("policy", ["round-robin", "min-pc", "path-list-breadth"])
def test_a_spin_lock_finishes(policy: str) -> None:
    result = take_turns(policy, block=64)
    assert result.arrays["out"].tolist() == [64]
    assert (result.faults, result.truncated) == ((), None)


@pytest.mark.parametrize("policy", ["ipdom", "counters", "path-list-depth", "stackless", "preserve"])
def test_a_spin_lock_livelocks_where_the_holder_waits_and_is_reported(policy: str) -> None:
    result = take_turns(policy, block=64, budget=Budget(seconds=20.0))
    assert result.arrays["out"].tolist() == [0]
    assert any(isinstance(fault, Livelock) for fault in result.faults)


def test_a_lock_that_is_left_in_the_same_round_finishes_everywhere() -> None:
    """The usual way around the livelock: the holder lets go before its lanes meet the others."""
    text = """__global__ void k(int *lock, int *out) {
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) { atomicAdd(out, 1); __threadfence(); atomicExch(lock, 0); done = true; }
        }
    }"""
    for name, policy in POLICIES.items():
        assert run(text, locks(), policy=policy).arrays["out"].tolist() == [32], name


def test_convergence_that_the_compiler_proves() -> None:
    """A loop over a uniform bound stays together without a stack; one over `threadIdx` needs preservation."""
    uniform = "__global__ void k(int n, int *o) { int s = 0; for (int j = 0; j < n; ++j) s += j; o[threadIdx.x] = s; }"
    varying = uniform.replace("j < n", "j < n + threadIdx.x / 64")
    arrays = {"n": 5, "o": np.zeros(128, np.int32)}
    shares = {
        (name, text): run(text, arrays, block=128, policy=POLICIES[name]).simd_efficiency
        for name in ("stackless", "preserve")
        for text in (uniform, varying)
    }
    assert shares["stackless", uniform] == 1.0
    assert shares["preserve", varying] == 1.0


def test_early_exit_keeps_the_rest_together() -> None:
    text = """__global__ void k(int n, int *o) {
        int t = threadIdx.x;
        if (t >= n) return;
        o[t] = t;
        __syncthreads();
        o[t] += o[t ^ 1];
    }"""
    arrays = {"n": 20, "o": np.zeros(32, np.int32)}
    stack = run(text, arrays, policy=POLICIES["ipdom"])
    for name in ("stackless", "preserve"):
        result = run(text, arrays, policy=POLICIES[name])
        assert result.faults == ()
        assert result.memory_digest == stack.memory_digest
        assert result.warp_instructions <= stack.warp_instructions + 1
