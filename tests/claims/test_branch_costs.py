"""What split warps lose is counted as by hand, and the ranks are Spearman's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.ir.ids import SourceBranchId
from benchmarks.branch_costs import LossObserver, rank_correlation
from tests.sim.running import run

ONE = "p[t] = t;"
"""Two instructions: an address, and a store."""


def losses(body: str) -> list[tuple[float, float]]:
    """By source branch that split: serialized and waited, of the only warp."""
    observer = LossObserver()
    text = f"__global__ void k(int *p) {{ int t = threadIdx.x; {body} p[t] = 0; }}"
    run(text, {"p": np.zeros(64, np.int32)}, observers=[observer])
    observer.close_all()
    return [observer.lost[SourceBranchId(number)][0] for number in sorted(observer.lost)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (t < 64) { p[t] = t; }", []),
        ("if (t < 8) { p[t] = t; }", [(0, 1.5)]),
        ("if (t % 2) { p[t] = t; } else { p[t] = t; }", [(2, 0)]),
        ("if (t % 2) { p[t] = t; } else { p[t] = t; p[t] = t; }", [(2, 1)]),
        ("for (int j = 0; j < 2; j++) if (t % 2) { p[t] = t; } else { p[t] = t; }", [(4, 0)]),
        ("if (t < 16) { if (t < 8) { p[t] = t; } } else { p[t] = t; }", [(2, 1.5), (0, 1)]),
        ("if (t < 8 || t > 23) { p[t] = t; }", [(0, 1)]),
        ("if (t < 8) return;", [(1, 0.5)]),
    ],
)
def test_losses_are_those_of_the_arms(body: str, expected: list[tuple[float, float]]) -> None:
    assert losses(body) == expected


def test_lanes_wait_for_the_last_round_of_a_loop() -> None:
    ((serialized, waited),) = losses("for (int j = 0; j < t; j++) { p[t] = t; }")
    rounds = 4 * 30  # the condition, its branch, the step: of 31 rounds the average lane runs 15.5
    assert serialized == 0
    assert waited == pytest.approx(rounds / 2, rel=0.5)


def test_correlation_is_of_ranks() -> None:
    assert rank_correlation([(1, 10), (2, 100), (9, 1000)]) == pytest.approx(1)
    assert rank_correlation([(1, 3), (2, 2), (3, 1)]) == pytest.approx(-1)
    assert rank_correlation([(1, 1), (2, 3), (3, 2), (3, 4)]) == pytest.approx(0.6325, abs=1e-3)
    assert math.isnan(rank_correlation([(1, 1), (1, 2)]))
