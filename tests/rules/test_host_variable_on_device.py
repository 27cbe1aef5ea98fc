"""CAL703; what compilers say of it is in `tests/sides`."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL703"}))


def test_once_for_each_name() -> None:
    text = """
float gain; unsigned int *counts, limit;
__global__ void k(float *x) {
  x[0] = gain + gain;  //~ host-variable-on-device
  x[1] = gain + limit;  //~ host-variable-on-device
}
"""
    first, second = check_fixture(text, ONLY)
    assert (first.code, first.severity) == ("CAL703", Severity.ERROR)
    assert first.message == "`gain` is a variable of the host: device code cannot use it."
    assert "`limit`" in second.message


def test_what_may_be_known_at_compile_time_is_left_alone() -> None:
    check_fixture(
        """
const float half = 0.5f;
constexpr int sizes[2] = {1, 2};
const char *const name = "k";
static const int limit = 3;
extern __constant__ float weights[4];
__managed__ int shared_by_both;
texture<float, 1> image;
template <class T> T variable = T(1);
__global__ void k(float *x) {
  x[0] = half * sizes[0] * limit * weights[1] * shared_by_both * variable<float>;
}
""",
        ONLY,
    )


def test_members_and_locals_hide_variables() -> None:
    check_fixture(
        """
int n, m, r, q;
struct S { int n; __device__ int get() { return n; } };
__global__ void k(int *p) {
  S s = {1};
  int m = s.n;
  for (int r = 0; r < 3; r++) p[r] = m + s.get();
  auto [q, other] = make_pair(1, 2);
  p[q] = other;
}
""",
        ONLY,
    )
