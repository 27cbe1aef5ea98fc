"""MEM505."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"MEM505"}), tiers=frozenset(Tier))

KERNEL = """
__global__ void k(const float *x, const int *m, float *sum, int *count, unsigned long long *wide, int n) {
  __shared__ float s[32];
  __shared__ double d;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  STATEMENT
}
"""
LAUNCH = "void host() { k<<<8, 256>>>(nullptr, nullptr, nullptr, nullptr, nullptr, 3); }\n"


def test_a_sum_in_one_variable() -> None:
    (found,) = check_fixture(
        KERNEL.replace("STATEMENT", "atomicAdd(sum, x[i]);  //~ contended-atomic") + LAUNCH, SETTINGS
    )
    assert (found.code, found.severity, found.tier) == ("MEM505", Severity.INFORMATION, Tier.PROVEN)
    assert found.message == (
        "32 lanes of a warp run `atomicAdd(sum, x[i])` on one address, one after the other: about 51 % of this "
        "kernel's issue slots. After a reduction over the warp one lane could do it once for all."
    )


def test_where_each_lane_keeps_the_old_value() -> None:
    (found,) = check_fixture(
        KERNEL.replace("STATEMENT", "int at = atomicAdd(count, m[i]);  //~ contended-atomic\n  sum[at] = x[i];"),
        SETTINGS,
    )
    assert found.message.startswith("Up to 32 lanes of a warp run `atomicAdd(count, m[i])`")
    assert found.message.endswith("After a prefix sum over the warp one lane could do it once for all.")


@pytest.mark.parametrize(
    "statement",
    [
        "if (i < n) atomicAdd(sum, x[i]);",
        "atomicAdd(&sum[blockIdx.x], x[i]);",
        "for (int j = 0; j < n; j++) atomicAdd(&s[j & 31], x[i + j]);",
        "atomicAdd(&d, (double)x[i]);",
        "atomicAdd(&sum[t / 32], x[i]);",
        "atomicAdd(wide, (unsigned long long)m[i]);",
        "atomicAdd(sum, 1.0f);",
        "if (t < 16) atomicAdd(sum, x[i]);",
    ],
)
def test_what_lanes_do_one_after_the_other(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement + "  //~ contended-atomic") + LAUNCH, SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "atomicAdd(count, 1);",  # compilers count lanes by a vote
        "sum[atomicAdd(count, 1)] = x[i];",
        "atomicAdd(wide, 1ull);",
        "atomicMax(count, m[i]);",  # one instruction reduces 32-bit integers
        "atomicAdd(&sum[m[i]], x[i]);",  # a histogram
        "atomicAdd(&sum[t], x[i]);",
        "atomicAdd(&sum[t % 32], x[i]);",
        "if (t == 0) atomicAdd(sum, x[i]);",
        "if (t % 32 == 0) atomicAdd(sum, x[i]);",
        "if (t < 4) atomicAdd(sum, x[i]);",
        "if (x[i] > 3.0f) atomicAdd(sum, x[i]);",  # now and then, or always: data decides
        "while (atomicCAS(count, 0, 1) != 0) {}",
        "atomicExch(count, i);",
        "float v = x[i]; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
        "  if ((t & 31) == 0) atomicAdd(sum, v);",
    ],
)
def test_what_is_combined_or_no_contention(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement) + LAUNCH, SETTINGS)


def test_it_has_to_matter() -> None:
    check_fixture(
        KERNEL.replace(
            "STATEMENT", "float v = 0; for (int j = 0; j < 1000; j++) v += x[j * 256 + t];\n  atomicAdd(sum, v);"
        )
        + LAUNCH,
        SETTINGS,
    )
