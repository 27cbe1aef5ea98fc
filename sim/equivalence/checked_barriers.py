"""`__syncwarp()` with the edit that inserts it and what running both versions says of it: all that an action shows.

Two kinds: the barriers that order what the lanes of a warp exchange through shared memory (WRP209 and RAC301), and the
one that brings lanes together again behind a branch (Lee et al., CGO 2013, section 5.2).
"""

from __future__ import annotations

from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.refactor.syncwarp import WhyNot, place_syncwarps
from analysis.refactor.warp_order.model import CannotOrder
from analysis.refactor.warp_order.order import Ordered, order_exchanges
from analysis.rules.wording import quantity
from sim.equivalence.allowance import Progress
from sim.equivalence.checked_edit import Change, Reanalyze, RequestsOf, check_edit, nothing_asked
from sim.equivalence.compare import DEFAULT_BUDGET
from sim.equivalence.model import Comparison, Goal, Verdict
from sim.equivalence.words import edit_title, verdict_words
from sim.launch.specification import Budget

NOTHING_TO_ORDER: Final = "nothing is exchanged between the lanes of a warp that no barrier orders"
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


def check_order(
    analysis: FileAnalysis,
    function: FunctionFacts,
    reanalyze: Reanalyze,
    *,
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
    requests_of: RequestsOf = nothing_asked,
) -> CheckedBarriers | NoBarriers:
    """The barriers that order the exchanges of the kernels that run the function; `budget.seconds` for everything."""
    match order_exchanges(analysis, function, reanalyze):
        case None:
            return NoBarriers(NOTHING_TO_ORDER)
        case CannotOrder(reason=reason, place=place):
            return NoBarriers(reason.value, place)
        case Ordered() as ordered:
            change = Change(function, ordered.edit, Goal.ORDERED)
            comparison = check_edit(
                analysis, change, reanalyze, budget=budget, progress=progress, requests_of=requests_of
            )
            return CheckedBarriers(ordered.edit, comparison, _title(order_words(ordered), comparison))


def check_reconvergence(
    analysis: FileAnalysis,
    function: FunctionFacts,
    keyword: int,
    reanalyze: Reanalyze,
    *,
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
    requests_of: RequestsOf = nothing_asked,
) -> CheckedBarriers | NoBarriers:
    """The barrier behind the branch whose keyword begins at a byte offset of the file."""
    placement = place_syncwarps(analysis, function, reanalyze)
    point = next((one for one in placement.points if one.keyword == keyword), None)
    if point is None:
        return NoBarriers(_why_not(next((one.reason for one in placement.withheld if one.keyword == keyword), None)))
    change = Change(function, (point.edit,), Goal.SAME_RESULTS)
    comparison = check_edit(analysis, change, reanalyze, budget=budget, progress=progress, requests_of=requests_of)
    return CheckedBarriers(change.edit, comparison, _title("Insert `__syncwarp()` after the branch", comparison))


def order_words(ordered: Ordered) -> str:
    """`Insert 3 `__syncwarp()`, two statements taken apart`."""
    barriers = "`__syncwarp()`" if ordered.barriers == 1 else f"{ordered.barriers} `__syncwarp()`"
    if not ordered.splits:
        return f"Insert {barriers}"
    return f"Insert {barriers} and take {quantity(ordered.splits, 'statement')} apart"


def _why_not(reason: WhyNot | None) -> str:
    return NO_BRANCH if reason is None else reason.value


def _title(what: str, comparison: Comparison) -> str:
    return edit_title(what, comparison, verdict_words(comparison.verdict))
