"""A function as a flow graph that may be changed: what melding rewrites, and how much it costs.

Blocks are named by their index in `blocks`; a block that the entry does not reach any more is dropped by `finish`.
At the beginning the names are those of the function's blocks, so facts about it can be asked for as long as a block
stands.  Each instruction keeps its price in issue slots and each block how often it runs, so that the price of the
whole graph is known after every change without analysing it again.

Invariants
1. A value is defined once.  `replaced` says which value stands for another one now; `settle` rewrites all operands.
2. A phi has one input for each predecessor that the entry reaches, after `drop_unreachable`.
3. A definition dominates its uses only after `repair.py`.

Cost    `copy` and `settle` are O(instructions).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, final

from analysis.ir.cleanup import clean_up_draft
from analysis.ir.control_flow import reverse_post_order
from analysis.ir.draft import Draft, with_operands
from analysis.ir.function import ENTRY, BasicBlock, Definition, Expression, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Branch,
    Instruction,
    Jump,
    Phi,
    Return,
    Switch,
    SwitchCase,
    Terminator,
    Trap,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import Type
from analysis.verdict.latency import is_issued, terminator_latency

BlockIndex: TypeAlias = int
"""A block of a `FlowDraft`."""


@final
@record
class MergedValue:
    """A value that is `left` for the threads for which the condition holds, and `right` for the others."""

    condition: ValueId
    left: Origin
    right: Origin


Origin: TypeAlias = "ValueId | MergedValue"


@final
@record
class PricedInstruction:
    """An instruction and its price in issue slots."""

    instruction: Instruction
    slots: int


@final
@dataclass(slots=True)
class FlowPhi:
    """A phi whose inputs may change, by predecessor."""

    result: ValueId
    incoming: dict[BlockIndex, ValueId]
    span: Span


@final
@dataclass(slots=True)
class FlowBlock:
    """`rounds`: how often the loops around it let it run; `is_melded`: both arms of some branch run it; `is_divergent`:
    lanes of a warp may part at its end, as far as the analysis of the function said."""

    phis: list[FlowPhi]
    steps: list[PricedInstruction]
    terminator: Terminator
    rounds: int
    is_melded: bool = False
    is_divergent: bool = False

    def copy(self) -> FlowBlock:
        phis = [FlowPhi(phi.result, dict(phi.incoming), phi.span) for phi in self.phis]
        return FlowBlock(phis, list(self.steps), self.terminator, self.rounds, self.is_melded, self.is_divergent)

    @property
    def slots(self) -> int:
        return terminator_latency(self.terminator) + sum(step.slots for step in self.steps)

    @property
    def issued(self) -> int:
        return is_issued(self.terminator) + sum(is_issued(step.instruction) for step in self.steps)


@final
class FlowDraft:
    """The graph; `types` grows with every new value."""

    def __init__(self, function: Function, blocks: list[FlowBlock], types: list[Type]) -> None:
        self.function = function
        self.blocks = blocks
        self.types = types
        self.replaced: dict[ValueId, ValueId] = {}
        self.merged: dict[ValueId, MergedValue] = {}
        """What the results of melded instructions stand for, so far as something asks for them."""
        self._aliases: dict[ValueId, ValueId] = {}

    def copy(self) -> FlowDraft:
        """Another graph that can be changed on its own."""
        other = FlowDraft(self.function, [block.copy() for block in self.blocks], list(self.types))
        other.replaced = dict(self.replaced)
        other.merged = dict(self.merged)
        other._aliases = dict(self._aliases)
        return other

    # -- building ---------------------------------------------------------------------------------------------------

    def value(self, type: Type) -> ValueId:
        self.types.append(type)
        return ValueId(len(self.types) - 1)

    def block(self, terminator: Terminator, rounds: int) -> BlockIndex:
        """A new block without instructions."""
        self.blocks.append(FlowBlock([], [], terminator, rounds))
        return len(self.blocks) - 1

    def replace(self, value: ValueId, by: ValueId) -> None:
        if self.find(value) != self.find(by):
            self.replaced[self.find(value)] = self.find(by)

    def find(self, value: ValueId) -> ValueId:
        """The value that stands for `value` now."""
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def current(self, value: ValueId) -> ValueId:
        """The value that stands for `value` now, whenever it was replaced."""
        return self.find(self._aliases.get(value, value))

    def merge(self, left: ValueId, right: ValueId, condition: ValueId) -> None:
        """Notes that `left` is from now on what `right` was, too, where the condition does not hold."""
        origins = self.merged.get(left, left), self.merged.get(right, right)
        self.merged[left] = MergedValue(condition, *origins)

    # -- edges ------------------------------------------------------------------------------------------------------

    def successors(self, block: BlockIndex) -> tuple[BlockIndex, ...]:
        return tuple(dict.fromkeys(self.blocks[block].terminator.successors))

    def order(self) -> list[BlockIndex]:
        """The blocks that the entry reaches in reverse post-order."""
        return reverse_post_order(ENTRY, [self.successors(block)[::-1] for block in range(len(self.blocks))])

    def predecessors(self, order: Iterable[BlockIndex]) -> list[list[BlockIndex]]:
        """The predecessors of each block among those of `order`, in ascending order."""
        result: list[list[BlockIndex]] = [[] for _ in self.blocks]
        for block in sorted(order):
            for successor in self.successors(block):
                result[successor].append(block)
        return result

    def redirect(self, source: BlockIndex, old: BlockIndex, new: BlockIndex) -> None:
        """Edges from `source` to `old` lead to `new` instead; phis stay as they are."""
        body = self.blocks[source]
        body.terminator = with_targets(body.terminator, {old: new})

    def rename_source(self, block: BlockIndex, old: BlockIndex, new: BlockIndex) -> None:
        """What arrived in `block` from `old` arrives from `new`."""
        for phi in self.blocks[block].phis:
            if old in phi.incoming:
                phi.incoming = {(new if source == old else source): value for source, value in phi.incoming.items()}

    # -- keeping it well formed -------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Rewrites every operand to the value that stands for it; definitions of replaced values go."""
        if not self.replaced:
            return
        names = list(range(len(self.types)))
        for value in self.replaced:
            names[value] = self.find(value)
        typed = [ValueId(name) for name in names]
        for value, other in self._aliases.items():
            self._aliases[value] = typed[other]
        for value in self.replaced:
            self._aliases.setdefault(value, typed[value])
        replaced = self.replaced.keys()
        for block in self.blocks:
            block.phis = [phi for phi in block.phis if phi.result not in replaced]
            for phi in block.phis:
                phi.incoming = {source: typed[value] for source, value in phi.incoming.items()}
            block.steps = [
                step if replaced.isdisjoint(step.instruction.operands) else _renamed(step, typed)
                for step in block.steps
                if step.instruction.result not in replaced
            ]
            block.terminator = with_operands(block.terminator, typed)
        self.replaced = {}

    def drop_unreachable(self) -> None:
        """Blocks that the entry does not reach lose their contents, and phis the inputs from there."""
        reached = set(self.order())
        for index, block in enumerate(self.blocks):
            if index not in reached:
                self.blocks[index] = FlowBlock([], [], Trap(block.terminator.span), 0)
                continue
            for phi in block.phis:
                if not phi.incoming.keys() <= reached:
                    phi.incoming = {source: value for source, value in phi.incoming.items() if source in reached}

    def named_values(self) -> list[ValueId]:
        """The values that variables of the source hold."""
        return [self.current(found.value) for found in self.function.definitions]

    # -- the end ----------------------------------------------------------------------------------------------------

    def finish(self) -> tuple[Function, tuple[BlockIndex, ...]]:
        """The function, without dead values, and for each of its blocks the block of the draft that it was."""
        self.settle()
        self.drop_unreachable()
        order = self.order()
        number = {old: BasicBlockId(new) for new, old in enumerate(order)}
        blocks = tuple(self._finished(self.blocks[old], number) for old in order)
        known = {phi.result for block in blocks for phi in block.phis}
        known |= {item.result for block in blocks for item in block.instructions if item.result is not None}
        known |= {parameter.value for parameter in self.function.parameters}
        raw = replace(
            self.function,
            blocks=blocks,
            types=tuple(self.types),
            definitions=tuple(
                Definition(found.variable, value, found.span)
                for found in self.function.definitions
                if (value := self._aliases.get(found.value, found.value)) in known
            ),
            expressions=tuple(
                Expression(found.span, value)
                for found in self.function.expressions
                if (value := self._aliases.get(found.value, found.value)) in known
            ),
        )
        draft = Draft(raw)
        draft.changed = True
        clean_up_draft(draft)
        return draft.finish(), tuple(order)

    def _finished(self, block: FlowBlock, number: Mapping[BlockIndex, BasicBlockId]) -> BasicBlock:
        return BasicBlock(
            tuple(
                Phi(
                    phi.result,
                    tuple((number[source], value) for source, value in sorted(phi.incoming.items())),
                    phi.span,
                )
                for phi in block.phis
            ),
            tuple(step.instruction for step in block.steps),
            with_targets(block.terminator, number),
        )


def _renamed(step: PricedInstruction, names: list[ValueId]) -> PricedInstruction:
    return PricedInstruction(step.instruction.renamed(names, step.instruction.span), step.slots)


def with_targets(terminator: Terminator, new: Mapping[BlockIndex, BlockIndex]) -> Terminator:
    """The terminator with `new[t]` for each target `t` that is a key of `new`."""

    def moved(target: BasicBlockId) -> BasicBlockId:
        return BasicBlockId(new.get(target, target))

    match terminator:
        case Jump(target=target, span=span):
            return Jump(moved(target), span)
        case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch, span=span):
            return Branch(condition, moved(if_true), moved(if_false), branch, span)
        case Switch(value=value, cases=cases, default=default, branch=branch, span=span):
            targets = tuple(SwitchCase(case.value, moved(case.target)) for case in cases)
            return Switch(value, targets, moved(default), branch, span)
        case Return() | Trap():
            return terminator
