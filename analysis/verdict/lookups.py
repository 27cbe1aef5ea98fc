"""Does a loop look up, in one table that all lanes read alike, the place of a value that lies at the lane's own index?

Example   `for (x = 0; x < n; x++) if (sums[x] >= sought[i]) break;`
Rules     Every comparison that lets lanes leave is one of order, between what all lanes of a warp read in this round
          and a value that the lane has loaded at its own index, or computed from that or from the index by arithmetic.
          An equal entry may stand anywhere, wherever the neighbour's stands; a place in an order lies near that of a
          value that is nearly the same: as values are that come from the index, and loaded ones in a sorted list.
Unlike    a probe of a hash table, a walk along pointers, a search in a row of the lane's own.
Gives up  at joins and calls on the way to the value, and after `MAX_VALUES`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    ReadSpecial,
    Unary,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, SpecialRegister
from analysis.ir.types import MemorySpace
from analysis.memory.spaces import SpaceResult
from analysis.verdict.exit_conditions import ExitConditions
from analysis.verdict.steady import Steadiness
from analysis.verdict.trend import THREAD_INDICES

MAX_VALUES: Final = 100
ORDERS: Final = frozenset(
    {CompareOperator.LESS, CompareOperator.LESS_EQUAL, CompareOperator.GREATER, CompareOperator.GREATER_EQUAL}
)
INDICES: Final = THREAD_INDICES | {SpecialRegister.LANE}
KEEPING: Final = frozenset(
    {
        BinaryOperator.ADD,
        BinaryOperator.SUBTRACT,
        BinaryOperator.MULTIPLY,
        BinaryOperator.DIVIDE,
        BinaryOperator.SHIFT_LEFT,
        BinaryOperator.SHIFT_RIGHT,
    }
)
"""What gives numbers that lie near each other for such numbers; no remainders and no bits, as hashes take them."""


class Sought(Enum):
    """Where the value comes from whose place is looked up."""

    INDEXED = "indexed"
    LOADED = "loaded"


@final
class Lookups:
    """Answers about the loops of one function."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult
    ) -> None:
        self._divergence = divergence
        self._spaces = spaces
        self._steady = Steadiness(function, divergence)
        self._conditions = ExitConditions(function, control, divergence)

    def of(self, cycle: Cycle, exits: Iterable[BasicBlockId]) -> Sought | None:
        """What is looked up, if that is all that lets lanes leave apart by these exits."""
        found = {self._compared(item, cycle) for item in self._conditions.of(cycle, exits) or ()}
        if not found or None in found:
            return None
        return Sought.LOADED if Sought.LOADED in found else Sought.INDEXED

    def _compared(self, item: Instruction, cycle: Cycle) -> Sought | None:
        if not isinstance(item, Compare) or item.operator not in ORDERS:
            return None
        home = self._divergence.home(item.result)
        own = [value for value in item.operands if self._divergence.use_level(value, home) > Level.WARP]
        return self._sought(own[0], home) if len(own) == 1 and self._steady.is_steady(own[0], cycle) else None

    def _sought(self, value: ValueId, reader: BasicBlockId) -> Sought | None:
        """Does it follow from the thread's index, or from what is loaded there, so that neighbours' lie near?"""
        waiting = [(value, reader, False)]
        looks, found = 0, Sought.INDEXED
        while waiting:
            value, reader, is_place = waiting.pop()
            looks += 1
            if self._divergence.use_level(value, reader) <= Level.WARP:
                continue
            item, home = self._divergence.definition(value), self._divergence.home(value)
            if looks > MAX_VALUES or self._divergence.agrees_in_warp(
                value
            ):  # lanes come from a loop at different times
                return None
            match item:
                case Load(address=address) if not is_place and self._spaces.space(address) is not MemorySpace.LOCAL:
                    found = Sought.LOADED
                    waiting.append((address, home, True))
                case ReadSpecial(register=register) if register in INDICES:
                    pass
                case Binary(operator=operator) if operator in KEEPING:
                    waiting += [(operand, home, is_place) for operand in item.operands]
                case Convert() | Unary() | Bitcast() | ElementAddress() | FieldAddress() | Constant():
                    waiting += [(operand, home, is_place) for operand in item.operands]
                case _:
                    return None
        return found
