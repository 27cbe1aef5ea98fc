"""CAL704; what compilers say of it is in `tests/sides`."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL704"}))
DECLARED = "__device__ int total; __constant__ float table[16]; __managed__ int both;\n"


def test_reads_and_writes() -> None:
    found, *others = check_fixture(
        DECLARED
        + """
int f(int i) {
  total = 0;  //~ device-variable-on-host
  table[i] = 1.0f;  //~ device-variable-on-host
  int copy = total;  //~ device-variable-on-host
  both = copy;
  return both;
}
""",
        ONLY,
    )
    assert (found.code, found.severity, found.function) == ("CAL704", Severity.WARNING, "f")
    assert "`total` lies on the device" in found.message
    assert len(others) == 2


def test_symbols_and_other_names() -> None:
    check_fixture(
        DECLARED
        + """
struct Sums { int total; };
int f(float *host, Sums sums) {
  cudaMemcpyToSymbol(table, host, sizeof(table));
  void *address;
  cudaGetSymbolAddress(&address, total);
  int n = sums.total;
  for (int total = 0; total < 3; total++) n += total;
  return n;
}
__global__ void k(int *p) { *p = total; }
""",
        ONLY,
    )
