"""Fences with atomics and volatile accesses: what they order is no race, and what they do not order is one.

Each pattern stands here as it should be, and once more for each thing that can be left out.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.faults import Livelock
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import policies_named
from tests.sim.running import run


def racing(text: str, *, block: int = 64, grid: int = 4, policy: PolicyFactory = Ipdom) -> set[str]:
    """The buffers with races."""
    observer = RaceObserver()
    arguments = {"p": np.arange(4096, dtype=np.int32), "q": np.zeros(4096, np.int32)}
    result = run(text, arguments, grid=grid, block=block, observers=[observer], policy=policy)
    assert result.truncated is None
    assert not any(isinstance(fault, Livelock) for fault in result.faults)
    return {race.buffer for race in observer.answer().races}


LAST_BLOCK = """
__device__ unsigned done;
__global__ void k(int *p, int *q) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    q[blockIdx.x] = p[blockIdx.x];
    __threadfence();
    last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += q[i];
    p[1024 + threadIdx.x] = sum;
  }
}"""


def test_the_block_that_comes_last() -> None:
    assert racing(LAST_BLOCK) == set()


def test_the_block_that_comes_last_in_a_later_wave() -> None:
    assert racing(LAST_BLOCK, block=1024, grid=80) == set()


@pytest.mark.parametrize(
    ("left_out", "instead"),
    [
        ("    __threadfence();\n", ""),
        ("__threadfence()", "__threadfence_block()"),
        ("atomicInc(&done, gridDim.x) == gridDim.x - 1", "blockIdx.x == gridDim.x - 1"),
        ("atomicInc(&done, gridDim.x)", "atomicInc(&done + 0 * (q[blockIdx.x] = 7), gridDim.x)"),
    ],
)
def test_the_block_that_comes_last_without(left_out: str, instead: str) -> None:
    assert left_out in LAST_BLOCK
    assert racing(LAST_BLOCK.replace(left_out, instead)) == {"q"}


def test_the_flag_of_the_last_block_without_its_barrier() -> None:
    assert racing(LAST_BLOCK.replace("  __syncthreads();\n", "")) >= {"last"}


def test_the_last_block_may_reset_the_counter() -> None:
    assert racing(LAST_BLOCK.replace("if (last) {", "if (last) { if (threadIdx.x == 0) done = 0;")) == set()
    assert racing(LAST_BLOCK.replace("  if (last) {", "  if (threadIdx.x == 0) done = 0;  if (last) {")) == {"done"}


ALL_WRITE = """
__device__ unsigned done;
__global__ void k(int *p, int *q) {
  __shared__ bool last;
  q[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) { __threadfence(); last = atomicAdd(&done, 1) == gridDim.x - 1; }
  __syncthreads();
  if (last) p[1024 + threadIdx.x] = q[threadIdx.x] + q[threadIdx.x + blockDim.x];
}"""


def test_a_barrier_before_the_release_publishes_what_the_block_wrote() -> None:
    assert racing(ALL_WRITE) == set()
    assert (
        racing(ALL_WRITE.replace("  __threadfence();\n  __syncthreads();\n  if", "  __syncthreads();\n  if")) == set()
    )


def test_without_that_barrier_only_the_releasing_thread_is_published() -> None:
    # Of other blocks' threads, all but thread 0 write without being released.
    assert racing(ALL_WRITE.replace("  __threadfence();\n  __syncthreads();\n  if", "  if")) == {"q"}


LOCK = """
__device__ int locked[64];
__global__ void k(int *p, int *q) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&locked[0], 0, 1) != 0) { }
    __threadfence();
    q[0] += 1;
    __threadfence();
    atomicExch(&locked[0], 0);
  }
}"""


def test_a_spin_lock() -> None:
    (round_robin,) = policies_named(["round-robin"])
    assert racing(LOCK, policy=round_robin) == set()
    assert racing(LOCK) == set()


def test_a_spin_lock_of_every_thread() -> None:
    (round_robin,) = policies_named(["round-robin"])
    every = LOCK.replace("threadIdx.x % 32 == 0", "true")
    assert racing(every, policy=round_robin, grid=2) == set()


def test_a_spin_lock_without_fences_before_the_release() -> None:
    assert racing(LOCK.replace("    __threadfence();\n", "")) == {"q"}


def test_a_spin_lock_for_each_block_protects_nothing_of_the_grid() -> None:
    assert racing(LOCK.replace("locked[0]", "locked[blockIdx.x]")) == {"q"}


def test_what_stands_behind_the_fence_is_not_released_by_it() -> None:
    late = LOCK.replace("    q[0] += 1;\n    __threadfence();\n", "    __threadfence();\n    q[0] += 1;\n")
    assert racing(late) == {"q"}


LOOK_BACK = """
__device__ volatile int flag[16];
__global__ void k(int *p, int *q) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    int sum = 0;
    if (blockIdx.x > 0) {
      while (flag[blockIdx.x - 1] == 0) { }
      __threadfence();
      sum = q[blockIdx.x - 1];
    }
    q[blockIdx.x] = sum + p[blockIdx.x];
    __threadfence();
    flag[blockIdx.x] = 1;
    before = sum;
  }
  __syncthreads();
  p[1024 + blockIdx.x * blockDim.x + threadIdx.x] = before;
}"""


def test_decoupled_look_back() -> None:
    assert racing(LOOK_BACK) == set()


def test_decoupled_look_back_without_the_fence_of_the_writer() -> None:
    assert racing(LOOK_BACK.replace("    __threadfence();\n    flag", "    flag")) == {"q"}


def test_a_look_at_the_flag_that_comes_too_early_orders_nothing() -> None:
    # All blocks look before any has written: the flag is read, and nothing is acquired.
    once = LOOK_BACK.replace("while (flag[blockIdx.x - 1] == 0) { }", "sum = flag[blockIdx.x - 1];")
    assert racing(once) == {"q"}
    assert racing(once.replace("volatile int", "int")) == {"q", "flag"}


def test_a_release_is_passed_on() -> None:
    # Block 0 tells block 1, which tells block 2 in another place.
    text = """
