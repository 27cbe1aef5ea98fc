"""From pairs of accesses in inlined functions to the two stretches of text between which a barrier is missing.

Rules     Two accesses belong to the innermost function whose text has both of them, or calls that lead to them: there a
          barrier between two stretches separates them, whoever was called.
          Accesses in different rounds of a loop belong to the function of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function, SourceBranchKind
from analysis.ir.instructions import Atomic, Branch, Load, Store, Switch
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.refactor.warp_order.model import Calls, Obstacle, Repeated, Rounds, Separation, Site, WhyNotOrdered
from analysis.warp.exchange_pairs import ExchangePairs, find_exchange_pairs

Access: TypeAlias = Load | Store | Atomic


def separations(analysis: FileAnalysis, views: Iterable[FrameView]) -> tuple[Separation, ...]:
    """All that the roots of the views lack, in the order of the text; raises `Obstacle`."""
    found: set[Separation] = set()
    for view in {id(view.root): view for view in views if view.root.is_of_kernel}.values():
        missing = missing_pairs(view)
        if missing.pairs and not missing.is_complete:
            raise Obstacle(WhyNotOrdered.NOT_FOLLOWED)
        found |= {separation(analysis, view, pair.first, pair.second, pair.cycle) for pair in missing.pairs}
    return in_order(found)


def in_order(found: Iterable[Separation]) -> tuple[Separation, ...]:
    """As they stand in the text."""
    return tuple(sorted(found, key=lambda one: (one.first.start, one.second.start, _repeated_at(one.repeated))))


def _repeated_at(repeated: Repeated | None) -> int:
    match repeated:
        case None:
            return 0
        case Rounds(keyword=keyword):
            return keyword
        case Calls(start=start):
            return start


def missing_pairs(view: FrameView) -> ExchangePairs:
    """Of the kernel that the view is part of."""
    root = view.root
    return find_exchange_pairs(root.function, root.control, root.if_callers_agree, root.spaces, root.launch)


def separation(
    analysis: FileAnalysis, view: FrameView, first: Access, second: Access, cycle: CycleId | None
) -> Separation:
    """Two accesses of one pass, or of different rounds of a loop; raises `Obstacle`."""
    function = view.root.function
    ways = _way_out(function, first.span), _way_out(function, second.span)
    if cycle is None:
        frame, rounds = next(frame for frame in ways[0] if frame in ways[1]), None
    else:
        keyword = _loop_keyword(view, cycle)
        frame = keyword.frame
        rounds = Rounds(_offset(analysis, view, keyword).start)
    if frame not in ways[0] or frame not in ways[1]:
        raise Obstacle(WhyNotOrdered.LOOP)
    one, other = (_site(analysis, view, way[frame], access) for way, access in zip(ways, (first, second), strict=True))
    return Separation(one, other, rounds, tuple(_in_this_file(analysis, view, (first, second))))


def separation_of_calls(analysis: FileAnalysis, view: FrameView, first: Access, second: Access) -> Separation:
    """Two accesses in the text of one function, each in another call of it; raises `Obstacle`."""
    item = analysis.item_of(view, first.span.frame)
    one, other = (_site(analysis, view, access.span, access) for access in (first, second))
    if item is None:
        raise Obstacle(WhyNotOrdered.NO_TEXT)
    return Separation(one, other, Calls(item.span.start), tuple(_in_this_file(analysis, view, (first, second))))


def _way_out(function: Function, span: Span) -> Mapping[FrameId, Span]:
    """Where the access is seen from: its own frame first, then the calls that lead to it."""
    return {one.frame: one for one in _outwards(function, span)}


def _outwards(function: Function, span: Span) -> Iterator[Span]:
    yield span
    frame = span.frame
    while frame != OWN_FRAME:
        entered = function.frames[frame]
        frame = entered.parent
        yield Span(entered.call.start, entered.call.end, frame)


def _loop_keyword(view: FrameView, cycle: CycleId) -> Span:
    control, function = view.root.control, view.root.function
    for block in control.exit_branches(control.cycles[cycle]):
        ending = function.blocks[block].terminator
        if isinstance(ending, Branch | Switch) and ending.branch is not None:
            branch = function.branches[ending.branch]
            if branch.kind is SourceBranchKind.LOOP and control.innermost_cycle(block) is control.cycles[cycle]:
                return branch.keyword
    raise Obstacle(WhyNotOrdered.LOOP)


def _site(analysis: FileAnalysis, view: FrameView, span: Span, access: Access) -> Site:
    where = _offset(analysis, view, span)
    return Site(where.start, where.end, not isinstance(access, Load))


def _in_this_file(analysis: FileAnalysis, view: FrameView, accesses: Iterable[Access]) -> Iterator[int]:
    for access in accesses:
        item = analysis.item_of(view, access.span.frame)
        if item is not None and item.path == analysis.facts.path:
            yield item.span.start + access.span.start


def _offset(analysis: FileAnalysis, view: FrameView, span: Span) -> Span:
    """In bytes of the file."""
    item = analysis.item_of(view, span.frame)
    if item is None or span.start == span.end:
        raise Obstacle(WhyNotOrdered.NO_TEXT)
    if item.path != analysis.facts.path:
        raise Obstacle(WhyNotOrdered.OTHER_FILE)
    return Span(item.span.start + span.start, item.span.start + span.end)
