"""How many rounds threads of a known block take, and what lanes wait for that."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.facts.model import BranchFact
from analysis.ir.function import SourceBranchKind
from analysis.verdict.lane_rounds import Schedule, count_lane_rounds
from analysis.verdict.split_count import SplitCount
from tests.rules.fixture import analyze


def test_the_rounds_of_each_thread_are_counted() -> None:
    below_100 = Schedule(-100, 128, (1, 0, 0, 0), is_asked_first=True)
    counted = count_lane_rounds([below_100], LaunchKnowledge((BlockShape(128),)))
    assert counted is not None
    assert counted.splits == SplitCount(1, 4, 128, exact=False)
    assert (counted.most, counted.waited) == (1, (1 - 4 / 32) / 4)
    twice = Schedule(-100, 64, (1, 0, 0, 0), is_asked_first=True)  # threads below 36 take a second round
    counted = count_lane_rounds([twice], LaunchKnowledge((BlockShape(64),)))
    assert counted is not None
    assert (counted.most, counted.waited) == (2, (1 - 4 / 32) / 4)
    assert count_lane_rounds([below_100], LaunchKnowledge()) is None


def loop(header: str, launch: str) -> BranchFact:
    text = f"{launch}__global__ void k(float *x, int n) {{ int t = threadIdx.x; {header} x[t] += x[i]; }}"
    (function,) = analyze(text).facts.functions
    (found,) = (branch for branch in function.branches if branch.kind is SourceBranchKind.LOOP)
    return found


KNOWN = "// simt: block=%s\n"


@pytest.mark.parametrize(
    ("header", "block", "splitting", "share"),
    [
        ("for (int i = t; i < 100; i += 128)", "128", 1, 0.2),
        ("for (int i = t; i <= 96; i += 128)", "128", 1, 0.2),
        ("for (int i = t; i < 96; i += 128)", "128", 0, 0.0),
        ("for (int i = t; i < 1024; i += 128)", "128", 0, 0.0),
        ("for (int i = t; i < 16; i += 32)", "32", 1, 0.48),
        ("for (int i = threadIdx.y; i < 3; i += 8)", "16,8", 1, 0.1),
        ("for (int i = t; i < 32; i++)", "32", 1, 0.48),
        ("for (int i = 99 - t; i >= 0; i -= 128)", "128", 1, 0.2),
    ],
)
def test_a_loop_of_known_rounds(header: str, block: str, splitting: int, share: float) -> None:
    found = loop(header, KNOWN % block)
    assert (0 if found.splits is None else found.splits.splitting) == splitting
    part = 0.0 if found.cost_part is None else found.cost_part.share.expected
    assert part == pytest.approx(share, abs=0.08)


@pytest.mark.parametrize("header", ["for (int i = t; i < n; i += 128)", "for (int i = t; i < 100; i += n)"])
def test_what_is_not_known_is_not_counted(header: str) -> None:
    assert loop(header, KNOWN % "128").splits is None
    assert loop(header, "").splits is None
