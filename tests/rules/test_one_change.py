"""Divergent branches that one change would mend are one finding."""

from __future__ import annotations

import pytest

from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

SETTINGS = RuleSettings(select=frozenset({"DIV401", "DIV402"}), share_threshold=0.5)


def test_a_ladder_is_one_finding() -> None:
    (found,) = check_fixture(
        """
__global__ void k(const int *v, float *x, const float *y) {
  int t = threadIdx.x;
  int c = v[t];
  float s = 0.0f;
  if (c == 1) {  //~ divergent-branch
    for (int j = 0; j < 32; j++) s += y[j];
  } else if (c == 2) {
    for (int j = 0; j < 32; j++) s *= y[j];
  } /* the third */ else /* is here */ if (c == 3) {
    for (int j = 0; j < 32; j++) s -= y[j];
  } else {
    for (int j = 0; j < 32; j++) s /= y[j];
  }
  x[t] = s;
}
""",
        SETTINGS,
    )
    assert [place.message for place in found.related].count("the same ladder") == 2


def test_an_if_inside_of_an_arm_is_no_rung() -> None:
    check_fixture(
        """
__global__ void k(const int *v, float *x, const float *y) {
  int t = threadIdx.x;
  int c = v[t];
  float s = 0.0f;
  if (c == 1) {  //~ divergent-branch
    for (int j = 0; j < 32; j++) s += y[j];
  } else {
    if (v[t + 1] == 2) {  //~ divergent-branch
      for (int j = 0; j < 32; j++) s *= y[j];
    } else {
      for (int j = 0; j < 32; j++) s -= y[j];
    }
  }
  if (v[t + 2] == 1) {  //~ divergent-branch
    for (int j = 0; j < 32; j++) s += y[j];
  } else {
    for (int j = 0; j < 32; j++) s += 2 * y[j];
  }
  x[t] = s;
}
""",
        SETTINGS,
    )


def test_uses_of_one_macro_are_one_finding() -> None:
    (found,) = check_fixture(
        """
#define STEP(c, s) if (c) { for (int j = 0; j < 32; j++) s += y[j]; } else { for (int j = 0; j < 32; j++) s *= y[j]; }
__global__ void k(const int *v, float *x, const float *y) {
  int t = threadIdx.x;
  float s = 0.0f;
  STEP(v[t] > 0, s)  //~ divergent-branch
  STEP(v[t + 1] > 0, s)
  STEP(v[t + 2] > 0, s)
  x[t] = s;
}
""",
        SETTINGS,
    )
    assert [place.message for place in found.related].count("another use of `STEP`") == 2


@pytest.mark.parametrize("leaving", ["break;", "{ break; }", "{ /* done */ break; }", "return;"])
def test_an_exit_of_a_divergent_loop_is_told_by_the_loop(leaving: str) -> None:
    check_fixture(
        f"""
__global__ void k(const int *v, float *x, const float *y) {{
  int t = threadIdx.x;
  float s = 0.0f;
  for (int i = 0; i < v[t]; i++) {{  //~ divergent-loop
    if (v[t + i] > 7) {leaving}
    s += y[i] * y[i + 1];
  }}
  x[t] = s;
}}
""",
        SETTINGS,
    )


def test_an_exit_of_a_loop_that_is_silent_is_reported() -> None:
    """The loop's own condition is a bounds check, so only the exit says that lanes leave apart."""
    (found,) = check_fixture(
        """
__global__ void k(const int *v, float *x, const float *y, int n) {
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (v[i] > 7) {  //~ divergent-branch
      for (int j = 0; j < 32; j++) s += y[j];
      break;
    }
    for (int j = 0; j < 32; j++) s *= y[j];
  }
  x[threadIdx.x] = s;
}
""",
        SETTINGS,
    )
    assert found.tier is None
