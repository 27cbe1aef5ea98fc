"""What the exact analysis of convergence (`analysis.petri`) proves about the code of one line.

Question  Can two threads run this code a different number of times?  Can a thread wait for ever at this barrier?
Groups    Asked for two threads of one grid, of one block and of one warp; the widest group without a difference is the
          answer, as everywhere.
Given     The levels of branches that the fixpoint found.  Barriers are plain code at first: nothing is assumed of them.
          Where it helps, a second sentence says what holds if no thread waits for ever at a barrier.
Views     A device function is asked about in each place where it is inlined, and the worst answer is shown.
Cost      Groups and views are asked for from the fixpoint's answer on, which is nearly always the exact one: two or
          three state spaces for most code, 0.1 s each for a kernel of 900 blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.features.exact.code_on_line import CodeOnLine, code_on_line
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import GridBarrier
from analysis.ir.record import record
from analysis.petri.barriers import BarrierOutcome, Stuck, barrier_outcome, waiting_states
from analysis.petri.flow_graph import FlowGraph, flow_graph
from analysis.petri.state_space import DEFAULT_LIMIT, GaveUp, StateSpace
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
    view: FrameView
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
    asker = _Asker(limit)
    return tuple(
        ExactFunction(
            function,
            tuple(asker.worst(code) for code in code_on_line(analysis, function, start, end)),
        )
        for function in analysis.facts.functions
        if function.active and function.start <= end and start < max(function.end, 1)
    )


def _badness(answer: ExactAnswer) -> int:
    match answer:
        case GaveUp():
            return int(Level.VARYING) + 1
        case Proven(group=group):
            return int(group)
        case NoRunEnds():
            return -1


@final
class _Asker:
    """Asks about the blocks of one line; keeps what the blocks of one root share."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._graphs: dict[tuple[int, Level, bool], FlowGraph] = {}
        self._spaces: dict[tuple[int, Level], StateSpace | GaveUp] = {}

    def worst(self, code: CodeOnLine) -> ExactBlock:
        """The worst of all views, asked from the fixpoint's worst on: no view is worse than the fixpoint says."""
        views = sorted(code.blocks, key=lambda place: -_fixpoint(*place))
        if code.is_barrier:
            stuck = next((place for place in views if isinstance(self.barrier(*place), Stuck)), None)
            views = views if stuck is None else [stuck]
        found: ExactBlock | None = None
        for view, block in views:
            if found is not None and _badness(found.answer) >= _fixpoint(view, block):
                break
            asked = self.block(code, view, block)
            if found is None or _badness(asked.answer) > _badness(found.answer):
                found = asked
        assert found is not None, "code on a line has a block"
        return found

    def block(self, code: CodeOnLine, view: FrameView, block: BasicBlockId) -> ExactBlock:
        answer = with_barriers = self.answer(view, block, barriers_wait=False)
        if isinstance(answer, Proven) and answer.group > Level.BLOCK:
            with_barriers = self.answer(view, block, barriers_wait=True)
        barrier = self.barrier(view, block) if code.is_barrier else None
        return ExactBlock(code, view, block, _fixpoint(view, block), answer, with_barriers, barrier)

    def answer(self, view: FrameView, block: BasicBlockId, *, barriers_wait: bool) -> ExactAnswer:
        """From the fixpoint's answer to wider groups while there is no difference, or to narrower ones until."""
        group = min(_fixpoint(view, block), Level.WARP)
        verdict = self.verdict(view, block, group, barriers_wait)
        while isinstance(verdict, Divergent) and group is not Level.WARP:
            group = GROUPS[group + 1]
            wider, verdict = verdict, self.verdict(view, block, group, barriers_wait)
            if isinstance(verdict, Convergent):
                return Proven(group, wider, verdict.states)
        if isinstance(verdict, Divergent):
            return Proven(Level.VARYING, verdict, verdict.states)
        while isinstance(verdict, Convergent) and group is not Level.GRID:
            wider = self.verdict(view, block, GROUPS[group - 1], barriers_wait)
            if not isinstance(wider, Convergent):
                return Proven(group, wider if isinstance(wider, Divergent) else None, verdict.states)
            group, verdict = GROUPS[group - 1], wider
        return Proven(group, None, verdict.states) if isinstance(verdict, Convergent) else verdict

    def verdict(self, view: FrameView, block: BasicBlockId, group: Level, barriers_wait: bool) -> ExactVerdict:
        return block_verdict(self.graph(view, group, barriers_wait), block, limit=self.limit)

    def barrier(self, view: FrameView, block: BasicBlockId) -> BarrierOutcome:
        instructions: Sequence[object] = view.root.function.blocks[block].instructions
        group = Level.GRID if any(isinstance(one, GridBarrier) for one in instructions) else Level.BLOCK
        graph, key = self.graph(view, group, True), (id(view.root), group)
        if key not in self._spaces:
            self._spaces[key] = waiting_states(graph, self.limit)
        return barrier_outcome(graph, self._spaces[key], block)

    def graph(self, view: FrameView, group: Level, barriers_wait: bool) -> FlowGraph:
        key = (id(view.root), group, barriers_wait)
        if key not in self._graphs:
            self._graphs[key] = flow_graph(view.root.divergence, group, barriers_wait=barriers_wait)
        return self._graphs[key]


def _fixpoint(view: FrameView, block: BasicBlockId) -> Level:
    return view.root.divergence.convergence(block)
