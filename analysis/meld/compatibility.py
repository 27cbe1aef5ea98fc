"""Which two instructions may become one, and which may run where nobody asked for them?

Compatible    instructions of one kind with the same operator, constant parts, types of operands and result, volatility
              and memory space: only their operands differ, and selects choose those.  `instruction_key` is equal for
              two instructions exactly where they are compatible; None means that an instruction is never melded.
Speculative   an instruction whose only effect is its result, and which cannot fault for any operands.  A division of
              integers is not, nor a load: the other arm's threads would form an address that is none of theirs.
Atomics       are melded, or moved at all, only where their result is not read and their operator gives the same
              memory in whatever order threads arrive (`is_orderless`): others are an obstacle (`regions.py`).
Source        Rocha et al., CGO 2019, "Function merging by sequence alignment", section on instruction equivalence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from analysis.ir.cleanup import is_pure
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Instruction,
    Load,
    Math,
    PointerDifference,
    ReadSpecial,
    Select,
    Store,
    SymbolAddress,
    TemplateArgument,
    Unary,
    Undefined,
)
from analysis.ir.operators import COLLECTIVES, AtomicOperator, BinaryOperator, SpecialRegister
from analysis.ir.types import IntegerType, MemorySpace, Type

SpaceOf = Callable[[ValueId], MemorySpace]

_SOURCES: Final = (Constant, Undefined, TemplateArgument, SymbolAddress)
CLOCKS: Final = (SpecialRegister.CLOCK, SpecialRegister.GLOBAL_TIMER)
"""Registers that have another value at every place."""
_ORDERLESS: Final = frozenset(
    {
        AtomicOperator.ADD,
        AtomicOperator.SUBTRACT,
        AtomicOperator.MINIMUM,
        AtomicOperator.MAXIMUM,
        AtomicOperator.AND,
        AtomicOperator.OR,
        AtomicOperator.XOR,
    }
)


def is_source(instruction: Instruction) -> bool:
    """A value from nowhere that costs nothing: both arms' ones are kept, and stand before everything else."""
    return isinstance(instruction, _SOURCES)


def source_key(instruction: Instruction, types: Sequence[Type]) -> Hashable:
    """Equal for two instructions without operands that define the same value."""
    match instruction:
        case Constant(result=result, value=value) if value is not None:
            return Constant, types[result], type(value), repr(value)
        case SymbolAddress(result=result, symbol=symbol):
            return SymbolAddress, types[result], symbol
        case TemplateArgument(result=result, name=name):
            return TemplateArgument, types[result], name
        case Undefined(result=result):
            return Undefined, types[result]
        case _:
            return instruction.result


def instruction_key(instruction: Instruction, types: Sequence[Type], space_of: SpaceOf) -> Hashable | None:
    """Equal for compatible instructions; None for one that is never melded."""
    detail = _detail(instruction, space_of)
    if detail is None:
        return None
    result = None if instruction.result is None else types[instruction.result]
    return type(instruction), detail, result, tuple([types[value] for value in instruction.operands])


def _detail(instruction: Instruction, space_of: SpaceOf) -> Hashable | None:
    """What must be equal besides kind and types."""
    match instruction:
        case Unary(operator=operator) | Binary(operator=operator) | Compare(operator=operator):
            return operator
        case Math(function=function):
            return None if function in COLLECTIVES else function
        case ReadSpecial(register=register):
            return None if register in CLOCKS else register
        case Select() | Convert() | Bitcast() | BuildAggregate() | PointerDifference():
            return True
        case ExtractElement(index=index) | InsertElement(index=index):
            return index
        case ElementAddress(base=base):
            return space_of(base)
        case FieldAddress(base=base, field=field):
            return field, space_of(base)
        case Load(address=address, volatile=False) | Store(address=address, volatile=False):
            return space_of(address)
        case Atomic(operator=operator, address=address, scope=scope):
            return operator, space_of(address), scope
        case _:
            return None


def is_orderless(atomic: Atomic, types: Sequence[Type], is_read: bool) -> bool:
    """Does memory end up the same in whatever order threads execute it?"""
    integer = all(isinstance(types[value], IntegerType) for value in atomic.arguments)
    return atomic.operator in _ORDERLESS and integer and not is_read


def is_speculative(instruction: Instruction, types: Sequence[Type], divisor: Instruction | None) -> bool:
    """May a thread execute it with any operands?  `divisor` defines the right operand of a division, if known."""
    match instruction:
        case Binary(operator=BinaryOperator.DIVIDE | BinaryOperator.REMAINDER, result=result):
            if not isinstance(types[result], IntegerType):
                return True
            return isinstance(divisor, Constant) and isinstance(divisor.value, int) and divisor.value not in (0, -1)
        case ReadSpecial(register=register):
            return register not in CLOCKS
        case Math(function=function):
            return function not in COLLECTIVES
        case Select():
            return True
        case _:
            return is_pure(instruction)
