"""Values that melding made in vain: equal phis, phis of one value, selects without a choice, dead instructions.

Phis      two phis of a block with equal inputs are one; a phi whose inputs are one value, itself and `Undefined`
          is that value where it is available.
Selects   of equal sides, or with an undefined one, are the other side; a select inside a select on the same condition
          is the side that it can only be.  A select of two phis is a phi of selects in the predecessors where those
          run less often: of values that each come out of an arm of their own, nothing is left to select.
Dead      pure instructions and phis that nobody reads; `Function.definitions` count as readers (`ir/cleanup.py`).
Cost      O(instructions) for each sweep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from analysis.ir.cleanup import is_pure, unread
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Select, Undefined
from analysis.ir.types import FloatFormat, FloatType, Type
from analysis.meld.draft import BlockIndex, FlowDraft, FlowPhi, PricedInstruction
from analysis.meld.shape import FlowShape
from analysis.verdict.latency import DOUBLE, SIMPLE

_SWEEPS: Final = 100
"""A bound that no real function comes near."""


def select_slots(type_: Type) -> int:
    """What a select of this type costs."""
    return DOUBLE if isinstance(type_, FloatType) and type_.format is FloatFormat.DOUBLE else SIMPLE


def tidy_values(draft: FlowDraft) -> bool:
    """One sweep after the other until nothing changes; true if anything did."""
    for sweep in range(_SWEEPS):
        facts = _Facts.of(draft)
        found = _fold_phis(draft, facts)
        found |= _fold_selects(draft, facts)
        if found:
            draft.settle()
            facts = _Facts.of(draft)
        found |= _lift_selects(draft, facts)
        draft.settle()
        found |= _drop_dead(draft)
        if not found:
            return sweep > 0
    return True


@final
@dataclass(slots=True)
class _Facts:
    """Where values are defined, as what, and how often they are read."""

    shape: FlowShape
    home: dict[ValueId, BlockIndex]
    phis: dict[ValueId, FlowPhi]
    selects: dict[ValueId, Select]
    undefined: set[ValueId]
    reads: dict[ValueId, int]

    @staticmethod
    def of(draft: FlowDraft) -> _Facts:
        facts = _Facts(FlowShape(draft), {p.value: 0 for p in draft.function.parameters}, {}, {}, set(), {})
        for block in facts.shape.order:
            body = draft.blocks[block]
            read: list[ValueId] = list(body.terminator.operands)
            for phi in body.phis:
                facts.home[phi.result], facts.phis[phi.result] = block, phi
                read += phi.incoming.values()
            for step in body.steps:
                item = step.instruction
                read += item.operands
                if item.result is not None:
                    facts.home[item.result] = block
                if isinstance(item, Select):
                    facts.selects[item.result] = item
                elif isinstance(item, Undefined):
                    facts.undefined.add(item.result)
            for value in read:
                facts.reads[value] = facts.reads.get(value, 0) + 1
        return facts


def _fold_phis(draft: FlowDraft, facts: _Facts) -> bool:
    found = False
    for block in facts.shape.order:
        seen: dict[tuple[Type, tuple[tuple[BlockIndex, ValueId], ...]], ValueId] = {}
        for phi in draft.blocks[block].phis:
            inputs = {draft.find(value) for value in phi.incoming.values()} - {phi.result}
            defined = inputs - facts.undefined
            if len(inputs) == 1 or (len(defined) == 1 and _dominates(facts, next(iter(defined)), block)):
                draft.replace(phi.result, next(iter(defined or inputs)))
                found = True
                continue
            if inputs and not defined:
                draft.replace(phi.result, min(inputs))
                found = True
                continue
            key = (
                draft.types[phi.result],
                tuple(
                    (source, ValueId(-1) if draft.find(value) == phi.result else draft.find(value))
                    for source, value in sorted(phi.incoming.items())
                ),
            )
            if key in seen:
                draft.replace(phi.result, seen[key])
                found = True
            else:
                seen[key] = phi.result
    return found


def _dominates(facts: _Facts, value: ValueId, block: BlockIndex) -> bool:
    """Is the value, which is no phi of the block, available at its start?"""
    home = facts.home[value]
    if home == block:
        return value in facts.phis
    return facts.shape.dominates(home, block)


def _fold_selects(draft: FlowDraft, facts: _Facts) -> bool:
    found = False
    for block in facts.shape.order:
        body = draft.blocks[block]
        known: dict[tuple[ValueId, ValueId, ValueId], ValueId] = {}
        for at, step in enumerate(body.steps):
            item = step.instruction
            if not isinstance(item, Select) or item.branch is not None or item.result in draft.replaced:
                continue
            condition = draft.find(item.condition)
            if_true = _side(draft, facts, condition, item.if_true, taken=True)
            if_false = _side(draft, facts, condition, item.if_false, taken=False)
            key = condition, if_true, if_false
            value = known.get(key)
            if if_true == if_false or if_false in facts.undefined:
                value = if_true
            elif if_true in facts.undefined:
                value = if_false
            if value is not None and value != item.result:
                draft.replace(item.result, value)
                found = True
                continue
            known[key] = item.result
            if (if_true, if_false) != (draft.find(item.if_true), draft.find(item.if_false)):
                changed = Select(item.result, condition, if_true, if_false, None, item.span)
                body.steps[at] = PricedInstruction(changed, step.slots)
                facts.selects[item.result] = changed
                found = True
    return found


def _side(draft: FlowDraft, facts: _Facts, condition: ValueId, value: ValueId, *, taken: bool) -> ValueId:
    """The side of a select on `condition`, seen through selects on the same condition."""
    value = draft.find(value)
    inner = facts.selects.get(value)
    while inner is not None and inner.branch is None and draft.find(inner.condition) == condition:
        value = draft.find(inner.if_true if taken else inner.if_false)
        inner = facts.selects.get(value)
    return value


# -- selects of phis ------------------------------------------------------------------------------------------------


def _lift_selects(draft: FlowDraft, facts: _Facts) -> bool:
    """Turns selects of two phis of a block into phis of selects, where that pays; each phi at most once."""
    used: set[ValueId] = set()
    selects = [item for item in facts.selects.values() if item.branch is None]
    for select in selects:
        if used.isdisjoint((select.if_true, select.if_false)) and _lift(draft, facts, select):
            used |= {select.if_true, select.if_false}
    return bool(used)


def _lift(draft: FlowDraft, facts: _Facts, select: Select) -> bool:
    left, right = facts.phis.get(select.if_true), facts.phis.get(select.if_false)
    if left is None or right is None:
        return False
    block = facts.home[left.result]
    if facts.home[right.result] != block or not facts.shape.dominates(facts.home[select.condition], block):
        return False
    pairs = {
        source: (_other_if_undefined(facts, value, right.incoming[source]), right.incoming[source])
        for source, value in left.incoming.items()
    }
    pairs = {source: (one, _other_if_undefined(facts, other, one)) for source, (one, other) in pairs.items()}
    chosen = {source for source, (one, other) in pairs.items() if one != other}
    is_last_reader = facts.reads[left.result] == facts.reads[right.result] == 1
    price = sum(draft.blocks[source].rounds for source in chosen)
    gain = draft.blocks[facts.home[select.result]].rounds
    if price > gain or (price == gain and not is_last_reader):
        return False
    if any(not _at_end(facts, select.condition, source) for source in chosen):
        return False
    type_ = draft.types[select.result]
    phi = FlowPhi(draft.value(type_), {}, select.span)
    for source, (one, other) in pairs.items():
        phi.incoming[source] = one
        if source in chosen:
            phi.incoming[source] = draft.value(type_)
            lifted = Select(phi.incoming[source], select.condition, one, other, None, select.span)
            draft.blocks[source].steps.append(PricedInstruction(lifted, select_slots(type_)))
    draft.blocks[block].phis.append(phi)
    draft.replace(select.result, phi.result)
    return True


def _other_if_undefined(facts: _Facts, value: ValueId, other: ValueId) -> ValueId:
    return other if value in facts.undefined else value


def _at_end(facts: _Facts, value: ValueId, block: BlockIndex) -> bool:
    return facts.shape.dominates(facts.home[value], block)


# -- dead values ----------------------------------------------------------------------------------------------------


def _drop_dead(draft: FlowDraft) -> bool:
    inputs: dict[ValueId, tuple[ValueId, ...]] = {}
    read = draft.named_values()
    order = draft.order()
    for block in order:
        body = draft.blocks[block]
        read += body.terminator.operands
        for phi in body.phis:
            inputs[phi.result] = tuple(phi.incoming.values())
        for step in body.steps:
            item = step.instruction
            if item.result is not None and is_pure(item):
                inputs[item.result] = item.operands
            else:
                read += item.operands
    dead = unread(inputs, read)
    if not dead:
        return False
    for block in order:
        body = draft.blocks[block]
        body.phis = [phi for phi in body.phis if phi.result not in dead]
        body.steps = [step for step in body.steps if step.instruction.result not in dead]
    return True
