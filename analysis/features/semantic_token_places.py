"""Where do the names of one inlined body stand, with which value, and which block runs them?

Rules    A place is a name read as an expression, the pointer in front of `[`, or the target of an assignment.
         It runs in the block of the smallest instruction around it; of several that are equally small, in all.  A copy
         outside of everything runs where the next instruction does.
Cost     One walk over the instructions and records of a root; then O(places log instructions).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from operator import itemgetter
from typing import Final, TypeAlias, final

from analysis.facts.roots import RootAnalysis
from analysis.ir.function import Definition, Expression, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import ElementAddress
from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId

Around: TypeAlias = tuple[int, int, BasicBlockId]
"""Start and end of an instruction's text (a call's, for what was inlined there), and its block."""


@final
@record
class FramePlaces:
    """What stands in the text of one frame; `around` is sorted by start, the longer first."""

    expressions: list[Expression] = field(default_factory=list[Expression])
    elements: list[ElementAddress] = field(default_factory=list[ElementAddress])
    definitions: list[Definition] = field(default_factory=list[Definition])
    around: list[Around] = field(default_factory=list[Around])


def places_by_frame(root: RootAnalysis) -> Mapping[FrameId, FramePlaces]:
    """One entry per frame with any text."""
    function = root.function
    found: defaultdict[FrameId, FramePlaces] = defaultdict(FramePlaces)
    around: defaultdict[FrameId, set[Around]] = defaultdict(set)
    for expression in paced(function.expressions):
        found[expression.span.frame].expressions.append(expression)
    for definition in paced(function.definitions):
        found[definition.span.frame].definitions.append(definition)
    for block in paced(root.control.order):
        body = function.blocks[block]
        for item in paced((*body.instructions, body.terminator)):
            span = item.span
            if span.start < span.end:
                around[span.frame].add((span.start, span.end, block))
            if type(item) is ElementAddress:
                found[span.frame].elements.append(item)
            if span.frame != OWN_FRAME:
                for frame, start, end in _calls_around(function, span.frame):
                    around[frame].add((start, end, block))
    for frame, spans in around.items():
        spend(len(spans))
        by_length = sorted(paced(spans), key=_length, reverse=True)  # the second sort leaves the order of equals
        spend(len(spans))
        by_length.sort(key=_start)
        found[frame].around.extend(by_length)
    return found


_start: Final = itemgetter(0)


def _length(span: Around) -> int:
    return span[1] - span[0]


def _calls_around(function: Function, frame: FrameId) -> Iterator[tuple[FrameId, int, int]]:
    while frame != OWN_FRAME:
        entered = function.frames[frame]
        frame = entered.parent
        yield frame, entered.call.start, entered.call.end


def blocks_at(places: Sequence[tuple[int, int]], around: Sequence[Around]) -> Iterator[tuple[BasicBlockId, ...]]:
    """The blocks that run each place; the places in text order, without overlaps.  Empty: nothing is known."""
    starts = [item[0] for item in around]
    open_items: list[Around] = []
    following = 0
    for start, end in paced(places, 2):
        while following < len(around) and around[following][0] <= start:
            open_items.append(around[following])
            following += 1
        open_items = [item for item in open_items if item[1] > start]
        spend(len(open_items) // 5)
        smallest, blocks = -1, list[BasicBlockId]()
        for first, last, block in open_items:
            if last >= end:
                if smallest < 0 or last - first < smallest:
                    smallest, blocks = last - first, [block]
                elif last - first == smallest:
                    blocks.append(block)
        if blocks:
            yield tuple(blocks)
        else:
            after = bisect_left(starts, end)
            yield (around[after][2],) if after < len(around) else ()


def value_places(places: FramePlaces) -> Iterator[tuple[int, int | None, ValueId]]:
    """(start, end, value) of what may be a name; without an end, the name at the start of a longer text."""
    for expression in places.expressions:
        yield expression.span.start, expression.span.end, expression.value
    for element in places.elements:
        yield element.span.start, None, element.base
