"""How large integers of a kernel get under a launch, and which argument would make one reach a target.

Rules    Ranges follow C's arithmetic without wrap-around; what is not known has no range.  A phi counts the values
         that come from outside of its loop: a loop variable has the range of its start.
         A *wish* goes back from a value through `+ - * / << >> min max` and casts to the leaves in it.
Use      Choosing inputs only: nothing that is claimed about the program rests on these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

from analysis.affine.interval import Interval
from analysis.inputs.flow import Flow
from analysis.ir.ids import ValueId
from analysis.ir.index3 import Index3
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Constant,
    Convert,
    Math,
    Phi,
    ReadSpecial,
    Select,
)
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister

MAX_DEPTH: Final = 60
MAX_TARGET: Final = 1 << 22

_AXES: Final = (
    (
        SpecialRegister.THREAD_X,
        SpecialRegister.BLOCK_X,
        SpecialRegister.BLOCK_DIM_X,
        SpecialRegister.GRID_DIM_X,
    ),
    (
        SpecialRegister.THREAD_Y,
        SpecialRegister.BLOCK_Y,
        SpecialRegister.BLOCK_DIM_Y,
        SpecialRegister.GRID_DIM_Y,
    ),
    (
        SpecialRegister.THREAD_Z,
        SpecialRegister.BLOCK_Z,
        SpecialRegister.BLOCK_DIM_Z,
        SpecialRegister.GRID_DIM_Z,
    ),
)


def register_ranges(grid: Index3, block: Index3, warp_size: int) -> Mapping[SpecialRegister, Interval]:
    """What each register may hold in a launch of that shape."""
    ranges = {
        SpecialRegister.LANE: Interval(0, warp_size - 1),
        SpecialRegister.WARP_SIZE: Interval(warp_size, warp_size),
    }
    for (thread, index, extent, size), blocks, threads in zip(_AXES, grid, block, strict=True):
        ranges[thread] = Interval(0, threads - 1)
        ranges[index] = Interval(0, blocks - 1)
        ranges[extent] = Interval(threads, threads)
        ranges[size] = Interval(blocks, blocks)
    return ranges


@final
class Estimate:
    """Ranges under one shape and the numbers that are chosen so far: `numbers` is read, not copied."""

    def __init__(
        self, flow: Flow, registers: Mapping[SpecialRegister, Interval], numbers: Mapping[str, int | float]
    ) -> None:
        self._flow = flow
        self._registers = registers
        self._numbers = numbers
        self._visiting: set[ValueId] = set()

    def range(self, value: ValueId) -> Interval | None:
        """None where nothing is known, or the value depends on a leaf without a number."""
        leaf = self._flow.leaf(value)
        if leaf is not None:
            number = self._numbers.get(leaf)
            return Interval(number, number) if isinstance(number, int) else None
        if value in self._visiting or len(self._visiting) > MAX_DEPTH:
            return None
        self._visiting.add(value)
        try:
            return self._computed(value)
        finally:
            self._visiting.discard(value)

    def _computed(self, value: ValueId) -> Interval | None:
        match self._flow.definitions.get(value):
            case Constant(value=bool() | int() as number):
                return Interval(int(number), int(number))
            case ReadSpecial(register=register):
                return self._registers.get(register)
            case Convert(operand=operand) | Bitcast(operand=operand):
                return self.range(operand)
            case Binary(operator=operator, left=left, right=right):
                return _combined(operator, self.range(left), self.range(right))
            case Math(function=MathFunction.MINIMUM, arguments=(left, right)):
                one, other = self.range(left), self.range(right)
                if one is None or other is None:
                    return one or other
                return Interval(min(one.low, other.low), min(one.high, other.high))
            case Math(function=MathFunction.MAXIMUM, arguments=(left, right)):
                one, other = self.range(left), self.range(right)
                if one is None or other is None:
                    return None
                return Interval(max(one.low, other.low), max(one.high, other.high))
            case Math(function=MathFunction.MULTIPLY_24, arguments=(left, right)):
                return _combined(BinaryOperator.MULTIPLY, self.range(left), self.range(right))
            case Phi() as phi:
                return self._joined(phi.operands)
            case Select(if_true=if_true, if_false=if_false):
                return self._joined((if_true, if_false))
            case _:
                return None

    def _joined(self, values: tuple[ValueId, ...]) -> Interval | None:
        found: Interval | None = None
        for value in values:
            known = self.range(value)
            if known is not None:
                found = known if found is None else found.join(known)
        return found

    def wishes(self, value: ValueId, target: int, depth: int = 0) -> Iterator[tuple[str, int]]:
        """Leaves and the numbers that let `value` reach `target`, the other operands as they are."""
        leaf = self._flow.leaf(value)
        if leaf is not None:
            yield leaf, max(-MAX_TARGET, min(target, MAX_TARGET))
            return
        if depth > MAX_DEPTH:
            return
        match self._flow.definitions.get(value):
            case Convert(operand=operand) | Bitcast(operand=operand):
                yield from self.wishes(operand, target, depth + 1)
            case Binary(operator=operator, left=left, right=right):
                right_range, left_range = self.range(right), self.range(left)
                if right_range is not None:
                    wanted = _undone(operator, target, right_range.high)
                    if wanted is not None:
                        yield from self.wishes(left, wanted, depth + 1)
                elif left_range is not None:
                    wanted = _undone_left(operator, target, left_range.high)
                    if wanted is not None:
                        yield from self.wishes(right, wanted, depth + 1)
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM, arguments=arguments):
                for argument in arguments:
                    yield from self.wishes(argument, target, depth + 1)
            case Math(function=MathFunction.MULTIPLY_24, arguments=(left, right)):
                known = self.range(right)
                wanted = None if known is None else _undone(BinaryOperator.MULTIPLY, target, known.high)
                if wanted is not None:
                    yield from self.wishes(left, wanted, depth + 1)
            case _:
                return

    def factors(self, value: ValueId, depth: int = 0) -> tuple[str, ...]:
        """The leaves of a product without a number yet, as `width * height`."""
        leaf = self._flow.leaf(value)
        if leaf is not None:
            return () if leaf in self._numbers else (leaf,)
        if depth > MAX_DEPTH:
            return ()
        match self._flow.definitions.get(value):
            case Convert(operand=operand):
                return self.factors(operand, depth + 1)
            case Binary(operator=BinaryOperator.MULTIPLY, left=left, right=right):
                return (*self.factors(left, depth + 1), *self.factors(right, depth + 1))
            case Math(function=MathFunction.MULTIPLY_24, arguments=(left, right)):
                return (*self.factors(left, depth + 1), *self.factors(right, depth + 1))
            case _:
                return ()


def _combined(operator: BinaryOperator, left: Interval | None, right: Interval | None) -> Interval | None:
    if operator is BinaryOperator.REMAINDER and right is not None and right.high > 0:
        return Interval(0, right.high - 1)
    if operator is BinaryOperator.AND and (left is not None or right is not None):
        known = [side.high for side in (left, right) if side is not None and side.low >= 0]
        return Interval(0, min(known)) if known else None
    if left is None or right is None:
        return None
    match operator:
        case BinaryOperator.ADD:
            return left + right
        case BinaryOperator.SUBTRACT:
            return left - right
        case BinaryOperator.MULTIPLY:
            return left * right
        case BinaryOperator.DIVIDE if right.low > 0 and left.low >= 0:
            return Interval(left.low // right.high, left.high // right.low)
        case BinaryOperator.SHIFT_LEFT if right.low >= 0 and right.high < 64:
            return Interval(left.low << right.low, left.high << right.high)
        case BinaryOperator.SHIFT_RIGHT if right.low >= 0 and right.high < 64 and left.low >= 0:
            return Interval(left.low >> right.high, left.high >> right.low)
        case BinaryOperator.OR | BinaryOperator.XOR if left.low >= 0 and right.low >= 0:
            return Interval(0, (1 << max(left.high.bit_length(), right.high.bit_length())) - 1)
        case _:
            return None


def _undone(operator: BinaryOperator, target: int, right: int) -> int | None:
    """The left operand for which `left operator right` is `target`, or the next above."""
    match operator:
        case BinaryOperator.ADD:
            return target - right
        case BinaryOperator.SUBTRACT:
            return target + right
        case BinaryOperator.MULTIPLY if right > 0:
            return -(-target // right)
        case BinaryOperator.DIVIDE if right > 0:
            return target * right
        case BinaryOperator.SHIFT_LEFT if 0 <= right < 64:
            return -(-target >> right)
        case BinaryOperator.SHIFT_RIGHT if 0 <= right < 64:
            return target << right
        case _:
            return None


def _undone_left(operator: BinaryOperator, target: int, left: int) -> int | None:
    """The right operand for which `left operator right` is `target`, or the next above."""
    match operator:
        case BinaryOperator.SHIFT_LEFT if 0 < left < target:
            return (-(-target // left) - 1).bit_length()
        case BinaryOperator.ADD:
            return target - left
        case BinaryOperator.MULTIPLY if left > 0:
            return -(-target // left)
        case _:
            return None
