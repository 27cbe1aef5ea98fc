"""Where threads meet in a function's text, and which of its branches keep some of them away.

Rules     A meeting is a barrier of the block or the grid, or the call that leads to one.  A call only waits where
          nothing that it runs touches memory or leaves the function early.
          A branch parts threads where it is a guard of a meeting that some may miss, in any call context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.ir.function import Function
from analysis.ir.instructions import (
    Assert,
    Atomic,
    BlockBarrier,
    Call,
    DeviceLaunch,
    GridBarrier,
    Load,
    NamedBarrier,
    Opaque,
    Print,
    Store,
    Texture,
    Trap,
    WarpBarrier,
)
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.verdict.barriers import Barrier

_BARRIER: Final = re.compile(rb"__syncthreads|(?:\w+::)*sync|[\w.]*\w(?:\.|->)sync|(?:\w+::)*this_\w+")
"""What is called where the text is a barrier itself; `cg::this_thread_block().sync()` begins with another call."""
_DOING: Final = (Assert, Atomic, Call, DeviceLaunch, Load, NamedBarrier, Opaque, Print, Store, Texture)
"""What a function does besides waiting."""


@final
@record
class Meeting:
    """The text of a barrier or of the call that leads to it, in bytes of the file.

    `waits`: that text does nothing else, and is spelled out, not the use of a macro.
    """

    start: int
    end: int
    waits: bool
    is_call: bool
    is_of_grid: bool


@final
@record
class Knowledge:
    """`parting`: where the keywords begin of the branches that keep threads from a meeting."""

    meetings: tuple[Meeting, ...]
    parting: frozenset[int]

    def meets(self, start: int, end: int) -> tuple[Meeting, ...]:
        """The meetings within a stretch of the file."""
        return tuple(one for one in self.meetings if start <= one.start and one.end <= end)

    def parts(self, start: int, end: int) -> bool:
        return any(start <= keyword < end for keyword in self.parting)


def knowledge(analysis: FileAnalysis, function: FunctionFacts) -> Knowledge:
    meetings: dict[tuple[int, int], Meeting] = {}
    parting: set[int] = set()
    for view in analysis.views(function):
        for site in view.root.barriers:
            if isinstance(site.instruction, WarpBarrier):
                continue
            here = _seen_from(view.root.function, site.span, view.frame)
            if here is None:
                continue
            span, entered = here
            start, end = function.start + span.start, function.start + span.end
            waits = _waits(view, site.instruction, entered) and _is_spelled(analysis, view, start, end, entered)
            known = meetings.get((start, end))
            meetings[start, end] = Meeting(
                start,
                end,
                waits and (known is None or known.waits),
                entered is not None,
                isinstance(site.instruction, GridBarrier) or (known is not None and known.is_of_grid),
            )
            guards = () if site.evidence is None else site.evidence.guards
            parting |= {function.start + one.span.start for one in guards if one.span.frame == view.frame}
    return Knowledge(tuple(sorted(meetings.values(), key=lambda one: one.start)), frozenset(parting))


def _seen_from(function: Function, span: Span, frame: FrameId) -> tuple[Span, FrameId | None] | None:
    """The place in the text of a frame, and the frame that a call there enters; None where it stands outside."""
    here, entered = span, None
    while here.frame != frame:
        if here.frame == 0:
            return None
        entered = here.frame
        call = function.frames[here.frame]
        here = Span(call.call.start, call.call.end, call.parent)
    return here, entered


def _waits(view: FrameView, barrier: Barrier, entered: FrameId | None) -> bool:
    if not isinstance(barrier, BlockBarrier | GridBarrier) or barrier.operands:
        return False
    if entered is None:
        return True
    function = view.root.function
    inside = {number for number in range(len(function.frames)) if entered in _around(function, FrameId(number))}
    for block in function.blocks:
        if any(isinstance(one, _DOING) and one.span.frame in inside for one in block.instructions):
            return False
        if isinstance(block.terminator, Trap) and block.terminator.span.frame in inside:
            return False
    return True


def _is_spelled(analysis: FileAnalysis, view: FrameView, start: int, end: int, entered: FrameId | None) -> bool:
    called = analysis.document.text[start:end].partition(b"(")[0].strip()
    if entered is None:
        return _BARRIER.fullmatch(called) is not None
    name = analysis.program.item_of(view.root.function.frames[entered].function).name
    return called.rpartition(b":")[2] == name.encode()


def _around(function: Function, frame: FrameId) -> Iterator[FrameId]:
    """The frame and those that it was entered from."""
    yield frame
    while frame != 0:
        frame = function.frames[frame].parent
        yield frame
