"""Which divergent branches have two arms that can be melded at all?  Definition 5, and what is legal.

Region    a branch (its block is the entry) and its immediate post-dominator (the exit, which does not belong to it).
Arms      the blocks of the two paths between them.  They are disjoint and entered from the branch alone.
Legal     1. The branch has two different successors, and lanes of a warp may part there.
          2. There is a post-dominator, no successor is it, and no arm leads back to the branch.
          3. No arm holds anything that must not be melded (`obstacles.py`), an atomic whose order matters, or a trap.
             The whole region is refused then, not only the subgraph with it: the arms would wait for each other.
Memory    Nothing is asked about aliases between the arms: each thread still executes its own instructions in its own
          order, and between threads of one warp that part there is no order to keep without one of the above.
Source    Saumya et al., CGO 2022, section IV-B; the artifact's legality checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic, Branch, Switch, Trap
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.compatibility import is_orderless
from analysis.meld.draft import BlockIndex, FlowDraft
from analysis.meld.model import MeldObstacle
from analysis.meld.obstacles import obstacle_in
from analysis.meld.shape import FlowShape


@final
@record
class DivergentRegion:
    """`arms` are what runs if the condition holds, and if not."""

    entry: BlockIndex
    exit: BlockIndex
    branch: Branch
    arms: tuple[frozenset[BlockIndex], frozenset[BlockIndex]]


@final
@record
class Illegal:
    """Why there is nothing to meld, and where."""

    obstacle: MeldObstacle
    place: Span


RegionAnswer: TypeAlias = DivergentRegion | Illegal


def region_at(draft: FlowDraft, shape: FlowShape, entry: BlockIndex) -> RegionAnswer:
    """The region of the branch at the end of `entry`, which is known to be divergent."""
    terminator = draft.blocks[entry].terminator
    if isinstance(terminator, Switch):
        return Illegal(MeldObstacle.MANY_WAYS, terminator.span)
    assert isinstance(terminator, Branch)
    end = shape.post_dominator(entry)
    starts = int(terminator.if_true), int(terminator.if_false)
    if end is None:
        arms = [reached_before(shape, start, None) for start in starts]
        return _first_obstacle(draft, arms) or Illegal(MeldObstacle.NO_JOIN, terminator.span)
    arms = [reached_before(shape, start, end) for start in starts]
    if any(entry in arm for arm in arms):
        return Illegal(MeldObstacle.LOOP, terminator.span)
    if end in starts:
        return Illegal(MeldObstacle.ONE_ARM, terminator.span)
    obstacle = _first_obstacle(draft, arms)
    if obstacle is not None:
        return obstacle
    if not all(map(shape.reaches_exit, arms[0] | arms[1])):
        return Illegal(MeldObstacle.NO_JOIN, terminator.span)
    for arm in arms:
        if any(not arm.issuperset(set(shape.predecessors[block]) - {entry}) for block in arm) or arms[0] & arms[1]:
            return Illegal(MeldObstacle.SHARED_CODE, terminator.span)
    return DivergentRegion(entry, end, terminator, (arms[0], arms[1]))


def reached_before(shape: FlowShape, start: BlockIndex, end: BlockIndex | None) -> frozenset[BlockIndex]:
    """What is reached from `start` without passing `end`."""
    found: set[BlockIndex] = set()
    waiting = [start]
    while waiting:
        block = waiting.pop()
        if block != end and block not in found:
            found.add(block)
            waiting += shape.successors[block]
    return frozenset(found)


def _first_obstacle(draft: FlowDraft, arms: Iterable[frozenset[BlockIndex]]) -> Illegal | None:
    read: set[ValueId] | None = None
    for block in sorted(frozenset[BlockIndex]().union(*arms)):
        body = draft.blocks[block]
        for step in body.steps:
            item = step.instruction
            obstacle = obstacle_in(item)
            if isinstance(item, Atomic):
                read = _read_values(draft) if read is None else read
                if not is_orderless(item, draft.types, item.result in read):
                    obstacle = MeldObstacle.ATOMIC
            if obstacle is not None:
                return Illegal(obstacle, item.span)
        if isinstance(body.terminator, Trap):
            return Illegal(MeldObstacle.TRAP, body.terminator.span)
    return None


def _read_values(draft: FlowDraft) -> set[ValueId]:
    """All values that something reads."""
    read: set[ValueId] = set()
    for block in draft.blocks:
        read.update(block.terminator.operands)
        for phi in block.phis:
            read.update(phi.incoming.values())
        for step in block.steps:
            read.update(step.instruction.operands)
    return read
