"""How often loops run whose bounds are numbers and the counters of loops around."""

from __future__ import annotations

import pytest

from analysis.facts.model import BranchFact
from tests.rules.fixture import analyze

BRANCH = "if (v > 0) x[v] = sinf(x[t]); else x[t] = cosf(x[v]);"


def split_share(loops: str, more: str) -> tuple[float, float, float]:
    """Of a split in the loops, beside more work."""
    text = f"""__global__ void k(const int *p, float *x, int n) {{
  int t = threadIdx.x, v = p[t];
  {loops} {{ {BRANCH} }}
  {more}
}}"""
    branches: tuple[BranchFact, ...] = analyze(text).facts.functions[-1].branches
    (part,) = [one.cost_part for one in branches if one.cost_part is not None]
    return part.share.ends


MORE = "for (int k = 0; k < 100; k++) x[k] += sinf(x[k * 64]);"


@pytest.mark.parametrize(
    ("nest", "rounds"),
    [
        ("for (int i = 1; i < 16; i++) for (int j = 0; j < i; j++)", 120),
        ("for (int i = 0; i < 15; i++) for (int j = i + 1; j < 16; j++)", 120),
        ("for (int i = 0; i < 15; i++) for (int j = 15; j > i; j--)", 120),
        ("for (int i = 0; i < 16; i++) for (int j = 0; j <= i; j++)", 136),
        ("for (int i = 0; i < 16; i++) for (int j = 0; !(j > i); j++)", 136),
        ("for (int i = 0; i < 16; i++) for (int j = 0; j < 2 * i; j += 2)", 120),
    ],
)
def test_a_triangle_is_as_much_as_a_loop_of_as_many_rounds(nest: str, rounds: int) -> None:
    low, expected, high = split_share(nest, MORE)
    assert low == expected == high
    _, plain, _ = split_share(f"for (int i = 0; i < {rounds}; i++)", MORE)
    assert expected == pytest.approx(plain, rel=0.15)


@pytest.mark.parametrize(
    "nest",
    [
        "for (int i = 1; i < n; i++) for (int j = 0; j < i; j++)",
        "for (int i = 1; i < 16; i++) for (int j = 0; j < i * n; j++)",
    ],
)
def test_what_is_not_a_number_stays_unknown(nest: str) -> None:
    low, _, high = split_share(nest, MORE)
    assert low < high
