"""Repairs of barriers, each with its edit and what running both versions says of it: all that an action shows.

One goal, one draft: `analysis.refactor` writes the edit and proves what can be proven of the new text, and the goal of
the comparison (`model.Goal`) says what runs have to show.
"""

from __future__ import annotations

from typing import Final, assert_never, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.block_barriers.meet import meet_barriers
from analysis.refactor.block_barriers.model import CannotMeet, Met, RepairStep, steps_words
from analysis.refactor.block_order.order import Separated, separate_races
from analysis.refactor.edit import Replacement
from analysis.refactor.syncwarp import WhyNot, place_syncwarps
from analysis.refactor.warp_order.model import CannotOrder
from analysis.refactor.warp_order.order import Ordered, order_exchanges
from analysis.rules.wording import quantity
from sim.equivalence.allowance import Progress
from sim.equivalence.checked_edit import Change, Reanalyze, RequestsOf, check_edit, nothing_asked
from sim.equivalence.checked_meld import branch_place
from sim.equivalence.compare import DEFAULT_BUDGET
from sim.equivalence.model import Comparison, Goal, Verdict
from sim.equivalence.words import edit_title, verdict_words
from sim.specification import Budget

NOTHING_TO_ORDER: Final = "nothing is exchanged between the lanes of a warp that no barrier orders"
NOTHING_MISSED: Final = "all threads come to the barriers of this function"
NOTHING_TO_SEPARATE: Final = "no threads of several warps race in shared memory"
NO_BRANCH: Final = "no branch stands there behind which a barrier brings lanes of a warp together"


@final
@record
class CheckedBarriers:
    """`edit` belongs to the text that was analysed."""

    edit: tuple[Replacement, ...]
    comparison: Comparison
    title: str

    @property
    def verdict(self) -> Verdict:
        return self.comparison.verdict


@final
@record
class NoBarriers:
    """Why there is nothing to insert; `place` is a byte offset."""

    message: str
    place: int | None = None


def check_barriers(
    analysis: FileAnalysis,
    function: FunctionFacts,
    goal: BarrierGoal,
    place: int,
    reanalyze: Reanalyze,
    *,
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
    requests_of: RequestsOf = nothing_asked,
) -> CheckedBarriers | NoBarriers:
    """`place` is the byte offset of what the goal is about in the function; `budget.seconds` are for everything."""
    draft = _drafted(analysis, function, goal, place, reanalyze)
    if isinstance(draft, NoBarriers):
        return draft
    change = draft.change
    comparison = check_edit(analysis, change, reanalyze, budget=budget, progress=progress, requests_of=requests_of)
    title = edit_title(draft.words, comparison, verdict_words(comparison.verdict))
    return CheckedBarriers(change.edit, comparison, title)


@final
@record
class _Draft:
    """`words` say what the change does."""

    change: Change
    words: str


def _drafted(
    analysis: FileAnalysis, function: FunctionFacts, goal: BarrierGoal, place: int, reanalyze: Reanalyze
) -> _Draft | NoBarriers:
    match goal:
        case BarrierGoal.ORDER:
            return _ordering(analysis, function, reanalyze)
        case BarrierGoal.SEPARATE:
            return _separating(analysis, function, reanalyze)
        case BarrierGoal.RECONVERGE:
            return _reconverging(analysis, function, place, reanalyze)
        case BarrierGoal.MEET:
            return _meeting(analysis, function, reanalyze)
        case _:
            assert_never(goal)


def _ordering(analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze) -> _Draft | NoBarriers:
    """The barriers that order the exchanges of the kernels that run the function."""
    match order_exchanges(analysis, function, reanalyze):
        case None:
            return NoBarriers(NOTHING_TO_ORDER)
        case CannotOrder(reason=reason, place=place):
            return NoBarriers(reason.value, place)
        case Ordered() as ordered:
            return _Draft(Change(function, ordered.edit, Goal.ORDERED), order_words(ordered))


def _separating(analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze) -> _Draft | NoBarriers:
    """The barriers between accesses by which threads of several warps race in the kernel."""
    match separate_races(analysis, function, reanalyze):
        case None:
            return NoBarriers(NOTHING_TO_SEPARATE)
        case CannotOrder(reason=reason, place=place):
            return NoBarriers(reason.value, place)
        case Separated(edit=edit) as separated:
            # Written into a function that others call as well, it is checked in their kernels too.
            holder = analysis.facts.function_at(edit[0].start) or function
            return _Draft(Change(holder, edit, Goal.RACE_FREE), separated_words(separated))


def _reconverging(
    analysis: FileAnalysis, function: FunctionFacts, keyword: int, reanalyze: Reanalyze
) -> _Draft | NoBarriers:
    """The barrier behind the branch whose keyword begins at a byte offset of the file."""
    placement = place_syncwarps(analysis, function, reanalyze)
    point = next((one for one in placement.points if one.keyword == keyword), None)
    if point is None:
        return NoBarriers(_why_not(next((one.reason for one in placement.withheld if one.keyword == keyword), None)))
    return _Draft(Change(function, (point.edit,), Goal.SAME_RESULTS), "Insert `__syncwarp()` after the branch")


def _meeting(analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze) -> _Draft | NoBarriers:
    """All threads at the block barriers of the function."""
    match meet_barriers(analysis, function, reanalyze):
        case None:
            return NoBarriers(NOTHING_MISSED)
        case CannotMeet(reason=reason, place=place):
            return NoBarriers(reason.value, place)
        case Met() as met:
            goal = Goal.MERGED if RepairStep.MERGE in met.steps else Goal.MET
            branch = next(
                (one for one in function.branches if function.start + one.keyword.start in met.branches), None
            )
            place = None if branch is None else branch_place(analysis, function, branch)
            return _Draft(Change(function, met.edit, goal, place), steps_words(met.steps))


def order_words(ordered: Ordered) -> str:
    """`Insert 3 `__syncwarp()` and take 2 statements apart`."""
    return _inserted("`__syncwarp()`", ordered.barriers, ordered.splits)


def separated_words(separated: Separated) -> str:
    return _inserted("`__syncthreads()`", separated.barriers, separated.splits)


def _inserted(barrier: str, barriers: int, splits: int) -> str:
    number = "" if barriers == 1 else f"{barriers} "
    apart = f" and take {quantity(splits, 'statement')} apart" if splits else ""
    return f"Insert {number}{barrier}{apart}"


def _why_not(reason: WhyNot | None) -> str:
    return NO_BRANCH if reason is None else reason.value
