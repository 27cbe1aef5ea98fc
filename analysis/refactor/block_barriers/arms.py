"""Two arms of a branch that wait equally often, brought to the same barriers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import final

from tree_sitter import Node

from analysis.ir.record import record
from analysis.refactor.block_barriers.expressions import Condition
from analysis.refactor.block_barriers.model import Obstacle, WhyNotMet
from analysis.refactor.block_barriers.pieces import Guarded, Lines, Nested, Open, Piece


@final
@record
class Arm:
    """What one arm comes to; `guard` holds for those who take it."""

    pieces: tuple[Piece, ...]
    guard: tuple[Condition, ...]


def in_step(branch: Node, arms: tuple[Arm, Arm]) -> Iterator[Piece]:
    """One barrier for each two of theirs; raises `Obstacle` where they do not wait in step."""
    sides = [_parts_between(branch, arm.pieces) for arm in arms]
    if len(sides[0]) != len(sides[1]):
        raise Obstacle(WhyNotMet.ARMS, branch.start_byte)
    guards = arms[0].guard, arms[1].guard
    # With more conditions around, `else` would be run by those as well who have no work at all.
    is_whole = all(len(guard) == 1 for guard in guards)
    for (mine, barrier), (theirs, dropped) in zip(*sides, strict=True):
        for side, conditions, opposite in ((mine, *guards), (theirs, *guards[::-1])):
            for piece in side:
                if isinstance(piece, Guarded) and is_whole and piece.conditions == conditions:
                    yield replace(piece, opposite=opposite)
                else:
                    yield piece
        if barrier is not None and dropped is not None:
            comments = _only_comments(dropped.text)
            if comments.lines:
                yield Open(comments)
            yield barrier


def _only_comments(text: Lines) -> Lines:
    return Lines(tuple(line for line in text.lines if line.lstrip().startswith(("//", "/*"))), text.indent)


def _parts_between(branch: Node, pieces: Sequence[Piece]) -> list[tuple[list[Piece], Open | None]]:
    parts: list[tuple[list[Piece], Open | None]] = []
    here: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Nested):
            raise Obstacle(WhyNotMet.ARMS, branch.start_byte)
        if isinstance(piece, Open) and piece.is_meeting:
            parts.append((here, piece))
            here = []
        else:
            here.append(piece)
    return [*parts, (here, None)]
