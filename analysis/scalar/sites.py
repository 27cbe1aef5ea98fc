"""Numbers for what machine code is selected for: parameters, phis, instructions, terminators."""

from __future__ import annotations

from typing import final

from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.scalar.machine import SiteId


@final
class Sites:
    """Parameters first, then block by block: phis, instructions, the terminator."""

    def __init__(self, function: Function) -> None:
        self._first: list[int] = []
        count = len(function.parameters)
        for block in function.blocks:
            self._first.append(count)
            count += len(block.phis) + len(block.instructions) + 1
        self._function = function

    def phi(self, block: BasicBlockId, index: int) -> SiteId:
        return SiteId(self._first[block] + index)

    def instruction(self, block: BasicBlockId, index: int) -> SiteId:
        return SiteId(self._first[block] + len(self._function.blocks[block].phis) + index)

    def terminator(self, block: BasicBlockId) -> SiteId:
        own = self._function.blocks[block]
        return SiteId(self._first[block] + len(own.phis) + len(own.instructions))
