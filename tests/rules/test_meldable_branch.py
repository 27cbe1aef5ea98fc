"""DIV403."""

from __future__ import annotations

import re
from dataclasses import replace

from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"DIV403"}))
SMALL = replace(ONLY, share_threshold=0.0)


def test_arms_that_do_the_same_on_other_operands() -> None:
    (found,) = check_fixture(
        """
__global__ void k(float *even, float *odd, const float *x, const float *y) {
  int i = threadIdx.x;
  if (i % 2) {  //~ meldable-branch
    odd[i] = x[i] * 2.0f;
  } else {
    even[i] = y[i] * 3.0f;
  }
}
""",
        ONLY,
    )
    assert (found.code, found.severity, found.tier, found.fix) == ("DIV403", Severity.HINT, None, None)
    said = (
        r"The arms of this `if` do the same work on different operands: "
        r"melding them would save about \d\d % of this kernel's issue slots\."
    )
    assert re.fullmatch(said, found.message), found.message


def test_a_small_saving_is_told_where_it_is_asked_for() -> None:
    text = """
__global__ void k(float *even, float *odd, const float *x, const float *y, int n) {
  int i = threadIdx.x;
  if (i % 2) {@
    odd[i] = x[i] * 2.0f;
  } else {
    even[i] = y[i] * 3.0f;
  }
  for (int j = 0; j < 10; ++j) even[i + 32 * j] = sqrtf(x[j * n + i]) / y[j * n + i];
}
"""
    check_fixture(text.replace("@", ""), ONLY)
    check_fixture(text.replace("@", "  //~ meldable-branch"), SMALL)


def test_a_bounds_check_in_the_block_says_what_melding_saves_at_most() -> None:
    (found,) = check_fixture(
        """
__global__ void k(float *even, float *odd, const float *x, const float *y, int n) {
  int i = threadIdx.x;
  if (i < n) {  //~ meldable-branch
    odd[i] = x[i] * 2.0f;
  } else {
    even[i] = y[i] * 3.0f;
  }
}
""",
        ONLY,
    )
    assert re.search(r"melding them would save up to \d\d % of this kernel's issue slots\.", found.message), (
        found.message
    )


def test_a_ladder_of_else_if_is_pointed_out_once() -> None:
    check_fixture(
        """
__global__ void k(float *out, const float *x, const float *y, const float *z) {
  int i = threadIdx.x;
  if (i % 3 == 0) {  //~ meldable-branch
    out[i] = sqrtf(x[i]) * 2.0f + 1.0f;
  } else if (i % 3 == 1) {
    out[i] = sqrtf(y[i]) * 3.0f + 1.0f;
  } else {
    out[i] = sqrtf(z[i]) * 4.0f + 1.0f;
  }
}
""",
        ONLY,
    )


def test_the_cases_of_a_switch() -> None:
    (found,) = check_fixture(
        """
__global__ void k(float *out, const float *x, const float *y, const float *z) {
  int i = threadIdx.x;
  switch (i % 3) {  //~ meldable-branch
    case 0: out[i] = sqrtf(x[i]) * 2.0f + 1.0f; break;
    case 1: out[i] = sqrtf(y[i]) * 3.0f + 1.0f; break;
    default: out[i] = sqrtf(z[i]) * 4.0f + 1.0f;
  }
}
""",
        ONLY,
    )
    assert found.message.startswith("The arms of this `switch` do the same work on different operands: ")


def test_what_has_nothing_in_common_or_does_not_split_is_silent() -> None:
    check_fixture(
        """
__global__ void k(float *x, int *y, int n) {
  int i = threadIdx.x;
  if (i % 2) {
    x[i] = sqrtf(x[i]);
  } else {
    n += i;
  }
  if (blockIdx.x % 2) {
    x[i + 32] = x[i + 64] * 2.0f;
  } else {
    x[i + 32] = x[i + 96] * 3.0f;
  }
  if (i % 3) y[i] = n;
}
""",
        ONLY,
    )


def test_a_barrier_in_an_arm_is_left_alone() -> None:
    check_fixture(
        """
__global__ void k(float *x, const float *y) {
  int i = threadIdx.x;
  if (i % 2) {
    x[i] = y[i] * 2.0f;
    __syncthreads();
  } else {
    x[i] = y[i + 1] * 3.0f;
    __syncthreads();
  }
}
""",
        ONLY,
    )


def test_a_device_function_says_what_its_saving_is_a_share_of() -> None:
    (found,) = check_fixture(
        """
__device__ void put(float *x, const float *y, int i) {
  if (i % 2) {  //~ meldable-branch
    x[i] = y[i] * 2.0f;
  } else {
    x[i] = y[i + 1] * 3.0f;
  }
}
__global__ void k(float *x, const float *y) { put(x, y, threadIdx.x); }
""",
        ONLY,
    )
    assert found.message.endswith("% of its kernel's issue slots.")


def test_method_and_suppression() -> None:
    text = """
__global__ void k(float *x, const float *y) {
  int i = threadIdx.x;
  if (i % 2) {@
    x[i] = y[i] * 2.0f;
    x[i + 64] = 0.0f;
  } else {
    x[i] = y[i + 1] * 3.0f;
    for (int j = 0; j < 4; ++j) x[i + 32 * j] += 1.0f;
  }
}
"""
    check_fixture(text.replace("@", "  //~ meldable-branch"), SMALL)
    check_fixture(text.replace("@", "  // NOLINT(simt-meldable-branch)"), SMALL)
    tail = replace(SMALL, meld=MeldSettings(method=MeldMethod.TAIL))
    check_fixture(text.replace("@", ""), tail)
