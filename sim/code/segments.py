"""Cuts basic blocks into segments, so that every place where threads meet is a segment of its own.

    block2: a; b; barrier; c; branch     ->     segment 4: a; b    segment 5: barrier    segment 6: c; branch

Long pieces are cut, too: between segments a run can end, and Python compiles each of them by itself.
Segments are numbered in reverse post-order of their blocks.  The reconvergence point of a branch is its immediate
post-dominator in the graph of segments; paths that never leave the function have none.
Source    Fung, Sham, Yuan, Aamodt, "Dynamic warp formation", MICRO 2007, section 3 (immediate post-dominators).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from analysis.ir.control_flow import UNREACHED, block_order, immediate_dominators, reverse_post_order, reversed_edges
from analysis.ir.function import Function
from analysis.ir.instructions import (
    BlockBarrier,
    GridBarrier,
    Instruction,
    Match,
    NamedBarrier,
    PhaseWait,
    Shuffle,
    Terminator,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.record import record
from analysis.verdict.latency import is_issued
from sim.code.polling import polling_blocks
from sim.events import Segment
from sim.policies.protocol import EXIT, SegmentGraph

WarpMeeting: TypeAlias = WarpBarrier | Shuffle | Vote | Match | WarpReduce
BlockMeeting: TypeAlias = BlockBarrier | NamedBarrier | PhaseWait | GridBarrier
Meeting: TypeAlias = WarpMeeting | BlockMeeting

MAX_LENGTH: Final = 200
"""Instructions of one segment."""
MEETINGS: Final = (WarpBarrier, Shuffle, Vote, Match, WarpReduce, BlockBarrier, NamedBarrier, PhaseWait, GridBarrier)


@final
@record
class SegmentedFunction:
    """Segment numbers are global; the function's entry is segment `first`."""

    function: Function
    first: int
    segments: tuple[Segment, ...]
    first_of_block: tuple[int, ...]
    """For each block its first segment; -1 where the entry does not reach it."""


def cut(function: Function, first: int) -> SegmentedFunction:
    """The segments of a function, numbered from `first`."""
    segments: list[Segment] = []
    first_of_block = [-1] * len(function.blocks)
    for block in block_order(function.blocks):
        first_of_block[block] = first + len(segments)
        body = function.blocks[block]
        pieces = _pieces(body.instructions)
        for index, piece in enumerate(pieces):
            terminator = body.terminator if index == len(pieces) - 1 else None
            phis = body.phis if index == 0 else ()
            segments.append(Segment(function, block, phis, piece, terminator, _issued(piece, terminator)))
    return SegmentedFunction(function, first, tuple(segments), tuple(first_of_block))


def _pieces(instructions: Sequence[Instruction]) -> list[tuple[Instruction, ...]]:
    pieces: list[tuple[Instruction, ...]] = []
    start = 0
    for index, instruction in enumerate(instructions):
        if isinstance(instruction, MEETINGS):
            if index > start:
                pieces.append(tuple(instructions[start:index]))
            pieces.append((instruction,))
            start = index + 1
        elif index - start == MAX_LENGTH:
            pieces.append(tuple(instructions[start:index]))
            start = index
    return [*pieces, tuple(instructions[start:])]


def _issued(instructions: Sequence[Instruction], terminator: Terminator | None) -> int:
    ending = () if terminator is None else (terminator,)
    return sum(map(is_issued, (*instructions, *ending)))


def meeting_of(segment: Segment) -> Meeting | None:
    """The instruction in which threads meet, where the segment is one."""
    if len(segment.instructions) == 1 and segment.terminator is None:
        instruction = segment.instructions[0]
        if isinstance(instruction, MEETINGS):
            return instruction
    return None


def graph_of(functions: Sequence[SegmentedFunction]) -> SegmentGraph:
    successors: list[tuple[int, ...]] = []
    reconvergence: list[int] = []
    for segmented in functions:
        own: list[tuple[int, ...]] = []
        for number, segment in enumerate(segmented.segments, segmented.first):
            if segment.terminator is None:
                own.append((number + 1,))
            else:
                targets = [segmented.first_of_block[target] for target in segment.terminator.successors]
                own.append(tuple(dict.fromkeys(targets)))
        successors += own
        reconvergence += _reconvergence(own, segmented.first)
    return SegmentGraph(tuple(successors), tuple(reconvergence), _polling(functions))


def _polling(functions: Sequence[SegmentedFunction]) -> frozenset[int]:
    found: set[int] = set()
    for segmented in functions:
        blocks = polling_blocks(segmented.function)
        numbered = enumerate(segmented.segments, segmented.first)
        found.update(number for number, segment in numbered if segment.block in blocks)
    return frozenset(found)


def _reconvergence(successors: Sequence[tuple[int, ...]], first: int) -> list[int]:
    """Immediate post-dominators; the virtual exit is the node after the last."""
    exit_node = len(successors)
    forward = [[target - first for target in targets] or [exit_node] for targets in successors]
    forward.append([])
    backward = reversed_edges(forward)
    order = reverse_post_order(exit_node, backward)
    immediate = immediate_dominators(order, forward)
    return [EXIT if immediate[node] in (UNREACHED, exit_node) else immediate[node] + first for node in range(exit_node)]
