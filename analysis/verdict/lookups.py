"""Does a loop look up, in one table that all lanes read alike, the place of a value that lies at the lane's own index?

Example   `for (x = 0; x < n; x++) if (sums[x] >= sought[i]) break;`
Rules     Every comparison that lets lanes leave is one of order, between what all lanes of a warp read in this round
          and a value that the lane has loaded at its own index, or computed from that or from the index by arithmetic.
          An equal entry may stand anywhere, wherever the neighbour's stands; a place in an order lies near that of a
          value that is nearly the same, as values at neighbouring indices often are.
Unlike    a probe of a hash table, a walk along pointers, a search in a row of the lane's own.
Gives up  at joins and calls on the way to the value, and after `MAX_VALUES`.
"""

from __future__ import annotations

from collections.abc import Iterable
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

    def is_lookup(self, cycle: Cycle, exits: Iterable[BasicBlockId]) -> bool:
        """Whether that is all that lets lanes leave apart by these exits."""
        found = self._conditions.of(cycle, exits)
        return bool(found) and all(self._compares(item, cycle) for item in found)

    def _compares(self, item: Instruction, cycle: Cycle) -> bool:
        if not isinstance(item, Compare) or item.operator not in ORDERS:
            return False
        home = self._divergence.home(item.result)
        own = [value for value in item.operands if self._divergence.use_level(value, home) > Level.WARP]
        return len(own) == 1 and self._steady.is_steady(own[0], cycle) and self._is_own(own[0], home)

    def _is_own(self, value: ValueId, reader: BasicBlockId) -> bool:
        """Does it follow from the thread's index, or from what is loaded there, so that neighbours' lie near?"""
        waiting = [(value, reader, False)]
        looks = 0
        while waiting:
            value, reader, is_place = waiting.pop()
            looks += 1
            if self._divergence.use_level(value, reader) <= Level.WARP:
                continue
            item, home = self._divergence.definition(value), self._divergence.home(value)
            if looks > MAX_VALUES or self._divergence.agrees_in_warp(
                value
            ):  # lanes come from a loop at different times
                return False
            match item:
                case Load(address=address) if not is_place and self._spaces.space(address) is not MemorySpace.LOCAL:
                    waiting.append((address, home, True))
                case ReadSpecial(register=register) if register in INDICES:
                    pass
                case Binary(operator=operator) if operator in KEEPING:
                    waiting += [(operand, home, is_place) for operand in item.operands]
                case Convert() | Unary() | Bitcast() | ElementAddress() | FieldAddress() | Constant():
                    waiting += [(operand, home, is_place) for operand in item.operands]
                case _:
                    return False
        return True
