"""DIV402."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

CHEAP = RuleSettings(
    ignore=frozenset({"ARI602", "DIV401", "DIV403", "DIV404", "MEM", "RAC", "CAL708"}), share_threshold=0
)
ALL_TIERS = RuleSettings(ignore=frozenset({"ARI602", "DIV403"}), tiers=frozenset(Tier))


def test_a_trip_count_from_data() -> None:
    (found,) = check_fixture("""
__global__ void k(const unsigned *start, int *steps) {
  int i = threadIdx.x;
  unsigned x = start[i];
  int count = 0;
  while (x != 1) {  //~ divergent-loop
    x = x % 2 ? 3 * x + 1 : x / 2;
    count++;
  }
  steps[i] = count;
}
""")
    assert found.message.startswith(
        "Lanes of one warp leave this `while` loop after different numbers of rounds: `x != 1` depends on "
    )


def test_a_grid_stride_loop_is_silent() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    x[i] = x[i] * 2.0f + 1.0f;
  }
}
""")


def test_a_uniform_loop_is_silent() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; i++) sum += x[i * blockDim.x + threadIdx.x];
  x[threadIdx.x] = sum;
}
""")


def test_a_csr_row_is_reported() -> None:
    check_fixture("""
__global__ void k(const int *row, const float *value, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = row[i]; j < row[i + 1]; j++) sum += value[j];  //~ divergent-loop
  y[i] = sum;
}
""")


def test_a_break_on_data_is_named() -> None:
    (found,) = check_fixture("""
__global__ void k(const int *key, const int *table, int *place, int n) {
  int i = threadIdx.x;
  for (int j = 0; j < n; j++) {  //~ divergent-loop
    place[i] = j * 2 + table[j];
    if (table[j] == key[i]) break;
  }
}
""")
    assert found.message.startswith(
        "Lanes of one warp leave this `for` loop after different numbers of rounds: "
        "through the `if` at line 6, `table[j] == key[i]` depends on "
    )


def test_a_split_that_stays_in_the_loop_is_no_matter_of_rounds() -> None:
    check_fixture("""
__global__ void k(const int *key, int *place, int n) {
  for (int j = 0; j < n; j++) {
    if (key[threadIdx.x] == j) place[j] = 1;  // no break here
  }
}
""")


def test_a_trip_count_of_an_unknown_caller_is_assumed() -> None:
    text = """
__device__ void helper(float *y, int n) {
  for (int i = %s; i < n; i++) {%s
    y[i] = y[i] * 2.0f + 1.0f;
    if (%s) break;
  }
}
"""
    claim = "  //~ divergent-loop"
    check_fixture(text % ("0", "", "y[i] > 9.0f"))
    (found,) = check_fixture(text % ("0", claim, "y[i] > 9.0f"), ALL_TIERS)
    assert found.tier is Tier.ASSUMED
    (found,) = check_fixture(text % ("y[threadIdx.x]", claim, "n == 7"))
    assert (found.tier, "through" in found.message) == (None, False)
    (found,) = check_fixture(text % ("0", claim, "y[threadIdx.x] > 9.0f"))
    assert found.tier is None
    assert "through the `if` at line 5, `y[threadIdx.x] > 9.0f` depends on `threadIdx.x`" in found.message


def test_threads_with_pieces_of_equal_length_leave_together() -> None:
    text = """
__global__ void k(const int *first, float *y, int n, int m) {
  int start = first[threadIdx.x];
  float sum = 0.0f;
  for (int i = start; i < start + n; %s) {%s
    sum += y[i] * 2.0f + 1.0f;%s
  }
  y[start] = sum;
}
"""
    check_fixture(text % ("i += m", "", ""))
    claim = "  //~ divergent-loop"
    check_fixture(text % ("i += first[i]", claim, ""))
    check_fixture(text % ("i++", claim, "\n    if (sum > 3.0f) i += 2;"))
    check_fixture(text % ("", claim, "\n    if (sum > 3.0f) { i += 2; continue; }\n    i++;"))


def test_behind_a_loop_that_threads_leave_apart_its_counter_differs() -> None:
    check_fixture(
        """
