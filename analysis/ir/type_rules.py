"""What types each instruction asks of its operands and result; the verifier's seventh invariant.

Nothing is held against a type that is not known (UnknownType, TemplateType), and pointers may differ in space and
volatility: both are facts about the program that analyses refine, not about well-formedness.  A load or store may have
another type than its address points to (type punning is legal IR, and `promote` leaves such objects alone).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from analysis.ir.function import Function, SymbolKind
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
    Binary,
    Bitcast,
    BlockBarrier,
    Branch,
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
    Phi,
    PointerDifference,
    Print,
    ReadSpecial,
    Return,
    Select,
    Shuffle,
    Store,
    Switch,
    SymbolAddress,
    TemplateArgument,
    Terminator,
    Texture,
    Unary,
    Undefined,
    ValueId,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import AtomicOperator, BarrierOperator, BarrierReduction, BinaryOperator
from analysis.ir.printer import print_type
from analysis.ir.types import (
    ArrayType,
    BooleanType,
    FloatType,
    IntegerType,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)

_UNKNOWN = (UnknownType, TemplateType)
_SHIFTS = (BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)


def agree(left: Type, right: Type) -> bool:
    """True where the types are equal as far as they are known."""
    if left == right or isinstance(left, _UNKNOWN) or isinstance(right, _UNKNOWN):
        return True
    match left, right:
        case PointerType(), PointerType():
            return agree(left.element, right.element)
        case ArrayType(), ArrayType():
            return left.length == right.length and agree(left.element, right.element)
        case VectorType(), VectorType():
            return left.length == right.length and agree(left.element, right.element)
        case _:
            return False


def phi_complaints(function: Function, phi: Phi) -> Iterator[str]:
    for value in phi.operands:
        yield from _same(function, value, function.types[phi.result], "an input")


def terminator_complaints(function: Function, terminator: Terminator) -> Iterator[str]:
    match terminator:
        case Branch(condition=condition):
            yield from _is(function, condition, (BooleanType,), "the condition", "a boolean")
        case Switch(value=value):
            yield from _is(function, value, (IntegerType, BooleanType), "the value", "an integer")
        case Return(value=value) if value is not None:
            yield from _same(function, value, function.return_type, "the returned value")
        case _:
            pass


def instruction_complaints(function: Function, instruction: Instruction) -> Iterator[str]:
    """One sentence for each rule that is broken; the operands must have types."""
    types = function.types
    result = None if instruction.result is None else types[instruction.result]
    match instruction:
        case Call() | DeviceLaunch() | Opaque() | Print() | Texture():
            return
        case (
            Load() | Store() | Atomic() | SymbolAddress() | ElementAddress() | FieldAddress() | PointerDifference()
        ) | Allocate():
            yield from _memory(function, instruction, result)
        case BuildAggregate() | ExtractElement() | InsertElement():
            yield from _aggregate(function, instruction)
        case BlockBarrier() | NamedBarrier() | PhaseWait() | WarpBarrier() | GridBarrier() | Fence() | Assert():
            yield from _effect(function, instruction)
        case _:
            yield from _computation(function, instruction)
    if isinstance(result, VoidType):
        yield "the result is void"


_Computation = (
    Constant
    | Undefined
    | ReadSpecial
    | TemplateArgument
    | Unary
    | Binary
    | Compare
    | Select
    | Convert
    | Bitcast
    | Math
    | Shuffle
    | Vote
    | Match
    | WarpReduce
)
_Memory = SymbolAddress | ElementAddress | FieldAddress | PointerDifference | Load | Store | Atomic | Allocate
_Aggregate = BuildAggregate | ExtractElement | InsertElement
_Effect = BlockBarrier | NamedBarrier | PhaseWait | WarpBarrier | GridBarrier | Fence | Assert


def _computation(function: Function, instruction: _Computation) -> Iterator[str]:
    result = function.types[instruction.result]
    match instruction:
        case Constant(value=value):
            if isinstance(value, float) and not isinstance(result, (FloatType, *_UNKNOWN)):
                yield f"a floating-point constant of type {print_type(result)}"
            elif isinstance(value, str) and not isinstance(result, (PointerType, ArrayType, *_UNKNOWN)):
                yield f"a string of type {print_type(result)}"
        case Unary(operand=operand):
            yield from _same(function, operand, result, "the operand")
        case Binary(operator=operator, left=left, right=right):
            yield from _same(function, left, result, "the left operand")
            if operator not in _SHIFTS:
                yield from _same(function, right, result, "the right operand")
        case Compare(left=left, right=right):
            yield from _is(function, instruction.result, (BooleanType,), "the result", "a boolean")
            yield from _same(function, right, function.types[left], "the right operand")
        case Select(condition=condition, if_true=if_true, if_false=if_false):
            yield from _is(function, condition, (BooleanType,), "the condition", "a boolean")
            yield from _same(function, if_true, result, "the first choice")
            yield from _same(function, if_false, result, "the second choice")
        case Shuffle(value=value) | WarpReduce(value=value):
            yield from _same(function, value, result, "the value")
        case Vote(predicate=predicate):
            yield from _is(function, predicate, (BooleanType, IntegerType), "the predicate", "a truth value")
        case Undefined() | ReadSpecial() | TemplateArgument() | Convert() | Bitcast() | Math() | Match():
            pass
        case _:
            assert_never(instruction)


def _memory(function: Function, instruction: _Memory, result: Type | None) -> Iterator[str]:
    match instruction:
        case SymbolAddress(symbol=symbol):
            yield from _pointer(function, instruction.result, "the result")
            declared = function.symbols[symbol]
            # All dynamic shared arrays start at the same place; inlining merges them under one of their types.
            is_merged = declared.kind is SymbolKind.DYNAMIC_SHARED
            if isinstance(result, PointerType) and not is_merged and not agree(result.element, declared.type):
                yield f"${symbol} is {print_type(declared.type)}, the result points to {print_type(result.element)}"
        case ElementAddress(base=base, index=index):
            yield from _pointer(function, base, "the base")
            yield from _pointer(function, instruction.result, "the result")
            yield from _is(function, index, (IntegerType, BooleanType), "the index", "an integer")
        case FieldAddress(base=base, field=field):
            yield from _pointer(function, base, "the base")
            yield from _pointer(function, instruction.result, "the result")
            pointer = function.types[base]
            if isinstance(pointer, PointerType) and isinstance(result, PointerType):
                yield from _member(function, pointer.element, field, result.element, "the result points to")
        case PointerDifference(left=left, right=right):
            yield from _pointer(function, left, "the left operand")
            yield from _pointer(function, right, "the right operand")
        case Load(address=address) | Store(address=address):
            yield from _pointer(function, address, "the address")
        case Atomic(operator=operator, address=address, arguments=arguments):
            yield from _pointer(function, address, "the address")
            if operator is AtomicOperator.COMPARE_AND_SWAP and len(arguments) != 2:
                yield "compare-and-swap takes two arguments"
            if isinstance(operator, BarrierOperator) and len(arguments) != 1:
                yield "an update of a memory barrier takes one count"
        case Allocate(size=size):
            yield from _pointer(function, instruction.result, "the result")
            yield from _is(function, size, (IntegerType,), "the size", "an integer")
        case _:
            assert_never(instruction)


def _aggregate(function: Function, instruction: _Aggregate) -> Iterator[str]:
    types = function.types
    match instruction:
        case BuildAggregate(elements=elements):
            members = _members(function, types[instruction.result])
            if members is None:
                return
            if len(members) != len(elements):
                yield f"{len(elements)} elements for {len(members)} members"
                return
            for element, member in zip(elements, members, strict=True):
                yield from _same(function, element, member, "an element")
        case ExtractElement(aggregate=aggregate, index=index):
            yield from _member(function, types[aggregate], index, types[instruction.result], "the result is")
        case InsertElement(aggregate=aggregate, index=index, value=value):
            yield from _same(function, aggregate, types[instruction.result], "the aggregate")
            yield from _member(function, types[aggregate], index, types[value], "the value is")
        case _:
            assert_never(instruction)


def _effect(function: Function, instruction: _Effect) -> Iterator[str]:
    match instruction:
        case BlockBarrier(result=result, reduction=reduction, predicate=predicate):
            is_plain = reduction is BarrierReduction.NONE
            if is_plain != (predicate is None) or is_plain != (result is None):
                yield "a reduction has a predicate and a result, a plain barrier has neither"
        case NamedBarrier(barrier=barrier):
            yield from _is(function, barrier, (IntegerType,), "the barrier", "an integer")
        case PhaseWait(result=result, address=address, parity=parity):
            yield from _pointer(function, address, "the address")
            yield from _is(function, parity, (BooleanType,), "the parity", "a boolean")
            yield from _is(function, result, (BooleanType,), "the result", "a boolean")
        case WarpBarrier(mask=mask):
            yield from _is(function, mask, (IntegerType,), "the mask", "an integer")
        case Assert(condition=condition):
            yield from _is(function, condition, (BooleanType,), "the condition", "a boolean")
        case GridBarrier() | Fence():
            pass
        case _:
            assert_never(instruction)


# -- pieces -----------------------------------------------------------------------------------------------------------


def _members(function: Function, type: Type) -> tuple[Type, ...] | None:
    """The members of an aggregate, None where they are not known."""
    match type:
        case VectorType(element=element, length=length):
            return (element,) * length
        case ArrayType(element=element, length=length) if length is not None:
            return (element,) * length
        case StructType(name=name):
            layout = function.structs.get(name)
            return None if layout is None else tuple(field.type for field in layout.fields)
        case _:
            return None


def _member(function: Function, type: Type, index: int, found: Type, what: str) -> Iterator[str]:
    members = _members(function, type)
    if members is None:
        return
    if not 0 <= index < len(members):
        yield f"{print_type(type)} has no member {index}"
    elif not agree(members[index], found):
        yield f"member {index} is {print_type(members[index])}, {what} {print_type(found)}"


def _same(function: Function, value: ValueId, wanted: Type, what: str) -> Iterator[str]:
    type = function.types[value]
    if type is not wanted and not agree(type, wanted):
        yield f"{what} %{value} is {print_type(type)}, not {print_type(wanted)}"


def _is(function: Function, value: ValueId, wanted: tuple[type[Type], ...], what: str, expected: str) -> Iterator[str]:
    type = function.types[value]
    if not isinstance(type, (*wanted, *_UNKNOWN)):
        yield f"{what} %{value} is {print_type(type)}, not {expected}"


def _pointer(function: Function, value: ValueId, what: str) -> Iterator[str]:
    yield from _is(function, value, (PointerType,), what, "a pointer")
