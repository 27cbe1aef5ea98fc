"""SYN103."""

from __future__ import annotations

import pytest

from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture


def test_a_bounds_check_that_returns() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = 1.0f;
  __syncthreads();  //~ early-exit-before-barrier
}
void host(float *x, int n) { k<<<1, 128>>>(x, n); }
""")
    assert (found.code, found.tier) == ("SYN103", Tier.PROVEN)
    assert found.message == (
        "Threads 0-63 of the block arrive at this barrier, 64-127 do not (blocks of 128 threads, n = 64), "
        "because they return earlier: at the `if` at line 4, `i >= n` depends on `threadIdx.x` (line 3). "
        "Since compute capability 7.0 a barrier waits only for threads that have not exited, earlier devices count "
        "whole warps; the programming model asks all threads of the block to arrive."
    )


def test_every_later_barrier_is_reported_once() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();  //~ early-exit-before-barrier
  __syncthreads();  //~ early-exit-before-barrier
}
""")


def test_a_uniform_return_is_fine() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (blockIdx.x >= n) return;
  __syncthreads();
}
""")


def test_a_return_after_the_barrier_is_fine() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  __syncthreads();
  if (threadIdx.x >= n) return;
  x[threadIdx.x] = 1.0f;
}
""")


def test_a_jump_past_the_barrier_is_no_matter_of_exited_threads() -> None:
    (found,) = check_fixture("""
__global__ void k(int n) {
  for (int i = 0; i < n; i++) {
    if (threadIdx.x == 3) continue;
    __syncthreads();  //~ early-exit-before-barrier
  }
}
""")
    assert "because they jump past it" in found.message
    assert "compute capability" not in found.message


SHAPES = """
__device__ void meet(int *s) { __syncthreads(); s[threadIdx.x] = 0; }
__global__ void k(int *x, int n) {
  int t = threadIdx.x;
  STATEMENTS
}
void host(int *x) { k<<<4, 128>>>(x, 100); }
"""


@pytest.mark.parametrize(
    "statements",
    [
        "if (t >= n) return;\n  __syncthreads();  MARK",
        "if (t == 5) return;\n  x[t] = 1;\n  __syncthreads();  MARK",
        "if (blockIdx.x * 128 + t >= n) return;\n  __syncthreads();  MARK",
    ],
)
def test_firing(statements: str) -> None:
    check_fixture(SHAPES.replace("STATEMENTS", statements.replace("MARK", "//~ early-exit-before-barrier")))


@pytest.mark.parametrize(
    "statements",
    [
        "if (n < 3) return;\n  __syncthreads();",
        "if (blockIdx.x > 2) return;\n  __syncthreads();",
        "__syncthreads();\n  if (t >= n) return;\n  x[t] = 1;",
    ],
)
def test_silent(statements: str) -> None:
    check_fixture(SHAPES.replace("STATEMENTS", statements))
