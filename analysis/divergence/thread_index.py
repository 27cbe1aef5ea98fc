"""Structured values: integer functions of thread indices, block extents and constants, decided by enumeration.

Question  Over the threads of a block of known shape, in which group does `threadIdx.x / 32`, `(tid & 31) == 0` or
          `threadIdx.x < 64` agree?
Rules     The expression is evaluated exactly for every thread, modulo 2^width with C's semantics; a value that is the
          same in every warp (threads in order of `x + y*Dx + z*Dx*Dy`, the last warp may be partial) is WARP, one that
          is the same for all threads is GRID, since it is the same function in every block.  Several shapes: the
          worst.  Shape unknown but one-dimensional: over 1,024 threads, which covers all smaller blocks, as their
          warps are subsets; block extents are then not constants.  Nothing known: nothing is decided.
Cost      30 to 100 nanoseconds per thread and operation, kept per expression across functions and edits.
Gives up  at expressions of more than 40 operations, more than 4 shapes, undefined arithmetic, non-integers, anything
          with a uniform but unknown operand (the affine forms know more).
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import repeat
from typing import TypeAlias, final

from analysis.divergence import integers
from analysis.divergence.integers import ScalarType
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.instructions import Binary, Compare, Constant, Convert, Instruction, Math, ReadSpecial, Select, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, SpecialRegister, UnaryOperator
from analysis.ir.pace import paced
from analysis.ir.types import BOOLEAN, BooleanType, IntegerType

MAX_OPERATIONS = 40
MAX_SHAPES = 4

Expression: TypeAlias = "int | tuple[str, int, tuple[Expression, ...]]"
"""A constant, or an operation: its word in the textual form, its result type as a number, its operands.

Words and numbers instead of enums and types, because expressions are keys of the caches and those hash slowly.
"""

Values: TypeAlias = int | tuple[int, ...] | None
"""One value for all threads, or one per thread in linear order; None if some thread's value is not defined."""

EXTENTS = (SpecialRegister.BLOCK_DIM_X, SpecialRegister.BLOCK_DIM_Y, SpecialRegister.BLOCK_DIM_Z)
INDICES = (SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE)
REGISTERS = frozenset({*INDICES, *EXTENTS, SpecialRegister.WARP_SIZE})
OTHER_AXES = (SpecialRegister.THREAD_Y.value, SpecialRegister.THREAD_Z.value)
IN_ROWS = (SpecialRegister.THREAD_X.value, SpecialRegister.LANE.value)
EXTENT_WORDS = tuple(register.value for register in EXTENTS)

EXACT: dict[str, Callable[[int, int], int]] = {
    BinaryOperator.ADD.value: python.add,
    BinaryOperator.SUBTRACT.value: python.sub,
    BinaryOperator.MULTIPLY.value: python.mul,
    BinaryOperator.AND.value: int.__and__,
    BinaryOperator.OR.value: int.__or__,
    BinaryOperator.XOR.value: int.__xor__,
    CompareOperator.EQUAL.value: python.eq,
    CompareOperator.NOT_EQUAL.value: python.ne,
    CompareOperator.LESS.value: python.lt,
    CompareOperator.LESS_EQUAL.value: python.le,
    CompareOperator.GREATER.value: python.gt,
    CompareOperator.GREATER_EQUAL.value: python.ge,
}
"""Operations that are Python's own, up to the width of the result."""

NATURAL: dict[str, Callable[[int, int], int]] = {
    BinaryOperator.DIVIDE.value: int.__floordiv__,
    BinaryOperator.REMAINDER.value: python.mod,
    BinaryOperator.SHIFT_LEFT.value: lambda left, right: left << right,
    BinaryOperator.SHIFT_RIGHT.value: lambda left, right: left >> right,
}
"""Operations that are Python's own for a left side that is not negative and a constant right side that is positive."""

_SCALARS = (IntegerType, BooleanType)
BINARY = {operator.value: operator for operator in BinaryOperator}
UNARY = {operator.value: operator for operator in UnaryOperator}
MATH = {function.value: function for function in integers.MATH_FUNCTIONS}


