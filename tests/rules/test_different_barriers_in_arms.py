"""SYN105."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

ALL_TIERS = RuleSettings(ignore=frozenset({"DIV"}), tiers=frozenset(Tier))
QUIET = RuleSettings(ignore=frozenset({"DIV"}))


def test_the_message_names_who_waits_where() -> None:
    text = """
__global__ void k(float *x) {
  if (threadIdx.x < 7) {
    __syncthreads();  //~ different-barriers-in-arms
    x[0] = 1;
  } else {
    __syncthreads();
  }
}
void host(float *x) { k<<<4, 256>>>(x); }
"""
    (found,) = check_fixture(text)
    assert (found.code, found.severity, found.tier) == ("SYN105", Severity.WARNING, Tier.PROVEN)
    assert text[found.start : found.end].startswith("__syncthreads()")
    assert found.message == (
        "Threads 0-6 of the block wait at this barrier while 7-255 wait at the one at line 7: "
        "at the `if` at line 3, `threadIdx.x < 7` depends on `threadIdx.x` (blocks of 256 threads)."
    )
    other = found.related[0]
    assert other.message == "The barrier of the other arm."
    assert text[: other.location.start].count("\n") == 6


def test_each_two_barriers_are_one_finding() -> None:
    check_fixture("""
__global__ void k(float *x) {
  int t = threadIdx.x;
  if (t < 32) {
    __syncthreads();  //~ different-barriers-in-arms
    x[t] = 1;
    __syncthreads();  //~ different-barriers-in-arms
  } else {
    __syncthreads();
    x[t] = 2;
    __syncthreads();
  }
}
""")


def test_arms_without_braces_and_inside_of_a_branch_of_the_block() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  if (n > 3) {
    if (threadIdx.x > 3) __syncthreads();  //~ different-barriers-in-arms
    else __syncthreads();
  }
}
""")


def test_data_decides() -> None:
    text = """
__global__ void k(const int *p) {
  if (p[threadIdx.x]) {
    __syncthreads();%s
  } else {
    __syncthreads();
  }
}
"""
    check_fixture(text % "", QUIET)
    (found,) = check_fixture(text % "  //~ different-barriers-in-arms", ALL_TIERS)
    assert found.tier is Tier.POSSIBLE
    assert found.message == (
        "Some threads of the block may wait at this barrier while others wait at the one at line 6: "
        "at the `if` at line 3, `p[threadIdx.x]` depends on `threadIdx.x`."
    )


def test_arms_that_wait_a_different_number_of_times_miss_a_barrier() -> None:
    check_fixture("""
__global__ void k() {
  if (threadIdx.x < 7) {
    __syncthreads();  //~ divergent-barrier
    __syncthreads();  //~ divergent-barrier
  } else {
    __syncthreads();  //~ divergent-barrier
  }
}
""")


def test_a_barrier_deeper_in_an_arm_is_not_in_step() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (threadIdx.x < 7) {
    for (int i = 0; i < n; i++) __syncthreads();  //~ divergent-barrier
  } else {
    __syncthreads();  //~ divergent-barrier
  }
}
""")


def test_a_branch_on_which_the_block_agrees_is_fine() -> None:
    check_fixture("""
__global__ void k(int n) {
  if (n > 3) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (blockIdx.x) __syncthreads();
  else __syncthreads();
}
""")


def test_one_arm_alone_is_another_rule() -> None:
    check_fixture("""
__global__ void k(float *x) {
  if (threadIdx.x < 7) {
    __syncthreads();  //~ divergent-barrier
  } else {
    x[0] = 1;
  }
}
""")


def test_two_branches_are_no_arms() -> None:
    check_fixture("""
__global__ void k() {
  if (threadIdx.x < 7) __syncthreads();  //~ divergent-barrier
  if (threadIdx.x >= 7) __syncthreads();  //~ divergent-barrier
}
""")
