"""ARI604."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.diagnostic import Applicability, Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI604"}))

KERNEL = """
#define WEIGHT 0.3
struct Weights { float one; };
__global__ void k(float *a, const float *b, int n, Weights w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  STATEMENT
}
"""


def test_a_literal_without_suffix() -> None:
    text = KERNEL.replace("STATEMENT", "a[i] = 0.9 * x + 0.1 * b[i];  //~ accidental-double")
    (found,) = check_fixture(text, SETTINGS)
    assert (found.severity, found.tier) == (Severity.INFORMATION, None)
    assert found.message == (
        "`0.9` and 1 more like it make this code compute in double precision, which nothing else in it asks for: about "
        "28 % of this kernel's issue slots, and about 90 % where doubles run at 1/64 of the rate of floats."
    )
    assert found.fix is not None
    assert found.fix.applicability is Applicability.UNSAFE
    after = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert "a[i] = 0.9f * x + 0.1f * b[i];" in after
    check_fixture(after.replace("//~ accidental-double", ""), SETTINGS)


@pytest.mark.parametrize(
    ("statement", "repaired"),
    [
        ("a[i] = exp(-0.5 * x * x);", "a[i] = exp(-0.5f * x * x);"),
        ("if (x > 1e-5) a[i] = x;", "if (x > 1e-5f) a[i] = x;"),
        ("x += 1.; a[i] = 1.0 / (1.0 + x);", "x += 1.; a[i] = 1.0f / (1.0f + x);"),
        ("a[i] = fabs(x - 0.25) * 2.;", "a[i] = fabs(x - 0.25f) * 2.f;"),
        ("a[i] = x * WEIGHT;", None),  # it stands in a macro
        ("for (int j = 0; j < n; j++) x = .5 * x + .25 * b[j]; a[i] = x;", "x = .5f * x + .25f * b[j]; a[i] = x;"),
    ],
)
def test_what_stays_in_double_precision(statement: str, repaired: str | None) -> None:
    text = KERNEL.replace("STATEMENT", statement + "  //~ accidental-double")
    (found,) = check_fixture(text, SETTINGS)
    assert (found.fix is None) == (repaired is None)
    if found.fix is not None and repaired is not None:
        assert repaired in apply_replacements(text.encode(), found.fix.replacements).decode()


@pytest.mark.parametrize(
    "statement",
    [
        "a[i] = 0.5 * x;",  # the same in floats
        "a[i] = x > 0.0 ? x : 0.0;",
        "x *= 2.0; x += 1.0; a[i] = x;",
        "a[i] = x * (float)0.1;",
        "a[i] = 0.1f * x + 0.9f;",
        "a[i] = (double)x * 0.1;",
        "double sum = x; for (int j = 0; j < n; j++) sum += 0.1 * b[j]; a[i] = sum;",
        "a[i] = sqrt(x) + fmaxf(x, 1.0);",
        "const float third = 1.0 / 3.0; a[i] = x * third;",
        "int shift = n * 0.75; a[i] = shift;",  # no float comes in or out
    ],
)
def test_what_costs_nothing_or_is_meant(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), SETTINGS)


def test_a_kernel_that_has_doubles_means_them() -> None:
    for declared in ("double *b", "double b"):
        check_fixture(f"__global__ void k(float *a, {declared}) {{ a[0] = 0.1 * a[0] + 0.3; }}", SETTINGS)
    check_fixture(
        "struct Two { double x; }; __global__ void k(float *a, Two t) { a[0] = 0.1 * a[0] + 0.3; }\n"
        "__device__ double total; __global__ void g(float *a) { a[0] = 0.1 * a[0] + 0.3; total += 1; }",
        SETTINGS,
    )


def test_little_of_a_kernel_is_no_finding() -> None:
    check_fixture(
        KERNEL.replace("STATEMENT", "for (int j = 0; j < 4096; j++) x = sinf(x) * b[j]; a[i] = 0.1 * x + 0.3;"),
        SETTINGS,
    )


def test_a_helper_is_told_where_the_literal_stands() -> None:
    (found,) = check_fixture(
        """
__device__ float blend(float x, float y) {
  return 0.9 * x + 0.1 * y;  //~ accidental-double
}
__global__ void k(float *a) { a[threadIdx.x] = blend(a[threadIdx.x], 1.0f); }
""",
        SETTINGS,
    )
    assert "of the issue slots of kernel `k`" in found.message
