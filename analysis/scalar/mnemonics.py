"""How instructions are called in listings: `iadd`, `fma.f32`, `iset.s32.gt`, as in Fig. 1 of Lee et al."""

from __future__ import annotations

from typing import assert_never

from analysis.ir.instructions import (
    Atomic,
    Binary,
    BlockBarrier,
    Compare,
    Convert,
    Fence,
    GridBarrier,
    Match,
    Math,
    NamedBarrier,
    PhaseWait,
    Select,
    Shuffle,
    Texture,
    Unary,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import BarrierReduction, BinaryOperator, UnaryOperator
from analysis.ir.printer import print_type
from analysis.ir.types import BooleanType, FloatType, HandleType, PointerType, Type

Named = (
    Unary
    | Binary
    | Compare
    | Select
    | Convert
    | Math
    | Atomic
    | Texture
    | BlockBarrier
    | NamedBarrier
    | PhaseWait
    | WarpBarrier
    | GridBarrier
    | Fence
    | Shuffle
    | Vote
    | Match
    | WarpReduce
)

_INTEGER_NAMES = {
    BinaryOperator.ADD: "iadd",
    BinaryOperator.SUBTRACT: "isub",
    BinaryOperator.MULTIPLY: "imul",
    BinaryOperator.DIVIDE: "idiv",
    BinaryOperator.REMAINDER: "irem",
    BinaryOperator.LOGICAL_AND: "and",
    BinaryOperator.LOGICAL_OR: "or",
}
_FLOAT_NAMES = {
    BinaryOperator.ADD: "fadd",
    BinaryOperator.SUBTRACT: "fsub",
    BinaryOperator.MULTIPLY: "fmul",
    BinaryOperator.DIVIDE: "fdiv",
    BinaryOperator.REMAINDER: "frem",
}
_SIGNED = frozenset({BinaryOperator.DIVIDE, BinaryOperator.REMAINDER, BinaryOperator.SHIFT_RIGHT})
"""Operations of integers that depend on the sign."""


def type_suffix(type_: Type) -> str:
    """`f32`, `s32`, `u64`; an address is a `u64`."""
    match type_:
        case PointerType() | HandleType():
            return "u64"
        case BooleanType():
            return "u8"
        case _:
            return print_type(type_)


def mnemonic(instruction: Named, result: Type | None, operand: Type | None) -> str:
    """`result`, `operand`: the types of the result and of the first operand."""
    match instruction:
        case Binary(operator=operator):
            return _binary(operator, result)
        case Unary(operator=operator):
            return _unary(operator, result)
        case Compare(operator=operator):
            letter = "f" if isinstance(operand, FloatType) else "i"
            return f"{letter}set{_suffix(operand)}.{operator.value}"
        case Select():
            return f"sel{_suffix(result)}"
        case Convert():
            return f"cvt{_suffix(result)}{_suffix(operand)}"
        case Math(function=function):
            return f"{function.value}{_suffix(result)}"
        case Atomic(operator=operator):
            return f"atom.{operator.value}{_suffix(result)}"
        case Texture(operation=operation):
            return f"tex.{operation.value}"
        case BlockBarrier(reduction=reduction):
            return "bar.sync" if reduction is BarrierReduction.NONE else f"bar.red.{reduction.value}"
        case NamedBarrier(arrive_only=arrive_only):
            return "bar.arrive" if arrive_only else "bar.sync"
        case PhaseWait(question=question):
            return f"mbarrier.{question.value}"
        case WarpBarrier():
            return "bar.warp.sync"
        case GridBarrier():
            return "bar.grid.sync"
        case Fence(scope=scope):
            return f"membar.{scope.value}"
        case Shuffle(mode=mode):
            return f"shfl.{mode.value}"
        case Vote(kind=kind):
            return f"vote.{kind.value}"
        case Match(kind=kind):
            return f"match.{kind.value}"
        case WarpReduce(operator=operator):
            return f"redux.{operator.value}"
        case _:
            assert_never(instruction)


def _binary(operator: BinaryOperator, type_: Type | None) -> str:
    if isinstance(type_, FloatType):
        return f"{_FLOAT_NAMES.get(operator, operator.value)}.{type_.format.value}"
    name = _INTEGER_NAMES.get(operator, operator.value)
    return f"{name}{_suffix(type_)}" if operator in _SIGNED else name


def _unary(operator: UnaryOperator, type_: Type | None) -> str:
    if operator is UnaryOperator.NEGATE:
        return f"fneg{_suffix(type_)}" if isinstance(type_, FloatType) else "ineg"
    return "lnot" if operator is UnaryOperator.LOGICAL_NOT else "not"


def _suffix(type_: Type | None) -> str:
    return "" if type_ is None else f".{type_suffix(type_)}"
