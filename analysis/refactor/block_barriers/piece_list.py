"""The pieces of a sequence of statements, in an order that takes few guards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

from tree_sitter import Node

from analysis.refactor.block_barriers.pieces import Guarded, Open, Piece
from analysis.refactor.block_barriers.reading import changed, declared, identifiers


@final
class PieceList:
    """The pieces of a sequence.

    A declaration that all threads run stands before the guarded statements around it where it may: that takes fewer
    guards.
    """

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._guarded: list[Node] = []
        """The last statements, if all of them stand under one guard; their pieces begin at `_start`."""
        self._start = 0

    def extend(self, pieces: Sequence[Piece]) -> None:
        self.pieces += pieces
        self._guarded, self._start = [], len(self.pieces)

    def add(self, node: Node, pieces: Iterator[Piece]) -> None:
        rest = list(pieces)
        if node.type == "declaration" and isinstance(rest[0], Open) and self._may_move(node, is_whole=len(rest) == 1):
            self.pieces.insert(self._start, rest.pop(0))
            self._start += 1
        if all(isinstance(piece, Guarded) for piece in rest):
            self.pieces += rest
            self._guarded.append(node)
        else:
            self.extend(rest)

    def _may_move(self, declaration: Node, *, is_whole: bool) -> bool:
        if not identifiers(self._guarded).isdisjoint(declared(declaration)):
            return False
        return not is_whole or identifiers([declaration]).isdisjoint(changed(self._guarded))
