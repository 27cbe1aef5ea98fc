"""Random headers hold what is claimed of them because of their callers, and a wrong join is noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.divergence.call_context import Argument
from sim.specification import Array, LaunchSpecification
from tests.callers.fuzz import check
from tests.callers.referee import referee
from tests.sim.random.kernels import RandomKernel


@pytest.mark.parametrize("seed", range(12))
def test_claims_because_of_callers_hold_in_runs(seed: int) -> None:
    failures, _ = check(seed)
    assert failures == ()


TWICE = RandomKernel(
    """__device__ int twice(int a) { int b = 2 * a; return b; }
__global__ void k(int *out) { out[threadIdx.x] = twice(3) + twice(threadIdx.x); }
""",
    LaunchSpecification(grid=(1, 1, 1), block=(32, 1, 1), arguments={"out": Array(np.zeros(32, np.int32))}),
    frozenset(),
)


def test_something_is_claimed() -> None:
    failures, checked = referee(TWICE, "ipdom", knows_block=True)
    assert failures == ()
    assert checked["functions"] == 1


@pytest.mark.parametrize("field", ["level", "range"])
def test_a_join_that_forgets_a_caller_is_refuted(monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    join = Argument.join

    def wrong(self: Argument, other: Argument) -> Argument:
        both = join(self, other)
        if field == "level":
            return replace(both, level=min(self.level, other.level))
        low = max(one.low for one in (self, other) if one.low is not None)
        return replace(both, low=low, high=low)

    monkeypatch.setattr(Argument, "join", wrong)
    failures, _ = referee(TWICE, "ipdom", knows_block=True)
    assert failures
