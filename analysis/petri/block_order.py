"""An order of blocks in which every loop stands in one piece.

Question  Which of two threads is behind the other, if both are in the same iteration of the loops around both?
Rules     Inside one iteration of a loop no path leads back, once each inner loop is taken as one piece.  So the pieces
          have a topological order; a loop is replaced by the order of its own pieces, followed by one more position
          where a thread stands that has finished its iteration.
Cost      O((blocks + edges) times the nesting depth).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.control_flow import Edges, reverse_post_order
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record


@final
@record
class BlockOrder:
    """Positions of the reachable blocks, and of the ends of the iterations of each loop, from 0 to `count` - 1."""

    blocks: Mapping[BasicBlockId, int]
    iteration_ends: Mapping[CycleId, int]
    count: int


def block_order(successors: Edges, reachable: Sequence[BasicBlockId], cycles: Sequence[Cycle]) -> BlockOrder:
    inside = _PiecesOf(successors, reachable, cycles)
    blocks: dict[BasicBlockId, int] = {}
    ends: dict[CycleId, int] = {}
    unread = inside.pieces(None)[::-1]
    while unread:
        piece = unread.pop()
        position = len(blocks) + len(ends)
        if piece < len(successors):
            blocks[BasicBlockId(piece)] = position
            continue
        cycle = cycles[piece - len(successors)]
        if cycle.header in blocks:  # its own pieces have been read
            ends[cycle.id] = position
        else:
            unread += [piece, *inside.pieces(cycle)[::-1]]
    return BlockOrder(blocks, ends, len(blocks) + len(ends))


@final
class _PiecesOf:
    """The pieces of each cycle; a block has its own number, a cycle its number behind those of all blocks."""

    def __init__(self, successors: Edges, reachable: Sequence[BasicBlockId], cycles: Sequence[Cycle]) -> None:
        self.successors = successors
        self.reachable = reachable
        self.cycles = cycles
        self.innermost: dict[int, CycleId] = {}
        for cycle in cycles:  # inner ones come first
            for block in cycle.blocks:
                self.innermost.setdefault(block, cycle.id)

    def pieces(self, around: Cycle | None) -> list[int]:
        """The blocks and inner cycles of one cycle (None: of the function) in topological order."""
        members = self.reachable if around is None else sorted(around.blocks)
        inside = frozenset(members)
        header = None if around is None else around.header
        piece_of = {block: self._piece_of(block, around) for block in members}
        number = {piece: index for index, piece in enumerate(dict.fromkeys(piece_of.values()))}
        edges: list[list[int]] = [[] for _ in number]
        for block in members:
            source = number[piece_of[block]]
            for target in self.successors[block]:
                if target in inside and target != header:
                    other = number[piece_of[BasicBlockId(target)]]
                    if other != source:
                        edges[source].append(other)
        start = BasicBlockId(ENTRY) if header is None else header
        pieces = list(number)
        return [pieces[index] for index in reverse_post_order(number[piece_of[start]], edges)]

    def _piece_of(self, block: BasicBlockId, around: Cycle | None) -> int:
        """The block itself, or the outermost cycle around it inside of `around`."""
        below = None if around is None else around.id
        piece: int = block
        cycle = self.innermost.get(block)
        while cycle is not None and cycle != below:
            piece = len(self.successors) + cycle
            cycle = self.cycles[cycle].parent
        return piece
