"""What the exact analysis says about a line, in words."""

from __future__ import annotations

from inspect import cleandoc
from textwrap import dedent

from analysis.features.exact.explain_exactly import explain_exactly
from analysis.features.exact.words import render_exact
from tests.rules.fixture import analyze

TEXT = """__device__ int twice(int a) { return a > 3 ? twice_of(a) : 2; }
__global__ void k(int *out, int n, const int *data) {
  __shared__ int s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1; else out[0] = 2;
  for (int j = 0; j < data[i]; ++j) {
    s[threadIdx.x] = n;
    __syncthreads();
  }
  if (threadIdx.x > 16) return;
  __syncthreads();
}
__global__ void safe(int *out, int n) {
  if (blockIdx.x == 0) { out[1] = n; __syncthreads(); }
  for (int j = 0; j < n; ++j) {
    if (threadIdx.x < 16) out[j] = 1;
    __syncthreads();
    if (out[threadIdx.x] == 3) break;
  }
}
__global__ void endless(int *out, int n) {
  for (;;) { out[2] = n; }
}
int host() { return 1; }
__global__ void two(int *out) {
  if (threadIdx.x > 16) return;
  __syncthreads();
  if (out[2] == 1) out[0] = 1;
  __syncthreads();
}
"""


def exactly(line: int, limit: int = 1000) -> str:
    analysis = analyze(TEXT)
    return dedent(render_exact(analysis, explain_exactly(analysis, line, limit)))


def test_both_arms_of_a_varying_branch() -> None:
    assert exactly(5) == cleandoc("""
        exactly, over all paths of two threads:
          `i < n`: convergent in the grid: any two threads of the grid run it equally often (28 states)
          `out[i] = 1`: divergent: two threads of a warp can run it a different number of times (48 states)
            one thread of a warp runs it once: lines 4, 5, 6, 10
            another never runs it: lines 4, 5, 6, 10
          `out[0] = 2`: divergent: two threads of a warp can run it a different number of times (48 states)
            one thread of a warp runs it once: lines 4, 5, 6, 10
            another never runs it: lines 4, 5, 6, 10
    """)


def test_a_barrier_in_a_loop_that_threads_leave_apart() -> None:
    """The patent's net proves the block convergent because a thread that leaves early leaves the others waiting."""
    assert exactly(8) == cleandoc("""
        exactly, over all paths of two threads:
          `__syncthreads()`: divergent: two threads of a warp can run it a different number of times (43 states)
            one thread of a warp runs it once: lines 4, 5, 6, 7, 6, 10
            another never runs it: lines 4, 5, 6, 10
            if no thread waits for ever at a barrier, it is convergent in a block
            a thread can wait here for ever (lines 4, 5, 6, 7)
            while another goes on without it (lines 4, 5, 6, 10)
    """)


def test_a_barrier_behind_an_early_return() -> None:
    assert "a thread can wait here for ever (lines 4, 5, 6, 10, 11)\n    while another ends (lines 4, 5, 6, 10)" in (
        exactly(11)
    )


def test_threads_of_different_blocks_part_and_no_thread_waits() -> None:
    assert "no code runs" not in exactly(14)
    assert "convergent in a block: any two threads of a block run it equally often" in exactly(14)
    assert "one thread of the grid" in exactly(14)
    assert "no thread can wait here for ever" in exactly(14)


def test_of_two_barriers_the_first_is_the_one_that_hangs() -> None:
    assert "no thread waits here for ever: where threads part, one of them waits at an earlier barrier" in exactly(29)
    assert "a thread can wait here for ever" in exactly(27)


def test_code_in_a_loop_without_end_is_not_judged() -> None:
    assert "`out[2] = n`: nothing is proven: no two threads that come here both end" in exactly(22)


def test_it_gives_up_and_says_where() -> None:
    assert "nothing is proven: gave up at 10 states" in exactly(8, limit=10)
    assert "whether a thread can wait here for ever is open: gave up at 10 states" in exactly(8, limit=10)


def test_lines_without_code() -> None:
    assert exactly(3) == exactly(24) == exactly(99) == "exactly: no code runs on this line"


def test_a_device_function_is_asked_about_where_it_stands() -> None:
    assert exactly(1).count("`") >= 2
