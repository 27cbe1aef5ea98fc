"""Which divergent branches of a function can be melded in the source, and why not the others?

Rules     Every source branch whose level is VARYING has one outcome, in source order.
          A loop, `?:`, `&&` and `||` have no two arms; an `if` without `else` runs nothing twice; a bounds check hardly
          ever parts a warp.
Cost      Paid for the edited function on each edit, so nothing is looked at that an earlier test has decided, and no
          text is written.  For a function that an edit did not change the answer is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.meld.model import Opportunity, Outcome, Refusal
from analysis.refactor.meld.region import Regions


def meld_outcomes(
    analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings = DEFAULT_MELD_SETTINGS
) -> tuple[Outcome, ...]:
    """One outcome for each branch of `function` at which the lanes of a warp may part."""
    branches = [branch for branch in function.branches if branch.level is Level.VARYING]
    if not branches:
        return ()
    question = meld_outcomes, settings
    return analysis.remembered(function, question, lambda: _outcomes(analysis, function, branches, settings))


def _outcomes(
    analysis: FileAnalysis, function: FunctionFacts, branches: Sequence[BranchFact], settings: MeldSettings
) -> tuple[Outcome, ...]:
    regions = Regions(analysis, function, settings)
    outcomes: list[Outcome] = []
    for branch in branches:
        found = regions.region(branch)
        if isinstance(found, Refusal):
            outcomes.append(found)
        else:
            outcomes.append(Opportunity(function.id, branch, found.plan.method, found.saving))
    return tuple(outcomes)