__global__ void k(const int *first, float *y, int n) {
  int start = first[threadIdx.x];
  int i = start;
  while (y[i] > 1.0f) i++;
  if (i < start + n) {  //~ divergent-branch
    y[i] = y[i] * 2.0f + y[i + 1] * 3.0f;
  } else {
    y[i] = y[i] * 4.0f + y[i - 1] * 5.0f;
  }
}
""",
        RuleSettings(ignore=frozenset({"ARI602", "DIV402", "DIV403"})),
    )


@pytest.mark.parametrize(
    ("start", "step"),
    [
        ("threadIdx.x", "blockDim.x"),
        ("threadIdx.x % 32", "warpSize"),
        ("threadIdx.x & 31", "32"),
        ("threadIdx.x", "256"),
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockDim.x * gridDim.x"),
        ("first[blockIdx.x] + threadIdx.x", "blockDim.x"),
        ("cooperative_groups::this_thread_block().thread_rank()", "cooperative_groups::this_thread_block().size()"),
        ("cooperative_groups::this_grid().thread_rank()", "cooperative_groups::this_grid().size()"),
        ("2 * threadIdx.x", "2 * blockDim.x"),
    ],
)
@pytest.mark.parametrize("bound", ["n", "first[blockIdx.x + 1]", "n - 3 * blockDim.x"])
def test_lanes_that_leave_within_one_round_are_a_boundary(start: str, step: str, bound: str) -> None:
    check_fixture(
        f"""
#include <cooperative_groups.h>
__global__ void k(const int *first, const float *x, float *y, int n) {{
  for (int i = {start}; i < {bound}; i += {step}) y[i] = y[i] * sinf(x[i]) + 1.0f;
}}
""",
        CHEAP,
    )


def test_the_rest_behind_an_unrolled_loop_is_a_boundary() -> None:
    check_fixture(
        """
__global__ void k(const float *x, float *y, int n) {
  int i = threadIdx.x;
  float sum = 0.0f;
  for (; i + 3 * blockDim.x < n; i += 4 * blockDim.x)
    sum += x[i] + x[i + blockDim.x] + x[i + 2 * blockDim.x] + x[i + 3 * blockDim.x];
  for (; i < n; i += blockDim.x) sum += x[i];
  y[threadIdx.x] = sum;
}
""",
        CHEAP,
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = t; i < n; i++)",
        "for (int i = 0; i < t; i++)",
        "for (int i = t; i < n; i += 8)",
        "for (int i = n - 1; i >= t; i -= 4)",
        "for (int i = 64 * t; i < n; i += blockDim.x)",
        "for (int i = t; i < n - first[t]; i += blockDim.x)",
        "for (int i = t % 64; i < n; i += 32)",
        "for (unsigned i = threadIdx.x - 5u; i < n; i += blockDim.x)",
    ],
)
def test_lanes_that_may_leave_rounds_apart_are_no_boundary(loop: str) -> None:
    """In each round one warp splits, but over all rounds each warp does, again and again."""
    check_fixture(
        f"""
__global__ void k(const int *first, const float *x, float *y, int n) {{
  int t = threadIdx.x;
  float sum = 0.0f;
  {loop} sum += y[i] * sinf(x[i]);  //~ divergent-loop
  y[t] = sum;
}}
""",
        CHEAP,
    )


def test_a_bound_that_moves_is_no_bound() -> None:
    check_fixture(
        """
__global__ void k(volatile int *limit, const float *x, float *y) {
  for (int i = threadIdx.x; i < *limit; i += blockDim.x) y[i] = x[i] * 2.0f;  //~ divergent-loop
}
__global__ void grown(int *limit, const int *x, int *y) {
  for (int i = threadIdx.x; i < *limit; i += blockDim.x) y[i] = x[i] * 2;  //~ divergent-loop
}
""",
        CHEAP,
    )


def test_each_of_several_bounds_is_asked() -> None:
    check_fixture(
        """
