"""What split warps lose is counted as by hand, and the ranks are Spearman's."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.ids import SourceBranchId
from analysis.ir.source import Span
from analysis.launches import Launch, Shape
from analysis.launches.model import LaunchNumbers
from benchmarks.branch_costs import at_once, rank_correlation
from benchmarks.claims.subject import analyze_subject
from benchmarks.program_launches import largest_launch
from benchmarks.split_losses import LossObserver
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Array, LaunchSpecification
from tests.sim.running import kernel_of, run

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


def test_lanes_that_come_to_an_arm_apart_are_one_group_where_conditions_are_computed_at_once() -> None:
    text = (
        "__global__ void k(int *p) { int t = threadIdx.x;"
        " if (p[t] > 8 || p[t + 32] > 8 || p[t] < -8) { p[t] = t; p[t] = t; } p[t] = 0; }"
    )
    data = np.where(np.arange(64) % 3 == 0, 9, 0).astype(np.int32)
    kernel = kernel_of(text)
    subject = analyze_subject(kernel.function, LaunchKnowledge((BlockShape(32),)))
    apart, together = LossObserver(), LossObserver(dict(at_once(subject)))
    run(text, {"p": data}, observers=[apart, together])
    for observer in (apart, together):
        observer.close_all()
    (source,) = apart.lost
    assert apart.lost[source][0][0] > 0
    assert together.lost[source][0][0] == 0


def test_a_block_counts_as_often_as_it_stands_for_others() -> None:
    text = "__global__ void k(int *p) { if (blockIdx.x * 32 + threadIdx.x < 5) { p[0] = 1; } p[1] = 0; }"
    observer = LossObserver()
    launch = LaunchSpecification((1000, 1, 1), (32, 1, 1), {"p": Array(np.zeros(64, np.int32))}, sampled_blocks=10)
    simulate(kernel_of(text), launch, Ipdom, [observer])
    observer.close_all()
    whole = LossObserver()
    simulate(kernel_of(text), replace(launch, sampled_blocks=0), Ipdom, [whole])
    whole.close_all()
    assert observer.lost == whole.lost  # the first block alone splits, and stands for itself
    assert observer.issued == whole.issued


def test_the_largest_launch_is_that_of_most_threads() -> None:
    unknown = launch_of(None, None)
    small, large = launch_of(Shape(4), Shape(64)), launch_of(Shape(16, 16), Shape(32))
    called = replace(unknown, called=(LaunchNumbers(Shape(64), Shape(5000), (3,)),))
    assert largest_launch([unknown]) is None
    assert largest_launch([unknown, small, large]) == large
    found = largest_launch([small, called, large])
    assert found is not None
    assert (found.grid, found.argument_values, found.called) == (Shape(5000), (3,), ())


def launch_of(grid: Shape | None, block: Shape | None) -> Launch:
    return Launch("k", block, grid, None, (), (), (), (), "a.cu", Span(0, 1))


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
