"""What random kernels found, as small kernels: each verifies and computes what it computed before."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldMethod, MeldSettings
from sim.specification import Array, LaunchSpecification, Scalar
from tests.meld.random.ir_referee import judge_ir
from tests.meld.random.planted import LAUNCH, kernel_with
from tests.meld.random.runs import FIRST_POLICY
from tests.meld.random.source_referee import SourceReferee
from tests.sim.running import kernel_of

IN_THE_IR = {
    # The melded block must go on as the region does, whichever arm the region is.
    "a block beside a region in the second arm": """
      if (x[i] > 3) { out[i] = x[i] * 5; }
      else if (x[i] > 1) { out[i + 1] = n; }
      else { if (n > 2) { out[i] = x[i + 1] * 7; } }""",
    "a block beside a region in the first arm": """
      if (x[i] < 3) { if (x[i] > 1) { out[i + 1] = n; } else { if (n > 2) { out[i] = x[i + 1] * 7; } } }
      else { out[i] = x[i] * 5; }""",
    # A value cannot be selected for switches over different types.
    "switches over numbers of different types": """
      const unsigned other = x[i];
      if (x[i] > 3) {
        out[i] = x[i] * 5;
        switch (x[i]) { case 4: out[i + 1] = 3 * x[i]; break; case 5: out[i + 1] = 4 * n; break; }
      } else {
        out[i] = x[i] * 7;
        switch (other) { case 4: out[i + 1] = 5 * x[i]; break; case 5: out[i + 1] = 7 * n; break; }
      }""",
}

REFUSED = ("switches over numbers of different types",)


def judged(body: str) -> Counter[str]:
    """What was melded of the kernel with this body, by every method; nothing may be wrong."""
    text = f"__global__ void k(int n, const int *x, int *out) {{ const int i = 2 * threadIdx.x; {body} }}"
    launch = LaunchSpecification(
        (1, 1, 1),
        (32, 1, 1),
        {"n": Scalar(3), "x": Array(np.arange(65, dtype=np.int32) % 8), "out": Array(np.zeros(64, np.int32))},
    )
    settings = [MeldSettings(method) for method in MeldMethod]
    findings = judge_ir(kernel_of(text), launch, settings, (FIRST_POLICY,))
    assert findings.failures == []
    return findings.checked


@pytest.mark.parametrize("name", IN_THE_IR)
def test_a_kernel_that_was_melded_wrongly(name: str) -> None:
    melds = judged(IN_THE_IR[name])["melds"]
    assert (melds > 0) == (name not in REFUSED)


def test_an_expression_that_begins_with_a_macro_keeps_its_text() -> None:
    """The left operand comes from an argument of the macro, which is not where the use of the macro begins."""
    text = kernel_with(
        """  if (i < n) {
    out[i] = AT(x, i) + 1;
    sums[i] = AT(x, 3) * 2 - AT(x, i) + 40;
  } else {
    out[i] = AT(x, i) + 2;
    sums[i] = AT(x, 3) * 2 - AT(x, i) + 40;
  }
"""
    )
    text = "#define AT(array, index) array[(index) & 15]\n" + text
    findings = SourceReferee(text, LAUNCH, DEFAULT_MELD_SETTINGS, (FIRST_POLICY,)).judge()
    assert findings.failures == []
    assert "  sums[i] = AT(x, 3) * 2 - AT(x, i) + 40;\n" in findings.texts[-1]


def test_comments_inside_statements_that_are_equal_in_both_arms_stay() -> None:
    body = """  if (i < n) {
    for (int j = 0; j < 3; j++) {
      out[i] += x[j];
    }
  } else {
    for (int j = 0; j < 3; j++) {
      // remark 1 on what follows
      out[i] += x[j];
    }
  }
"""
    findings = SourceReferee(kernel_with(body), LAUNCH, DEFAULT_MELD_SETTINGS, (FIRST_POLICY,)).judge()
    assert findings.failures == []
    assert findings.checked["melds"] > 0


def test_a_comment_of_a_statement_that_moves_into_the_if_of_the_other_arm_is_not_copied() -> None:
    body = """  if (i < n) {
    // remark 1 on what follows
    out[i] = x[i & 15] * 5 + x[(i + 3) & 15] * 7;
  } else {
    if (x[(i + 1) & 15] > 4) {
      out[i] = x[i & 15] * 5 + x[(i + 5) & 15] * 7;
    }
  }
"""
    findings = SourceReferee(kernel_with(body), LAUNCH, DEFAULT_MELD_SETTINGS, (FIRST_POLICY,)).judge()
    assert findings.failures == []
    assert findings.checked["melds"] > 0