__global__ void k(unsigned *d, int w, int h) {
  size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (; x < w && y < h; x += gridDim.x * blockDim.x, y += gridDim.y * blockDim.y) d[y * w + x] = 1;
  for (int i = threadIdx.x; !(i >= w || h < 3); i += blockDim.x) d[i] = 3;
  for (int i = threadIdx.x; i < w && i < 64 * threadIdx.x; i += blockDim.x) d[i] = 2;  //~ divergent-loop
  for (int i = threadIdx.x; i < w || threadIdx.x < i; i += blockDim.x) d[i] = 4;  //~ divergent-loop
}
""",
        CHEAP,
    )


def test_a_step_that_is_not_known_is_an_assumption() -> None:
    text = """
__global__ void k(const float *x, float *y, int n, int stride) {
  for (int i = threadIdx.x; i < n; i += stride) y[i] = x[i] * 2.0f;%s
}
template <int BLOCK> __global__ void t(const float *x, float *y, int n) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) y[i] = x[i] * 2.0f;%s
}
"""
    check_fixture(text % ("", ""), CHEAP)
    claim = "  //~ divergent-loop"
    both = check_fixture(text % (claim, claim), replace(CHEAP, tiers=frozenset(Tier)))
    assert {found.tier for found in both} == {Tier.ASSUMED}
    assert all("a step of the loop is shorter than the warp" in found.message for found in both)


def test_a_single_round_that_few_lanes_run_is_reported() -> None:
    """A stride of the block, and yet 28 lanes of the fourth warp wait for the whole work."""
    check_fixture("""
__global__ void k(float *x, const float *y) {
  for (int i = threadIdx.x; i < 100; i += 128) {  //~ divergent-loop
    float sum = 0.0f;
    for (int j = 0; j < 100; j++) sum += y[j] * j;
    x[i] = sum;
  }
}
__global__ void fitting(float *x, const float *y) {
  for (int i = threadIdx.x; i < 96; i += 128) {  //~ warp-uniform
    float sum = 0.0f;
    for (int j = 0; j < 100; j++) sum += y[j] * j;
    x[i] = sum;
  }
}
__global__ void many(float *x, const float *y) {
  for (int i = threadIdx.x; i < 4000; i += 128) {  //~ warp-uniform
    float sum = 0.0f;
    for (int j = 0; j < 100; j++) sum += y[j] * j;
    x[i] = sum;
  }
}
void host(float *x, float *y) { k<<<1, 128>>>(x, y); fitting<<<1, 128>>>(x, y); many<<<1, 128>>>(x, y); }
""")


def test_a_stride_of_the_grid_is_taken_to_be_longer_than_a_warp() -> None:
    """For some instance and launch the step covers the warp, for all others the size of the grid decides."""
    text = """
template <int size> __global__ void k(const float *x, float *y, int n) {
  float s = 0.0f;
  for (int i = blockIdx.x * size * 2 + threadIdx.x; i < n; i += size * 2 * gridDim.x) s += x[i];MARK
  y[threadIdx.x] = s;
}
template __global__ void k<2>(const float *x, float *y, int n);
void host(float *x, float *y) { k<2><<<4, 2>>>(x, y, 100); k<64><<<4, 64>>>(x, y, 100); }
"""
    check_fixture(text.replace("MARK", ""), replace(CHEAP, ignore=CHEAP.ignore | {"SYN", "WRP"}))


def test_a_stride_of_the_grid_below_a_bound_of_unknown_callers() -> None:
    """If the callers pass one bound the step decides, so it is assumed: nothing is said unless asked for."""
    text = """
template <unsigned size> __device__ float sum(const float *x, unsigned n) {
  unsigned i = blockIdx.x * (size * 2) + threadIdx.x;
  float s = 0.0f;
  while (i < n) {MARK
    s += x[i];
    i += size * 2 * gridDim.x;
  }
  return s;
}
"""
    check_fixture(text.replace("MARK", ""), CHEAP)
    (found,) = check_fixture(text.replace("MARK", "  //~ divergent-loop"), replace(CHEAP, tiers=frozenset(Tier)))
    assert found.tier is Tier.ASSUMED


ROUNDS = "__device__ float rounds(float x) { for (int i = 0; i < 64; i++) x = x * x + 1.0f; return x; }\n"


def test_what_runs_once_is_no_loop() -> None:
    """`do … while (0)` is there for its `break`; the loop around it is another one."""
    text = """
