"""ARI605."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.diagnostic import Applicability, Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"ARI605"}))

KERNEL = """
struct Point { float x, y; };
__global__ void k(float *a, double *d, const Point *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  double y = d[i];
  STATEMENT
}
"""


def test_a_square_of_a_float_as_a_double() -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", "a[i] = pow(x, 2);  //~ costly-power"), SETTINGS)
    assert (found.severity, found.tier) == (Severity.INFORMATION, None)
    assert found.message.startswith(
        "`pow(x, 2)` computes a power of floats in double precision: `(x * x)` would save about "
    )
    assert found.fix is not None
    assert found.fix.applicability is Applicability.UNSAFE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a[i] = powf(x, 2.0f);", "a[i] = (x * x);"),
        ("a[i] = pow(a[i + 1], 3.0f);", "a[i] = (a[i + 1] * a[i + 1] * a[i + 1]);"),
        ("a[i] = pow(p[i].x, 2);", "a[i] = (p[i].x * p[i].x);"),
        ("a[i] = pow(x + 1, 0.5f);", "a[i] = sqrtf(x + 1);"),
        ("a[i] = powf(x * x, -0.5f);", "a[i] = rsqrtf(x * x);"),
        ("a[i] = pow(x, n);", "a[i] = powf(x, n);"),
        ("d[i] = pow(y, 2);", "d[i] = (y * y);"),
        ("d[i] = pow(y + 1, 0.5);", "d[i] = sqrt(y + 1);"),
        ("a[i] = powf(x + 1, -1);", "a[i] = (1.0f / (x + 1));"),
        ("d[i] = pow(y / n - 1, 2);", "d[i] = ((y / n - 1) * (y / n - 1));"),
        ("d[i] = pow(i, 2);", "d[i] = ((double)i * i);"),
        ("d[i] = pow(i + 1, 2);", "d[i] = ((double)(i + 1) * (i + 1));"),
        ("a[i] = powf((x - 1), 2);", "a[i] = ((x - 1) * (x - 1));"),
        ("d[i] = pow((y - 1) * (y + 1), 2);", "d[i] = (((y - 1) * (y + 1)) * ((y - 1) * (y + 1)));"),
        ("d[i] = pow(y, 6);", "d[i] = (y * y * y * y * y * y);"),
        ("a[i] = powf(x, 1.5f);", "a[i] = (x * sqrtf(x));"),
        ("a[i] = powf(x + 1, (float)(-3.f / 2.f));", "a[i] = (1.0f / ((x + 1) * sqrtf(x + 1)));"),
    ],
)
def test_what_is_written_instead(before: str, after: str) -> None:
    text = KERNEL.replace("STATEMENT", before + "  //~ costly-power")
    (found,) = check_fixture(text, SETTINGS)
    assert found.fix is not None
    changed = apply_replacements(text.encode(), found.fix.replacements).decode()
    assert after in changed
    check_fixture(changed.replace("//~ costly-power", ""), SETTINGS)


@pytest.mark.parametrize(
    "power",
    ["powf(a[i++], 2)", "powf(fabsf(x) + 1, 2)", "powf(x + 1, 3)", "powf(x * a[i + 1] + a[i + 2] - 1, 2)"],
)
def test_what_is_computed_is_not_written_often(power: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", f"a[i] = {power};  //~ costly-power"), SETTINGS)
    assert found.fix is None
    assert ": a product of a variable that holds the base would save about " in found.message


@pytest.mark.parametrize(
    "statement",
    [
        "a[i] = powf(x, 2.5f);",
        "a[i] = powf(x, a[i + 1]);",
        "a[i] = powf(2.0f, x);",
        "d[i] = pow(y, 1.7);",
        "d[i] = pow(y, n);",
        "for (int j = 0; j < 1000; j++) x = sinf(x) * a[j]; a[i] = powf(x, 2);",
    ],
)
def test_powers_that_stay(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), SETTINGS)


def test_what_compilers_compute_once_is_told_once() -> None:
    text = KERNEL.replace(
        "STATEMENT",
        "float z = x + 1;\n  a[i] = powf(z, 2) + a[i] / powf(z, 2);  //~ costly-power\n"
        "  z = a[i];\n  a[i + 1] = powf(z, 2);  //~ costly-power",
    )
    first, second = check_fixture(text, SETTINGS)
    assert ([one.message for one in first.related], second.related) == (["the same power"], ())
    assert first.fix is not None
    changed = apply_replacements(text.encode(), first.fix.replacements).decode()
    assert "a[i] = (z * z) + a[i] / (z * z);" in changed
