"""CAL710; what nvcc says of it is in `tests/sides`."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL710"}))


def test_conditions_in_host_functions() -> None:
    first, *others = check_fixture(
        """
int f() {
  int found = 0;
#if defined(FAST) && (__CUDA_ARCH__ >= 800) || \\
    __CUDA_ARCH__ == 750
  found = 1;
#elif 700 <= __CUDA_ARCH__  // old  //~ architecture-test-on-host
  found = 2;
#endif
  return found;
}
""".replace("#if defined(FAST) &&", "#if defined(FAST)/*//~ architecture-test-on-host*/ &&"),
        ONLY,
    )
    assert (first.severity, first.function, len(others)) == (Severity.WARNING, "f", 1)
    assert "counts as 0" in first.message


def test_who_may_run_on_the_device() -> None:
    arms = "#if __CUDA_ARCH__ >= 800\n  int a;\n#endif\n"
    check_fixture(f"__device__ void d() {{\n{arms}}}\n__host__ __device__ void b() {{\n{arms}}}\n", ONLY)
    check_fixture(f"constexpr int c() {{\n{arms}  return 1;\n}}\n", ONLY)
    check_fixture(f'#include "unseen.h"\nMAYBE void m() {{\n{arms}}}\n', ONLY)
    lambdas = f"apply<<<1, 1>>>([] __device__() {{\n{arms}}});\n"
    check_fixture(f"template <class F> __global__ void apply(F f) {{ f(); }}\nvoid f() {{ {lambdas} }}\n", ONLY)


def test_who_asks_whether_it_is_defined() -> None:
    for asked in ("#ifdef __CUDA_ARCH__", "#if defined(__CUDA_ARCH__)", "#if !defined __CUDA_ARCH__"):
        check_fixture(f"void f() {{\n{asked}\n#if __CUDA_ARCH__ >= 800\n  int a;\n#endif\n#endif\n}}\n", ONLY)
