"""MEM502."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

EVERYTHING = RuleSettings(ignore=frozenset({"RAC"}), tiers=frozenset(Tier))

KERNEL = """
__global__ void k(float *out, const int *data, int n) {
  __shared__ float s[32][32];
  __shared__ float padded[32][33];
  __shared__ double d[512];
  int x = threadIdx.x, y = threadIdx.y;
  STATEMENT
  out[x] = s[0][x];
}
"""
LAUNCH = "void host(float *out) { k<<<1, dim3(32, 8)>>>(out, nullptr, 3); }\n"


def kernel(statement: str, launch: str = LAUNCH) -> str:
    return KERNEL.replace("STATEMENT", statement) + launch


def test_a_column_is_proven_where_the_shape_is_known() -> None:
    (found,) = check_fixture(kernel("s[x][y] = 1.0f;  //~ bank-conflict"))
    assert (found.code, found.severity, found.tier) == ("MEM502", Severity.INFORMATION, Tier.PROVEN)
    assert found.message == (
        "32-way bank conflict: in `s[x][y]`, where neighbouring lanes are 128 bytes apart, 32 lanes of a warp want "
        "different words of one bank of shared memory and wait for each other: about 57 % of this kernel's issue slots."
    )


def test_where_the_shape_is_not_known_the_stride_is() -> None:
    (found,) = check_fixture(kernel("s[x][y] = 1.0f;  //~ bank-conflict", launch=""))
    assert found.tier is Tier.PROVEN
    assert found.message == (
        "Up to 32-way bank conflict: in `s[x][y]`, where neighbours along x are 128 bytes apart, up to 32 lanes of a "
        "warp want different words of one bank of shared memory and wait for each other: about 57 % of this kernel's "
        "issue slots."
    )


def test_a_conflict_that_short_rows_would_not_have_is_possible() -> None:
    check_fixture(kernel("s[0][4 * x + y] = 1.0f;", launch=""))
    (found,) = check_fixture(kernel("s[0][4 * x + y] = 1.0f;  //~ bank-conflict", launch=""), EVERYTHING)
    assert found.tier is Tier.POSSIBLE


@pytest.mark.parametrize(
    "statement",
    [
        "s[y][x] = 1.0f;",
        "s[0][n] = 1.0f;",
        "padded[x][y] = 1.0f;",
        "s[y][2 * x % 32] = 1.0f;",
        "d[x] = 1.0;",
        "d[2 * x] = 1.0;",
        "if (x == 0) s[x][y] = 1.0f;",
        "if (x < 3) s[x][y] = 1.0f;",
        "if (data[x] > 0) s[x][y] = 1.0f;",
        "if (x == n) s[x][y] = 1.0f;",
        "s[data[x]][y] = 1.0f;",
        "atomicAdd(&s[0][x], 1.0f);",
    ],
)
def test_no_conflict_a_small_one_or_one_that_is_not_known(statement: str) -> None:
    check_fixture(kernel(statement))


@pytest.mark.parametrize("statement", ["d[4 * x] = 1.0;", "if (x < 4) s[x][y] = 1.0f;", "if (x < n) s[x][y] = 1.0f;"])
def test_conflicts_of_part_of_a_warp_and_of_wide_elements(statement: str) -> None:
    check_fixture(kernel(f"{statement}  //~ bank-conflict"))


def test_one_report_per_array_and_stride() -> None:
    (found,) = check_fixture(kernel("s[x][y] = 1.0f;  //~ bank-conflict\n  s[x][y + 8] = 2.0f;"))
    assert [related.message for related in found.related] == ["the same array at the same stride"]


def test_a_callee_is_seen_through_its_call() -> None:
    check_fixture("""
__device__ void put(float *p, float v) { *p = v; }  //~ bank-conflict
__global__ void k(float *out) {
  __shared__ float s[1024];
  put(&s[32 * threadIdx.x], 1.0f);
  out[threadIdx.x] = s[threadIdx.x];
}
void host(float *out) { k<<<1, 32>>>(out); }
""")


FILLED = """
__global__ void k(const float *in, float *out, int n) {
  __shared__ float s[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  s[x][y] = in[y * 32 + x];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 1000; j++) sum += s[PLACE];MARK
  out[y * 32 + x] = sum;
}
void host(const float *in, float *out, int n) { k<<<1, dim3(32, 32)>>>(in, out, n); }
"""


def test_an_array_that_is_filled_once_beside_a_long_loop_is_no_finding() -> None:
    check_fixture(FILLED.replace("PLACE", "j % 32][x").replace("MARK", ""))


def test_the_finding_stands_where_lanes_wait_most() -> None:
    (found,) = check_fixture(FILLED.replace("PLACE", "x][j % 32").replace("MARK", "  //~ bank-conflict"))
    assert found.cost is not None
    assert found.cost.kernel == "k"
    assert found.cost.share > 0.5


def test_an_index_that_is_cut_to_a_power_of_two() -> None:
    """Whatever number all lanes add to it."""
    text = """
__global__ void k(float *out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < 1024; j++) sum += s[(STEP * t + j) & 1023];MARK
  out[t] = sum;
}
void host(float *out) { k<<<1, 256>>>(out); }
"""
    check_fixture(text.replace("STEP", "2").replace("MARK", ""))
    (found,) = check_fixture(text.replace("STEP", "4").replace("MARK", "  //~ bank-conflict"))
    assert found.message.startswith("4-way bank conflict: in `s[(4 * t + j) & 1023]`, 4 lanes of a warp want")


STEADY = """
__global__ void k(const float *in, float *out, int *counts) {
  __shared__ float s[1024];
  __shared__ float other[1024];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 1000; j++) {
    BEFORE
    sum += s[4 * t] * in[j];MARK
    AFTER
  }
  out[t] = sum;
}
void host(const float *in, float *out) { k<<<1, 256>>>(in, out, nullptr); }
"""


@pytest.mark.parametrize("after", ["", "out[j] = sum;", "other[t] = sum;", "if (in[j] > 3) break;", "counts[t] = j;"])
def test_what_reads_the_same_in_every_round_counts_once(after: str) -> None:
    """Compilers read it before the loop."""
    check_fixture(STEADY.replace("BEFORE", "").replace("AFTER", after).replace("MARK", ""))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "s[j & 1023] = sum;"),
        ("", "__syncthreads();"),
        ("", "float *p = in[j] > 3 ? s : other; p[t] = sum;"),
        ("", "__threadfence_block();"),
        ("if (in[j] > 3)", ""),
        ("if (in[j] > 3) break;", ""),
    ],
)
def test_what_others_may_write_or_a_condition_may_skip_counts_in_each_round(before: str, after: str) -> None:
    text = STEADY.replace("BEFORE", before).replace("AFTER", after).replace("MARK", "  //~ bank-conflict")
    (found,) = check_fixture(text)
    assert found.cost is not None
    assert found.cost.share > 0.05


def test_a_steady_read_of_an_inner_loop_counts_in_each_round_of_the_outer_one() -> None:
    nested = "for (int i = 0; i < 4; i++) { sum += in[j]; sum += s[4 * t + OFFSET]; }"
    text = STEADY.replace("sum += s[4 * t] * in[j];MARK", nested + "MARK").replace("BEFORE", "").replace("AFTER", "")

    def share(offset: str) -> float:
        (found,) = check_fixture(
            text.replace("OFFSET", offset).replace("MARK", "  //~ bank-conflict"), RuleSettings(share_threshold=0.5)
        )
        assert found.cost is not None
        return found.cost.share

    assert share("(j & 7)") < 0.5 * share("(i & 7)")