__device__ int first, second;
__global__ void k(int *p, int *q) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) { q[0] = 1; __threadfence(); atomicExch(&first, 1); }
  if (blockIdx.x == 1) { while (atomicAdd(&first, 0) == 0) { } __threadfence(); atomicExch(&second, 1); }
  if (blockIdx.x == 2) { while (atomicAdd(&second, 0) == 0) { } q[1] = q[0]; }
}"""
    assert racing(text) == set()
    assert racing(text.replace("atomicExch(&first, 1)", "atomicExch(&first, 1); q[0] = 2")) == {"q"}
    assert racing(text.replace("while (atomicAdd(&first, 0) == 0) { }", "")) == {"q"}


def test_a_lane_publishes_what_its_warp_wrote_before_they_met() -> None:
    text = """
__device__ int ready;
__global__ void k(int *p, int *q) {
  if (blockIdx.x == 0) {
    q[threadIdx.x] = 1;
    __syncwarp();
    if (threadIdx.x == 0) { __threadfence(); atomicExch(&ready, 1); }
  }
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) while (atomicAdd(&ready, 0) == 0) { }
    __syncwarp();
    p[1024 + threadIdx.x] = q[31 - threadIdx.x];
  }
}"""
    assert racing(text, block=32) == set()
    one, two = text.split("__syncwarp();", 1)
    assert racing(one + two, block=32) == {"q"}
    one, two = text.rsplit("__syncwarp();", 1)
    assert racing(one + two, block=32) == {"q"}


def test_more_blocks_than_are_followed_hide_races_and_invent_none() -> None:
    assert racing(LAST_BLOCK.replace("1024", "2048"), block=32, grid=1100) == set()
