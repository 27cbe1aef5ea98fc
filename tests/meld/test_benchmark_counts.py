"""What the melding benchmark counts, on a kernel that can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.melding.counts import RunError, count_run
from sim.kernel import kernel_from_source
from sim.specification import Array, LaunchSpecification


def launch(threads: int = 32) -> LaunchSpecification:
    return LaunchSpecification((1, 1, 1), (threads, 1, 1), {"p": Array(np.zeros(64, np.int32))})


def test_lanes_slots_and_requests() -> None:
    text = """__global__ void k(int *p) {
      __shared__ int s[32];
      unsigned t = threadIdx.x;
      s[t] = t;
      if (t < 8u) p[t] = s[t] * 3;
    }"""
    counts = count_run(kernel_from_source(text, "k"), launch())
    # All lanes: the register, a conversion, an address, a store, a comparison, a branch, the return.
    # Eight lanes: an address, a load, a multiplication, an address, a store.
    assert counts.issued == 7 + 5
    assert counts.arithmetic_slots == 32 * (3 + 3)
    assert counts.arithmetic_lanes == 32 * 3 + 8 * 3
    assert counts.utilisation == 0.625
    assert (counts.shared_requests, counts.global_requests) == (2, 1)
    # A conversion between integers of one size is free, shared memory costs 4, global memory 8, the rest 1.
    assert counts.slots == (1 + 0 + 1 + 4 + 1 + 1 + 0) + (1 + 4 + 1 + 1 + 8)


def test_a_run_with_a_fault_counts_for_nothing() -> None:
    text = "__global__ void k(int *p) { p[threadIdx.x] = 1; }"
    with pytest.raises(RunError, match="OutOfBounds"):
        count_run(kernel_from_source(text, "k"), launch(96))
