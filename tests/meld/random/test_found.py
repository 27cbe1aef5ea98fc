"""What random kernels found, as small kernels: each melds, verifies and computes what it computed before."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from analysis.meld.settings import MeldMethod, MeldSettings
from sim.launch.specification import Array, LaunchSpecification, Scalar
from tests.meld.random.ir_referee import judge_ir
from tests.meld.random.runs import FIRST_POLICY
from tests.sim.running import kernel_of

IN_THE_IR = {
    # The melded block must go on as the region does, whichever arm the region is.
    "a block beside a region in the second arm": """
      if (x[i] > 3) { out[i] = x[i] * 5; }
      else if (x[i] > 1) { if (n > 2) out[i] = x[i + 1] * 7; }
      else { out[i] = 1; }""",
    "a block beside a region in the first arm": """
      if (x[i] > 3) { if (x[i] > 5) { if (n > 2) out[i] = x[i + 1] * 7; } else { out[i] = 1; } }
      else { out[i] = x[i] * 5; }""",
}


def judged(body: str) -> Counter[str]:
    """What was melded of the kernel with this body, by every method; nothing may be wrong."""
    text = f"__global__ void k(int n, const int *x, int *out) {{ const int i = threadIdx.x; {body} }}"
    launch = LaunchSpecification(
        (1, 1, 1),
        (32, 1, 1),
        {"n": Scalar(3), "x": Array(np.arange(33, dtype=np.int32) % 8), "out": Array(np.zeros(32, np.int32))},
    )
    settings = [MeldSettings(method) for method in MeldMethod]
    findings = judge_ir(kernel_of(text), launch, settings, (FIRST_POLICY,))
    assert findings.failures == []
    return findings.checked


@pytest.mark.parametrize("name", IN_THE_IR)
def test_a_kernel_that_was_melded_wrongly(name: str) -> None:
    assert judged(IN_THE_IR[name])["melds"] > 0
