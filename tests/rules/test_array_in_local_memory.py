"""MEM506."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"MEM506"}))

KERNEL = """
__global__ void k(const int *x, float *y, int n, int m) {
  int t = threadIdx.x;
  float a[16] = {};
  const float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
  float pair[2] = {0.0f, 1.0f};
  float grid[4][4] = {};
  float sum = 0.0f;
  a[3] = y[t];
  grid[1][2] = y[t + 1];
  pair[0] = y[t + 2];
  STATEMENT
  for (int j = 0; j < 16; j++) sum += a[j] + grid[j / 4][j % 4];
  y[t] = sum + pair[0] + pair[1] + table[0];
}
"""


def test_an_index_from_data() -> None:
    (found,) = check_fixture(
        KERNEL.replace("STATEMENT", "for (int i = 0; i < n; i++) a[x[i] & 15] += 1.0f;  //~ array-in-local-memory"),
        SETTINGS,
    )
    assert (found.code, found.severity, found.tier) == ("MEM506", Severity.HINT, None)
    assert found.message == (
        "`a[x[i] & 15]` is found at run time: `a` (64 bytes per thread) cannot be kept in registers and lies in local "
        "memory, where each access goes through the caches. These accesses take at least 5 % of this kernel's issue "
        "slots."
    )


@pytest.mark.parametrize(
    "statement",
    [
        "for (int i = 0; i < n; i++) sum += a[i];",
        "for (int i = 0; i < n; i++) sum += a[i & 15];",
        "for (int i = 0; i < 16; i++) sum += a[(i + t) & 15];",
        "for (int i = 0; i < 16; i++) sum += a[i ^ m];",
        "for (int i = 0; i < 4; i++) sum += grid[i][m];",
        "for (int i = 0; i < 4; i++) sum += grid[blockIdx.x & 3][i];",
        "for (int i = 0; i < 8; i++) { int at = x[i * 32 + t]; if (at < 16) a[at] = sum; }",
        "int top = 0; for (int i = 0; i < n; i++) { if (x[i] > t) a[top++] = sum; else sum += a[--top]; }",
        "#pragma unroll 4\n  for (int i = 0; i < n; i++) sum += a[i];",
        "#pragma unroll\n  for (int i = 0; i < 16; i++) sum += a[(i + m) & 15];",
    ],
)
def test_what_a_run_decides(statement: str) -> None:
    settings = RuleSettings(select=frozenset({"MEM506"}), share_threshold=0.5)
    check_fixture(KERNEL.replace("STATEMENT", statement + "  //~ array-in-local-memory"), settings)


@pytest.mark.parametrize(
    "statement",
    [
        "for (int i = 0; i < 16; i++) a[i] = i;",
        "for (int i = 0; i < 15; i++) sum += a[i] * a[i + 1] + a[15 - i] + a[i ^ 1] + a[(i * i) % 16];",
        "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) a[4 * i + j] += grid[j][i];",
        "for (int i = 15; i >= 0; i--) if (x[i] > t) a[i] = 0.0f;",
        "for (int i = 1; i < 16; i *= 2) sum += a[i];",
        "for (int i = 0; i < n; i++) sum += table[i & 3];",  # a table in constant memory
        "for (int i = 0; i < n; i++) sum += pair[i & 1];",
        "for (int i = 0; i < n; i++) { a[0] += x[i]; a[1] += x[i + n]; }",
        "for (int i = 0; i < 16; i++) sum += a[x[0] > 0 ? 1 : 2];",  # a select of two elements
        "sum += a[m];",  # once
        'char s[32]; for (int i = 0; i < n; i++) s[i] = 32; printf("%s", s);',  # has to lie in memory
        "#pragma unroll\n  for (int i = 0; i < 16; i++) a[i] += a[i & 7] * m;",
    ],
)
def test_what_the_compiler_can_name(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), SETTINGS)


def test_a_function_is_judged_by_its_callers() -> None:
    text = """
__device__ float at(const float *a, int i) { return a[i]; }MARK
__global__ void k(const int *x, float *y) {
  float a[8];
  for (int i = 0; i < 8; i++) a[i] = y[i * 32 + threadIdx.x];
  float sum = 0.0f;
  for (int i = 0; i < 8; i++) sum += at(a, INDEX);
  y[threadIdx.x] = sum;
}
"""
    check_fixture(text.replace("INDEX", "7 - i").replace("MARK", ""), SETTINGS)
    check_fixture(text.replace("INDEX", "x[i]").replace("MARK", "  //~ array-in-local-memory"), SETTINGS)


def test_functions_whose_callers_are_not_known_are_silent() -> None:
    check_fixture(
        """
