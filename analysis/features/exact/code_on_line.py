"""The basic blocks behind a source line, with the text of the line that each of them runs.

A view is one way in which the function is inlined; each has its own blocks.  Text that several blocks run (the
condition of a loop that was copied to its end, say) is one place with several blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.ir.function import BasicBlock, Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import BlockBarrier, Branch, GridBarrier, Jump, Return, Switch, Trap
from analysis.ir.record import record
from analysis.ir.source import NO_SPAN, Span

_NOTHING_TO_RUN: Final = (b"}", b"for", b"while", b"{")
"""How the text of a block begins that only leads on: the end of a function, the way into a loop."""


@final
@record
class CodeOnLine:
    """Offsets in the file, and the blocks that run what stands there; `is_barrier`: it is a barrier of threads."""

    start: int
    end: int
    is_barrier: bool
    blocks: tuple[tuple[FrameView, BasicBlockId], ...]


def code_on_line(analysis: FileAnalysis, function: FunctionFacts, start: int, end: int) -> tuple[CodeOnLine, ...]:
    """What runs between two offsets, in the order of the text; a barrier apart from the rest of its block."""
    found: dict[tuple[int, int, bool], dict[tuple[int, BasicBlockId], tuple[FrameView, BasicBlockId]]] = {}
    line = range(start - function.start, end - function.start + 1)
    for number, view in enumerate(analysis.views(function)):
        for block in view.root.control.order:
            for first, last, is_barrier in _texts(analysis, function, view, block, line):
                place = (function.start + first, min(function.start + last, end), is_barrier)
                found.setdefault(place, {})[number, block] = (view, block)
    return tuple(
        CodeOnLine(first, last, is_barrier, tuple(blocks.values()))
        for (first, last, is_barrier), blocks in sorted(found.items())
    )


def _texts(
    analysis: FileAnalysis, function: FunctionFacts, view: FrameView, block: BasicBlockId, line: range
) -> Iterator[tuple[int, int, bool]]:
    """The barriers of the block on the line, and the stretch from its first to its last other code there."""
    body = view.root.function.blocks[block]
    stretch: tuple[int, int] | None = None
    for instruction in body.instructions:
        span = instruction.span
        if not _begins_on(view, span, line):
            continue
        if isinstance(instruction, BlockBarrier | GridBarrier):
            yield span.start, span.end, True
        elif stretch is None:
            stretch = (span.start, span.end)
        else:
            stretch = (min(stretch[0], span.start), max(stretch[1], span.end))
    if stretch is None:
        span = end_of_block(view.root.function, body)
        text = analysis.document.text[function.start + span.start : function.start + span.end]
        if _begins_on(view, span, line) and not text.startswith(_NOTHING_TO_RUN):
            stretch = (span.start, span.end)
    if stretch is not None:
        yield *stretch, False


def end_of_block(function: Function, body: BasicBlock) -> Span:
    """The keyword of a branch, a `return`, or the jump of a block that does nothing else: a `break`."""
    end = body.terminator
    match end:
        case Branch(branch=branch) | Switch(branch=branch):
            return NO_SPAN if branch is None else function.branches[branch].keyword
        case Jump():
            return NO_SPAN if body.instructions else end.span
        case Return() | Trap():
            return end.span
        case _:
            assert_never(end)


def _begins_on(view: FrameView, span: Span, line: range) -> bool:
    return span != NO_SPAN and span.frame == view.frame and span.start in line
