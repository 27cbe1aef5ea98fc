"""Instructions as functions: what one thread computes, exactly, from the integers it knows.

Contract  A function takes the values known so far and the thread; None where the result cannot be told, because an
          operand is unknown or C leaves the operation undefined.
Cost      Everything that an instruction says about itself is looked up once, when the function is made: a walk through
          a loop evaluates the same few instructions thousands of times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, final

from analysis.divergence import integers
from analysis.divergence.integers import ScalarType
from analysis.divergence.launch_shape import BlockShape
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Binary,
    Compare,
    Constant,
    Convert,
    Instruction,
    Math,
    ReadSpecial,
    Select,
    TemplateArgument,
    Unary,
)
from analysis.ir.operators import MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.record import record
from analysis.ir.types import BooleanType

GRID_BLOCKS: Final = 4


@final
@record
class LaunchedBlock:
    """One block of one launch, and the values of the scalars; `blocks`: of its grid along x."""

    shape: BlockShape
    block: int
    warp_size: int
    scalars: Mapping[ValueId, int]
    blocks: int = GRID_BLOCKS


Values: TypeAlias = Mapping[ValueId, int]
Evaluate: TypeAlias = Callable[[Values, LaunchedBlock, int], int | None]
"""The values known so far, the launch, the linear id of the thread in its block."""


def evaluator(item: Instruction, type_: ScalarType) -> Evaluate:
    """The function that an instruction with a result of `type_` computes."""
    match item:
        case Constant(value=value):
            return _constant(integers.wrap(int(value), type_) if isinstance(value, int) else None)
        case Binary(operator=operator, left=left, right=right):
            exact = integers.EXACT.get(operator)
            if exact is not None:
                return _wrapped(exact, left, right, type_)
            return _binary(lambda a, b: integers.binary(operator, a, b, type_), left, right)
        case Convert(operand=operand):
            return _converted(operand, type_)
        case ReadSpecial(register=register):
            read = REGISTERS.get(register, _unknown)
            return lambda values, launch, thread: read(launch, thread)
        case TemplateArgument(result=result):
            return lambda values, launch, thread: launch.scalars.get(result)
        case Select(condition=condition, if_true=if_true, if_false=if_false):
            return _select(condition, if_true, if_false)
        case Compare(operator=operator, left=left, right=right):
            return _binary(integers.COMPARISONS[operator], left, right)
        case Unary(operator=operator, operand=operand):
            return _unary(operator, operand, type_)
        case Math(function=function, operands=operands):
            return _math(function, operands, type_)
        case _:
            return _constant(None)


def _constant(value: int | None) -> Evaluate:
    return lambda values, launch, thread: value


def _select(condition: ValueId, if_true: ValueId, if_false: ValueId) -> Evaluate:
    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        decided = values.get(condition)
        return None if decided is None else values.get(if_true if decided else if_false)

    return evaluate


def _binary(operate: Callable[[int, int], int | None], left: ValueId, right: ValueId) -> Evaluate:
    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        first, second = values.get(left), values.get(right)
        if first is None or second is None:
            return None
        result = operate(first, second)
        return None if result is None else int(result)

    return evaluate


def _wrapped(operate: Callable[[int, int], int], left: ValueId, right: ValueId, type_: ScalarType) -> Evaluate:
    low, high = value_range(type_)

    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        first, second = values.get(left), values.get(right)
        if first is None or second is None:
            return None
        result = operate(first, second)
        return result if low <= result <= high else integers.wrap(result, type_)

    return evaluate


def _unary(operator: UnaryOperator, operand: ValueId, type_: ScalarType) -> Evaluate:
    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        value = values.get(operand)
        return None if value is None else integers.unary(operator, value, type_)

    return evaluate


def _converted(operand: ValueId, type_: ScalarType) -> Evaluate:
    low, high = value_range(type_)

    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        value = values.get(operand)
        return value if value is None or low <= value <= high else integers.wrap(value, type_)

    return evaluate


def _math(function: MathFunction, operands: tuple[ValueId, ...], type_: ScalarType) -> Evaluate:
    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        known: list[int] = []
        for operand in operands:
            value = values.get(operand)
            if value is None:
                return None
            known.append(value)
        return integers.math(function, tuple(known), type_)

    return evaluate


def value_range(type_: ScalarType) -> tuple[int, int]:
    """The canonical values of a type, both ends included."""
    if isinstance(type_, BooleanType):
        return 0, 1
    if type_.signed:
        return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1
    return 0, (1 << type_.bits) - 1


def _unknown(launch: LaunchedBlock, thread: int) -> None:
    return None


REGISTERS: Final[Mapping[SpecialRegister, Callable[[LaunchedBlock, int], int | None]]] = {
    SpecialRegister.THREAD_X: lambda launch, thread: thread % launch.shape.x,
    SpecialRegister.THREAD_Y: lambda launch, thread: thread // launch.shape.x % launch.shape.y,
    SpecialRegister.THREAD_Z: lambda launch, thread: thread // (launch.shape.x * launch.shape.y),
    SpecialRegister.LANE: lambda launch, thread: thread % launch.warp_size,
    SpecialRegister.WARP_SIZE: lambda launch, thread: launch.warp_size,
    SpecialRegister.BLOCK_DIM_X: lambda launch, thread: launch.shape.x,
    SpecialRegister.BLOCK_DIM_Y: lambda launch, thread: launch.shape.y,
    SpecialRegister.BLOCK_DIM_Z: lambda launch, thread: launch.shape.z,
    SpecialRegister.BLOCK_X: lambda launch, thread: launch.block,
    SpecialRegister.BLOCK_Y: lambda launch, thread: 0,
    SpecialRegister.BLOCK_Z: lambda launch, thread: 0,
    SpecialRegister.GRID_DIM_X: lambda launch, thread: launch.blocks,
    SpecialRegister.GRID_DIM_Y: lambda launch, thread: 1,
    SpecialRegister.GRID_DIM_Z: lambda launch, thread: 1,
}
"""What is read from those that are known."""