__global__ void k(const int *p, float *q, int n) {
  int c = p[threadIdx.x];
  float x = q[threadIdx.x];
  while (n > 0) {
    do {
      if (c == 1) {
        if (x > 0) { x = rounds(x); break; }
        c = 2;
      }
      x = rounds(x) + 3;
    } while (%s);%s
    n--;
  }
  q[threadIdx.x] = x;
}
"""
    loops = replace(CHEAP, select=frozenset({"DIV402"}))
    for never in ("0", "false", " ( 0 ) "):
        check_fixture(ROUNDS + text % (never, ""), loops)
    check_fixture(ROUNDS + (text % ("x < 3", "")).replace("do {", "do {  //~ divergent-loop"), loops)


def test_a_way_out_of_an_inner_loop_is_none_of_the_outer_one() -> None:
    text = """
__global__ void k(const int *p, float *q, int n) {
  float x = q[threadIdx.x];
  for (int k = 0; k < n; k++) {%s
    int j;
    for (j = 0; j < 10; j++) {  //~ divergent-loop
      x = rounds(x);
      if (x > p[threadIdx.x]) break;
      x = rounds(x) + 1;
    }
    %s
    q[threadIdx.x] = x;
  }
}
"""
    check_fixture(ROUNDS + text % ("", ""), CHEAP)
    more = "x = rounds(rounds(rounds(rounds(x))));\n    "
    outer, _ = check_fixture(ROUNDS + text % ("  //~ divergent-loop", f"{more}if (j >= 10) return;"), CHEAP)
    assert "through the `if` at line 13, `j >= 10` depends on" in outer.message
    (inner,) = check_fixture(ROUNDS + text % ("", "if (j >= 10) return;"), CHEAP)
    assert inner.related[-1].message.startswith("and this loop around it: through the `if` at line 12, `j >= 10` dep")


def test_lanes_that_decide_first_and_leave_later_are_named() -> None:
    """The `break` itself agrees; the threads that come to it do not."""
    (found,) = check_fixture(
        """
__global__ void k(const int *p, float *q, int n, int stop) {
  float x = q[threadIdx.x];
  for (int k = 0; k < n; k++) {  //~ divergent-loop
    x = x * x + q[k];
    if (p[threadIdx.x] == k) {
      if (stop) break;
    }
  }
  q[threadIdx.x] = x;
}
""",
        CHEAP,
    )
    assert "through the `if` at line 6, `p[threadIdx.x] == k` depends on" in found.message


def test_a_nest_of_loops_is_one_finding() -> None:
    (found,) = check_fixture("""
__global__ void k(const int *low, const int *high, const float *in, float *out) {
  int t = threadIdx.x;
  float s = 0.0f;
  for (int j = low[t]; j < high[t]; j++) {
    for (int i = low[t + 1]; i < high[t + 1]; i++) {  //~ divergent-loop
      s += in[i * 64 + j];
    }
  }
  out[t] = s;
}
""")
    assert [place.message for place in found.related][-1].startswith("and this loop around it: `j < high[t]` depends")


def test_an_inner_loop_that_is_only_a_part_is_its_own_finding() -> None:
    check_fixture("""
__global__ void k(const int *low, const int *high, const float *in, float *out) {
  int t = threadIdx.x;
  float s = 0.0f;
  for (int j = low[t]; j < high[t]; j++) {  //~ divergent-loop
    for (int i = low[t + 1]; i < high[t + 1]; i++) {  //~ divergent-loop
      s += in[i];
    }
    for (int i = 0; i < 16; i++) s += sinf(in[j + i]);
  }
  out[t] = s;
}
""")


def test_what_data_decide_is_told_in_words_with_what_the_loop_takes() -> None:
    """One lane that searches to the end keeps thirty-one others, and where it stops at once nobody waits."""
    text = """
