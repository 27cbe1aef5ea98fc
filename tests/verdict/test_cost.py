"""Prices of branches and loops, in issue slots."""

from __future__ import annotations

import pytest

from analysis.facts.model import BranchFact
from analysis.verdict.split_count import SplitCount
from tests.rules.fixture import analyze


def branches(body: str, launch: str = "") -> tuple[BranchFact, ...]:
    text = f"""{launch}__global__ void k(const int *p, float *x, double *d, int n) {{
  int t = threadIdx.x;
  int v = p[t];
  {body}
}}"""
    return analyze(text).facts.functions[-1].branches


def cost(body: str) -> int:
    return branches(body)[0].cost


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (v) x[t] = 1.0f; else x[t + 1] = 2.0f;", 10),  # the store 8, its address 1, the shorter side
        ("if (v) x[t] = 1.0f;", 0),
        ("if (v) { } else x[t] = 1.0f;", 0),
        ("x[t] = v ? 1.0f : 2.0f;", 0),
        ("if (v && p[v]) x[t] = 1.0f; else if (n) x[t] = 2.0f;", 10),
        ("if (n) x[t] = 1.0f; else x[t + 1] = 2.0f;", 0),
        ("switch (v) { case 0: x[t] = 1.0f; break; case 1: x[v] = 2.0f; break; default: x[n] = 3.0f; }", 20),
        ("if (t == 0) { if (v) x[t] = 1.0f; else x[t + 1] = 2.0f; }", 0),
    ],
)
def test_the_shorter_side_is_the_price(body: str, expected: int) -> None:
    found = [branch.cost for branch in branches(body)]
    assert max(found) == pytest.approx(expected, abs=2), found


def test_dear_operations_cost_more() -> None:
    plain = cost("float a = x[t]; if (v) a = a * 3.0f; else a = a + 3.0f; x[t] = a;")
    root = cost("float a = x[t]; if (v) a = sqrtf(a); else a = 1.0f / a; x[t] = a;")
    sine = cost("float a = x[t]; if (v) a = sinf(a); else a = cosf(a); x[t] = a;")
    double = cost("double a = d[t]; if (v) a = sin(a); else a = cos(a); d[t] = a;")
    assert plain < root < sine < double


def test_loops_around_and_inside_multiply() -> None:
    arm = "if (v == k) x[t] = 1.0f; else x[v] = 2.0f;"
    once = cost(f"int k = n; {arm}")
    sixteen = next(b.cost for b in branches(f"for (int k = 0; k < 16; k++) {arm}") if b.cost)
    inner = cost("if (v) for (int k = 0; k < 16; k++) x[k] = 1.0f; else for (int k = 0; k < 16; k++) x[v + k] = 2.0f;")
    assert sixteen == 16 * once
    assert 16 * once <= inner <= 40 * once


def test_a_loop_costs_the_rounds_that_early_lanes_wait() -> None:
    assert cost("for (int k = 0; k < v; k++) x[k] = 1.0f;") > 40
    assert cost("for (int k = t % 32; k < v; k += 32) x[k] = 1.0f;") > 40
    lanes = "for (int k = %s; k < n; k += 32) x[k] = 1.0f;"
    assert cost(lanes % "t") == 0  # lanes leave within one round of each other
    assert cost("while (!*(volatile int *)p) ;") == 0  # waits for others, whatever the lanes do


def test_the_idle_lanes_of_one_long_side_are_told() -> None:
    (short, *_) = branches("if (v) x[t] = 1.0f;")
    (long, *_) = branches("if (v) for (int k = 0; k < 100; k++) x[k * n] = sinf(x[k]);")
    assert (short.cost, long.cost) == (0, 0)
    assert short.idle < 10
    assert long.idle > 1000


def test_warps_that_split_are_counted_for_the_known_shape() -> None:
    launch = "// simt: block=256\n"
    (odd, *_) = branches("if (t % 2) x[t] = 1.0f;", launch)
    (first, *_) = branches("if (t == 40) x[t] = 1.0f;", launch)
    (quarter, *_) = branches("if (t % 64 < 16) x[t] = 1.0f;", launch)
    assert odd.splits == SplitCount(8, 8, 256, exact=True)
    assert first.splits == SplitCount(1, 8, 256, exact=True)
    assert quarter.splits == SplitCount(4, 8, 256, exact=True)
    (_, behind, *_) = branches("if (v) return; if (t % 2) x[t] = 1.0f;", launch)
    assert behind.splits == SplitCount(8, 8, 256, exact=False)


def test_a_divisor_is_a_constant_behind_its_conversion() -> None:
    arm = "if (v) p2[t] = {} / 32; else p2[t] = {} / 64;"
    unsigned = cost("unsigned u = v; unsigned *p2 = (unsigned *)x; " + arm.format("u", "u"))
    signed = cost("unsigned *p2 = (unsigned *)x; " + arm.format("v", "v"))
    unknown = cost("unsigned u = v; unsigned *p2 = (unsigned *)x; if (v) p2[t] = u / n; else p2[t] = u / (n + 1);")
    assert unsigned <= signed < unknown