__device__ float f(float *y, int n) {
  float a[8];
  for (int i = 0; i < 8; i++) a[i] = y[i];
  float sum = 0.0f;
  for (int i = 0; i < 8; i++) sum += a[(i + n) & 7];
  return sum;
}
""",
        SETTINGS,
    )


def test_one_finding_per_array() -> None:
    (found,) = check_fixture(
        KERNEL.replace(
            "STATEMENT",
            "for (int i = 0; i < n; i++) a[i & 15] += 1.0f;  //~ array-in-local-memory\n"
            "  for (int i = 0; i < n; i++) sum += a[(i + 1) & 15];",
        ),
        SETTINGS,
    )
    assert [related.message for related in found.related] == ["the same array, indexed at run time"]


def test_the_loop_that_is_to_blame() -> None:
    (found,) = check_fixture(
        KERNEL.replace("STATEMENT", "for (int i = 0; i < n; i++) sum += a[i];  //~ array-in-local-memory"), SETTINGS
    )
    assert found.message.endswith(
        " With a constant bound, the loop in line 12 could be unrolled, and each index would be a number."
    )


@pytest.mark.parametrize("times", ["1", "4", "(2)"])
def test_a_loop_that_is_unrolled_in_part(times: str) -> None:
    text = KERNEL.replace(
        "STATEMENT",
        f"#pragma unroll {times}\n  for (int i = 0; i < 16; i++) a[i] += y[i];  //~ array-in-local-memory",
    )
    (found,) = check_fixture(text, SETTINGS)
    assert "has 16 rounds and is unrolled" in found.message
    assert found.fix is not None
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    check_fixture(after.replace("//~ array-in-local-memory", ""), SETTINGS)


def test_what_takes_little_is_not_told() -> None:
    check_fixture(KERNEL.replace("STATEMENT", "for (int i = 0; i < 2; i++) sum += a[(m + i) & 15];"), SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "for (int i = 0; i < n; i++) { if (a[i] > sum) a[x[t] & 15] = sum; }",
        "int last[1] = {0}; for (int i = 0; i < n; i++) sum += a[i]; a[last[m & 1]] = sum;",
    ],
)
def test_a_loop_is_not_to_blame_alone(statement: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", statement + "  //~ array-in-local-memory"), SETTINGS)
    assert "could be unrolled" not in found.message


def test_a_large_array_fits_no_registers() -> None:
    text = KERNEL.replace("a[16]", "a[96]").replace("STATEMENT", "for (int i = 0; i < n; i++) sum += a[i];  //~ MARK")
    settings = RuleSettings(select=frozenset({"MEM506"}), share_threshold=0.5)
    (found,) = check_fixture(text.replace("MARK", "array-in-local-memory"), settings)
    assert "could be unrolled" not in found.message


def test_it_is_told_where_the_array_is_indexed() -> None:
    """Not where a reference to the element is read, nor at the value that is stored."""
    settings = RuleSettings(select=frozenset({"MEM506"}), share_threshold=0.5)
    text = """
struct Hit { float z; int id; };
__device__ void swap(float *p, float *q) { float kept = *p; *p = *q; *q = kept; }
__device__ bool operator<(const Hit &a, const Hit &b) { return a.z < b.z; }
__global__ void k(const int *x, float *y, int n) {
  float a[16] = {};
  Hit hits[8] = {};
  int worst = 0;
  for (int i = 0; i < n; i++) {
    swap(&a[x[i]], &a[0]);  //~ array-in-local-memory
    hits[x[i] & 7] = {y[i], i};  //~ array-in-local-memory
    if (hits[worst] < hits[x[i + 1] & 7]) worst = x[i];
  }
  y[n] = a[1] + hits[2].z + worst;
}
"""
    first, second = check_fixture(text, settings)
    assert first.message.startswith("`a[x[i]]` is found at run time: `a` (64 bytes per thread)")
    assert second.message.startswith("`hits[x[i] & 7]` is found at run time: `hits` (64 bytes per thread)")
