"""MEM501."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

EVERYTHING = RuleSettings(tiers=frozenset(Tier))


def test_a_constant_stride_is_proven() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i * 16] = 1.0f;  //~ uncoalesced-access
}
""")
    assert (found.code, found.severity, found.tier) == ("MEM501", Severity.INFORMATION, Tier.PROVEN)
    assert found.message == (
        "In `x[i * 16]`, neighbours along x are 64 bytes apart: one request of 32 lanes writes up to 32 sectors of 32 "
        "bytes where 4 would do."
    )


def test_a_stride_that_is_no_number_is_possible() -> None:
    text = """
__global__ void k(const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < n; j++) sum += x[row * n + j];
  y[row] = sum;
}
"""
    check_fixture(text)
    (found,) = check_fixture(text.replace("row * n + j];", "row * n + j];  //~ uncoalesced-access"), EVERYTHING)
    assert found.tier is Tier.POSSIBLE
    assert "at a distance that is not a known number" in found.message
    assert "may read up to 32 sectors" in found.message


@pytest.mark.parametrize(
    "statement",
    [
        "x[i] = 1.0f;",
        "x[2 * i] = 1.0f;",
        "x[4 * i] = 1.0f;",
        "x[n] = 1.0f;",
        "x[blockIdx.x * 64] = 1.0f;",
        "if (threadIdx.x == 0) x[i * 64] = 1.0f;",
        "if (threadIdx.x < 8) x[i * 64] = 1.0f;",
        "if (i == n) x[i * 64] = 1.0f;",
        "if (index[i] > 0) x[i * 64] = 1.0f;",
        "x[index[i]] = 1.0f;",
        "x[index[i] * 64] = 1.0f;",
        "v[i] = make_float4(0, 0, 0, 0);",
        "float4 w = v[i]; v[i] = w;",
    ],
)
def test_what_is_coalesced_or_small_or_decided_by_data_is_silent(statement: str) -> None:
    check_fixture(f"""
__global__ void k(float *x, float4 *v, const int *index, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {statement}
}}
""")


STRUCT = """
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void k(const Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = EXPRESSION;
}
"""


def test_the_other_members_of_a_struct_count_as_used() -> None:
    check_fixture(STRUCT.replace("EXPRESSION;", "p[i].mass;  //~ uncoalesced-access"))
    check_fixture(STRUCT.replace("EXPRESSION", "p[i].x + p[i].y + p[i].z + p[i].vx"))


def test_a_loop_counts_more() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i * 4] = 1.0f;
  for (int j = 0; j < n; j++) x[j * 1024 + i * 4] += 1.0f;  //~ uncoalesced-access
}
""")


def test_one_report_per_array_and_stride() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i * 64] += 1.0f;  //~ uncoalesced-access
  x[i * 64 + n] = 2.0f;
}
""")
    assert [related.message for related in found.related] == ["the same array at the same stride"]


def test_the_worst_call_counts() -> None:
    check_fixture("""
__device__ float get(const float *p, int i) { return p[i]; }  //~ uncoalesced-access
__global__ void k(const float *x, float *y) {
  y[threadIdx.x] = get(x, threadIdx.x) + get(x, 32 * threadIdx.x);
}
""")


def test_rows_of_unknown_length() -> None:
    """In short rows, threads that are neighbours along y may fill the gaps."""
    (found,) = check_fixture("""
__global__ void k(float *x) {
  x[(threadIdx.y * 16 + threadIdx.x) * 32] = 1.0f;  //~ uncoalesced-access
}
""")
    assert "neighbours along x are 128 bytes apart" in found.message
    assert "up to 32 sectors" in found.message
    check_fixture("""
__global__ void k(float *x) {
  x[threadIdx.x * 8 + threadIdx.y] = 1.0f;
}
""")
