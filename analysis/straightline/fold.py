"""Folds arithmetic on constants and takes equal computations as one: what the other transformations leave to do.

Folds     `x + 0`, `x * 1`, `x * 0`, arithmetic and comparisons of constants, conversions of them and back.
Equal     of two pure instructions that compute the same, the one that dominates stays (common subexpressions); operands
          of commutative operators have no order.  What may answer otherwise the second time (clocks, masks of active
          lanes) and what other lanes take part in is never equal.
Source    Briggs and Cooper, PLDI 1994, for values that are numbered along the dominator tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Instruction,
    Math,
    PointerDifference,
    ReadSpecial,
    Select,
    SymbolAddress,
    TemplateArgument,
    Unary,
)
from analysis.ir.integers import quotient, remainder
from analysis.ir.operators import COLLECTIVES, BinaryOperator, CompareOperator, SpecialRegister
from analysis.ir.types import IntegerType, Type
from analysis.straightline.code import Code

COMMUTATIVE: Final = frozenset(
    {
        BinaryOperator.ADD,
        BinaryOperator.MULTIPLY,
        BinaryOperator.AND,
        BinaryOperator.OR,
        BinaryOperator.XOR,
        BinaryOperator.LOGICAL_AND,
        BinaryOperator.LOGICAL_OR,
    }
)
_CHANGING: Final = frozenset(
    {
        SpecialRegister.ACTIVE_MASK,
        SpecialRegister.CLOCK,
        SpecialRegister.GLOBAL_TIMER,
        SpecialRegister.MULTIPROCESSOR,
        SpecialRegister.WARP_INDEX,
    }
)
"""Registers whose next read may answer otherwise."""

Key: TypeAlias = tuple[object, ...]


def fold(code: Code) -> None:
    """Until nothing is left to fold: constants that appear make others, along the dominator tree in one pass."""
    code.rewrite(_Folding(code).visit)


def key_of(instruction: Instruction, type_: Type) -> Key | None:
    """What makes two instructions compute the same; None for what is computed anew each time."""
    operands = instruction.operands
    match instruction:
        case Binary(operator=operator):
            if operator in COMMUTATIVE:
                operands = tuple(sorted(operands))
            return (Binary, operator, type_, operands)
        case Compare(operator=operator):
            return (Compare, operator, operands)
        case Unary(operator=operator):
            return (Unary, operator, type_, operands)
        case ReadSpecial(register=register):
            return None if register in _CHANGING else (ReadSpecial, register, type_)
        case SymbolAddress(symbol=symbol):
            return (SymbolAddress, symbol, type_)
        case FieldAddress(field=field):
            return (FieldAddress, field, type_, operands)
        case ExtractElement(index=index):
            return (ExtractElement, index, type_, operands)
        case InsertElement(index=index):
            return (InsertElement, index, type_, operands)
        case Math(function=function):
            return None if function in COLLECTIVES else (Math, function, type_, operands)
        case TemplateArgument(name=name):
            return (TemplateArgument, name, type_)
        case Select(branch=None) | Convert() | Bitcast() | ElementAddress() | PointerDifference() | BuildAggregate():
            return (type(instruction), type_, operands)
        case _:
            return None


@final
class _Folding:
    def __init__(self, code: Code) -> None:
        self._code = code
        self._known: dict[Key, list[ValueId]] = {}

    def visit(self, block: BasicBlockId, instruction: Instruction) -> Iterable[Instruction]:
        code, result = self._code, instruction.result
        if result is None:
            return (instruction,)
        same = self._folded(instruction)
        if same is None:
            key = key_of(instruction, code.types[result])
            if key is None:
                return (instruction,)
            stack = self._known.setdefault(key, [])
            while stack and not code.control.dominates(code.homes[stack[-1]], block):
                stack.pop()
            if not stack:
                stack.append(result)
                code.homes[result] = block
                return (instruction,)
            same = stack[-1]
        code.replace(result, same)
        return ()

    def _folded(self, instruction: Instruction) -> ValueId | None:
        """The value that the result is, where it needs no instruction."""
        match instruction:
            case Binary():
                return self._binary(instruction)
            case Convert():
                return self._converted(instruction)
            case Select(if_true=left, if_false=right, branch=None) if left == right:
                return left
            case ElementAddress(result=result, base=base, index=index):
                same = self._code.types[result] == self._code.types[base] and self._code.number(index) == 0
                return base if same else None
            case _:
                return None

    def _converted(self, convert: Convert) -> ValueId | None:
        code = self._code
        source, target = code.types[convert.operand], code.types[convert.result]
        if source == target:
            return convert.operand
        if not isinstance(source, IntegerType) or not isinstance(target, IntegerType):
            return None
        number = code.number(convert.operand)
        if number is not None:
            return code.constant(target, number, convert.span)
        inner = code.definitions.get(convert.operand)
        if isinstance(inner, Convert) and code.types[inner.operand] == target and source.bits >= target.bits:
            return inner.operand
        return None

    def _binary(self, binary: Binary) -> ValueId | None:
        code, type_ = self._code, self._code.types[binary.result]
        if not isinstance(type_, IntegerType):
            return None
        left, right = code.number(binary.left), code.number(binary.right)
        if left is not None and right is not None:
            number = _computed(binary.operator, left, right, type_)
            return None if number is None else code.constant(type_, number, binary.span)
        match binary.operator:
            case BinaryOperator.ADD:
                return binary.right if left == 0 else binary.left if right == 0 else None
            case BinaryOperator.SUBTRACT | BinaryOperator.SHIFT_LEFT | BinaryOperator.SHIFT_RIGHT:
                return binary.left if right == 0 else None
            case BinaryOperator.MULTIPLY:
                if 0 in (left, right):
                    return code.constant(type_, 0, binary.span)
                return binary.right if left == 1 else binary.left if right == 1 else None
            case BinaryOperator.DIVIDE:
                return binary.left if right == 1 else None
            case _:
                return None


def _computed(operator: BinaryOperator, left: int, right: int, type_: IntegerType) -> int | None:
    """The exact result, which may need more bits than the type has; None where it is undefined or not worth it."""
    match operator:
        case BinaryOperator.ADD:
            return left + right
        case BinaryOperator.SUBTRACT:
            return left - right
        case BinaryOperator.MULTIPLY:
            return left * right
        case BinaryOperator.DIVIDE:
            return None if right == 0 else quotient(left, right)
        case BinaryOperator.REMAINDER:
            return None if right == 0 else remainder(left, right)
        case BinaryOperator.AND:
            return left & right
        case BinaryOperator.OR:
            return left | right
        case BinaryOperator.XOR:
            return left ^ right
        case BinaryOperator.SHIFT_LEFT:
            return left << right if 0 <= right < type_.bits else None
        case BinaryOperator.SHIFT_RIGHT:
            return left >> right if 0 <= right < type_.bits else None
        case BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR:
            return None


def compared(operator: CompareOperator, left: int, right: int) -> bool:
    """What a comparison of two numbers answers."""
    match operator:
        case CompareOperator.EQUAL:
            return left == right
        case CompareOperator.NOT_EQUAL:
            return left != right
        case CompareOperator.LESS:
            return left < right
        case CompareOperator.LESS_EQUAL:
            return left <= right
        case CompareOperator.GREATER:
            return left > right
        case CompareOperator.GREATER_EQUAL:
            return left >= right
