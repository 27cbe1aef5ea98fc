"""A few of the kernels of `tests.exchanges.fuzz`, and what it found."""

from __future__ import annotations

from collections import Counter

from analysis.refactor.edit import apply_replacements
from analysis.refactor.warp_order.model import CannotOrder, Ordered, WhyNotOrdered
from sim.policies.ipdom import Ipdom
from tests.exchanges.kernels import random_kernel
from tests.exchanges.referee import lane_races, ordered, referee


def test_no_lanes_race_after_the_change() -> None:
    counts: Counter[str] = Counter()
    for seed in range(8):
        wrong, found = referee(random_kernel(seed))
        assert wrong == [], seed
        counts.update(found)
    assert counts["ordered"] >= 4
    assert counts["splits"]


def test_the_referee_sees_a_race_that_is_left() -> None:
    text, found = next(
        (text, found) for text in map(random_kernel, range(20)) if isinstance(found := ordered(text), Ordered)
    )
    without = apply_replacements(text.encode(), found.edit).decode().replace("__syncwarp();", "", 1)
    assert lane_races(without, Ipdom)[0]


def test_lanes_that_cannot_be_followed_are_no_proof() -> None:
    text = """__global__ void k(int *x, const int *y, int n) {
  __shared__ volatile int s[2][64];
  int t = threadIdx.x, lane = t % 32, v = 0;
  if (t < 32) {
    if (y[t] > 3) s[t / 32][lane ^ 4] = v = v + s[t / 32][lane + 2];
  }
  s[t / 32][31 - lane] = lane;
  v += s[t / 32][lane];
  x[t] = v;
}
void host(int *x, const int *y, int n) { k<<<2, 64>>>(x, y, 64); }
"""
    assert ordered(text) == CannotOrder(WhyNotOrdered.NOT_FOLLOWED)
    assert isinstance(ordered(text.replace("y[t] > 3", "t > 3")), Ordered)
