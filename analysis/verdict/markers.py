"""Does a branch tell entries that lead somewhere from markers, as -1 in a list of neighbours?

Rules     The condition compares a signed number that was loaded with a negative constant, or asks for its sign, and a
          loaded number like it is part of an index: one that may be negative is no index then, but says that there is
          none.
Means     that lanes part here only where something ends, the surface of a body, the rim of a graph.  Data decide, but
          such entries are few as a rule and lie together.
Cost      O(instructions), once, for what indices are made of; O(1) for each branch.
Source    Ball and Larus, PLDI 1993: comparisons of integers with 0 from below seldom hold ("opcode heuristic").
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    Load,
    Phi,
    Texture,
    Unary,
)
from analysis.ir.operators import CompareOperator, UnaryOperator
from analysis.ir.types import IntegerType

SIGNS: Final = frozenset(
    {
        (CompareOperator.GREATER_EQUAL, 0),
        (CompareOperator.LESS, 0),
        (CompareOperator.GREATER, -1),
        (CompareOperator.LESS_EQUAL, -1),
    }
)
EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
MAX_STEPS: Final = 8
_PASSING_ON: Final = (Convert, Binary, Phi)


@final
class Markers:
    """Answers about the branches of one function."""

    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence

    def tests(self, deciders: Iterable[BasicBlockId]) -> bool:
        """Do all decisions of a branch ask for a marker?"""
        return all(map(self._decides, deciders))

    def _decides(self, block: BasicBlockId) -> bool:
        terminator = self._function.blocks[block].terminator
        if not isinstance(terminator, Branch):
            return False
        item = self._divergence.definition(terminator.condition)
        if not isinstance(item, Compare):
            return False
        bound, number = self._number(item.right), self._loaded(item.left)
        if bound is None or number is None:
            return False
        is_of_sign = (item.operator, bound) in SIGNS or (item.operator in EQUALITIES and bound < 0)
        return is_of_sign and number in self._indices

    def _number(self, value: ValueId) -> int | None:
        item = self._divergence.definition(value)
        if isinstance(item, Unary) and item.operator is UnaryOperator.NEGATE:
            number = self._number(item.operand)
            return None if number is None else -number
        return item.value if isinstance(item, Constant) and isinstance(item.value, int) else None

    def _loaded(self, value: ValueId) -> ValueId | None:
        """The load that the value is, converted or not."""
        for _ in range(MAX_STEPS):
            item, type_ = self._divergence.definition(value), self._function.types[value]
            if not isinstance(type_, IntegerType) or not type_.signed:
                return None
            if isinstance(item, Load | Texture):
                return value
            if not isinstance(item, Convert):
                return None
            value = item.operand
        return None

    @cached_property
    def _indices(self) -> frozenset[ValueId]:
        """What indices are made of."""
        found: set[ValueId] = set()
        waiting = [item.index for _, _, item in self._control.placed(ElementAddress)]
        while waiting:
            value = waiting.pop()
            if value in found:
                continue
            found.add(value)
            item = self._divergence.definition(value)
            if isinstance(item, _PASSING_ON):
                waiting += item.operands
        self._control.spend(len(found))
        return frozenset(found)
