"""A meld with the edit that does it and what running both versions says of it: all that a code action shows.

What is offered without being asked for is what was confirmed; the title says how much it saves and what it was checked
on, or why it was not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.refactor.meld.model import Opportunity, Refusal
from analysis.refactor.meld.render import render_meld
from sim.equivalence.allowance import Progress
from sim.equivalence.checked_edit import Change, Reanalyze, RequestsOf, check_edit, nothing_asked
from sim.equivalence.compare import DEFAULT_BUDGET
from sim.equivalence.model import (
    BranchPlace,
    Comparison,
    Confirmed,
    Goal,
    LaunchSummary,
    PolicyFigures,
    Refuted,
    Verdict,
)
from sim.equivalence.words import edit_title
from sim.specification import Budget


@final
@record
class CheckedMeld:
    """`edit` belongs to the text that was analysed, and makes it `text`."""

    opportunity: Opportunity
    edit: tuple[Replacement, ...]
    text: bytes
    comparison: Comparison
    title: str

    @property
    def verdict(self) -> Verdict:
        return self.comparison.verdict

    @property
    def is_confirmed(self) -> bool:
        return isinstance(self.verdict, Confirmed)

    @property
    def is_refuted(self) -> bool:
        return isinstance(self.verdict, Refuted)

    @property
    def launch(self) -> LaunchSummary | None:
        return self.comparison.launch

    @property
    def figures(self) -> Sequence[PolicyFigures]:
        """Both versions under each policy, the stack of hardware first."""
        return self.comparison.figures

    @property
    def threads(self) -> int | None:
        """Of the launch that both versions ran; None where nothing ran."""
        return None if self.launch is None else self.launch.threads

    @property
    def saving(self) -> float | None:
        """The share of issued instructions that the kernel saves; None where that was not counted."""
        return self.comparison.saving


def check_meld(
    analysis: FileAnalysis,
    opportunity: Opportunity,
    settings: MeldSettings = DEFAULT_MELD_SETTINGS,
    *,
    reanalyze: Reanalyze,
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
    requests_of: RequestsOf = nothing_asked,
) -> CheckedMeld | Refusal:
    """The meld of one branch, or why its result cannot be written down; `budget.seconds` are for everything.

    `reanalyze` analyses the changed text as `analysis` was; `requests_of` says what a user or the file wants of a
    kernel's launch.  `progress` hears the share of the time that is over; False from it ends the check.
    """
    edit = render_meld(analysis, opportunity, settings)
    if isinstance(edit, Refusal):
        return edit
    function = next(one for one in analysis.facts.functions if one.id == opportunity.function)
    change = Change(function, edit, Goal.FEWER_INSTRUCTIONS, branch_place(analysis, function, opportunity.branch))
    comparison = check_edit(analysis, change, reanalyze, budget=budget, progress=progress, requests_of=requests_of)
    text = apply_replacements(analysis.document.text, edit)
    return CheckedMeld(opportunity, edit, text, comparison, title_of(opportunity.branch, comparison))


def branch_place(analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact) -> BranchPlace:
    """Where the branch stands in the file."""
    start, extent = function.start, branch.extent
    return BranchPlace(analysis.facts.path, start + branch.keyword.start, start + extent.start, start + extent.end)


def title_of(branch: BranchFact, comparison: Comparison) -> str:
    """`Meld both arms: 31 % fewer issued instructions, checked on 4,096 threads`."""
    what = "Meld all arms" if branch.kind is SourceBranchKind.SWITCH else "Meld both arms"
    saving = comparison.saving
    return edit_title(what, comparison, None if saving is None else f"{_percent(saving)} fewer issued instructions")


def _percent(share: float) -> str:
    percents = round(100 * share)
    return f"{percents} %" if percents >= 1 else "less than 1 %"
