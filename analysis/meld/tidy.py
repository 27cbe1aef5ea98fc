"""Takes away what melding leaves behind: the paper's post-optimisations, to a fixpoint.

Known     `conditions.py`: branches and selects on conditions that are decided already where they are asked.
Control   a branch with equal successors, or on a constant, is a jump; empty blocks that only jump are skipped; a block
          and its only successor become one where that has no other predecessor.
Empty     two ways from a branch to one block on which nothing happens: phis become selects.
Values    `tidy_values.py`: equal phis, phis of one value, selects without a choice, dead pure instructions.
Stops     every step takes away an edge, a block, a phi or an instruction, or moves a select to fewer executions.
Source    Saumya et al., CGO 2022, section IV-F.
"""

from __future__ import annotations

from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Constant, Jump, Select
from analysis.meld.conditions import fold_known_conditions
from analysis.meld.draft import BlockIndex, FlowDraft, PricedInstruction
from analysis.meld.shape import FlowShape
from analysis.meld.tidy_values import select_slots, tidy_values

MAX_SELECTS = 4
"""More phis than this are not turned into selects: a branch is cheaper."""


def tidy(draft: FlowDraft) -> None:
    """The draft in its simplest form; definitions dominate their uses before and after."""
    changed = True
    while changed:
        draft.settle()
        draft.drop_unreachable()
        changed = tidy_values(draft)
        draft.settle()
        changed |= fold_known_conditions(draft)
        changed |= _decided_branches(draft)
        changed |= _skip_empty_blocks(draft)
        changed |= _empty_diamonds(draft)
        changed |= _join_chains(draft)
    draft.settle()
    draft.drop_unreachable()


def _decided_branches(draft: FlowDraft) -> bool:
    """Branches that go one way in any case become jumps."""
    constants = {
        step.instruction.result: step.instruction.value
        for block in draft.blocks
        for step in block.steps
        if isinstance(step.instruction, Constant) and isinstance(step.instruction.value, bool | int)
    }
    found = False
    for index in draft.order():
        body = draft.blocks[index]
        terminator = body.terminator
        if not isinstance(terminator, Branch):
            continue
        known = constants.get(terminator.condition)
        if terminator.if_true != terminator.if_false and known is None:
            continue
        target = terminator.if_false if known is not None and not known else terminator.if_true
        for other in {terminator.if_true, terminator.if_false} - {target}:
            for phi in draft.blocks[other].phis:
                phi.incoming.pop(index, None)
        body.terminator = Jump(target, terminator.span)
        found = True
    if found:
        draft.drop_unreachable()
    return found


def _is_empty(draft: FlowDraft, block: BlockIndex) -> bool:
    body = draft.blocks[block]
    return block != ENTRY and not body.phis and not body.steps and isinstance(body.terminator, Jump)


def _skip_empty_blocks(draft: FlowDraft) -> bool:
    """Leads edges past blocks that only jump, where no phi must tell the ways apart."""
    found = False
    before: list[list[BlockIndex]] | None = None
    for block in draft.order():
        if not _is_empty(draft, block):
            continue
        (target,) = draft.successors(block)
        if target == block:
            continue
        before = before or draft.predecessors(draft.order())
        if draft.blocks[target].phis and any(source in before[target] for source in before[block]):
            continue
        for phi in draft.blocks[target].phis:
            value = phi.incoming.pop(block)
            phi.incoming |= dict.fromkeys(before[block], value)
        for source in before[block]:
            draft.redirect(source, block, target)
        before = None
        found = True
    if found:
        draft.drop_unreachable()
    return found


def _empty_diamonds(draft: FlowDraft) -> bool:
    """Where nothing happens between a branch and its join, the join's phis become selects."""
    found = False
    before: list[list[BlockIndex]] | None = None
    for block in draft.order():
        terminator = draft.blocks[block].terminator
        if not isinstance(terminator, Branch):
            continue
        join = _empty_way(draft, terminator.if_true)
        if join != _empty_way(draft, terminator.if_false) or join == block:
            continue
        before = before or draft.predecessors(draft.order())
        ways = tuple(block if target == join else int(target) for target in (terminator.if_true, terminator.if_false))
        if any(way != block and before[way] != [block] for way in ways):
            continue
        phis = [phi for phi in draft.blocks[join].phis if phi.incoming[ways[0]] != phi.incoming[ways[1]]]
        if ways[0] == ways[1] or len(phis) > MAX_SELECTS:
            continue
        _join_ways(draft, block, terminator, join, ways)
        before = None
        found = True
    if found:
        draft.drop_unreachable()
    return found


def _empty_way(draft: FlowDraft, target: BlockIndex) -> BlockIndex:
    """Where a way leads on which nothing happens: the target itself, or what follows it where it is empty."""
    if not _is_empty(draft, target):
        return target
    (after,) = draft.successors(target)
    return after


def _join_ways(
    draft: FlowDraft, block: BlockIndex, branch: Branch, join: BlockIndex, ways: tuple[BlockIndex, ...]
) -> None:
    body = draft.blocks[block]
    chosen: dict[tuple[ValueId, ValueId], ValueId] = {}
    for phi in draft.blocks[join].phis:
        pair = phi.incoming[ways[0]], phi.incoming[ways[1]]
        if pair[0] == pair[1]:
            chosen[pair] = pair[0]
        elif pair not in chosen:
            chosen[pair] = draft.value(draft.types[phi.result])
            select = Select(chosen[pair], branch.condition, *pair, None, branch.span)
            body.steps.append(PricedInstruction(select, select_slots(draft.types[phi.result])))
        phi.incoming = {source: value for source, value in phi.incoming.items() if source not in ways}
        phi.incoming[block] = chosen[pair]
    body.terminator = Jump(BasicBlockId(join), branch.span)


def _join_chains(draft: FlowDraft) -> bool:
    """A block and its only successor become one block where nothing else leads there."""
    found = False
    shape = FlowShape(draft)
    for block in shape.order:
        body = draft.blocks[block]
        while isinstance(body.terminator, Jump):
            target = int(body.terminator.target)
            if target == block or len(shape.predecessors[target]) != 1:
                break
            after = draft.blocks[target]
            if after.phis or after.rounds != body.rounds:
                break
            if (body.steps and after.steps) and body.is_melded != after.is_melded:
                break
            body.is_melded = body.is_melded or after.is_melded if not body.steps else body.is_melded
            body.steps += after.steps
            body.terminator, body.is_divergent = after.terminator, after.is_divergent
            after.steps, after.terminator = [], Jump(BasicBlockId(target), after.terminator.span)
            for successor in shape.successors[target]:
                draft.rename_source(successor, target, block)
                shape.predecessors[successor] = [block if p == target else p for p in shape.predecessors[successor]]
            shape.successors[block] = shape.successors[target]
            found = True
    if found:
        draft.drop_unreachable()
    return found
