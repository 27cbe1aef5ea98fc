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


ROLES = """// simt: block=32
__global__ void k(float *x, const float *y) {
  int t = threadIdx.x;
  float s = 0.0f;
  if (t < 16) {MARK
    s = sinf(y[t]);
  } else {
    s = cosf(y[t]);
  }
  CHANGE
  if (t < 16) {
    for (int j = 0; j < 32; j++) s += y[j] * s;
  } else {
    for (int j = 0; j < 32; j++) s -= y[j] / s;
  }
  x[t] = s;
}
"""


def test_roles_that_the_index_gives_are_one_finding_at_the_dearest_place() -> None:
    text = ROLES.replace("MARK", "").replace("CHANGE", "__syncthreads();")
    dearest = text.replace("if (t < 16) {\n    for", "if (t < 16) {  //~ divergent-branch\n    for")
    (found,) = check_fixture(dearest, SETTINGS)
    assert [place.message for place in found.related].count("the same condition") == 1
    assert found.cost is not None
    (alone,) = check_fixture(dearest.replace("s = sinf(y[t]);", "").replace("s = cosf(y[t]);", ""), SETTINGS)
    assert alone.cost is not None
    assert "the same condition" not in [place.message for place in alone.related]


def test_one_condition_on_data_is_asked_anew_each_time() -> None:
    text = ROLES.replace("t < 16", "y[t] < 16").replace("MARK", "  //~ divergent-branch").replace("CHANGE", "t += 64;")
    check_fixture(text.replace("{\n    for", "{  //~ divergent-branch\n    for", 1), SETTINGS)


def test_the_rungs_of_a_ladder_are_worth_what_they_take_together() -> None:
    rungs = "".join(f" else if (c == {number}) x[t + {number}] = sinf(s);" for number in range(2, 7))
    text = f"""
__global__ void k(const int *v, float *x, const float *y) {{
  int t = threadIdx.x;
  int c = v[t];
  float s = 0.0f;
  for (int j = 0; j < 40; j++) s += y[j * 64] / s;
  if (c == 1) x[t + 1] = sinf(s);%s
  {rungs}
  x[t] = s;
}}
"""
    (found,) = check_fixture(text % "  //~ divergent-branch", RuleSettings(select=SETTINGS.select))
    assert [place.message for place in found.related].count("the same ladder") == 4
