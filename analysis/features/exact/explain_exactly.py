"""What the exact analysis of convergence (`analysis.petri`) proves about the code of one line.

Question  Can two threads run this code a different number of times?  Can a thread wait for ever at this barrier?
Groups    Asked for two threads of one grid, of one block and of one warp; the widest group without a difference is the
          answer, as everywhere.
Given     The levels of branches that the fixpoint found.  Barriers are plain code at first: nothing is assumed of them.
          Where it helps, a second sentence says what holds if no thread waits for ever at a barrier.
Views     A device function is asked about in each place where it is inlined, and the worst answer is shown.
Cost      a few milliseconds per block of a kernel of 1,000 blocks; given up at `limit` states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import View
from analysis.facts.model import FunctionFacts
from analysis.features.exact.code_on_line import CodeOnLine, code_on_line
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import GridBarrier
from analysis.ir.record import record
from analysis.petri.barriers import BarrierOutcome, Stuck, barrier_outcome
from analysis.petri.flow_graph import flow_graph
from analysis.petri.state_space import DEFAULT_LIMIT, GaveUp
from analysis.petri.verdict import Convergent, Divergent, ExactVerdict, NoRunEnds, block_verdict

GROUPS: Final = (Level.GRID, Level.BLOCK, Level.WARP)


@final
@record
class Proven:
    """`group` is the widest of which any two threads run the code equally often; VARYING: not even two of a warp.

    `difference` is how two threads of the next wider group can run it a different number of times.
    """

    group: Level
    difference: Divergent | None
    states: int


ExactAnswer: TypeAlias = Proven | NoRunEnds | GaveUp


@final
@record
class ExactBlock:
    """One stretch of code, at its worst over all views; `view` and `block` are where that is.

    `fixpoint` is what the fixpoint says of the same block.  `with_barriers` is the answer if every barrier is reached
    by all threads that it waits for.
    """

    code: CodeOnLine
    view: View
    block: BasicBlockId
    fixpoint: Level
    answer: ExactAnswer
    with_barriers: ExactAnswer
    barrier: BarrierOutcome | None


@final
@record
class ExactFunction:
    """What stands on the line in one function."""

    function: FunctionFacts
    blocks: tuple[ExactBlock, ...]


def explain_exactly(analysis: FileAnalysis, line: int, limit: int = DEFAULT_LIMIT) -> tuple[ExactFunction, ...]:
    """The functions on a line (from 1) with the code that runs there."""
    lines = analysis.document.lines
    if not 1 <= line <= lines.line_count:
        return ()
    start = lines.line_start(line - 1)
    end = start + len(lines.line_text(line - 1))
    return tuple(
        ExactFunction(
            function,
            tuple(_worst(code, limit) for code in code_on_line(analysis, function, start, end)),
        )
        for function in analysis.facts.functions
        if function.active and function.start <= end and start < max(function.end, 1)
    )


def _worst(code: CodeOnLine, limit: int) -> ExactBlock:
    asked = [_exact_block(code, view, block, limit) for view, block in code.blocks]
    return max(asked, key=_severity)


def _severity(asked: ExactBlock) -> tuple[bool, int]:
    match asked.answer:
        case GaveUp():
            badness = int(Level.VARYING) + 1
        case Proven(group=group):
            badness = int(group)
        case NoRunEnds():
            badness = -1
    return isinstance(asked.barrier, Stuck), badness


def _exact_block(code: CodeOnLine, view: View, block: BasicBlockId, limit: int) -> ExactBlock:
    divergence = view.root.divergence
    answer = _answer(view, block, limit, barriers_wait=False)
    return ExactBlock(
        code,
        view,
        block,
        divergence.convergence(block),
        answer,
        _answer(view, block, limit, barriers_wait=True),
        _barrier(view, block, limit) if code.is_barrier else None,
    )


def _answer(view: View, block: BasicBlockId, limit: int, *, barriers_wait: bool) -> ExactAnswer:
    difference: Divergent | None = None
    states = 0
    for group in GROUPS:
        graph = flow_graph(view.root.divergence, group, barriers_wait=barriers_wait)
        verdict: ExactVerdict = block_verdict(graph, block, limit=limit)
        match verdict:
            case Convergent():
                return Proven(group, difference, verdict.states)
            case Divergent():
                difference, states = verdict, verdict.states
            case NoRunEnds() | GaveUp():
                return verdict
    return Proven(Level.VARYING, difference, states)


def _barrier(view: View, block: BasicBlockId, limit: int) -> BarrierOutcome:
    instructions: Sequence[object] = view.root.function.blocks[block].instructions
    group = Level.GRID if any(isinstance(one, GridBarrier) for one in instructions) else Level.BLOCK
    return barrier_outcome(flow_graph(view.root.divergence, group, barriers_wait=True), block, limit)
