"""A branch and the loop that its arm consists of are one finding."""

from __future__ import annotations

from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"DIV401", "DIV402"}), share_threshold=3)

AROUND = """
__global__ void frontier(const int *first, const int *last, const bool *is_new, float *cost, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && is_new[i]) {
    for (int e = first[i]; e < last[i]; e++) {  //~ divergent-loop
      cost[e] = expf(cost[i]) + logf(cost[e]);
    }
  }
}
"""


def test_an_if_around_a_loop_is_told_by_the_loop() -> None:
    (found,) = check_fixture(AROUND, SETTINGS)
    (last,) = found.related[-1:]
    assert last.message == "and lanes that skip it: `i < n && is_new[i]`"
    assert AROUND.encode()[last.location.start : last.location.end] == b"if"


def test_an_if_with_more_than_the_loop_in_it_tells_for_itself() -> None:
    """Each round of its own does as much as the whole loop."""
    check_fixture(
        """
__global__ void k(const int *last, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 0.0f) {  //~ divergent-branch
    for (int e = 0; e < last[i]; e++) y[e * n + i] = x[e * n + i];  //~ divergent-loop
    for (int e = 0; e < 64; e++) y[i] += expf(x[e * n + i]);
  }
}
""",
        SETTINGS,
    )


def test_a_return_before_loops_is_told_by_the_loops() -> None:
    (found,) = check_fixture(
        """
__global__ void k(const int *last, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 0.0f) return;
  for (int e = 0; e < last[i]; e++) y[e * n + i] = expf(x[e * n + i]) + logf(x[e]);  //~ divergent-loop
}
""",
        SETTINGS,
    )
    assert found.related[-1].message == "and lanes that skip it: `x[i] > 0.0f`"


def test_a_loop_that_is_what_runs_in_turns_is_told_by_the_branch() -> None:
    (found,) = check_fixture(
        """
__global__ void k(const int *last, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] > 0.0f) {  //~ divergent-branch
    for (int e = 0; e < last[i]; e++) y[e * n + i] = x[e * n + i];
  } else {
    for (int e = 0; e < n; e++) y[e * n + i] = expf(x[e * n + i]);
  }
}
""",
        SETTINGS,
    )
    assert found.related[-1].message == "an arm is nearly all this loop"


def test_where_the_loop_is_only_assumed_to_be_left_apart_the_branch_tells() -> None:
    text = """
__device__ void f(const float *x, float *y, int n, int bound) {
  int i = threadIdx.x;
  if (x[i] > 0.0f) {  //~ divergent-branch
    for (int e = 0; e < bound; e++) y[e * n + i] = expf(x[e * n + i]) + logf(x[e]);LOOP
  }
}
"""
    check_fixture(text.replace("LOOP", ""), SETTINGS)
    everything = RuleSettings(select=SETTINGS.select, tiers=frozenset(Tier))
    check_fixture(text.replace("LOOP", "  //~ divergent-loop"), everything)


def test_where_loops_are_not_asked_for_nobody_tells() -> None:
    """As for a `break`: the settings turn off the finding, not the place where it stands."""
    check_fixture(AROUND.replace("  //~ divergent-loop", ""), RuleSettings(select=frozenset({"DIV401"})))
