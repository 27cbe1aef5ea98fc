"""SYN102."""

from __future__ import annotations

import pytest

from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture


def test_a_grid_stride_loop_with_a_barrier() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    x[i] += 1.0f;
    __syncthreads();  //~ barrier-in-varying-loop
  }
}
void host(float *x, int n) { k<<<1, 128>>>(x, n); }
""")
    assert (found.code, found.tier) == ("SYN102", Tier.PROVEN)
    assert found.message == (
        "Threads 0-63 of the block run into this barrier more often than 64-127 (blocks of 128 threads, n = 64), "
        "because they leave the loop at different times: "
        "at the `for` at line 3, `i < n` depends on `threadIdx.x`. "
        "`x[i]` at line 4 may touch what they wrote before they left, and no barrier orders that."
    )


def test_a_uniform_loop_with_a_barrier_is_fine() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) x[threadIdx.x] += x[threadIdx.x + stride];
    __syncthreads();
  }
}
""")


def test_a_varying_break_counts() -> None:
    check_fixture("""
__global__ void k(int n) {
  for (int i = 0; i < n; i++) {  //~ divergent-loop
    if (i == threadIdx.x) break;
    __syncthreads();  //~ barrier-in-varying-loop
  }
}
""")


def test_while_and_do() -> None:
    check_fixture("""
__global__ void k(int n) {
  int i = threadIdx.x;
  while (i < n) {
    __syncthreads();  //~ barrier-in-varying-loop
    i += 32;
  }
  int j = threadIdx.x;
  do {
    __syncthreads();  //~ barrier-in-varying-loop
    j += 32;
  } while (j < n);
}
""")


def test_a_uniform_loop_inside_a_varying_one_is_still_in_the_varying_one() -> None:
    check_fixture("""
__global__ void k(int n) {
  for (int i = threadIdx.x; i < n; i += 32) {
    for (int j = 0; j < 4; j++) {
      __syncthreads();  //~ barrier-in-varying-loop
    }
  }
}
""")


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
        "for (int i = t; i < n; i += 128)\n    __syncthreads();  MARK",
        "for (int i = t; i < n; i += blockDim.x)\n    __syncthreads();  MARK",
        "int i = t;\n  while (i > 3) {  //~ divergent-loop\n    i -= 40;\n    __syncthreads();  MARK\n  }",
    ],
)
def test_firing(statements: str) -> None:
    check_fixture(SHAPES.replace("STATEMENTS", statements.replace("MARK", "//~ barrier-in-varying-loop")))


@pytest.mark.parametrize(
    "statements",
    [
        "for (int i = 0; i < n; i++)\n    __syncthreads();",
        "for (int i = 0; i < n; i += blockDim.x) {\n    x[i] = 0;\n    __syncthreads();\n  }",
        "for (int i = blockIdx.x; i < n; i += gridDim.x)\n    __syncthreads();",
    ],
)
def test_silent(statements: str) -> None:
    check_fixture(SHAPES.replace("STATEMENTS", statements))
