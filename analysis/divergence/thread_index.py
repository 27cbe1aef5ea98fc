"""Structured values: integer functions of thread indices, block extents and constants, decided by enumeration.

Question  Over the threads of a block of known shape, in which group does `threadIdx.x / 32`, `(tid & 31) == 0` or
          `threadIdx.x < 64` agree?
Rules     The expression is evaluated exactly for every thread, modulo 2^width with C's semantics; a value that is the
          same in every warp (threads in order of `x + y*Dx + z*Dx*Dy`, the last warp may be partial) is WARP, one that
          is the same for all threads is GRID, since it is the same function in every block.  Several shapes: the
          worst.  Shape unknown but one-dimensional: over 1,024 threads, which covers all smaller blocks, as their
          warps are subsets; block extents are then not constants.  Nothing known: nothing is decided.
Cost      about 50 nanoseconds per thread and operation, kept per expression across functions and edits.
Gives up  at expressions of more than 40 operations, more than 4 shapes, undefined arithmetic, non-integers, anything
          with a uniform but unknown operand (the affine forms know more).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from analysis.divergence import integers
from analysis.divergence.integers import ScalarType
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.instructions import Binary, Compare, Constant, Convert, Instruction, Math, ReadSpecial, Select, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import BooleanType, IntegerType

MAX_OPERATIONS = 40
MAX_SHAPES = 4

Operator: TypeAlias = BinaryOperator | CompareOperator | UnaryOperator | MathFunction | SpecialRegister | str
Expression: TypeAlias = "int | tuple[Operator, ScalarType, tuple[Expression, ...]]"
"""A constant, or an operator with its result type and operands; equal expressions are equal tuples."""

Values: TypeAlias = int | tuple[int, ...] | None
"""One value for all threads, or one per thread in linear order; None if some thread's value is not defined."""

Pointwise: TypeAlias = Callable[[tuple[int, ...]], int | None]

INDICES = frozenset(
    {SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE}
)
EXTENTS = (SpecialRegister.BLOCK_DIM_X, SpecialRegister.BLOCK_DIM_Y, SpecialRegister.BLOCK_DIM_Z)
REGISTERS = INDICES | {*EXTENTS, SpecialRegister.WARP_SIZE}


def structured_levels(function: Function, control: ControlFlow, launch: LaunchKnowledge) -> dict[int, Level]:
    """The exact level of each value that is a function of the thread index."""
    if (not launch.shapes and not launch.one_dimensional) or len(launch.shapes) > MAX_SHAPES:
        return {}
    expressions = structured_expressions(function, control)
    return {
        value: level
        for value, expression in expressions.items()
        if (level := expression_level(expression, launch)) is not None
    }


def structured_expressions(function: Function, control: ControlFlow) -> dict[int, Expression]:
    """The values that are functions of thread indices, block extents and constants, as far as they are small."""
    found: dict[int, Expression] = {}
    sizes: dict[int, int] = {}
    for block in control.order:
        for instruction in function.blocks[block].instructions:
            result = instruction.result
            if result is None:
                continue
            size = 1 + sum(sizes.get(operand, MAX_OPERATIONS) for operand in instruction.operands)
            if size > MAX_OPERATIONS:
                continue
            type_ = function.types[result]
            if not isinstance(type_, IntegerType | BooleanType):
                continue
            expression = _expression(function, instruction, type_, found)
            if expression is not None:
                found[result] = expression
                sizes[result] = size
    return found


def _expression(
    function: Function, instruction: Instruction, type_: ScalarType, known: dict[int, Expression]
) -> Expression | None:
    operator: Operator
    match instruction:
        case Constant(value=bool() | int() as value):
            return integers.wrap(int(value), type_)
        case ReadSpecial(register=register):
            return (register, type_, ()) if register in REGISTERS else None
        case Binary() | Compare() | Unary():
            operator = instruction.operator
        case Convert():
            operator = "convert"
        case Select():
            operator = "select"
        case Math() if instruction.function in integers.MATH_FUNCTIONS:
            operator = instruction.function
        case _:
            return None
    operands = instruction.operands
    if not all(operand in known for operand in operands):
        return None
    return (operator, type_, tuple(known[operand] for operand in operands))


