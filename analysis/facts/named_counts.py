"""For how many threads named barriers wait, where the program says it.

Question  Which `bar.sync` and `bar.arrive` of a function count a number of threads that no barrier can count?
Rules     The count is a constant in some call context.  It is wrong if it is no positive multiple of the warp, or more
          than any block of the known shapes has, rounded up to warps: threads come to it once, unless some arrive
          without waiting and may come again.
Source    PTX ISA, "bar, barrier": the count of threads must be a multiple of the warp size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.divergence.result import DivergenceResult
from analysis.facts.merge import FrameView
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Bitcast, Constant, Convert, NamedBarrier
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class WrongCount:
    """A barrier at `span` of its function waits for `count` threads.

    `block`: all that the warps of the block have, where that is fewer; None where the count is no multiple of the warp.
    """

    span: Span
    count: int
    block: int | None
    warp_size: int


def wrong_counts(views: Sequence[FrameView]) -> tuple[WrongCount, ...]:
    """Each place once per count, in the order of the barriers."""
    found: dict[WrongCount, None] = {}
    for view in views:
        for site in view.root.records[view.frame].barriers:
            barrier = site.instruction
            if isinstance(barrier, NamedBarrier) and barrier.count is not None:
                count = _constant(view.root.divergence, barrier.count)
                wrong = None if count is None else _wrong(view, site.span, count)
                if wrong is not None:
                    found[wrong] = None
    return tuple(found)


def _wrong(view: FrameView, span: Span, count: int) -> WrongCount | None:
    size = view.root.launch.warp_size
    place = Span(span.start, span.end)
    if count <= 0 or count % size:
        return WrongCount(place, count, None, size)
    most = max((-(-shape.threads // size) * size for shape in view.root.launch.shapes), default=None)
    if most is not None and count > most and not _some_only_arrive(view):
        return WrongCount(place, count, most, size)
    return None


def _some_only_arrive(view: FrameView) -> bool:
    instructions = (site.instruction for site in view.root.barriers)
    return any(isinstance(one, NamedBarrier) and one.arrive_only for one in instructions)


def _constant(divergence: DivergenceResult, value: ValueId) -> int | None:
    definition = divergence.definition(value)
    while isinstance(definition, Convert | Bitcast):
        definition = divergence.definition(definition.operand)
    return definition.value if isinstance(definition, Constant) and isinstance(definition.value, int) else None
