"""A decision that several blocks make, brought to one branch: `a && b` enters one arm from two places.

Landing   a block between the decision and its arms: a phi says which arm was decided for, and one branch on it parts
          the threads.  Those who know already wait there for those who still ask.
Decision  the blocks that only the first one leads to, up to the two blocks that are entered from them; behind those the
          ways do not meet before the exit of the region.
Contract  the draft is changed; the caller gives a copy, and keeps it only where something was melded.
Cost      O(blocks) for each block of the decision.
Source    Saumya et al., CGO 2022, section IV-B: regions are simplified before their arms are looked at.
"""

from __future__ import annotations

from typing import Final, final

from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Constant, Instruction, Jump, Unary, Undefined
from analysis.ir.operators import UnaryOperator
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, Type
from analysis.meld.draft import BlockIndex, FlowDraft, FlowPhi, PricedInstruction
from analysis.meld.regions import reached_before
from analysis.meld.repair import repair_dominance
from analysis.meld.shape import FlowShape

_MAX_DECISION: Final = 16
"""Blocks that one decision is looked for in."""


@final
@record
class Decision:
    """`blocks` decide between two arms, named by their first blocks; one of them may be the exit: an `if` alone."""

    blocks: tuple[BlockIndex, ...]
    arms: tuple[BlockIndex, BlockIndex]
    exit: BlockIndex | None


def with_landing(draft: FlowDraft, decision: Decision) -> BlockIndex:
    """Gives a decision between two arms a landing block, which is the answer."""
    entry = decision.blocks[0]
    first, second = decision.arms
    branch = draft.blocks[entry].terminator
    assert isinstance(branch, Branch)
    condition = FlowPhi(draft.value(BOOLEAN), {}, branch.span)
    targets = BasicBlockId(first), BasicBlockId(second)
    end = Branch(condition.result, *targets, branch.branch, branch.span)
    landing = draft.block(end, draft.blocks[entry].rounds)
    draft.blocks[landing].is_divergent = True
    draft.blocks[landing].phis.append(condition)
    leaving = [block for block in decision.blocks if not {first, second}.isdisjoint(draft.successors(block))]
    for arm in (first, second):
        _move_phis(draft, landing, arm, leaving)
    for block in leaving:
        condition.incoming[block] = _decided(draft, block, first, second, landing)
    draft.settle()
    repair_dominance(draft)
    return landing


def decision_at(draft: FlowDraft, shape: FlowShape, entry: BlockIndex) -> Decision | None:
    """The decision that begins with the branch of `entry`; None where what it leads to is no two arms."""
    end = shape.post_dominator(entry)
    decision = [entry]
    while len(decision) <= _MAX_DECISION:
        targets = {target for block in decision for target in shape.successors[block]} - set(decision)
        ranked = sorted(targets, key=lambda block: shape.rank[block])
        if len(ranked) == 2:
            arms = reached_before(shape, ranked[0], end), reached_before(shape, ranked[1], end)
            if arms[0].isdisjoint(arms[1]) and all(
                set(shape.predecessors[block]) <= {*arm, *decision} for arm in arms for block in arm
            ):
                return Decision(tuple(decision), (ranked[0], ranked[1]), end)
        more = [
            target
            for target in ranked
            if target != end
            and isinstance(draft.blocks[target].terminator, Branch)
            and {*shape.predecessors[target]} <= set(decision)
        ]
        if not more:
            return None
        decision.append(more[0])
    return None


def _move_phis(draft: FlowDraft, landing: BlockIndex, arm: BlockIndex, leaving: list[BlockIndex]) -> None:
    """What tells the ways into an arm apart is told in the landing block."""
    for phi in draft.blocks[arm].phis:
        type_ = draft.types[phi.result]
        moved = {
            block: phi.incoming.pop(block) if block in phi.incoming else _undefined(draft, type_, phi.span)
            for block in leaving
        }
        inner = FlowPhi(draft.value(type_), moved, phi.span)
        draft.blocks[landing].phis.append(inner)
        phi.incoming[landing] = inner.result


def _decided(
    draft: FlowDraft, block: BlockIndex, first: BlockIndex, second: BlockIndex, landing: BlockIndex
) -> ValueId:
    """Leads what left `block` for an arm to the landing block; there it holds for those who go to the first arm."""
    body = draft.blocks[block]
    branch = body.terminator
    assert isinstance(branch, Branch)
    targets = {int(branch.if_true), int(branch.if_false)}
    if targets == {first, second}:
        body.terminator = Jump(BasicBlockId(landing), branch.span)
        if branch.if_true == first:
            return branch.condition
        return _step(
            draft, block, Unary(draft.value(BOOLEAN), UnaryOperator.LOGICAL_NOT, branch.condition, branch.span)
        )
    (arm,) = targets & {first, second}
    draft.redirect(block, arm, landing)
    return _step(draft, block, Constant(draft.value(BOOLEAN), arm == first, branch.span))


def _undefined(draft: FlowDraft, type_: Type, span: Span) -> ValueId:
    item = Undefined(draft.value(type_), span)
    draft.blocks[ENTRY].steps.insert(0, PricedInstruction(item, 0))
    return item.result


def _step(draft: FlowDraft, block: BlockIndex, item: Instruction) -> ValueId:
    assert item.result is not None
    draft.blocks[block].steps.append(PricedInstruction(item, 0 if isinstance(item, Constant) else 1))
    return item.result