__global__ void k(const int *low, const float *in, float *out, int n) {
  float s = 0.0f;
  for (int j = 0; j < %s; j++) s += in[j];%s
  out[threadIdx.x] = s;
}
"""
    (found,) = check_fixture(text % ("low[threadIdx.x]", "  //~ divergent-loop"))
    assert found.message.endswith(
        "each lane loads its own length, and the shorter ones wait for the longest of their warp; "
        "the loop takes about 97 % of this kernel's issue slots."
    )
    much = "  s = expf(s) + logf(s);\n"
    (ranged,) = check_fixture(text.replace("  out[", f"{much}  out[") % ("low[threadIdx.x]", "  //~ divergent-loop"))
    assert re.search(
        r"; the loop takes \d+ % to \d+ % of this kernel's issue slots \(4 to 256 rounds assumed\)\.$", ranged.message
    )
    (counted,) = check_fixture("// simt: block=64" + text % ("threadIdx.x", "  //~ divergent-loop"))
    assert re.search(r"lanes that are done wait for about \d+ % of this kernel's issue slots\.$", counted.message)


def test_the_known_distance_of_lanes_is_held_against_rounds_that_are_not_known() -> None:
    (found,) = check_fixture("""
__global__ void k(const float *in, float *out, int n) {
  float s = 0.0f;
  for (int j = 4 * threadIdx.x; j < n; j++) s += in[j];  //~ divergent-loop
  out[threadIdx.x] = s;
}
""")
    assert re.search(r"wait for \d+ % to \d+ % of this kernel's issue slots\.$", found.message)


def test_the_threads_that_come_to_a_loop_are_counted_and_not_all_of_the_block() -> None:
    text = """// simt: block=256
__global__ void k(const double *b, double *x, int n) {
  __shared__ double s[%s];
  if (threadIdx.x < %s) {
    int j = threadIdx.x;
    for (int i = j + blockIdx.x * 8; j < 8 && i < n; j += 8, i += 8) s[j] = b[i] / 3.0;%s
  }
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}
"""
    check_fixture(text % (256, 8, ""), CHEAP)
    check_fixture(text % (256, 40, "  //~ divergent-loop"), CHEAP)


_WARP_PER_ROW = """
__global__ void k(const float *x, float *y, int n) {
  int group = threadIdx.x / 32OTHER;
  float sum = 0.0f;
  for (int row = group; row < n; row += 4) {COMMENT
    for (int j = 0; j < 64; j++) sum += x[row * 64 + j];
  }
  y[threadIdx.x] = sum;
}
"""


def _of_warp_per_row(comment: str = "", other: str = "", host: str = "") -> list[Diagnostic]:
    text = _WARP_PER_ROW.replace("COMMENT", comment).replace("OTHER", other)
    found = check_fixture(text + host, RuleSettings(ignore=frozenset({"ARI", "DIV404", "MEM", "CAL708"})))
    return [one for one in found if one.code == "DIV402"]


def test_a_loop_that_parts_lanes_only_in_blocks_of_several_rows_is_a_hint() -> None:
    (found,) = _of_warp_per_row("  //~ divergent-loop")
    assert found.severity is Severity.HINT
    assert "in one row no lanes part" in found.message


def test_a_kernel_that_asks_for_its_row_may_well_be_launched_with_several() -> None:
    (found,) = _of_warp_per_row("  //~ divergent-loop", " + threadIdx.y")
    assert found.severity is Severity.INFORMATION
    assert "rows" not in found.message


def test_a_launch_with_one_row_parts_nobody() -> None:
    assert _of_warp_per_row(host="void go(float *x, int n, int t) { k<<<9, t>>>(x, x, n); }") == []


@pytest.mark.parametrize("index", ["Index", "decltype(n)"])
def test_a_counter_of_a_type_that_nobody_told_is_a_hint(index: str) -> None:
    (found,) = check_fixture(f"""
template <typename T, typename Index> __global__ void k(T *x, Index n) {{
  for ({index} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {{  //~ divergent-loop
    x[i] = x[i] * 2;
  }}
}}
""")
    assert found.severity is Severity.HINT
