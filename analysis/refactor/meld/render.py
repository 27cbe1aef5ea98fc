"""The edit that melds the two arms of one branch: computed when somebody asks for it."""

from __future__ import annotations

from analysis.facts.file_analysis import FileAnalysis
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.edit import Replacement
from analysis.refactor.meld.model import Obstacle, Opportunity, Refusal


def render_meld(
    analysis: FileAnalysis, opportunity: Opportunity, settings: MeldSettings = DEFAULT_MELD_SETTINGS
) -> tuple[Replacement, ...] | Refusal:
    """The replacements that meld the arms, in order, or why the result cannot be written down."""
    del analysis, settings
    branch = opportunity.branch
    return Refusal(opportunity.function, branch, Obstacle.TEXT, branch.keyword, "melding is not written yet")
