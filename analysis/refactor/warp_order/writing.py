"""Barriers, statements taken apart and ballots as one edit of the text.

A barrier of the block is written only where each branch around it sends all threads of the block one way.

Rules     What is inserted at one offset is one replacement: inner statements end before outer ones, a barrier comes
          before the brace that closes its sequence.
          New names occur nowhere in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, assert_never, final

from tree_sitter import Node

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.refactor.edit import Replacement
from analysis.refactor.layout import before, behind, separator
from analysis.refactor.warp_order.masks import condition_text, parting, parting_branch
from analysis.refactor.warp_order.model import Group, Obstacle, Ordered, WhyNotOrdered
from analysis.refactor.warp_order.placing import Placement
from analysis.refactor.warp_order.sequences import Sequence, closing, opening, sequence_of
from analysis.refactor.warp_order.statements import Split

_WORD: Final = re.compile(rb"[A-Za-z_]\w*")


def write(analysis: FileAnalysis, placement: Placement, group: Group) -> Ordered:
    """Raises `Obstacle`."""
    return _Writer(analysis, group).written(placement)


@final
class _Writer:
    def __init__(self, analysis: FileAnalysis, group: Group) -> None:
        self._analysis = analysis
        self._group = group
        self._text = analysis.document.text
        self._names = {word.decode() for word in _WORD.findall(self._text)}
        self._masks: dict[int, str] = {}
        self._parts: list[tuple[int, int, Replacement]] = []
        """Each with the depth of its statement and a place among what belongs to one statement."""
        self._braces: set[int] = set()
        self._masked = 0

    def written(self, placement: Placement) -> Ordered:
        for sequence, node in placement.behind:
            self._add(node, 1, behind(self._text, node, self._barrier(sequence)))
            self._embrace(sequence)
        for sequence, split in placement.splits:
            self._add(split.statement, 0, self._taken_apart(sequence, split))
            self._embrace(sequence)
        for sequence, node in placement.before:
            self._add(node, 0, before(self._text, node, self._barrier(sequence)))
            self._embrace(sequence)
        count = len(placement.behind) + len(placement.before) + len(placement.splits)
        return Ordered(tuple(self._merged()), count, self._masked, len(placement.splits), placement.accesses)

    def _barrier(self, sequence: Sequence) -> str:
        match self._group:
            case Group.WARP:
                return self._warp_barrier(sequence)
            case Group.BLOCK:
                parted = next(parting(self._analysis, sequence.children[0], Level.BLOCK), None)
                if parted is not None:
                    raise Obstacle(WhyNotOrdered.THREADS, parted.start_byte)
                return "__syncthreads();"
            case _:
                assert_never(self._group)

    def _warp_barrier(self, sequence: Sequence) -> str:
        branch = parting_branch(self._analysis, sequence.children[0])
        if branch is None:
            return "__syncwarp();"
        self._masked += 1
        mask = self._masks.get(branch.id)
        if mask is None:
            mask = self._masks[branch.id] = self._fresh("active")
            vote = f"const unsigned {mask} = __ballot_sync(0xffffffff, {condition_text(self._text, branch)});"
            self._add(branch, 0, before(self._text, branch, vote))
            self._embrace(sequence_of(branch))
        return f"__syncwarp({mask});"

    def _taken_apart(self, sequence: Sequence, split: Split) -> Replacement:
        name = self._fresh("value")
        between = separator(self._text, split.statement)
        parts = split.read(self._text, name), self._barrier(sequence), split.write(self._text, name)
        return Replacement(split.statement.start_byte, split.statement.end_byte, between.join(parts))

    def _embrace(self, sequence: Sequence) -> None:
        """Braces around a body that gets a second statement."""
        (body, *_) = sequence.children
        if sequence.has_braces or body.id in self._braces:
            return
        self._braces.add(body.id)
        self._add(body, -1, opening(self._text, sequence))
        self._add(body, 2, closing(self._text, sequence))

    def _fresh(self, wanted: str) -> str:
        number = 1
        name = wanted
        while name in self._names:
            number += 1
            name = f"{wanted}{number}"
        self._names.add(name)
        return name

    # -- one edit -----------------------------------------------------------------------------------------------------

    def _add(self, node: Node, rank: int, change: Replacement) -> None:
        self._parts.append((_depth(node), rank, change))

    def _merged(self) -> Iterator[Replacement]:
        """In the order of the text; insertions at one offset are one, the innermost first."""
        last: Replacement | None = None
        for _, _, change in sorted(self._parts, key=_place):
            if last is not None and last.end == change.start == change.end and (last.start == last.end):
                last = Replacement(last.start, last.end, last.text + change.text)
                continue
            if last is not None:
                yield last
            last = change
        if last is not None:
            yield last


def _place(part: tuple[int, int, Replacement]) -> tuple[int, int, int, int]:
    depth, rank, change = part
    # A brace or a ballot before a statement is outside of what comes before an inner one at the same offset.
    outwards = depth if rank <= 0 and change.start == change.end else -depth
    return change.start, change.end, outwards, rank


def _depth(node: Node) -> int:
    depth = 0
    parent = node.parent
    while parent is not None:
        depth += 1
        parent = parent.parent
    return depth
