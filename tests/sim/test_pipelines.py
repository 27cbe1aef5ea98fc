"""Pipelines that the threads of a block share, with and without defects."""

from __future__ import annotations

import numpy as np
import pytest

from sim.policies.protocol import PolicyFactory
from sim.policies.stackless import Stackless
from sim.result import Result
from tests.sim.split_barriers import EVERY_POLICY, observed, races, stuck

KERNEL = """
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
constexpr int STAGES = 3;
__global__ void k(int *out, const int *in, int tiles) {
  __shared__ int buffer[STAGES][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  auto block = cg::this_thread_block();
  int t = threadIdx.x % 64;
  BODY
}
"""
UNIFIED = """
  auto pipe = cuda::make_pipeline(block, &state);
  for (int i = 0, next = 0; i < tiles; ++i) {
    for (; next < tiles && next < i + STAGES; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[next % STAGES], in + next * 64, 64 * sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[i * 64 + t] = buffer[i % STAGES][63 - t];
    pipe.consumer_release();
  }
"""
PARTITIONED = """
  ROLE
  if (threadIdx.x < 32) {
    for (int i = 0; i < tiles; ++i) {
      pipe.producer_acquire();
      buffer[i % STAGES][t] = in[i * 64 + t];
      buffer[i % STAGES][t + 32] = in[i * 64 + t + 32];
      pipe.producer_commit();
    }
  } else {
    for (int i = 0; i < tiles; ++i) {
      pipe.consumer_wait();
      for (int e = threadIdx.x - 32; e < 64; e += 96) out[i * 64 + e] = buffer[i % STAGES][63 - e];
      pipe.consumer_release();
    }
  }
"""
BY_ROLE = """
  const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);"""
BY_COUNT = "auto pipe = cuda::make_pipeline(block, &state, size_t(32));"
ROWS = np.arange(7 * 64, dtype=np.int32)
REVERSED = ROWS.reshape(7, 64)[:, ::-1].reshape(-1).tolist()


def pipelined(body: str, threads: int, policy: PolicyFactory = Stackless) -> Result:
    given = {"out": np.zeros(7 * 64, np.int32), "in": ROWS, "tiles": 7}
    return observed(KERNEL.replace("BODY", body), given, block=threads, policy=policy)


@EVERY_POLICY
def test_all_threads_fill_and_use_the_stages(policy: PolicyFactory) -> None:
    result = pipelined(UNIFIED, 64, policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == REVERSED


@EVERY_POLICY
@pytest.mark.parametrize("role", [BY_ROLE, BY_COUNT], ids=["role", "count"])
def test_some_threads_fill_the_stages_that_others_use(role: str, policy: PolicyFactory) -> None:
    result = pipelined(PARTITIONED.replace("ROLE", role), 128, policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == REVERSED


def test_who_does_not_wait_for_the_stage_reads_too_early() -> None:
    text = PARTITIONED.replace("ROLE", BY_ROLE).replace("pipe.consumer_wait();", "")
    assert set(races(pipelined(text, 128))) == {"buffer"}


def test_who_does_not_acquire_the_stage_overwrites_what_is_used() -> None:
    text = PARTITIONED.replace("ROLE", BY_ROLE).replace("pipe.producer_acquire();", "")
    assert set(races(pipelined(text, 128))) == {"buffer"}


def test_a_stage_that_is_not_released_is_waited_for() -> None:
    text = PARTITIONED.replace("ROLE", BY_ROLE).replace("pipe.consumer_release();", "")
    assert stuck(pipelined(text, 128), "state + 8")[1:3] == (0, 96)


def test_a_wrong_number_of_producers_never_fills_a_stage() -> None:
    text = PARTITIONED.replace("ROLE", BY_COUNT.replace("32", "64"))
    assert stuck(pipelined(text, 128), "state + 0")[1:3] == (32, 64)
