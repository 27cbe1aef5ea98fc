"""A function that is called from several places: each branch is priced where it varies, whatever else was asked."""

from __future__ import annotations

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.meld.settings import DEFAULT_MELD_SETTINGS
from analysis.refactor.meld.model import Opportunity
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.refactor.meld.region import Candidate, MeldableBranch, Regions, region_of
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


def alone(analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact) -> Opportunity:
    """What is found where only this branch is looked at."""
    regions = Regions(analysis, function)
    candidate = regions.candidate(branch)
    found = region_of(analysis, function, branch, DEFAULT_MELD_SETTINGS)
    assert isinstance(candidate, Candidate)
    assert isinstance(found, MeldableBranch)
    return regions.opportunity(candidate, found.plan.method, found.plan.saved)


def test_a_branch_has_one_saving_whoever_asks() -> None:
    analysis = analyzed(TEXT)
    work = next(one for one in analysis.facts.functions if one.name == "work")
    together = {one.branch: one for one in meld_outcomes(analysis, work)}
    savings = [alone(analysis, work, branch).predicted_saving for branch in work.branches]
    assert [getattr(together[branch], "predicted_saving", None) for branch in work.branches] == savings
    assert savings[0] > 10 * savings[1] > 0
