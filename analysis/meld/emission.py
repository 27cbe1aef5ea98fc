"""Straight-line code that two sides share: aligned instructions once, the others under a guard or for everybody.

Aligned     one instruction, which keeps the left one's result; where the operands differ, a select on the region's
            condition chooses.  Each pair of values is selected once per block.
Alone       instructions of one side between two aligned ones move to a block of their own, which only that side runs
            (*unpredication*).  They stay in place, for everybody, where they may be executed with any operands and
            are cheaper than the branch: up to `SPECULATION_SLOTS`.  Without unpredication all that may, stay in place;
            what may not (accesses to memory, divisions of integers) is guarded all the same, because the address of
            one side must not be formed and read by the other.
Sources     of both sides stand first; equal ones are one.
Source      Saumya et al., CGO 2022, sections IV-D and IV-E, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, final

from analysis.ir.ids import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.instructions import Binary, Branch, Constant, Instruction, Jump, Select
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, Type
from analysis.meld.columns import Columns
from analysis.meld.compatibility import is_source, is_speculative, source_key
from analysis.meld.draft import BlockIndex, FlowDraft, PricedInstruction
from analysis.meld.operands import with_instruction_operands
from analysis.meld.tidy_values import select_slots

SPECULATION_SLOTS: Final = 2
"""A branch costs one slot, and a run under it what it costs: below this nothing is gained by it."""


@final
class Emitter:
    """Writes melded code into blocks of a draft; `condition` holds for the threads of the left side."""

    def __init__(
        self, draft: FlowDraft, condition: ValueId, branch: SourceBranchId | None, span: Span, *, unpredication: bool
    ) -> None:
        self._draft = draft
        self._condition = condition
        self._branch = branch
        self._span = span
        self._unpredication = unpredication
        self._selected: dict[tuple[ValueId, ValueId], ValueId] = {}
        self._constants: Mapping[ValueId, Instruction] = {
            step.instruction.result: step.instruction
            for block in draft.blocks
            for step in block.steps
            if isinstance(step.instruction, Constant)
        }
        self.block: BlockIndex = 0
        """Where the next instruction goes."""
        self.melded = 0
        """How many pairs of instructions became one."""

    def open(self, block: BlockIndex) -> None:
        """Goes on in another block; what was selected before it is not available there."""
        self.block = block
        self._selected = {}

    def steps(self) -> list[PricedInstruction]:
        return self._draft.blocks[self.block].steps

    # -- values -----------------------------------------------------------------------------------------------------

    def choose(self, left: ValueId, right: ValueId) -> ValueId:
        """The value of the left side for its threads, and that of the right side for the others."""
        draft = self._draft
        pair = draft.find(left), draft.find(right)
        if pair[0] == pair[1]:
            return pair[0]
        if pair not in self._selected:
            type_ = draft.types[pair[0]]
            self._selected[pair] = draft.value(type_)
            select = Select(self._selected[pair], self._condition, *pair, None, self._span)
            self.steps().append(PricedInstruction(select, select_slots(type_)))
        return self._selected[pair]

    def constant(self, value: int | bool, type_: Type) -> ValueId:
        result = self._draft.value(type_)
        self.steps().append(PricedInstruction(Constant(result, value, self._span), 0))
        return result

    # -- instructions -----------------------------------------------------------------------------------------------

    def sources(self, left: Sequence[PricedInstruction], right: Sequence[PricedInstruction]) -> None:
        """Constants and addresses of variables of both sides."""
        known: dict[Hashable, ValueId] = {}
        for step in (*left, *right):
            result = step.instruction.result
            if not is_source(step.instruction) or result is None:
                continue
            key = source_key(step.instruction, self._draft.types)
            if key in known:
                self._draft.replace(result, known[key])
            else:
                known[key] = result
                self.steps().append(step)

    def columns(self, columns: Columns, ends: tuple[BlockIndex, BlockIndex] | None) -> None:
        """The aligned code; `ends` are blocks of each side that follow anyway: they take what comes after the last
        pair."""
        runs: tuple[list[PricedInstruction], list[PricedInstruction]] = ([], [])
        for left, right in columns:
            if left is not None and right is not None:
                self._alone(runs)
                runs = ([], [])
                self._pair(left, right)
            elif left is not None:
                runs[0].append(left)
            elif right is not None:
                runs[1].append(right)
        if ends is None:
            self._alone(runs)
            return
        for run, end in zip(runs, ends, strict=True):
            self._draft.blocks[end].steps += run

    def _pair(self, left: PricedInstruction, right: PricedInstruction) -> None:
        operands = [
            self.choose(one, other)
            for one, other in zip(left.instruction.operands, right.instruction.operands, strict=True)
        ]
        item = with_instruction_operands(left.instruction, operands)
        self.steps().append(PricedInstruction(item, max(left.slots, right.slots)))
        results = left.instruction.result, right.instruction.result
        if results[0] is not None and results[1] is not None and self._draft.types[results[0]] == BOOLEAN:
            self._draft.merge(results[0], results[1], self._condition)
        self.melded += 1

    def _alone(self, runs: tuple[Sequence[PricedInstruction], Sequence[PricedInstruction]]) -> None:
        """Instructions of each side that the other one does not have."""
        if not self._unpredication:
            self._alone_in_place(runs)
            return
        guarded: list[Sequence[PricedInstruction]] = []
        for run in runs:
            may_stay = all(map(self._may_stay, run)) and sum(step.slots for step in run) <= SPECULATION_SLOTS
            if may_stay:
                self.steps().extend(run)
            guarded.append(() if may_stay else run)
        self._guard(guarded[0], guarded[1])

    def _alone_in_place(self, runs: tuple[Sequence[PricedInstruction], Sequence[PricedInstruction]]) -> None:
        for side, run in enumerate(runs):
            waiting: list[PricedInstruction] = []
            for step in run:
                if self._may_stay(step):
                    self._guard(*((waiting, ()) if side == 0 else ((), waiting)))
                    waiting = []
                    self.steps().append(step)
                else:
                    waiting.append(step)
            self._guard(*((waiting, ()) if side == 0 else ((), waiting)))

    def _may_stay(self, step: PricedInstruction) -> bool:
        item = step.instruction
        divisor = self._constants.get(self._draft.find(item.right)) if isinstance(item, Binary) else None
        return is_speculative(item, self._draft.types, divisor)

    def _guard(self, left: Sequence[PricedInstruction], right: Sequence[PricedInstruction]) -> None:
        """Runs `left` and `right` in blocks of their own and goes on where they meet."""
        if not left and not right:
            return
        draft = self._draft
        here = draft.blocks[self.block]
        after = draft.block(here.terminator, here.rounds)
        draft.blocks[after].is_melded = here.is_melded
        targets: list[BlockIndex] = []
        for run in (left, right):
            targets.append(draft.block(Jump(BasicBlockId(after), self._span), here.rounds) if run else after)
            draft.blocks[targets[-1]].steps += run
        here.terminator = Branch(
            self._condition, BasicBlockId(targets[0]), BasicBlockId(targets[1]), self._branch, self._span
        )
        self.block = after
