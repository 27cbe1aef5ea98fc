"""Are two addresses the same, because they are computed in the same way from the same values?"""

from __future__ import annotations

from typing import Final, final

from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Constant, Convert, ElementAddress, FieldAddress, SymbolAddress
from analysis.ir.types import PointerType

_MAX_DEPTH: Final = 8
_MAX_CASTS: Final = 60


@final
class SameAddress:
    """Of one function; both addresses are meant in one pass of a thread through their definitions."""

    def __init__(self, function: Function, divergence: DivergenceResult) -> None:
        self._function = function
        self._divergence = divergence

    def holds(self, one: ValueId, other: ValueId, depth: int = _MAX_DEPTH) -> bool:
        """False where it is not certain."""
        one, other = self._pointer(one), self._pointer(other)
        if one == other:
            return True
        if not depth:
            return False
        match self._divergence.definition(one), self._divergence.definition(other):
            case SymbolAddress(symbol=first), SymbolAddress(symbol=second):
                return first == second
            case Constant(value=first), Constant(value=second):
                return first == second and first is not None
            case ElementAddress() as first, ElementAddress() as second:
                pass
            case FieldAddress(field=left) as first, FieldAddress(field=right) as second if left == right:
                pass
            case Convert() as first, Convert() as second:
                pass
            case Binary(operator=left) as first, Binary(operator=right) as second if left is right:
                pass
            case _:
                return False
        return all(
            self.holds(left, right, depth - 1) for left, right in zip(first.operands, second.operands, strict=True)
        )

    def _pointer(self, value: ValueId) -> ValueId:
        """Without casts of the pointer and without `[0]`."""
        for _ in range(_MAX_CASTS):
            match self._divergence.definition(value):
                case Convert(operand=operand) if isinstance(self._function.types[value], PointerType):
                    value = operand
                case ElementAddress(base=base, index=index) if self._is_zero(index):
                    value = base
                case _:
                    break
        return value

    def _is_zero(self, index: ValueId) -> bool:
        item = self._divergence.definition(index)
        return isinstance(item, Constant) and item.value == 0
