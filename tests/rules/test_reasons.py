"""What DIV401 names as the reason: what a person would change, not what happens to stand in front of it."""

from __future__ import annotations

from tests.rules.fixture import check_fixture

_COUNTED = """
__device__ int differs(int a, int b) { return a - b > 10 || b - a > 10; }
__global__ void k(const int *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  if (i % 3 > 0) count += COUNTED;
  if (count) {  //~ divergent-branch
    y[i] = y[i] * 2.0f + sinf(y[i]);
  } else {
    y[i] = y[i + 1] * 3.0f - cosf(y[i]);
  }
}
"""


def test_what_is_counted_is_named_rather_than_the_border_that_decides_whether_to_count() -> None:
    (found,) = check_fixture(_COUNTED.replace("COUNTED", "differs(x[i], x[i - 1])"))
    assert "`count` depends on `x[i]` (line 6)" in found.message
    assert "`i % 3 > 0` varies from thread to thread" not in {one.message for one in found.related}


def test_the_border_is_named_where_what_is_counted_is_the_same_for_all() -> None:
    (found,) = check_fixture(_COUNTED.replace("COUNTED", "n"))
    assert "`count` depends on `threadIdx.x` (line 4)" in found.message
    assert "`i % 3 > 0` varies from thread to thread" in {one.message for one in found.related}


def test_of_what_a_header_reads_the_call_is_named() -> None:
    text = """#include "differs.h"
__global__ void k(const int *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  if (i > 0) count += differs(x, i);
  if (count) {  //~ divergent-branch
    for (int k = 0; k < 1000; k++) y[i] = y[i] * 2.0f + sinf(y[i]);
  }
}
"""
    header = b"__device__ int differs(const int *x, int i) { return x[i] != x[i - 1]; }\n"
    (found,) = check_fixture(text, files={"differs.h": header})
    assert "`count` depends on `count += differs(x, i)` (line 5)" in found.message
