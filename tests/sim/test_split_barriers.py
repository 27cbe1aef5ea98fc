"""Barriers at which some threads only arrive."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.running import run

PRODUCERS_AND_CONSUMERS = """
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
      out[i * 32 + t] = buffer[i % 2][t];
      bar[i % 2].arrive();
    }
  }
}
"""


@pytest.mark.xfail(strict=True, reason="`arrive` of cuda::barrier is a fence, and `wait` arrives")
def test_producers_and_consumers_hand_buffers_over() -> None:
    values = np.arange(128, dtype=np.int32)
    result = run(PRODUCERS_AND_CONSUMERS, {"out": np.zeros(128, np.int32), "in": values, "n": 4}, block=64)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == values.tolist()


def test_threads_that_arrive_and_wait_later_meet() -> None:
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
    result = run(text, {"out": np.zeros(64, np.int32)}, block=64)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == list(range(63, -1, -1))
