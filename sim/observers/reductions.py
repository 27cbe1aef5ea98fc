"""Which atomics are reductions: nobody uses what they found in memory, so hardware need not bring it back."""

from __future__ import annotations

from typing import final

from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic
from sim.events import AccessSite


@final
class Reductions:
    """Asked for sites of several functions; what each function uses is gathered once."""

    def __init__(self) -> None:
        self._used: dict[str, frozenset[ValueId]] = {}

    def has(self, site: AccessSite) -> bool:
        """Whether the site is an atomic without a use of its result."""
        if not isinstance(site.instruction, Atomic):
            return False
        key = str(site.function.id)
        if key not in self._used:
            self._used[key] = _used_in(site.function)
        return site.instruction.result not in self._used[key]


def _used_in(function: Function) -> frozenset[ValueId]:
    return frozenset(
        operand
        for block in function.blocks
        for one in (*block.phis, *block.instructions, block.terminator)
        for operand in one.operands
    )
