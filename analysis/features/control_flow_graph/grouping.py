"""Which basic blocks of the inlined function are one node of the picture?

Rules    The picture of a frame shows the blocks in which something of the frame, or of what it calls, runs.
         Where called functions are not drawn, the blocks of a call and those before and after it are one group: a
         block that ends with a decision of a called function is merged with the blocks it leads to.
         A group is as convergent as the least convergent of its blocks that run something of the frame itself.
Cost     O(instructions + edges).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import final

from analysis.divergence.levels import Level
from analysis.facts.merge import FrameView
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Instruction
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span


@final
@record
class Group:
    """Blocks in reverse post-order; `last` is the one whose terminator leaves the group, None: none returns."""

    blocks: tuple[BasicBlockId, ...]
    last: BasicBlockId | None
    convergent: Level


@final
@record
class Grouping:
    """The groups in reverse post-order.

    `own` are the frames whose text is shown, `inside` those and all that were inlined into them.
    """

    view: FrameView
    own: frozenset[FrameId]
    inside: frozenset[FrameId]
    groups: tuple[Group, ...]
    group_of: Mapping[BasicBlockId, int]


def group_blocks(view: FrameView, *, inlined: bool) -> Grouping:
    """`inlined`: called functions are drawn with blocks of their own."""
    function, control = view.root.function, view.root.control
    inside = frames_inside(function, view.frame)
    own = inside if inlined else frozenset({view.frame})
    members = [block for block in control.order if _runs_something_of(function, block, inside)]
    parts = _Partition(members)
    known = set(members)
    for block in members:
        frame = function.blocks[block].terminator.span.frame
        if frame in inside and frame not in own:
            for target in control.successors[block]:
                if target in known:
                    parts.join(block, target)
    groups = tuple(_group(view, blocks, own) for blocks in parts.sets())
    group_of = {block: index for index, group in enumerate(groups) for block in group.blocks}
    return Grouping(view, own, inside, groups, group_of)


def frames_inside(function: Function, frame: FrameId) -> frozenset[FrameId]:
    """A frame and all that were inlined into it."""
    found = {frame}
    for index, entered in enumerate(function.frames):  # a parent's number is smaller
        if index > frame and entered.parent in found:
            found.add(FrameId(index))
    return frozenset(found)


def instructions_of(function: Function, group: Group) -> Iterator[tuple[BasicBlockId, Instruction]]:
    for block in group.blocks:
        for instruction in function.blocks[block].instructions:
            yield block, instruction


def _spans(function: Function, block: BasicBlockId) -> Iterator[Span]:
    body = function.blocks[block]
    for instruction in body.instructions:
        yield instruction.span
    yield body.terminator.span


def _runs_something_of(function: Function, block: BasicBlockId, frames: frozenset[FrameId]) -> bool:
    return any(span.frame in frames for span in _spans(function, block))


def _group(view: FrameView, blocks: Sequence[BasicBlockId], own: frozenset[FrameId]) -> Group:
    function, divergence = view.root.function, view.root.divergence
    last = next((block for block in blocks if function.blocks[block].terminator.span.frame in own), None)
    visible = [block for block in blocks if block == blocks[0] or _runs_something_of(function, block, own)]
    return Group(tuple(blocks), last, max(divergence.convergence(block) for block in visible))


@final
class _Partition:
    """Disjoint sets of blocks."""

    def __init__(self, blocks: Sequence[BasicBlockId]) -> None:
        self._blocks = blocks
        self._parent = {block: block for block in blocks}

    def _find(self, block: BasicBlockId) -> BasicBlockId:
        while self._parent[block] != block:
            block = self._parent[block]
        return block

    def join(self, one: BasicBlockId, other: BasicBlockId) -> None:
        self._parent[self._find(other)] = self._find(one)

    def sets(self) -> list[list[BasicBlockId]]:
        found: defaultdict[BasicBlockId, list[BasicBlockId]] = defaultdict(list)
        for block in self._blocks:
            found[self._find(block)].append(block)
        return list(found.values())
