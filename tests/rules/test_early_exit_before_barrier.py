"""SYN103."""

from __future__ import annotations

import re

import pytest

from analysis.rules.consequence_text import ALLOWED
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture


def test_a_bounds_check_that_returns() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  //~ early-exit-before-barrier
  x[i] = 1.0f;
  __syncthreads();
}
void host(float *x, int n) { k<<<1, 128>>>(x, n); }
""")
    assert (found.code, found.tier) == ("SYN103", Tier.PROVEN)
    assert found.message == (
        "Threads 0-63 of the block arrive at the block barrier at line 6, 64-127 do not (blocks of 128 threads, "
        f"n = 64), because they return here: `i >= n` depends on `threadIdx.x` (line 3).{ALLOWED}"
    )


def test_one_return_is_one_finding_however_many_barriers_follow() -> None:
    text = """
__global__ void k(float *x, int n) {
  if (threadIdx.x >= n) {
    x[threadIdx.x] = 0.0f;
    return;  //~ early-exit-before-barrier
  }
  __syncthreads();
  for (int i = 0; i < n; i++) __syncthreads();
  if (n > 3) {
    __syncthreads();
  }
  __syncthreads();
}
"""
    (found,) = check_fixture(text)
    assert text[found.start : found.end] == "return"
    assert found.message.startswith(
        "Threads 0-31 of the block arrive at the 4 block barriers at lines 7, 8, 10 and 12, "
    )
    waiting = [entry.location.start for entry in found.related if entry.message == "Others wait here."]
    assert waiting == [match.start() for match in re.finditer("__syncthreads", text)]


def test_two_returns_are_two_findings() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (threadIdx.x >= n) return;  //~ early-exit-before-barrier
  __syncthreads();
  if (threadIdx.x == 3) return;  //~ early-exit-before-barrier
  __syncthreads();
}
""")


def test_many_barriers_are_not_all_counted_up() -> None:
    barriers = "  __syncthreads();\n" * 7
    (found,) = check_fixture(f"""
__global__ void k(int n) {{
  if (threadIdx.x >= n) return;  //~ early-exit-before-barrier
{barriers}}}
""")
    assert "at the 7 block barriers at lines 4, 5, 6, 7 and …, " in found.message


def test_a_return_inside_of_a_macro_is_found_at_the_branch() -> None:
    check_fixture("""
#define CHECK(i, n) if (i >= n) return
__global__ void k(int n) {
  CHECK(threadIdx.x, n);  //~ early-exit-before-barrier
  __syncthreads();
  __syncthreads();
}
""")


def test_a_suppression_stands_at_the_return() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (threadIdx.x >= n) return;  // NOLINT(simt-early-exit-before-barrier)
  __syncthreads();
  __syncthreads();
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
    if (threadIdx.x == 3) continue;  //~ early-exit-before-barrier
    __syncthreads();
  }
}
""")
    assert "because they jump past it here: " in found.message
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
        "if (t >= n) return;  MARK\n  __syncthreads();",
        "if (t == 5) return;  MARK\n  x[t] = 1;\n  __syncthreads();",
        "if (blockIdx.x * 128 + t >= n) return;  MARK\n  __syncthreads();",
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
