"""Definitions that dominate their uses again, after blocks of two arms became one.

Question  A value of one arm may be used in a block that threads of the other arm pass, too.  Which value do they bring?
Rules     They never use it, so any: where paths with and without the definition meet, a phi takes the value from the
          first and `Undefined` from the others.  This is the paper's pre-processing (its Fig. 5) and the phis of its
          unpredication and region replication, for all values at once and after the rewriting.
Form      Phis stand at the iterated dominance frontier of the definition; those that nobody reads are dead, and
          `tidy.py` removes them.  There is one `Undefined` for each type, at the start of the entry.
Cost      O(blocks) for each value whose definition does not dominate all its uses.
Source    Saumya et al., CGO 2022, sections IV-E and IV-F; Cytron et al., TOPLAS 1991 (where phis are needed).
"""

from __future__ import annotations

from typing import final

from analysis.ir.control_flow import dominance_frontiers
from analysis.ir.draft import with_operands
from analysis.ir.function import ENTRY
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Undefined
from analysis.ir.source import NO_SPAN
from analysis.ir.types import Type
from analysis.meld.draft import BlockIndex, FlowDraft, FlowPhi, PricedInstruction
from analysis.meld.shape import FlowShape

_END = 1 << 60
"""The position of a terminator, and of a phi's input in the predecessor it comes from."""


def repair_dominance(draft: FlowDraft) -> None:
    """Inserts the phis that are missing; the draft is settled and has no unreachable inputs."""
    _Repair(draft).run()


@final
class _Repair:
    def __init__(self, draft: FlowDraft) -> None:
        self._draft = draft
        self._shape = FlowShape(draft)
        self._sites = _definition_sites(draft, self._shape.order)
        self._frontiers = dominance_frontiers(self._shape.predecessors, self._shape.dominators)
        self._undefined: dict[Type, ValueId] = {}

    def run(self) -> None:
        broken = self._broken_values()
        for value in sorted(broken):
            self._mend(value)
        entry = self._draft.blocks[ENTRY]
        entry.steps[:0] = [PricedInstruction(Undefined(value, NO_SPAN), 0) for value in self._undefined.values()]

    def _broken_values(self) -> set[ValueId]:
        return {value for block in self._shape.order for value, at in self._uses(block) if not self._reaches(value, at)}

    def _uses(self, block: BlockIndex) -> list[tuple[ValueId, tuple[BlockIndex, int]]]:
        """What is read in the block, and where it must be available."""
        body = self._draft.blocks[block]
        found = [(value, (source, _END)) for phi in body.phis for source, value in phi.incoming.items()]
        for position, step in enumerate(body.steps):
            found += [(value, (block, position)) for value in step.instruction.operands]
        found += [(value, (block, _END)) for value in body.terminator.operands]
        return found

    def _reaches(self, value: ValueId, use: tuple[BlockIndex, int]) -> bool:
        block, position = self._sites[value]
        if block == use[0]:
            return position < use[1]
        return self._shape.dominates(block, use[0])

    def _mend(self, value: ValueId) -> None:
        home, _ = self._sites[value]
        phis = self._place_phis(value, home)
        for block, phi in phis.items():
            phi.incoming = {
                source: self._at_end(source, value, home, phis) for source in self._shape.predecessors[block]
            }
        for block in self._shape.order:
            self._rewrite(block, value, home, phis)
        for block, phi in phis.items():
            self._sites[phi.result] = (block, -1)
            self._draft.blocks[block].phis.append(phi)

    def _place_phis(self, value: ValueId, home: BlockIndex) -> dict[BlockIndex, FlowPhi]:
        draft = self._draft
        phis: dict[BlockIndex, FlowPhi] = {}
        pending = [home]
        while pending:
            for block in self._frontiers[pending.pop()]:
                if block not in phis:
                    phis[block] = FlowPhi(draft.value(draft.types[value]), {}, NO_SPAN)
                    pending.append(block)
        return phis

    def _at_end(self, block: BlockIndex, value: ValueId, home: BlockIndex, phis: dict[BlockIndex, FlowPhi]) -> ValueId:
        return value if block == home else self._at_start(block, value, home, phis)

    def _at_start(
        self, block: BlockIndex, value: ValueId, home: BlockIndex, phis: dict[BlockIndex, FlowPhi]
    ) -> ValueId:
        """What stands for the value at the start of the block: the nearest phi or definition above it."""
        while block not in phis:
            if block == ENTRY:
                return self._nothing(value)
            block = self._shape.dominators[block]
            if block == home:
                return value
        return phis[block].result

    def _nothing(self, value: ValueId) -> ValueId:
        type_ = self._draft.types[value]
        if type_ not in self._undefined:
            self._undefined[type_] = self._draft.value(type_)
            self._sites[self._undefined[type_]] = (ENTRY, -1)
        return self._undefined[type_]

    def _rewrite(self, block: BlockIndex, value: ValueId, home: BlockIndex, phis: dict[BlockIndex, FlowPhi]) -> None:
        """Uses of the value in the block that it does not reach read the phi that stands for it."""
        body = self._draft.blocks[block]
        for phi in body.phis:
            for source, known in phi.incoming.items():
                if known == value and not self._reaches(value, (source, _END)):
                    phi.incoming[source] = self._at_end(source, value, home, phis)
        reads = [
            at
            for at, step in enumerate(body.steps)
            if value in step.instruction.operands and not self._reaches(value, (block, at))
        ]
        ends = value in body.terminator.operands and not self._reaches(value, (block, _END))
        if not reads and not ends:
            return
        names = [ValueId(number) for number in range(len(self._draft.types))]
        names[value] = self._at_start(block, value, home, phis)
        for at in reads:
            step = body.steps[at]
            # The result keeps its name even where it is the value itself: a step never reads what it defines.
            body.steps[at] = PricedInstruction(step.instruction.renamed(names, step.instruction.span), step.slots)
        if ends:
            body.terminator = with_operands(body.terminator, names)


def _definition_sites(draft: FlowDraft, order: list[BlockIndex]) -> dict[ValueId, tuple[BlockIndex, int]]:
    """Where each value is defined: a block and a position in it, -1 for phis and parameters."""
    sites = {parameter.value: (int(ENTRY), -1) for parameter in draft.function.parameters}
    for block in order:
        body = draft.blocks[block]
        for phi in body.phis:
            sites[phi.result] = (block, -1)
        for position, step in enumerate(body.steps):
            if step.instruction.result is not None:
                sites[step.instruction.result] = (block, position)
    return sites
