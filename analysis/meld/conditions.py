"""Conditions that are decided already where they are asked again: the branch becomes a jump, the select a value.

Question  Melding tests one condition in several places: as a guard, at the exit of a pair of subgraphs, inside selects.
          Is its answer known where it is tested?
Known     in a block that a branch's edge dominates: the condition has the value that leads there.  On one side of a
          select: its condition has that value.  What a condition is made of follows: both parts of an `and` that holds,
          both parts of an `or` that does not, the operand of a `not`, and the same for selects with a constant side.
Rules     a branch on a known condition is a jump.  A select on a known condition is its side.  A side of a select that
          is a boolean with a known value is that constant, and one that is a select on a known condition is its side.
Limits    only along the dominator tree: where paths with different answers meet, nothing is known.
Sound     A condition's last value decides: a block that an edge dominates is reached through the edge again after each
          new definition.
Cost      O(instructions + blocks x depth of nested branches).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, final

from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Branch, Constant, Instruction, Jump, Select, Unary
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.types import BOOLEAN
from analysis.meld.draft import BlockIndex, FlowDraft, PricedInstruction
from analysis.meld.shape import FlowShape

Known: TypeAlias = Mapping[ValueId, bool]
"""Conditions whose value is known at some place."""

_DEPTH = 16
"""How many conditions inside conditions are looked at."""


def fold_known_conditions(draft: FlowDraft) -> bool:
    """Whether anything changed.  The draft is settled before; afterwards edges may be gone that phis do not name."""
    folding = _Folding(draft)
    shape = FlowShape(draft)
    known: dict[BlockIndex, Known] = {}
    for block in shape.order:
        above = shape.dominators[block]
        known[block] = folding.on_edge(above, block, known[above]) if _is_only_way(shape, above, block) else {}
        if not known[block] and block != above:
            known[block] = known[above]
    for block in shape.order:
        folding.fold_selects(block, known[block])
        folding.fold_branch(block, known[block])
    if folding.found:
        draft.settle()
        draft.drop_unreachable()
    return folding.found


def _is_only_way(shape: FlowShape, above: BlockIndex, block: BlockIndex) -> bool:
    return block != above and shape.predecessors[block] == [above]


@final
class _Folding:
    def __init__(self, draft: FlowDraft) -> None:
        self._draft = draft
        self._definitions: dict[ValueId, Instruction] = {
            step.instruction.result: step.instruction
            for block in draft.blocks
            for step in block.steps
            if isinstance(step.instruction, Select | Binary | Unary | Constant)
        }
        self.found = False

    def on_edge(self, source: BlockIndex, target: BlockIndex, known: Known) -> Known:
        """What is known in `target`, which only `source` leads to."""
        branch = self._draft.blocks[source].terminator
        if not isinstance(branch, Branch) or branch.if_true == branch.if_false:
            return known
        return self._assuming(known, branch.condition, target == branch.if_true)

    def fold_branch(self, block: BlockIndex, known: Known) -> None:
        body = self._draft.blocks[block]
        branch = body.terminator
        if not isinstance(branch, Branch) or branch.if_true == branch.if_false:
            return
        answer = self._answer(branch.condition, known)
        if answer is None:
            return
        target, other = (branch.if_true, branch.if_false) if answer else (branch.if_false, branch.if_true)
        for phi in self._draft.blocks[other].phis:
            phi.incoming.pop(block, None)
        body.terminator = Jump(target, branch.span)
        self.found = True

    def fold_selects(self, block: BlockIndex, known: Known) -> None:
        body = self._draft.blocks[block]
        steps: list[PricedInstruction] = []
        for step in body.steps:
            item = step.instruction
            if isinstance(item, Select) and item.branch is None:
                answer = self._answer(item.condition, known)
                if answer is not None:
                    self._draft.replace(item.result, item.if_true if answer else item.if_false)
                    self.found = True
                else:
                    step = self._with_simple_sides(step, item, known, steps)
            steps.append(step)
        body.steps = steps

    def _with_simple_sides(
        self, step: PricedInstruction, item: Select, known: Known, before: list[PricedInstruction]
    ) -> PricedInstruction:
        """The select with what each side can only be; constants that it needs are added to `before`."""
        if_true = self._side(item, item.if_true, self._assuming(known, item.condition, True), before)
        if_false = self._side(item, item.if_false, self._assuming(known, item.condition, False), before)
        if (if_true, if_false) == (item.if_true, item.if_false):
            return step
        self.found = True
        changed = Select(item.result, item.condition, if_true, if_false, None, item.span)
        self._definitions[item.result] = changed
        return PricedInstruction(changed, step.slots)

    def _side(self, item: Select, value: ValueId, known: Known, before: list[PricedInstruction]) -> ValueId:
        for _ in range(_DEPTH):
            inner = self._definitions.get(value)
            if not isinstance(inner, Select) or inner.branch is not None:
                break
            answer = self._answer(inner.condition, known)
            if answer is None:
                break
            value = inner.if_true if answer else inner.if_false
        if self._draft.types[value] != BOOLEAN or isinstance(self._definitions.get(value), Constant):
            return value
        answer = self._answer(value, known)
        if answer is None:
            return value
        made = Constant(self._draft.value(BOOLEAN), answer, item.span)
        self._definitions[made.result] = made
        before.append(PricedInstruction(made, 0))
        return made.result

    def _answer(self, value: ValueId, known: Known, depth: int = _DEPTH) -> bool | None:
        """The value of a condition where `known` holds; None: either."""
        if value in known:
            return known[value]
        if depth == 0:
            return None
        match self._definitions.get(value):
            case Constant(value=bool(constant)):
                return constant
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                inner = self._answer(operand, known, depth - 1)
                return None if inner is None else not inner
            case Binary(operator=BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR as operator) as item:
                deciding = operator is BinaryOperator.LOGICAL_OR
                answers = {self._answer(item.left, known, depth - 1), self._answer(item.right, known, depth - 1)}
                if deciding in answers:
                    return deciding
                return None if None in answers else not deciding
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                chosen = self._answer(condition, known, depth - 1)
                if chosen is not None:
                    return self._answer(if_true if chosen else if_false, known, depth - 1)
                sides = self._answer(if_true, known, depth - 1), self._answer(if_false, known, depth - 1)
                return sides[0] if sides[0] == sides[1] else None
            case _:
                return None

    def _assuming(self, known: Known, condition: ValueId, truth: bool) -> Known:
        """What is known where the condition is `truth` besides what was known."""
        found = dict(known)
        waiting = [(condition, truth)]
        while waiting:
            value, answer = waiting.pop()
            if value in found:
                continue
            found[value] = answer
            waiting += self._parts(value, answer)
        return found

    def _parts(self, value: ValueId, truth: bool) -> list[tuple[ValueId, bool]]:
        """What follows for the parts of a condition that is `truth`."""
        match self._definitions.get(value):
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return [(operand, not truth)]
            case Binary(operator=BinaryOperator.LOGICAL_AND, left=left, right=right) if truth:
                return [(left, True), (right, True)]
            case Binary(operator=BinaryOperator.LOGICAL_OR, left=left, right=right) if not truth:
                return [(left, False), (right, False)]
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                if self._answer(if_true, {}, 1) is (not truth):
                    return [(condition, False), (if_false, truth)]
                if self._answer(if_false, {}, 1) is (not truth):
                    return [(condition, True), (if_true, truth)]
                return []
            case _:
                return []
