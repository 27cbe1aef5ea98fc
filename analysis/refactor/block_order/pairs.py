"""Which accesses of a kernel have to be separated, and in which function's text that may be done.

Rules     A race between threads of two warps needs a barrier of the block; one that was only seen within warps is for
          `analysis.refactor.warp_order`.
          Where the two accesses belong to different rounds, several loops may be around both, and the barrier belongs
          into the outermost whose rounds race.  Two calls of one function may be separated where they are called, or
          once in the function itself.  The attempts are these choices, the best one first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.access.model import AccessKind
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.graph.cycles import Cycle
from analysis.ir.instructions import BasicBlockId, FunctionId
from analysis.ir.record import record
from analysis.races.intervals import orders_block
from analysis.races.model import MemoryUse, Order, Race, RaceKind
from analysis.refactor.warp_order.model import Obstacle, Separation, WhyNotOrdered
from analysis.refactor.warp_order.separations import in_order, separation, separation_of_calls
from analysis.verdict.barriers import Tier


@final
@record
class Attempt:
    """`depth` counts the loops around both accesses, the outermost is 0; `in_callee`: calls are separated inside.

    `trusts_witness`: two threads that were seen in different numbers of rounds are in different rounds of these loops.
    """

    depth: int = 0
    in_callee: bool = False
    trusts_witness: bool = True


ATTEMPTS: Final = (
    *(Attempt(), Attempt(depth=1), Attempt(depth=2), Attempt(trusts_witness=False)),
    *(Attempt(in_callee=True), Attempt(depth=1, in_callee=True)),
)


@final
@record
class Wanted:
    """What has to be ordered: races that are as sure as `tier`, and what is like them in another call.

    `within_warps`: also between threads that were seen to meet in one warp only.
    `seen`: the races of the text that was given, by their two accesses.  The search for witnesses ends somewhere, so
    that of many calls the last ones are only not ruled out.
    """

    tier: Tier
    within_warps: bool
    seen: frozenset[frozenset[_Written]]

    def among(self, analysis: FileAnalysis, function: FunctionFacts) -> tuple[tuple[FrameView, Race], ...]:
        """Those of a kernel."""
        return tuple(
            (view, race)
            for view, race in _shared_races(analysis, function)
            if _is_seen(race, self.tier, within_warps=self.within_warps) or self._is_alike(analysis, view, race)
        )

    def _is_alike(self, analysis: FileAnalysis, view: FrameView, race: Race) -> bool:
        is_open = race.witness is None and race.first.span.frame != race.second.span.frame
        return is_open and _accesses(analysis, view, race) in self.seen


@final
@record
class _Written:
    """An access as it is written in the text of a function."""

    function: FunctionId
    text: bytes
    kind: AccessKind


def wanted(analysis: FileAnalysis, function: FunctionFacts) -> tuple[Wanted, ...]:
    """What is to be ordered in a kernel in which threads of different warps race, the most that may be first.

    The proven races if there are any, else the possible ones.  A barrier for all threads orders the lanes of a warp as
    well, but it need not: where it cannot, they are for `analysis.refactor.warp_order`.
    """
    races = _shared_races(analysis, function)
    for tier in (Tier.PROVEN, Tier.POSSIBLE):
        across, every = (
            frozenset(
                _accesses(analysis, view, race)
                for view, race in races
                if _is_seen(race, tier, within_warps=within_warps)
            )
            for within_warps in (False, True)
        )
        if across:
            first = (Wanted(tier, True, every),) if every != across else ()
            return (*first, Wanted(tier, False, across))
    return ()


def _shared_races(analysis: FileAnalysis, function: FunctionFacts) -> Sequence[tuple[FrameView, Race]]:
    races = ((view, race) for view in analysis.views(function) for race in view.root.races)
    return [(view, race) for view, race in races if race.kind is RaceKind.SHARED]


def _is_seen(race: Race, tier: Tier, *, within_warps: bool) -> bool:
    is_sure = race.tier is Tier.PROVEN or race.tier is tier
    return is_sure and race.witness is not None and (within_warps or not race.witness.is_same_warp)


def _accesses(analysis: FileAnalysis, view: FrameView, race: Race) -> frozenset[_Written]:
    return frozenset(_written(analysis, view, use) for use in (race.first, race.second))


def _written(analysis: FileAnalysis, view: FrameView, use: MemoryUse) -> _Written:
    item = analysis.item_of(view, use.span.frame)
    text = b"" if item is None else item.text[use.span.start : use.span.end]
    return _Written(view.root.function.frames[use.span.frame].function, text, use.kind)


def separations(
    analysis: FileAnalysis, function: FunctionFacts, races: Wanted, attempt: Attempt
) -> tuple[Separation, ...]:
    """What has to be separated, in the order of the text; raises `Obstacle`."""
    return in_order({_separation(analysis, view, race, attempt) for view, race in races.among(analysis, function)})


def _separation(analysis: FileAnalysis, view: FrameView, race: Race, attempt: Attempt) -> Separation:
    first, second = race.first.instruction, race.second.instruction
    frames = view.root.function.frames
    one, other = first.span.frame, second.span.frame
    if attempt.in_callee and one != other and frames[one].function == frames[other].function:
        return separation_of_calls(analysis, view, first, second)
    if race.first == race.second and race.witness is not None and race.witness.order is Order.SAME_ROUND:
        raise Obstacle(WhyNotOrdered.ONE_ACCESS)
    cycles = _around_both(view, race)
    is_later = attempt.trusts_witness and race.witness is not None and race.witness.order is Order.NEXT_ROUND
    if cycles and (is_later or not _is_one_pass(view, race, cycles)):
        return separation(analysis, view, first, second, cycles[min(attempt.depth, len(cycles) - 1)].id)
    if race.first == race.second:
        raise Obstacle(WhyNotOrdered.ONE_ACCESS)
    return separation(analysis, view, first, second, None)


def _around_both(view: FrameView, race: Race) -> Sequence[Cycle]:
    """The loops around both accesses, the outermost first."""
    both = (one for one in view.root.control.cycles if {race.first.block, race.second.block} <= one.blocks)
    return sorted(both, key=lambda one: one.depth)


def _is_one_pass(view: FrameView, race: Race, cycles: Sequence[Cycle]) -> bool:
    """Whether one access leads to the other with no barrier between, in one round of the loops around both."""
    headers = frozenset(one.header for one in cycles)
    return _leads_to(view, race.first, race.second, headers) or _leads_to(view, race.second, race.first, headers)


def _leads_to(view: FrameView, first: MemoryUse, second: MemoryUse, headers: frozenset[BasicBlockId]) -> bool:
    root = view.root
    cuts = {(site.block, site.index) for site in root.barriers if orders_block(site.instruction)}
    seen: set[BasicBlockId] = set()
    waiting = [(first.block, first.index)]
    while waiting:
        block, behind = waiting.pop()
        end = min((index for cut, index in cuts if cut == block and index > behind), default=None)
        if second.block == block and behind < second.index and (end is None or second.index < end):
            return True
        if end is None:
            targets = [BasicBlockId(one) for one in root.control.successors[block]]
            fresh = [one for one in targets if one not in seen and one not in headers]
            seen.update(fresh)
            waiting += ((one, -1) for one in fresh)
    return False
