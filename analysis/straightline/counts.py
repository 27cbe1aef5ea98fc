"""How many machine instructions a function takes, weighted as the kernel runs, for threads and for warps.

Price     what an instruction becomes: 1 for most, the length of the sequence for divisions and functions
          (`analysis/verdict/latency.py`), 2 for arithmetic on 64 bits, and 0 for constants, members, and an address at
          a constant distance from another one that is only loaded from or stored to (`register + constant`).
Rounds    how often the loops around a block let it run (`analysis/verdict/weights.py`); all arms of branches count.
Threads   each thread takes all of them.
Warps     an instruction whose operands agree in the warp is one operation for all of it, any other one for each thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.cycles import CycleId
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Bitcast,
    Branch,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Store,
    Switch,
    Texture,
)
from analysis.ir.record import record
from analysis.ir.types import IntegerType
from analysis.straightline.code import Code
from analysis.verdict.latency import DOUBLE, is_issued, latency_of_types, terminator_latency

_MEMORY: Final = (Atomic, Load, Store, Texture)
_STEPS: Final = (Bitcast, ElementAddress, FieldAddress)


@final
@record
class Counts:
    """Of one run of a function; `once` of the instructions are one operation for a warp, `each` one for each thread."""

    once: int
    each: int

    @property
    def of_thread(self) -> int:
        return self.once + self.each

    def of_warp(self, warp_size: int) -> int:
        return self.once + self.each * warp_size


@final
class Counter:
    """Counts a `Code` at any time; levels of new values are those of their operands."""

    def __init__(self, divergence: DivergenceResult, rounds: Callable[[BasicBlockId], int]) -> None:
        self._divergence = divergence
        self._rounds = rounds

    def counts(self, code: Code) -> Counts:
        """Of the whole function."""
        once = each = 0
        levels = self._levels(code)
        prices = self.prices(code)
        for block in code.preorder:
            rounds = self._rounds(block)
            for instruction in code.blocks[block]:
                price = prices(instruction) * rounds
                if price and self._agrees(instruction, levels):
                    once += price
                else:
                    each += price
            terminator = code.terminators[block]
            price = terminator_latency(terminator) * rounds
            if isinstance(terminator, Branch | Switch) and levels[terminator.operands[0]] is Level.VARYING:
                each += price
            else:
                once += price
        return Counts(once, each)

    def by_cycle(self, code: Code) -> Mapping[CycleId | None, int]:
        """One round of each loop, by the innermost loop: what a share is made of."""
        found: defaultdict[CycleId | None, int] = defaultdict(int)
        prices = self.prices(code)
        for block in code.preorder:
            cycle = code.control.innermost_cycle(block)
            found[None if cycle is None else cycle.id] += sum(prices(one) for one in code.blocks[block])
        return found

    def prices(self, code: Code) -> Callable[[Instruction], int]:
        """What each instruction costs where it stands."""
        readers = code.readers()

        def price(instruction: Instruction) -> int:
            if isinstance(instruction, ElementAddress) and _is_folded(code, readers, instruction.result, 0):
                return 0
            return price_of(code, instruction)

        return price

    def _levels(self, code: Code) -> list[Level]:
        known = self._divergence.function.types
        levels = [self._divergence.level(ValueId(value)) for value in range(len(known))]
        levels += [Level.GRID] * (len(code.types) - len(known))
        for _, instruction in code.instructions():
            result = instruction.result
            if result is not None and result >= len(known):
                levels[result] = max((levels[one] for one in instruction.operands), default=Level.GRID)
        return levels

    @staticmethod
    def _agrees(instruction: Instruction, levels: Sequence[Level]) -> bool:
        result = instruction.result
        values = instruction.operands if result is None else (*instruction.operands, result)
        return all(levels[one] is not Level.VARYING for one in values)


def price_of(code: Code, instruction: Instruction) -> int:
    """Machine instructions, without regard to who reads the result."""
    if isinstance(instruction, _MEMORY):
        return 1
    if isinstance(instruction, ElementAddress):
        index = code.types[instruction.index]
        is_wide = isinstance(index, IntegerType) and index.bits > 32
        return DOUBLE if is_wide and code.number(instruction.index) is None else 1
    if isinstance(instruction, Convert) and isinstance(code.definitions.get(instruction.operand), Constant):
        return 0
    return latency_of_types(instruction, code.types, code.definitions.get) if is_issued(instruction) else 0


def _is_folded(
    code: Code, readers: Mapping[ValueId, Sequence[Instruction | None]], address: ValueId, depth: int
) -> bool:
    """An address at a constant distance from another one that only accesses to memory read."""
    definition = code.definitions.get(address)
    if isinstance(definition, ElementAddress) and code.number(definition.index) is None and depth == 0:
        return False
    for reader in readers.get(address, ()):
        if isinstance(reader, Load | Atomic) and address == reader.address:
            continue
        if isinstance(reader, Store) and address == reader.address and address != reader.value:
            continue
        if isinstance(reader, ElementAddress) and code.number(reader.index) is None:
            return False
        if not isinstance(reader, _STEPS) or depth > 3 or not _is_folded(code, readers, reader.result, depth + 1):
            return False
    return True
