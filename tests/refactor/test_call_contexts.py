"""A function that is called from several places: each branch is priced where it varies, whatever else was asked."""

from __future__ import annotations

from analysis.meld.settings import DEFAULT_MELD_SETTINGS
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.refactor.meld.region import Region, Regions
from tests.refactor.melding import analyzed

TEXT = """
__device__ void work(float *a, float *b, int first, int second) {
  if (first > 3) { a[0] = b[1] * b[2] / 3.0f; } else { a[1] = b[3] * b[4] / 3.0f; }
  if (second > 3) { a[2] = b[1] * b[2] / 3.0f; } else { a[3] = b[3] * b[4] / 3.0f; }
}
__global__ void small(float *a, float *b) { work(a, b, threadIdx.x, 0); }
__global__ void large(float *a, float *b) {
  work(a, b, 0, threadIdx.x);
  for (int i = 0; i < 100; i++) a[i] = b[i] * b[i + 1];
}
"""


def test_a_branch_has_one_saving_whoever_asks() -> None:
    analysis = analyzed(TEXT)
    work = next(one for one in analysis.facts.functions if one.name == "work")
    together = {one.branch: one for one in meld_outcomes(analysis, work)}
    alone = [Regions(analysis, work, DEFAULT_MELD_SETTINGS).region(branch) for branch in work.branches]
    savings = [one.saving for one in alone if isinstance(one, Region)]
    assert [getattr(together[branch], "predicted_saving", None) for branch in work.branches] == savings
    assert savings[0] > 10 * savings[1] > 0
