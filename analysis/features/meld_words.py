"""Can the arms of a branch be melded, and what would that save?  In one sentence, for hovers and explanations."""

from __future__ import annotations

from typing import assert_never

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.meld.model import Opportunity, Outcome, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.rules.meld_text import saving_text


def meld_outcome(
    analysis: FileAnalysis,
    function: FunctionFacts,
    branch: BranchFact,
    settings: MeldSettings = DEFAULT_MELD_SETTINGS,
) -> Outcome | None:
    """The outcome of one branch of `function`; None where the lanes of a warp never part."""
    if branch.level is not Level.VARYING:
        return None
    outcomes = meld_outcomes(analysis, function, settings)
    return next((outcome for outcome in outcomes if outcome.branch is branch), None)


def meld_words(outcome: Outcome, function: FunctionFacts) -> str:
    """One sentence."""
    match outcome:
        case Opportunity():
            return f"The arms can be melded: one converged sequence would save {saving_text(outcome, function)}."
        case Refusal(message=message):
            return f"The arms are not melded: {message.rstrip('.')}."
        case _:
            assert_never(outcome)
