"""Machine code in the making: SSA with phis, before registers are assigned.

A register's number names one SSA value here.  Its *key* names what it holds in a way that is the same in conventional
and in scalarized code, so that a value can keep its register number (Fig. 1 of Lee et al.).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, final

from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.scalar.machine import Bank, MachineInstruction, Operand, Register, SiteId

Key: TypeAlias = tuple[SiteId, int]
"""The site, and which of its results (from 0) or temporaries (below 0)."""


@final
@record
class MachinePhi:
    """One register, the operand that arrives over each edge."""

    result: Register
    incoming: tuple[tuple[BasicBlockId, Operand], ...]
    site: SiteId
    span: Span


@final
class Code:
    """Blocks in layout order; passes replace the lists."""

    def __init__(self, order: Sequence[BasicBlockId], successors: Sequence[Sequence[BasicBlockId]]) -> None:
        self.order = order
        self.successors = successors
        self.phis: dict[BasicBlockId, list[MachinePhi]] = {block: [] for block in order}
        self.body: dict[BasicBlockId, list[MachineInstruction]] = {block: [] for block in order}
        self.ends: dict[BasicBlockId, list[MachineInstruction]] = {block: [] for block in order}
        """The branches that end a block: what is copied for the phis of a successor is copied before them."""
        self.keys: list[Key] = []
        """Of each register, by its number."""
        self.spans: dict[SiteId, Span] = {}
        """Of the phis that became copies."""

    def register(self, bank: Bank, key: Key) -> Register:
        self.keys.append(key)
        return Register(bank, len(self.keys) - 1)

    def instructions(self) -> Iterator[MachineInstruction]:
        for block in self.order:
            yield from self.body[block]
            yield from self.ends[block]


def registers(operands: Sequence[Operand]) -> Iterator[Register]:
    """The operands that are registers."""
    for operand in operands:
        if isinstance(operand, Register):
            yield operand