@final
class Structured:
    """The values of one function that are functions of the thread index, worked out once for all who ask."""

    def __init__(self, function: Function, control: ControlFlow) -> None:
        self._function = function
        self._control = control

    @cached_property
    def expressions(self) -> Mapping[int, Expression]:
        """See `structured_expressions`."""
        return structured_expressions(self._function, self._control)

    def levels(self, launch: LaunchKnowledge) -> Mapping[int, Level]:
        """The exact level of each of them."""
        if (not launch.shapes and not launch.one_dimensional) or len(launch.shapes) > MAX_SHAPES:
            return {}
        levels = ((value, expression_level(one, launch)) for value, one in self.expressions.items())
        return {value: level for value, level in levels if level is not None}


def structured_expressions(function: Function, control: ControlFlow) -> dict[int, Expression]:
    """The values that are functions of thread indices, block extents and constants, as far as they are small."""
    found: dict[int, Expression] = {}
    sizes: dict[int, int] = {}
    for block in control.order:
        for instruction in paced(function.blocks[block].instructions):
            if type(instruction) not in STRUCTURED:
                continue
            size = 1
            for operand in instruction.operands:
                if operand not in sizes:
                    break
                size += sizes[operand]
            else:
                result = instruction.result
                type_ = None if result is None else function.types[result]
                if size > MAX_OPERATIONS or result is None or not isinstance(type_, _SCALARS):
                    continue
                expression = operation(instruction, type_, found)
                if expression is not None:
                    found[result] = expression
                    sizes[result] = size
    return found


STRUCTURED = frozenset({Constant, ReadSpecial, Binary, Compare, Unary, Convert, Select, Math})


def operation(instruction: Instruction, type_: ScalarType, known: Mapping[int, Expression]) -> Expression | None:
    """The expression of one instruction over those of its operands, which are all known."""
    match instruction:
        case Constant(value=bool() | int() as value):
            return integers.wrap(int(value), type_)
        case ReadSpecial(register=register) if register in REGISTERS:
            word = register.value
        case Binary() | Compare() | Unary():
            word = instruction.operator.value
        case Convert():
            word = "convert"
        case Select():
            word = "select"
        case Math(function=function) if function in integers.MATH_FUNCTIONS:
            word = function.value
        case _:
            return None
    return (word, _type_number(type_), tuple(known[operand] for operand in instruction.operands))


def _type_number(type_: ScalarType) -> int:
    return 0 if isinstance(type_, BooleanType) else 2 * type_.bits + type_.signed


