"""Who defines a value, and who reads it?

A site is a block and a place in it; the instruction itself is at hand, so that nobody has to look it up.

Cost    One walk over the function, O(instructions + operands); afterwards each question is a table look-up.
"""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.ir.function import ENTRY, Function, Parameter
from analysis.ir.instructions import BasicBlockId, Instruction, Phi, Terminator, ValueId
from analysis.ir.record import record

User: TypeAlias = Instruction | Phi | Terminator
Definer: TypeAlias = Instruction | Phi | Parameter


@final
@record
class DefinitionSite:
    """Where a value is defined; parameters are defined at the start of the entry."""

    block: BasicBlockId
    definer: Definer


@final
@record
class Use:
    """`user` reads the value in `block`; for a phi that is the phi's block, not where the input comes from."""

    block: BasicBlockId
    user: User


@final
@record
class Uses:
    """Built by `Uses.of`; indexed by value id."""

    _sites: tuple[DefinitionSite | None, ...]
    _users: tuple[tuple[Use, ...], ...]

    @staticmethod
    def of(function: Function) -> Uses:
        sites: list[DefinitionSite | None] = [None] * len(function.types)
        users: list[list[Use]] = [[] for _ in function.types]
        for parameter in function.parameters:
            sites[parameter.value] = DefinitionSite(ENTRY, parameter)
        for index, block in enumerate(function.blocks):
            id = BasicBlockId(index)
            for user in (*block.phis, *block.instructions, block.terminator):
                operands = user.operands
                if operands:
                    use = Use(id, user)
                    for value in dict.fromkeys(operands):
                        users[value].append(use)
            for definer in (*block.phis, *block.instructions):
                if definer.result is not None:
                    sites[definer.result] = DefinitionSite(id, definer)
        return Uses(tuple(sites), tuple(map(tuple, users)))

    def definition(self, value: ValueId) -> DefinitionSite | None:
        """None for a value that inlining replaced by another one."""
        return self._sites[value]

    def users(self, value: ValueId) -> tuple[Use, ...]:
        """Each user once, even where it reads the value twice; in the order of the blocks."""
        return self._users[value]
