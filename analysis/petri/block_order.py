"""An order of blocks in which every loop stands in one piece.

Question  Which of two threads is behind the other, if both are in the same iteration of the loops around both?
Rules     Inside one iteration of a loop no path leads back, once each inner loop is taken as one piece.  So the pieces
          have a topological order; a loop is replaced by the order of its own pieces, followed by one more position
          where a thread stands that has finished its iteration.
Cost      O((blocks + edges) times the nesting depth).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.control_flow import reverse_post_order
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.petri.flow_graph import FlowGraph


@final
@record
class BlockOrder:
    """Positions of the reachable blocks, and of the ends of the iterations of each loop, from 0 to `count` - 1."""

    blocks: Mapping[BasicBlockId, int]
    iteration_ends: Mapping[CycleId, int]
    count: int


def block_order(graph: FlowGraph) -> BlockOrder:
    blocks: dict[BasicBlockId, int] = {}
    ends: dict[CycleId, int] = {}
    unread = _pieces(graph, None)[::-1]
    while unread:
        piece = unread.pop()
        position = len(blocks) + len(ends)
        if piece < len(graph.successors):
            blocks[BasicBlockId(piece)] = position
            continue
        cycle = graph.cycles[piece - len(graph.successors)]
        if cycle.header in blocks:  # its own pieces have been read
            ends[cycle.id] = position
        else:
            unread += [piece, *_pieces(graph, cycle)[::-1]]
    return BlockOrder(blocks, ends, len(blocks) + len(ends))


def _pieces(graph: FlowGraph, around: Cycle | None) -> list[int]:
    """The blocks and inner cycles of one cycle (None: of the function) in topological order.

    A block has its own number, a cycle its number behind those of all blocks.
    """
    members = graph.order if around is None else around.blocks
    header = None if around is None else around.header
    edges: list[list[int]] = [[] for _ in range(len(graph.successors) + len(graph.cycles))]
    for block in sorted(members):
        piece = _piece_of(graph, block, around)
        for target in graph.successors[block]:
            if target in members and target != header:
                other = _piece_of(graph, target, around)
                if other != piece:
                    edges[piece].append(other)
    start = ENTRY if header is None else header
    return reverse_post_order(_piece_of(graph, BasicBlockId(start), around), edges)


def _piece_of(graph: FlowGraph, block: BasicBlockId, around: Cycle | None) -> int:
    """The block itself, or the outermost cycle around it inside of `around`."""
    below = None if around is None else around.id
    for cycle in reversed(graph.cycles):  # outer ones first
        if cycle.parent == below and block in cycle.blocks:
            return len(graph.successors) + cycle.id
    return block