def _type_of(number: int) -> ScalarType:
    return IntegerType(number // 2, bool(number % 2)) if number else BOOLEAN


def expression_level(expression: Expression, launch: LaunchKnowledge) -> Level | None:
    """None where it cannot be decided."""
    if isinstance(expression, int):
        return Level.GRID
    worst = Level.GRID
    for shape in launch.shapes or (None,):
        extent = None if shape is None else (shape.x, shape.y, shape.z)
        level = _level(expression, extent, launch.warp_size)
        if level is None:
            return None
        worst = max(worst, level)
    return worst


Extent: TypeAlias = tuple[int, int, int] | None
"""The block shape; None: one dimension of 1,024 threads."""


@lru_cache(maxsize=8192)
def _level(expression: Expression, extent: Extent, warp_size: int) -> Level | None:
    values = thread_values(expression, extent, warp_size)
    if values is None:
        return None
    if isinstance(values, int) or values.count(values[0]) == len(values):
        return Level.GRID
    for start in range(0, len(values), warp_size):
        warp = values[start : start + warp_size]
        if warp.count(warp[0]) != len(warp):
            return Level.VARYING
    return Level.WARP


@lru_cache(maxsize=1024)
def registers_of(expression: Expression) -> frozenset[str]:
    """The words of the special registers that it reads."""
    if isinstance(expression, int):
        return frozenset()
    word, _, operands = expression
    return frozenset(register for one in operands for register in registers_of(one)) if operands else frozenset((word,))


def is_same_in_rows(expression: Expression) -> bool:
    """Whether every row of a block sees the same function: it depends on neither y nor z."""
    return registers_of(expression).isdisjoint(OTHER_AXES)


def is_of_whole_rows(expression: Expression) -> bool:
    """Whether the threads of a row agree, and rows may not."""
    return not is_same_in_rows(expression) and registers_of(expression).isdisjoint(IN_ROWS)


@lru_cache(maxsize=2048)
def thread_values(expression: Expression, extent: Extent, warp_size: int) -> Values:
    """The value in every thread of one block, in linear order."""
    if isinstance(expression, int):
        return expression
    word, number, operands = expression
    if not operands:
        return _register_values(word, extent, warp_size)
    values: list[int | tuple[int, ...]] = []
    for operand in operands:
        value = thread_values(operand, extent, warp_size)
        if value is None:
            return None
        values.append(value)
    return operate(word, _type_of(number), values)


def operate(word: str, type_: ScalarType, values: Sequence[int | tuple[int, ...]]) -> Values:
    """One operation over all threads at once."""
    length = max((len(value) for value in values if isinstance(value, tuple)), default=1)
    columns = [value if isinstance(value, tuple) else repeat(value, length) for value in values]
    exact = EXACT.get(word)
    if exact is None and word in NATURAL and isinstance(values[1], int) and _is_natural(word, values[1], type_):
        left = values[0]
        if (left if isinstance(left, int) else min(left)) >= 0:
            exact = NATURAL[word]
    if exact is not None:
        result = _fitted(list(map(exact, *columns)), type_)
    elif word == "convert":
        result = _fitted(list(columns[0]), type_)
    else:
        undefined = _slowly(word, type_, zip(*columns, strict=True))
        if undefined is None:
            return None
        result = undefined
    return tuple(result) if any(isinstance(value, tuple) for value in values) else result[0]


def _is_natural(word: str, right: int, type_: ScalarType) -> bool:
    bits = 1 if isinstance(type_, BooleanType) else type_.bits
    return right > 0 and (word in ("div", "rem") or right < bits)


def _fitted(result: list[int], type_: ScalarType) -> list[int]:
    """Wrapped to the width of the type, where any is outside."""
    low, high = min(result), max(result)
    if integers.wrap(low, type_) == low and integers.wrap(high, type_) == high:
        return result
    return [integers.wrap(value, type_) for value in result]


def _slowly(word: str, type_: ScalarType, rows: Iterable[tuple[int, ...]]) -> list[int] | None:
    """One thread at a time; None if some thread's value is not defined."""
    result: list[int] = []
    for row in rows:
        if word == "select":
            value: int | None = row[1] if row[0] else row[2]
        elif word in BINARY:
            value = integers.binary(BINARY[word], row[0], row[1], type_)
        elif word in UNARY:
            value = integers.unary(UNARY[word], row[0], type_)
        else:
            value = integers.math(MATH[word], row, type_)
        if value is None:
            return None
        result.append(value)
    return result


def _register_values(word: str, extent: Extent, warp_size: int) -> Values:
    threads = MAX_BLOCK_THREADS if extent is None else extent[0] * extent[1] * extent[2]
    width, height, depth = extent or (threads, 1, 1)
    if word == SpecialRegister.WARP_SIZE.value:
        return warp_size
    if word == SpecialRegister.THREAD_X.value:
        return tuple(range(width)) * (height * depth)
    if word == SpecialRegister.THREAD_Y.value:
        return tuple(y for y in range(height) for _ in range(width)) * depth
    if word == SpecialRegister.THREAD_Z.value:
        return tuple(z for z in range(depth) for _ in range(width * height))
    if word == SpecialRegister.LANE.value:
        return tuple(index % warp_size for index in range(threads))
    return None if extent is None else extent[EXTENT_WORDS.index(word)]
