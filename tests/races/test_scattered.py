"""A plain write beside an atomic whose address comes from memory: a possible race unless something lies between."""

from __future__ import annotations

import pytest

from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import check_fixture

KERNEL = """
__global__ void k(const int *in, int *out, int n) {
  __shared__ int h[256];
  int t = threadIdx.x;
  STATEMENTS
  __syncthreads();
  out[t] = h[t];
}
void host(int *a) { k<<<8, 256>>>(a, a, 100); }
"""
SETTINGS = RuleSettings(select=frozenset({"RAC301"}), tiers=frozenset({Tier.PROVEN, Tier.POSSIBLE}))

RACING = [
    "h[t] = 0; atomicAdd(&h[in[t]], 1);  //~ shared-race",
    "if (t < 128) h[t] = 0; atomicAdd(&h[in[t]], 1);  //~ shared-race",
    "h[t] = 0; if (t < n) atomicAdd(&h[in[t]], 1);  //~ shared-race",
    "h[t] = 0; for (int i = t; i < n; i += 256) atomicMax(&h[in[i]], i);  //~ shared-race",
    "h[t] = 0; __syncthreads(); atomicAdd(&h[in[t]], 1);\nh[t] = 0;  //~ shared-race",
]
ORDERED = [
    "h[t] = 0; __syncthreads(); atomicAdd(&h[in[t]], 1);",
    "h[t] = 0; __syncwarp(); atomicAdd(&h[(t & ~31) + (in[t] & 31)], 1);",
    "atomicExch(&h[t], 0); atomicAdd(&h[in[t]], 1);",
    "if (n > 8) h[t] = 0; else atomicAdd(&h[in[t]], 1);",
    "if (in[t] > 3) { h[t] = 0; __syncthreads(); } else { __syncthreads(); atomicAdd(&h[in[t]], 1); }",
]


@pytest.mark.parametrize("statements", RACING)
def test_nothing_lies_between(statements: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENTS", statements), SETTINGS)
    assert found.tier is Tier.POSSIBLE
    assert found.message.endswith(
        "with no barrier between: a race if data lead the atomic of one thread to what another one writes."
    )


@pytest.mark.parametrize("statements", ORDERED)
def test_what_lies_between_keeps_it_silent(statements: str) -> None:
    check_fixture(KERNEL.replace("STATEMENTS", statements), SETTINGS)


def test_only_a_possible_race_is_not_shown_unless_asked_for() -> None:
    text = KERNEL.replace("STATEMENTS", "h[t] = 0; atomicAdd(&h[in[t]], 1);")
    check_fixture(text, RuleSettings(select=frozenset({"RAC301"})))
