"""Barriers of libcu++ at which some threads arrive and others wait, with and without defects."""

from __future__ import annotations

import numpy as np

from sim.faults import PhaseState
from sim.policies.protocol import PolicyFactory
from sim.policies.stackless import Stackless
from sim.result import Result
from tests.sim.split_barriers import EVERY_POLICY, observed, races, stuck

RING = """
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(int *out, const int *in, int n) {
  __shared__ int buffer[2][32];
  __shared__ barrier bar[4];
  if (threadIdx.x < 4) init(bar + threadIdx.x, 64);
  __syncthreads();
  int t = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; i++) {
      bar[i % 2].arrive_and_wait();
      buffer[i % 2][t] = in[i * 32 + t];
      bar[i % 2 + 2].arrive();
    }
  } else {
    bar[0].arrive();
    bar[1].arrive();
    for (int i = 0; i < n; i++) {
      bar[i % 2 + 2].arrive_and_wait();
      out[i * 32 + t] = buffer[i % 2][31 - t];
      bar[i % 2].arrive();
    }
  }
}
"""
VALUES = np.arange(160, dtype=np.int32)
REVERSED = VALUES.reshape(5, 32)[:, ::-1].reshape(-1).tolist()


def ring(text: str, policy: PolicyFactory = Stackless) -> Result:
    return observed(text, {"out": np.zeros(160, np.int32), "in": VALUES, "n": 5}, policy=policy)


