"""All observers at once, under every policy and several warp sizes: they agree with each other and with the result."""

from __future__ import annotations

import numpy as np
import pytest

from sim.observers.branches import BranchObserver
from sim.observers.convergence import ConvergenceObserver
from sim.observers.lane_histogram import LaneHistogramObserver
from sim.observers.oracle_convergence import OracleObserver
from sim.observers.races import RaceObserver
from sim.observers.register_tags import RegisterTagObserver
from sim.observers.register_values import RegisterValueObserver
from sim.observers.requests import RequestObserver
from sim.observers.scalar_activity import ScalarActivityObserver
from sim.observers.timeline import TimelineObserver
from sim.observers.work import Work, WorkObserver
from sim.policies.registry import POLICIES
from tests.sim.running import run

TEXT = """
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void k(int *p, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = p[t];
  __syncthreads();
  int x = 0;
  for (int i = 0; i < t % 5; i++) {
    if ((i + t) % 3 == 0) continue;
    x += s[(t + i) % blockDim.x];
  }
  if (t > n) return;
  double d[3];
  d[x & 1] = x;
  x += (int)d[x & 1];
  p[128 + t] = x + fibonacci(t % 4);
}"""


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("warp_size", [4, 32, 64])
def test_totals(policy: str, warp_size: int) -> None:
    branches, work, lanes, timeline = BranchObserver(), WorkObserver(), LaneHistogramObserver(), TimelineObserver()
    requests, races, values, tags = RequestObserver(), RaceObserver(), RegisterValueObserver(), RegisterTagObserver()
    convergence, scalars, oracle = ConvergenceObserver(), ScalarActivityObserver(), OracleObserver()
    observers = [branches, work, lanes, timeline, requests, races, values, tags, convergence, scalars, oracle]
    result = run(
        TEXT,
        {"p": np.arange(256, dtype=np.int32), "n": 70},
        block=100,
        warp_size=warp_size,
        policy=POLICIES[policy],
        observers=observers,
    )
    total = sum(work.answer().values(), Work(0, 0, 0))
    assert (total.warp_instructions, total.thread_instructions) == (
        result.warp_instructions,
        result.thread_instructions,
    )
    histogram = lanes.answer().warp_instructions
    assert (sum(histogram), histogram[0]) == (result.warp_instructions, 0)
    assert sum(n * count for n, count in enumerate(histogram)) == result.thread_instructions
    in_kernel = sum(count.thread_instructions for _, count in convergence.answer().kinds)
    limit = oracle.answer()
    assert limit.total == in_kernel < result.thread_instructions
    assert 0 <= limit.low <= limit.high <= limit.total - limit.proven
    assert races.answer().races == ()
    assert tags.answer().reads.lone == values.answer().reads.lone
    assert sum(branch.executed for branch in branches.answer()) >= sum(b.diverged for b in branches.answer()) > 0
    assert requests.answer().total.bank_passes >= 2 * -(-100 // warp_size)
    assert timeline.answer().steps[0].running == (1 << warp_size) - 1
    whole = scalars.answer()
    assert sum(one.addresses for one in whole.scalarized.values()) < sum(
        one.addresses for one in whole.conventional.values()
    )
