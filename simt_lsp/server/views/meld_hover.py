"""What a hover on a branch says of melding its arms: what it would save, and what a check has measured."""

from __future__ import annotations

from typing import assert_never

from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditVerdict
from simt_lsp.server.views.view import View


def meld_hover(view: View, start: int) -> list[str]:
    """For the branch whose keyword stands at a byte offset; empty where its arms cannot be melded."""
    from analysis.features.meld_words import meld_outcome, meld_words
    from analysis.refactor.meld.model import Opportunity

    function = view.analysis.facts.function_at(start)
    if function is None:
        return []
    branch = next((one for one in function.branches if function.start + one.keyword.start == start), None)
    if branch is None:
        return []
    outcome = meld_outcome(view.analysis, function, branch, view.analysed.configuration.rules.meld)
    if not isinstance(outcome, Opportunity):
        return []
    checked = view.known.checked_meld(function, branch)
    return [meld_words(outcome, function), *([] if checked is None else [_measured(checked.melded)])]


def _measured(melded: CheckedEdit) -> str:
    """With the policies under which both versions were compared, and those that were left out."""
    match melded.verdict:
        case EditVerdict.CONFIRMED:
            return f"Checked: {melded.title}" + (f": {melded.message}." if melded.message else ".")
        case EditVerdict.NOT_CHECKED:
            return f"{melded.title}."
        case EditVerdict.REFUTED:
            return f"The check refuted it: {melded.message or melded.title}."
        case _:
            assert_never(melded.verdict)
