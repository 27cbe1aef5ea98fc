"""DIV404."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture


def test_a_branch_on_the_warp_number() -> None:
    (found,) = check_fixture("""
__global__ void k(float *x) {
  int warp = threadIdx.x / 32;
  if (warp == 0) {  //~ warp-uniform
    x[threadIdx.x] = 1.0f;
  }
}
void host(float *x) { k<<<1, 256>>>(x); }
""")
    assert (found.code, found.severity, found.tier) == ("DIV404", Severity.HINT, None)
    assert "`warp == 0` is uniform in the warp" in found.message


def test_a_vote() -> None:
    check_fixture("""
__global__ void k(float *x, const int *p) {
  if (__any_sync(0xffffffff, p[threadIdx.x])) {  //~ warp-uniform
    x[threadIdx.x] = 1.0f;
  }
}
""")


def test_uniform_in_the_block_is_silent() -> None:
    check_fixture("""
__global__ void k(float *x, int n) {
  if (blockIdx.x == 0) x[threadIdx.x] = 1.0f;
  if (n == 0) x[threadIdx.x] = 1.0f;
}
""")


def test_the_hint_can_be_switched_off() -> None:
    check_fixture(
        """
__global__ void k(float *x, const int *p) {
  if (__any_sync(0xffffffff, p[threadIdx.x])) x[threadIdx.x] = 1.0f;
}
""",
        RuleSettings(ignore=frozenset({"DIV404"})),
    )