def expression_level(expression: Expression, launch: LaunchKnowledge) -> Level | None:
    """None where it cannot be decided."""
    if isinstance(expression, int):
        return Level.GRID
    shapes = launch.shapes or (None,)
    worst = Level.GRID
    for shape in shapes:
        level = _level(expression, shape, launch.warp_size)
        if level is None:
            return None
        worst = max(worst, level)
    return worst


@lru_cache(maxsize=8192)
def _level(expression: Expression, shape: BlockShape | None, warp_size: int) -> Level | None:
    values = thread_values(expression, shape, warp_size)
    if values is None:
        return None
    if isinstance(values, int) or values.count(values[0]) == len(values):
        return Level.GRID
    for start in range(0, len(values), warp_size):
        warp = values[start : start + warp_size]
        if warp.count(warp[0]) != len(warp):
            return Level.VARYING
    return Level.WARP


@lru_cache(maxsize=4096)
def thread_values(expression: Expression, shape: BlockShape | None, warp_size: int) -> Values:
    """The value in every thread of one block, in linear order; `shape` None: one dimension, 1,024 threads."""
    if isinstance(expression, int):
        return expression
    operator, type_, operands = expression
    if isinstance(operator, SpecialRegister):
        return _register_values(operator, shape, warp_size)
    values = [thread_values(operand, shape, warp_size) for operand in operands]
    defined = [value for value in values if value is not None]
    return _map(_pointwise(operator, type_), defined) if len(defined) == len(values) else None


def _pointwise(operator: Operator, type_: ScalarType) -> Pointwise:
    """The operation on one thread's operands."""
    match operator:
        case BinaryOperator():
            return lambda row: integers.binary(operator, row[0], row[1], type_)
        case CompareOperator():
            compare = integers.COMPARISONS[operator]
            return lambda row: compare(row[0], row[1])
        case UnaryOperator():
            return lambda row: integers.unary(operator, row[0], type_)
        case MathFunction():
            return lambda row: integers.math(operator, row, type_)
        case "select":
            return lambda row: row[1] if row[0] else row[2]
        case _:
            return lambda row: integers.wrap(row[0], type_)


def _map(function: Pointwise, operands: Sequence[int | tuple[int, ...]]) -> Values:
    length = max((len(operand) for operand in operands if isinstance(operand, tuple)), default=0)
    if not length:
        return function(tuple(operand for operand in operands if isinstance(operand, int)))
    columns = [operand if isinstance(operand, tuple) else (operand,) * length for operand in operands]
    result: list[int] = []
    for row in zip(*columns, strict=True):
        value = function(row)
        if value is None:
            return None
        result.append(value)
    return tuple(result)


def _register_values(register: SpecialRegister, shape: BlockShape | None, warp_size: int) -> Values:
    if register is SpecialRegister.WARP_SIZE:
        return warp_size
    if shape is None:
        match register:
            case SpecialRegister.THREAD_X:
                return tuple(range(MAX_BLOCK_THREADS))
            case SpecialRegister.THREAD_Y | SpecialRegister.THREAD_Z:
                return 0
            case SpecialRegister.LANE:
                return tuple(index % warp_size for index in range(MAX_BLOCK_THREADS))
            case _:
                return None
    match register:
        case SpecialRegister.THREAD_X:
            return tuple(range(shape.x)) * (shape.y * shape.z)
        case SpecialRegister.THREAD_Y:
            return tuple(y for y in range(shape.y) for _ in range(shape.x)) * shape.z
        case SpecialRegister.THREAD_Z:
            return tuple(z for z in range(shape.z) for _ in range(shape.x * shape.y))
        case SpecialRegister.LANE:
            return tuple(index % warp_size for index in range(shape.threads))
        case _:
            return (shape.x, shape.y, shape.z)[EXTENTS.index(register)]
