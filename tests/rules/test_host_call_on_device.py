"""CAL702; what compilers say of it is in `tests/sides`."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL702"}))
PROGRAM = """
int f(int x) { return x; }
__host__ __device__ int inner(int x) { return f(x); }
__host__ __device__ int outer(int x) { return inner(x); }
"""


def test_a_kernel_comes_to_it_through_others() -> None:
    marked = PROGRAM.replace("f(x); }", "f(x); }  //~ host-call-on-device")
    (found,) = check_fixture(marked + "__global__ void k(int *p) { *p = outer(1); }\n", ONLY)
    assert (found.code, found.severity, found.function) == ("CAL702", Severity.WARNING, "inner")
    assert "a kernel comes to this call of it in `inner`" in found.message


def test_the_host_may() -> None:
    check_fixture(PROGRAM + "__global__ void k(int *p) { *p = 1; }\nint g() { return outer(1); }\n", ONLY)
