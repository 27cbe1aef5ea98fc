"""Which divergent branches of a function can be melded in the source, and why not the others?

Rules     Every source branch whose level is VARYING has one outcome, in source order.
          A loop, `?:`, `&&` and `||` have no two arms; an `if` without `else` runs nothing twice; a bounds check hardly
          ever parts a warp.
          Branches inside each other are read and planned together, from the outermost that can be read.
Cost      Paid for the edited function on each edit, so nothing is looked at that an earlier test has decided, and no
          text is written.  For a function that an edit did not change the answer is remembered; for a branch that it
          did not touch, what planning found (`passage.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.record import record
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldMethod, MeldSettings
from analysis.refactor.meld.model import Opportunity, Outcome, Refusal
from analysis.refactor.meld.passage import Passage, Place
from analysis.refactor.meld.planning import NoGain, NotAlike, Plan, Undeclarable
from analysis.refactor.meld.plans import EmptyArm, Unreadable, plans_of
from analysis.refactor.meld.region import Candidate, Regions, may_be_melded


def meld_outcomes(
    analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings = DEFAULT_MELD_SETTINGS
) -> tuple[Outcome, ...]:
    """One outcome for each branch of `function` at which the lanes of a warp may part."""
    branches = _branches(function)
    if not branches:
        return ()
    question = meld_outcomes, settings
    return analysis.remembered(function, question, lambda: _outcomes(analysis, function, branches, settings))


def meld_opportunities(
    analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings, least: float
) -> Sequence[Opportunity]:
    """The melds that save at least that share of the kernel's issue slots."""
    branches = [one for one in _branches(function) if may_be_melded(one)]
    if not branches:
        return ()
    question = meld_opportunities, settings, least
    outcomes = analysis.remembered(function, question, lambda: _outcomes(analysis, function, branches, settings, least))
    return [one for one in outcomes if isinstance(one, Opportunity) and one.predicted_saving >= least]


def _branches(function: FunctionFacts) -> Sequence[BranchFact]:
    return [branch for branch in function.branches if branch.level is Level.VARYING]


@final
@record
class Gain:
    """What is remembered of a plan: not the statements, which nobody writes down on an edit."""

    method: MeldMethod
    saved: float
    """Issue slots."""


_Result: TypeAlias = Gain | NotAlike | NoGain | Undeclarable | EmptyArm


def _outcomes(
    analysis: FileAnalysis,
    function: FunctionFacts,
    branches: Sequence[BranchFact],
    settings: MeldSettings,
    least: float = 0.0,
) -> tuple[Outcome, ...]:
    """Of all branches but those that cannot save `least`."""
    regions = Regions(analysis, function)
    looked_at = _worth_reading(regions, branches, least) if least > 0 else [regions.candidate(one) for one in branches]
    candidates = [one for one in looked_at if isinstance(one, Candidate)]
    found: dict[Place, Outcome] = {}
    for number, candidate in enumerate(candidates):
        if _keyword(candidate) not in found:
            inside = [one for one in candidates[number + 1 :] if _is_inside(one, candidate)]
            found |= _planned(analysis, regions, candidate, inside, settings)
    return tuple(one if isinstance(one, Refusal) else found[_keyword(one)] for one in looked_at)


def _worth_reading(regions: Regions, branches: Sequence[BranchFact], least: float) -> Sequence[Candidate | Refusal]:
    """Those whose arms may save `least`, and what stands around one of these, since it is read with it."""
    forks = [regions.fork(one) for one in branches if regions.may_save(one, least)]
    found = [one for one in forks if isinstance(one, Candidate)]
    worth = [one for one in found if regions.arms_may_save(one, least) and regions.hindered(one) is None]
    around = [one for one in found if any(inner is one or _is_inside(inner, one) for inner in worth)]
    return [regions.hindered(one) or one for one in around]


def _planned(
    analysis: FileAnalysis,
    regions: Regions,
    candidate: Candidate,
    inside: Sequence[Candidate],
    settings: MeldSettings,
) -> Mapping[Place, Outcome]:
    """The outcomes of a branch and of those in its arms, as far as they are read with it, by their keywords."""
    located = regions.located(candidate, inside)
    results = analysis.recalled(_results, located.passage, settings)
    if isinstance(results, Unreadable):
        return {_keyword(candidate): regions.not_planned(candidate, results, located.origin)}
    outcomes: dict[Place, Outcome] = {}
    for one, asked in zip((candidate, *inside), located.passage.asked, strict=True):
        match results.get(asked):
            case None:
                assert one is not candidate, "a passage begins with the branch that it is about"
            case Gain(method=method, saved=saved):
                outcomes[_keyword(one)] = regions.opportunity(one, method, saved)
            case result:
                outcomes[_keyword(one)] = regions.not_planned(one, result, located.origin)
    return outcomes


def _results(passage: Passage, settings: MeldSettings) -> Mapping[Place, _Result] | Unreadable:
    plans = plans_of(passage, settings)
    if isinstance(plans, Unreadable):
        return plans
    return {place: Gain(plan.method, plan.saved) if isinstance(plan, Plan) else plan for place, plan in plans.items()}


def _keyword(candidate: Candidate) -> Place:
    keyword = candidate.branch.keyword
    return keyword.start, keyword.end


def _is_inside(inner: Candidate, outer: Candidate) -> bool:
    around, within = outer.branch.extent, inner.branch.extent
    return inner.context == outer.context and around.start <= within.start and within.end <= around.end
