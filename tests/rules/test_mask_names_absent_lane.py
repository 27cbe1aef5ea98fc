"""WRP202."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import IllegalWarpMask
from tests.rules.warp_fixture import faults, reported, silent

CODE, SLUG = "WRP202", "mask-names-absent-lane"


def test_the_message() -> None:
    found = reported(
        "if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 8);", CODE, SLUG
    )  # //~ mask-names-absent-lane
    assert found.severity is Severity.ERROR
    assert found.message == (
        "The mask 0xffffffff of this shuffle names lanes 16-31, which do not come: at the `if` at line 5, `lane < 16` "
        "depends on `threadIdx.x` (line 3)."
    )


@pytest.mark.parametrize(
    "statement",
    [
        "if (lane < 16) v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (t < 48) v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (t <= 16) v += __shfl_down_sync(0x1ffff | 1 << 20, v, 8);",
        "for (int i = t; i < 80; i += 32) v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (t == 0) __syncwarp();",
        "if (n > 3) if (lane % 2) v += __any_sync(-1, 1);",
        "switch (lane & 3) { case 0: v += __shfl_sync(0xffffffff, v, 0); break; default: v = 0; }",
        "for (int i = 0; i <= lane; i++) __syncwarp();",
        "if (lane < 16) { if (y[0] == 0) v += __shfl_down_sync(0xffffffff, v, 8); }",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, IllegalWarpMask) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (t < 32) v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (lane < 16) v += __shfl_down_sync(0xffff, v, 8);",
        "if (lane >= 16) return; v += __shfl_down_sync(0xffffffff, v, 8);",
        "for (int i = t; i < 64; i += 32) v += __shfl_down_sync(0xffffffff, v, 8);",
        "for (int i = 16; i > 0; i /= 2) v += __shfl_down_sync(0xffffffff, v, i);",
        "if (blockDim.x == 64) __syncwarp();",
        "for (int i = t / 32; i < 5; i++) __syncwarp();",
        "unsigned m = __ballot_sync(~0u, v > 3.0f); if (v > 3.0f) v += __shfl_xor_sync(m, v, 0);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, IllegalWarpMask) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "if (t < n) v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (v > 3.0f) __syncwarp();",
        "while (v > 3.0f) { v -= lane; __syncwarp(); }",
    ],
)
def test_what_only_some_arguments_or_data_lead_to_is_possible(statement: str) -> None:
    silent(statement, CODE)
    reported(statement, CODE, SLUG, surely=False)


def test_two_arms_with_the_same_operation_may_meet() -> None:
    """PTX waits for the same operation, wherever it stands; the simulator for the same place."""
    kernel = """
__global__ void k(float *x) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 2) v += __shfl_xor_sync(0xffffffff, v, 2);  STATEMENT
  else v -= __shfl_xor_sync(0xffffffff, v, 2);
  x[threadIdx.x] = v;
}
"""
    silent("", CODE, kernel=kernel)


def test_an_operation_behind_a_call_is_reported_at_the_call() -> None:
    kernel = """
__device__ float sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}
__global__ void k(float *x) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 20) v = sum(v);  STATEMENT
  x[threadIdx.x] = sum(v);
}
"""
    found = reported("", CODE, SLUG, kernel=kernel)
    assert "of the shuffle behind this call names lanes 20-31" in found.message
