"""ARI606."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI606"}))

KERNEL = """
#define COUNT (8 + 3)
__global__ void k(int *a, const int *x, int n, int m, unsigned u, long long w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  STATEMENT
}
"""


def test_an_argument() -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", "a[i] = x[i] / n;  //~ costly-division"), SETTINGS)
    assert (found.severity, found.tier, found.fix) == (Severity.HINT, None, None)
    assert found.message.startswith(
        "`x[i] / n` takes about 20 instructions, and all threads divide by the same number: an axis of the grid, a "
        "template argument, or a multiplier that the host works out would save about "
    )


@pytest.mark.parametrize(
    "statement",
    ["a[i] = x[i] % n;", "a[i] = i / (n * m);", "a[i] = i % u;", "a[i] = x[i] / w;", "a[i] = x[i] / (n + 1);"],
)
def test_what_the_host_knows(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement + "  //~ costly-division"), SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "a[i] = x[i] / 7;",
        "a[i] = x[i] / 8;",  # may be negative
        "a[i] = x[i] / x[i + 1];",
        "a[i] = x[i] / (threadIdx.x + 1);",
        "a[i] = threadIdx.x / 32;",
        "a[i] = threadIdx.x % 32;",
        "a[i] = x[i] % (COUNT * 2 + 1);",
        "for (int j = 0; j < 1000; j++) a[j] += x[j] * a[j + i]; a[i] = x[i] / n;",
    ],
)
def test_what_cannot_be_helped_or_is_little(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), SETTINGS)


def test_a_power_of_two_of_what_is_never_negative() -> None:
    text = """
__global__ void k(char *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i / 32 * 128 + i % 32] = 1;  //~ costly-division
}
"""
    (first,) = check_fixture(text, SETTINGS)
    assert first.message.startswith("`i / 32` is rounded toward zero, with extra instructions for negative numbers")
    check_fixture(text.replace("int i", "unsigned i").replace("//~ costly-division", ""), SETTINGS)


def test_what_every_launch_passes() -> None:
    (found,) = check_fixture(
        """
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] % n;  //~ costly-division
}
int main() { int *a; cudaMalloc(&a, 4096); k<<<4, 256>>>(a, 64); return 0; }
""",
        SETTINGS,
    )
    assert "every launch passes 64 to divide by" in found.message