@EVERY_POLICY
def test_producers_and_consumers_hand_buffers_over(policy: PolicyFactory) -> None:
    result = ring(RING, policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == REVERSED


def test_a_barrier_for_too_many_threads_never_completes() -> None:
    found = stuck(ring(RING.replace("threadIdx.x, 64", "threadIdx.x, 65")))
    assert found == ("bar + 0 bytes", 64, 65, PhaseState(parity=0, asked=0, bytes=0, is_valid=True))


def test_a_barrier_for_too_few_threads_hands_over_too_early() -> None:
    assert "buffer" in races(ring(RING.replace("threadIdx.x, 64", "threadIdx.x, 32")))


def test_consumers_that_do_not_say_when_they_are_done_stop_the_producers() -> None:
    assert stuck(ring(RING.replace("      bar[i % 2].arrive();\n", "")))[1:3] == (32, 64)


def test_producers_that_do_not_wait_overwrite_what_is_still_read() -> None:
    without = RING.replace("bar[i % 2].arrive_and_wait();", "bar[i % 2].arrive();")
    assert set(races(ring(without))) == {"buffer"}


def test_consumers_that_do_not_wait_read_too_early() -> None:
    without = RING.replace("bar[i % 2 + 2].arrive_and_wait();", "bar[i % 2 + 2].arrive();")
    assert "buffer" in races(ring(without))


@EVERY_POLICY
def test_threads_that_arrive_and_wait_later_meet(policy: PolicyFactory) -> None:
    text = """
    #include <cuda/barrier>
    __global__ void k(int *out) {
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      __shared__ int s[64];
      if (threadIdx.x == 0) init(&bar, 64);
      __syncthreads();
      s[threadIdx.x] = threadIdx.x;
      auto token = bar.arrive();
      bar.wait(std::move(token));
      out[threadIdx.x] = s[63 - threadIdx.x];
    }"""
    result = observed(text, {"out": np.zeros(64, np.int32)}, policy=policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == list(range(63, -1, -1))


def test_whoever_uses_a_barrier_before_it_is_initialised_races_with_that() -> None:
    text = """
    __global__ void k(int *out) {
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      if (threadIdx.x == 0) init(&bar, 64);
      bar.arrive_and_wait();
    }"""
    assert races(observed(text, {"out": np.zeros(64, np.int32)})) == ["bar"]


def test_a_barrier_that_nothing_initialises_waits_for_nobody_in_particular() -> None:
    text = """
    __global__ void k(int *out) {
      __shared__ cuda::barrier<cuda::thread_scope_block> bar;
      bar.arrive_and_wait();
    }"""
    found = stuck(observed(text, {"out": np.zeros(64, np.int32)}))
    assert found == ("bar", 0, 0, PhaseState(parity=0, asked=0, bytes=0, is_valid=False))


LEAVING = """
__global__ void k(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int round = 0; round < 6; ++round) {
    if (threadIdx.x / 8 == round) { bar.arrive_and_drop(); return; }
    s[threadIdx.x] += 1;
    bar.arrive_and_wait();
    out[threadIdx.x] = s[63 - threadIdx.x % 8];
    bar.arrive_and_wait();
  }
}
"""


@EVERY_POLICY
def test_threads_that_leave_drop_out(policy: PolicyFactory) -> None:
    result = observed(LEAVING, {"out": np.zeros(64, np.int32)}, policy=policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist()[:16] == [0] * 8 + [1] * 8


def test_threads_that_leave_without_dropping_out_are_waited_for() -> None:
    found = stuck(observed(LEAVING.replace("bar.arrive_and_drop(); ", ""), {"out": np.zeros(64, np.int32)}))
    assert found[1:3] == (56, 64)


@EVERY_POLICY
def test_lanes_of_one_warp_wait_for_each_other(policy: PolicyFactory) -> None:
    text = """
    __global__ void k(int *out) {
      __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
      __shared__ int s[16];
      if (threadIdx.x == 0) { init(&full, 16); init(&empty, 16); }
      __syncwarp();
      for (int i = 0; i < 3; ++i) {
        if (threadIdx.x >= 16) {
          full.wait_parity(i & 1);
          out[i * 16 + threadIdx.x - 16] = s[31 - threadIdx.x];
          empty.arrive();
        } else {
          if (i > 0) empty.wait_parity((i - 1) & 1);
          s[threadIdx.x] = i * 100 + threadIdx.x;
          full.arrive();
        }
      }
    }"""
    result = observed(text, {"out": np.zeros(48, np.int32)}, block=32, policy=policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == [i * 100 + t for i in range(3) for t in range(15, -1, -1)]


def test_a_latch_opens_once() -> None:
    text = """
    __global__ void k(int *out) {
      __shared__ cuda::latch<cuda::thread_scope_block> start;
      __shared__ int s;
      if (threadIdx.x == 0) new (&start) cuda::latch<cuda::thread_scope_block>(1);
      __syncthreads();
      if (threadIdx.x == 40) { s = 7; start.count_down(); }
      else start.wait();
      out[threadIdx.x] = s;
    }"""
    result = observed(text, {"out": np.zeros(64, np.int32)})
    assert result.faults == ()
    assert result.arrays["out"].tolist() == [7] * 64
    assert races(observed(text.replace("else start.wait();", ""), {"out": np.zeros(64, np.int32)})) == ["s"]


def test_who_tries_may_do_something_else_meanwhile() -> None:
    text = """
    __global__ void k(int *out) {
      __shared__ cuda::barrier<cuda::thread_scope_block> one, other;
      if (threadIdx.x == 0) { init(&one, 32); init(&other, 32); }
      __syncthreads();
      if (threadIdx.x < 32) {
        bool sent = false;
        while (!one.try_wait_parity(false))
          if (!sent) { other.arrive(); sent = true; }
      } else {
        other.wait_parity(false);
        one.arrive();
      }
      out[threadIdx.x] = 1;
    }"""
    result = observed(text, {"out": np.zeros(64, np.int32)})
    assert result.faults == ()
    assert stuck(observed(text.replace("sent = true;", "").replace("one.arrive();", ""), {"out": VALUES}))[1:3] == (
        0,
        32,
    )


DEVICE = """
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_device>;
__device__ barrier meeting;
__global__ void k(int *out, int *data, int *ready) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    init(&meeting, 64);
    __threadfence();
    atomicExch(ready, 1);
  }
  while (atomicAdd(ready, 0) == 0) {}
  int i = blockIdx.x * 32 + threadIdx.x;
  data[i] = i;
  meeting.arrive_and_wait();
  out[i] = data[63 - i];
}
"""


def test_blocks_meet_at_a_barrier_in_global_memory() -> None:
    given = {"out": np.zeros(64, np.int32), "data": np.zeros(64, np.int32), "ready": np.zeros(1, np.int32)}
    result = observed(DEVICE, given, block=32, grid=2)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == list(range(63, -1, -1))
    early = DEVICE.replace("arrive_and_wait", "arrive")
    assert races(observed(early, given, block=32, grid=2)) == ["data"]


COPYING = """
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void k(int *out, const int *in) {
  __shared__ alignas(16) int s[64];
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(sizeof(s)), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(s));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  out[threadIdx.x] = s[63 - threadIdx.x];
}
"""


def test_who_waits_for_a_copy_sees_it() -> None:
    given = {"out": np.zeros(64, np.int32), "in": np.arange(64, dtype=np.int32)}
    result = observed(COPYING, given)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == list(range(63, -1, -1))
    assert set(races(observed(COPYING.replace("bar.wait(std::move(token));", ""), given))) == {"s"}
    missing = stuck(observed(COPYING.replace("bar, 1, sizeof(s)", "bar, 1, 2 * sizeof(s)"), given))
    assert missing == ("bar", 64, 64, PhaseState(parity=0, asked=0, bytes=256, is_valid=True))
