"""How hardware would know a result's kind: from the tags of its operands, without looking at their values.

    integers    U + U = U   U + A = A   A + A = A   (sums, differences, negation, addresses of elements and members)
                U * A = A   A << U = A              (products, left shifts)
    select      by a uniform condition: the worse of its arms
    anything    of uniform operands only: uniform (loads included: one address, one value)
    start       the thread index is affine where a warp lies in one row of the block; the lane number is affine; the
                block index, the warp's number, votes and reductions over warp or block are uniform
    otherwise   generic; floating-point numbers are never affine

Source     Collange, Defour, Zhang, "Dynamic detection of uniform and affine vectors in GPGPU computations", HPPC 2009,
           section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from analysis.ir.function import Function
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
    Binary,
    Bitcast,
    BlockBarrier,
    BuildAggregate,
    Call,
    Compare,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    ExtractElement,
    Fence,
    FieldAddress,
    GridBarrier,
    InsertElement,
    Instruction,
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    PhaseWait,
    PointerDifference,
    Print,
    ReadSpecial,
    Select,
    Shuffle,
    Store,
    SymbolAddress,
    TemplateArgument,
    Texture,
    Unary,
    Undefined,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import COLLECTIVES, BinaryOperator, SpecialRegister, UnaryOperator
from analysis.ir.types import IntegerType, PointerType, Type
from sim.observers.register_kinds import AFFINE, GENERIC, UNIFORM, Kinds
from sim.specification import LaunchSpecification

Rule: TypeAlias = Callable[[Sequence[Kinds]], Kinds | int]
"""Tags of the operands, one array each, to the tag of the result."""

_SUMS: Final = (BinaryOperator.ADD, BinaryOperator.SUBTRACT)
_LANE_MASKS: Final = {register for register in SpecialRegister if register.value.startswith("lane_mask")}
_ROWS: Final = {SpecialRegister.THREAD_Y: 1, SpecialRegister.THREAD_Z: 2}


def rule_of(function: Function, instruction: Instruction, launch: LaunchSpecification) -> Rule:
    """How the instruction's result gets its tag."""
    types = function.types
    is_whole = instruction.result is not None and _is_whole(types[instruction.result])
    match instruction:
        case ReadSpecial(register=register):
            kind = _special(register, launch)
            return lambda _: kind
        case Binary(operator=operator) if is_whole and operator in _SUMS:
            return _worst
        case Binary(operator=BinaryOperator.MULTIPLY) if is_whole:
            return _product
        case Binary(operator=BinaryOperator.SHIFT_LEFT) if is_whole:
            return _shifted
        case Unary(operator=UnaryOperator.NEGATE) if is_whole:
            return _worst
        case ElementAddress() | FieldAddress() | BuildAggregate() | ExtractElement() | InsertElement():
            return _worst
        case Convert(operand=operand) | Bitcast(operand=operand) if is_whole and _is_whole(types[operand]):
            return _worst
        case Select():
            return _selected
        case Vote() | WarpReduce() | BlockBarrier():
            return lambda _: UNIFORM
        case Math() if instruction.function in COLLECTIVES:
            return lambda _: GENERIC
        case Shuffle() | Match() | Atomic() | PhaseWait() | Allocate() | Call() | Opaque() | Print():
            return lambda _: GENERIC
        case Binary() | Unary() | Compare() | Convert() | Bitcast() | Math() | PointerDifference() | Load() | Texture():
            return _uniform_or_generic
        case Constant() | Undefined() | TemplateArgument() | SymbolAddress():
            return lambda _: UNIFORM
        case Store() | NamedBarrier() | WarpBarrier() | GridBarrier() | Fence() | Assert() | DeviceLaunch():
            return lambda _: GENERIC


def _is_whole(type: Type) -> bool:
    return isinstance(type, IntegerType | PointerType)


def _special(register: SpecialRegister, launch: LaunchSpecification) -> int:
    x, y, z = launch.block
    lies_in_row = x % launch.warp_size == 0 or y == z == 1
    if register is SpecialRegister.THREAD_X:
        return AFFINE if lies_in_row else GENERIC
    if register in _ROWS:
        return UNIFORM if lies_in_row or launch.block[_ROWS[register]] == 1 else GENERIC
    if register is SpecialRegister.LANE:
        return AFFINE
    return GENERIC if register in _LANE_MASKS else UNIFORM


def _worst(tags: Sequence[Kinds]) -> Kinds | int:
    return np.maximum.reduce(tags) if tags else UNIFORM


def _uniform_or_generic(tags: Sequence[Kinds]) -> Kinds | int:
    return np.where(np.maximum.reduce(tags) == UNIFORM, UNIFORM, GENERIC) if tags else UNIFORM


def _product(tags: Sequence[Kinds]) -> Kinds | int:
    left, right = tags
    return np.where((left == AFFINE) & (right == AFFINE), GENERIC, np.maximum(left, right))


def _shifted(tags: Sequence[Kinds]) -> Kinds | int:
    left, right = tags
    return np.where(right == UNIFORM, left, GENERIC)


def _selected(tags: Sequence[Kinds]) -> Kinds | int:
    condition, if_true, if_false = tags
    return np.where(condition == UNIFORM, np.maximum(if_true, if_false), GENERIC)
