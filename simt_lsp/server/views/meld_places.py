"""The divergent branches at a place of a document, and whether their arms can be melded.

Rules    A branch is at a place if its keyword stands in one of the lines of the place.
         Only the function in which the place begins is looked at, and only if it has such a branch: clients ask for
         code actions with every move of the cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from lsprotocol import types

from analysis.ir.record import record
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from analysis.facts.model import FunctionFacts
    from analysis.refactor.meld.model import Outcome


@final
@record
class MeldPlace:
    """`start` and `end` are the byte offsets of the branch's keyword in the file."""

    function: FunctionFacts
    outcome: Outcome
    start: int
    end: int


def meld_places(view: View, place: types.Range) -> list[MeldPlace]:
    """In the order of the text."""
    from analysis.divergence.levels import Level
    from analysis.refactor.meld.outcomes import meld_outcomes

    lines = view.analysed.item.document.lines
    wanted = range(place.start.line, place.end.line + 1)
    function = view.analysis.facts.function_at(_first_text(view, place.start))
    if function is None or not function.active:
        return []
    found = {
        branch.keyword
        for branch in function.branches
        if branch.level is Level.VARYING and lines.line_of(function.start + branch.keyword.start) in wanted
    }
    if not found:
        return []
    outcomes = meld_outcomes(view.analysis, function, view.analysed.configuration.rules.meld)
    return [
        MeldPlace(function, one, function.start + one.branch.keyword.start, function.start + one.branch.keyword.end)
        for one in outcomes
        if one.branch.keyword in found
    ]


def _first_text(view: View, position: types.Position) -> int:
    """The offset of a position; of one in the indentation of its line, where the text of the line begins."""
    text, offset = view.analysed.item.document.text, view.offset(position)
    line = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", line)
    indentation = len(text[line : end if end >= 0 else None]) - len(text[line : end if end >= 0 else None].lstrip())
    return max(offset, line + indentation)
