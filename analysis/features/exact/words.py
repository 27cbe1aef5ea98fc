"""The exact analysis in words, for a terminal and for a message of an editor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.features.exact.code_on_line import end_of_block
from analysis.features.exact.explain_exactly import ExactAnswer, ExactBlock, ExactFunction, Proven
from analysis.ir.ids import BasicBlockId
from analysis.ir.source import NO_SPAN, OWN_FRAME, Span
from analysis.petri.barriers import BarrierOutcome, OtherThread, Safe, Stuck
from analysis.petri.state_space import GaveUp
from analysis.petri.verdict import NoRunEnds
from analysis.rules.source_text import one_line
from analysis.rules.wording import quantity

MOST_LINES: Final = 10
"""A longer path shows its first and its last lines."""

_GROUP: Final = {Level.GRID: "the grid", Level.BLOCK: "a block", Level.WARP: "a warp"}
_WIDER: Final = {Level.BLOCK: Level.GRID, Level.WARP: Level.BLOCK, Level.VARYING: Level.WARP}


def render_exact(analysis: FileAnalysis, functions: Sequence[ExactFunction]) -> str:
    """One paragraph per stretch of code; what `explain --exact` prints under the explanation of the line."""
    lines: list[str] = ["  exactly, over all paths of two threads:"]
    for function in functions:
        for block in function.blocks:
            lines += [f"    {sentence}" for sentence in block_words(analysis, block)]
    if len(lines) == 1:
        return "  exactly: no code runs on this line"
    return "\n".join(lines)


def block_words(analysis: FileAnalysis, block: ExactBlock) -> Iterator[str]:
    """What is proven, then what stands behind it."""
    text = one_line(analysis.document.text[block.code.start : block.code.end])
    yield f"`{text}`: {_verdict(block.answer)}"
    if isinstance(block.answer, Proven):
        yield from _proven(analysis, block, block.answer)
    if block.barrier is not None:
        yield from _barrier(analysis, block, block.barrier)


def _verdict(answer: ExactAnswer) -> str:
    match answer:
        case Proven(group=Level.VARYING, states=states):
            sentence = "divergent: two threads of a warp can run it a different number of times"
            return f"{sentence} ({quantity(states, 'state')})"
        case Proven(group=group, states=states):
            sentence = f"convergent in {_GROUP[group]}: any two threads of {_GROUP[group]} run it equally often"
            return f"{sentence} ({quantity(states, 'state')})"
        case NoRunEnds():
            return "nothing is proven: no two threads that come here both end"
        case GaveUp(limit=limit):
            return f"nothing is proven: gave up at {quantity(limit, 'state')}"
        case _:
            assert_never(answer)


def _proven(analysis: FileAnalysis, block: ExactBlock, answer: Proven) -> Iterator[str]:
    if answer.difference is not None:
        witness = answer.difference.witness
        yield f"  one thread of {_GROUP[_WIDER[answer.group]]} {_runs_it(analysis, block, witness.first)}"
        yield f"  another {_runs_it(analysis, block, witness.second)}"
    if block.fixpoint > answer.group:
        yield "  the fixpoint alone does not prove this"
    assumed = block.with_barriers
    if isinstance(assumed, Proven) and assumed.group < answer.group:
        yield f"  if no thread waits for ever at a barrier, it is convergent in {_GROUP[assumed.group]}"


def _runs_it(analysis: FileAnalysis, block: ExactBlock, path: Sequence[BasicBlockId]) -> str:
    """`runs it twice: lines 4, 6, 4, 6, 8`."""
    count = path.count(block.block)
    often = _OFTEN[count] if count < len(_OFTEN) else f"runs it {count} times"
    lines = _path(analysis, block, path)
    return often + (f": {lines}" if lines else "")


_OFTEN: Final = ("never runs it", "runs it once", "runs it twice")


def _barrier(analysis: FileAnalysis, block: ExactBlock, outcome: BarrierOutcome) -> Iterator[str]:
    match outcome:
        case Safe() if isinstance(block.answer, Proven) and block.answer.group > Level.BLOCK:
            yield "  no thread waits here for ever: where threads part, one of them waits at an earlier barrier already"
        case Safe():
            yield "  no thread can wait here for ever"
        case Stuck(witness=witness, other=other):
            first, second = _path(analysis, block, witness.first), _path(analysis, block, witness.second)
            yield f"  a thread can wait here for ever ({first or 'in other code'})"
            yield f"  while another {_OTHER[other]} ({second or 'in other code'})"
        case GaveUp(limit=limit):
            yield f"  whether a thread can wait here for ever is open: gave up at {quantity(limit, 'state')}"
        case _:
            assert_never(outcome)


_OTHER: Final = {
    OtherThread.ENDED: "ends",
    OtherThread.PAST: "goes on without it",
    OtherThread.WAITS: "waits at another barrier",
}


def _path(analysis: FileAnalysis, block: ExactBlock, path: Sequence[BasicBlockId]) -> str:
    """`lines 4, 5, 9`: where the blocks of a path begin, without repeats; empty where none is in this function."""
    lines: list[int] = []
    for passed in path:
        line = line_of_block(analysis, block, passed)
        if line is not None and (not lines or lines[-1] != line):
            lines.append(line)
    if not lines:
        return ""
    shown = [str(line) for line in lines]
    if len(shown) > MOST_LINES:
        half = MOST_LINES // 2
        shown = [*shown[:half], "…", *shown[-half:]]
    return ("line " if len(shown) == 1 else "lines ") + ", ".join(shown)


def line_of_block(analysis: FileAnalysis, block: ExactBlock, passed: BasicBlockId) -> int | None:
    """The line of the first text of a block; of a block of an inlined function, the line of the call."""
    function = block.view.root.function
    body = function.blocks[passed]
    for text in (*(instruction.span for instruction in body.instructions), end_of_block(function, body)):
        span = _seen_from(block, text)
        if span is not None:
            item_of = analysis.item_of(block.view, block.view.frame)
            if item_of is None:
                return None
            return analysis.line_in(item_of.path, item_of.span.start + span.start)
    return None


def _seen_from(block: ExactBlock, span: Span) -> Span | None:
    """The place in the text of the function that was asked about; None for code around its call."""
    frames = block.view.root.function.frames
    while span != NO_SPAN and span.frame != block.view.frame:
        if span.frame == OWN_FRAME:
            return None
        entered = frames[span.frame]
        span = Span(entered.call.start, entered.call.end, entered.parent)
    return None if span == NO_SPAN else span
