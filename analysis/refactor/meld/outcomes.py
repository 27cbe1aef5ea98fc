"""Which divergent branches of a function can be melded in the source, and why not the others?

Rules     Every source branch whose level is VARYING has one outcome, in source order.
          A loop, `?:`, `&&` and `||` have no two arms; an `if` without `else` runs nothing twice; a bounds check hardly
          ever parts a warp.
Cost      Paid for the edited function on each edit, so nothing is looked at that an earlier test has decided.
"""

from __future__ import annotations

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.function import SourceBranchKind
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.meld.model import Obstacle, Outcome, Refusal


def meld_outcomes(
    analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings = DEFAULT_MELD_SETTINGS
) -> tuple[Outcome, ...]:
    """One outcome for each branch of `function` at which the lanes of a warp may part."""
    return tuple(
        _outcome(analysis, function, branch, settings) for branch in function.branches if branch.level is Level.VARYING
    )


def _outcome(analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact, settings: MeldSettings) -> Outcome:
    if branch.kind is not SourceBranchKind.IF:
        message = "only the two arms of an `if` can be melded"
        return Refusal(function.id, branch, Obstacle.NOT_A_STATEMENT, branch.keyword, message)
    return Refusal(function.id, branch, Obstacle.TEXT, branch.keyword, "melding is not written yet")
