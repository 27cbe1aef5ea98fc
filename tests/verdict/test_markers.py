"""Branches that tell entries which lead somewhere from markers."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"DIV401"}))


def severity_of(condition: str, index: str = "nb") -> Severity:
    text = f"""
__global__ void k(const int *neighbours, const float *x, float *y, int n) {{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.0f;
  for (int j = 0; j < n; j++) {{
    int nb = neighbours[j * n + t];
    if ({condition}) {{  //~ divergent-branch
      s += sinf(x[{index}]);
    }} else {{
      s += cosf(x[t]);
    }}
  }}
  y[t] = s;
}}
"""
    (found,) = check_fixture(text, SETTINGS)
    return found.severity


@pytest.mark.parametrize("condition", ["nb >= 0", "nb > -1", "nb < 0", "nb <= -1", "nb != -1", "nb == -2"])
def test_an_entry_that_leads_nowhere_is_rare(condition: str) -> None:
    assert severity_of(condition) is Severity.HINT
    assert severity_of(condition, "5 * nb + 3") is Severity.HINT


@pytest.mark.parametrize(
    ("condition", "index"), [("nb >= 0", "t"), ("nb >= 5", "nb"), ("nb & 1", "nb"), ("nb == 3", "nb")]
)
def test_a_number_that_is_no_index_or_no_marker_decides_as_any_other(condition: str, index: str) -> None:
    assert severity_of(condition, index) is Severity.INFORMATION


def test_a_ladder_of_markers_is_rare_as_a_whole() -> None:
    (found,) = check_fixture(
        """
__global__ void k(const int *neighbours, const float *x, float *y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.0f;
  for (int j = 0; j < n; j++) {
    int nb = neighbours[j * n + t];
    if (nb >= 0) {  //~ divergent-branch
      s += sinf(x[nb]) * cosf(x[nb]);
    } else if (nb == -1) {
      s += cosf(x[t]);
    } else {
      s -= sqrtf(x[t]) / s;
    }
  }
  y[t] = s;
}
""",
        SETTINGS,
    )
    assert found.severity is Severity.HINT
