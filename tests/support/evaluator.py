"""A plain reference evaluator: runs a function thread by thread and writes down everything that happened.

Slow and obvious on purpose; it shares no code with the analyses that it referees.  It knows integers, branches,
thread and block indices, read-only global memory (a fixed function of the address) and memory of the thread.
Threads do not talk to each other.  Addresses count bytes.

A *dynamic instance* of a block is the block together with the iteration numbers of the loops around it, outermost
first (Rosemann et al., POPL 2021): a loop's number is 0 when it is entered and rises at each return to its header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.instructions import (
    BasicBlockId,
    Binary,
    Bitcast,
    BlockBarrier,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    Instruction,
    Jump,
    Load,
    Math,
    ReadSpecial,
    Return,
    Select,
    Store,
    Switch,
    SymbolAddress,
    Unary,
    Undefined,
    ValueId,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import ArrayType, BooleanType, IntegerType, MemorySpace, PointerType, Type

Address: TypeAlias = tuple[str, int]
"""An object and a byte in it."""
Scalar: TypeAlias = int | Address
Instance: TypeAlias = tuple[BasicBlockId, tuple[int, ...]]


@dataclass(frozen=True)
class Grid:
    """A small launch; linear thread ids count through all blocks."""

    block: tuple[int, int, int]
    blocks: int
    warp_size: int

    @property
    def threads_per_block(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def threads(self) -> int:
        return self.threads_per_block * self.blocks

    def warp_of(self, thread: int) -> tuple[int, int]:
        block, inside = divmod(thread, self.threads_per_block)
        return block, inside // self.warp_size


@dataclass
class Trace:
    """What one thread did."""

    thread: int
    finished: bool = False
    definitions: dict[tuple[ValueId, Instance], Scalar] = field(default_factory=dict[tuple[ValueId, Instance], Scalar])
    uses: dict[tuple[ValueId, Instance], Scalar] = field(default_factory=dict[tuple[ValueId, Instance], Scalar])
    visits: dict[Instance, BasicBlockId | None] = field(default_factory=dict[Instance, BasicBlockId | None])
    """Each executed instance, and where the thread went from there."""
    trips: dict[tuple[CycleId, tuple[int, ...]], int] = field(
        default_factory=dict[tuple[CycleId, tuple[int, ...]], int]
    )
    """For each entered loop (with the iteration of the loops around it): its last iteration number."""
    states: dict[Instance, tuple[dict[ValueId, Scalar], dict[CycleId, int]]] = field(
        default_factory=dict[Instance, tuple[dict[ValueId, Scalar], dict[CycleId, int]]]
    )
    """At the end of each instance: the values and the iteration numbers as they stand (if `run` was asked for it)."""
    wrapped: set[tuple[ValueId, Instance]] = field(default_factory=set[tuple[ValueId, Instance]])
    """Definitions that some operation on the way to them did not compute as the integers of mathematics would."""


def run(
    function: Function,
    grid: Grid,
    arguments: Mapping[ValueId, Scalar],
    steps: int = 150,
    *,
    keep_states: bool = False,
) -> list[Trace]:
    """One trace per thread; a thread that needs more than `steps` blocks is left unfinished."""
    control = ControlFlow.of(function)
    threads = [ThreadRun(function, control, grid, arguments, thread) for thread in range(grid.threads)]
    return [thread.run(steps, keep_states=keep_states) for thread in threads]


class ThreadRun:
    """One thread on its way through the function."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        grid: Grid,
        arguments: Mapping[ValueId, Scalar],
        thread: int,
    ) -> None:
        self.function = function
        self.control = control
        self.grid = grid
        self.thread = thread
        self.values: dict[ValueId, Scalar] = dict(arguments)
        self.memory: dict[Address, Scalar] = {}
        self.wrapped: set[ValueId] = set()
        self.wrapped_memory: set[Address] = set()
        self.iteration: dict[CycleId, int] = {}
        self.around = [tuple(control.cycles_around(BasicBlockId(b)))[::-1] for b in range(len(function.blocks))]
        self.trace = Trace(thread)

    def run(self, steps: int, *, keep_states: bool) -> Trace:
        block, source = BasicBlockId(0), None
        for _ in range(steps):
            instance = self.arrive(block, source)
            self.phis(block, source, instance)
            for instruction in self.function.blocks[block].instructions:
                self.execute(instruction, instance)
            target = self.leave(block, instance)
            if keep_states:
                self.trace.states[instance] = (dict(self.values), dict(self.iteration))
            self.trace.visits[instance] = target
            if target is None:
                self.trace.finished = True
                break
            block, source = target, block
        return self.trace

    def arrive(self, block: BasicBlockId, source: BasicBlockId | None) -> Instance:
        around = self.around[block]
        for cycle in around:
            if source is None or source not in cycle.blocks:
                self.iteration[cycle.id] = 0
            elif block == cycle.header:
                self.iteration[cycle.id] += 1
        vector = tuple(self.iteration[cycle.id] for cycle in around)
        for depth, cycle in enumerate(around):
            self.trace.trips[cycle.id, vector[:depth]] = vector[depth]
        instance = (block, vector)
        assert instance not in self.trace.visits, f"{instance} happens twice in thread {self.thread}"
        return instance

    def phis(self, block: BasicBlockId, source: BasicBlockId | None, instance: Instance) -> None:
        new: dict[ValueId, tuple[Scalar | None, bool]] = {}
        for phi in self.function.blocks[block].phis:
            value = dict(phi.incoming)[BasicBlockId(-1) if source is None else source]
            new[phi.result] = (self.values.get(value), value in self.wrapped)
        for result, (value, wrapped) in new.items():
            if value is None:
                self.values.pop(result, None)
            else:
                self.define(result, value, instance, wrapped=wrapped)

    def define(self, result: ValueId, value: Scalar, instance: Instance, *, wrapped: bool) -> None:
        self.values[result] = value
        self.trace.definitions[result, instance] = value
        if wrapped:
            self.wrapped.add(result)
            self.trace.wrapped.add((result, instance))
        else:
            self.wrapped.discard(result)

    def execute(self, instruction: Instruction, instance: Instance) -> None:
        for operand in instruction.operands:
            if operand in self.values:
                self.trace.uses[operand, instance] = self.values[operand]
        if isinstance(instruction, Store):
            address = self.values[instruction.address]
            if isinstance(address, tuple) and instruction.value in self.values:
                self.memory[address] = self.values[instruction.value]
                self.wrapped_memory.discard(address)
                if instruction.value in self.wrapped:
                    self.wrapped_memory.add(address)
            return
        result = instruction.result
        if result is None:
            assert isinstance(instruction, BlockBarrier), instruction
            return
        if isinstance(instruction, Undefined) or any(operand not in self.values for operand in instruction.operands):
            self.values.pop(result, None)  # what depends on an uninitialised value is uninitialised
            return
        value = self.compute(instruction, self.function.types[result])
        if value is None:
            self.values.pop(result, None)
        else:
            self.define(result, value, instance, wrapped=self.has_wrapped(instruction, value))

    def has_wrapped(self, instruction: Instruction, value: Scalar) -> bool:
        if not self.wrapped.isdisjoint(instruction.operands):
            return True
        operands = [self.values[operand] for operand in instruction.operands]
        if isinstance(instruction, Load):
            return operands[0] in self.wrapped_memory
        if not isinstance(instruction, Binary | Unary | Convert):
            return False
        numbers = [operand for operand in operands if isinstance(operand, int)]
        return len(numbers) == len(operands) and unlimited(instruction, numbers) != value

    def compute(self, instruction: Instruction, type_: Type) -> Scalar | None:
        operands = [self.values[operand] for operand in instruction.operands]
        match instruction:
            case Constant(value=int() as value):
                return int(value)
            case ReadSpecial(register=register):
                return self.register(register)
            case SymbolAddress(symbol=symbol):
                return (self.function.symbols[symbol].name, 0)
            case ElementAddress():
                base, step = operands
                assert isinstance(step, int)
                return (
                    (base[0], base[1] + step * _size(type_)) if isinstance(base, tuple) else base
                )  # a null pointer stays one
            case Bitcast():
                return operands[0]
            case Load():
                return self.load(operands[0])
            case Select():
                return operands[1] if operands[0] else operands[2]
            case _:
                return arithmetic(instruction, [value for value in operands if isinstance(value, int)], type_)

    def load(self, address: Scalar) -> Scalar | None:
        assert isinstance(address, tuple)
        name, byte = address
        if any(symbol.name == name for symbol in self.function.symbols):
            return self.memory.get(address)
        return (byte // 4 * 2654435761 >> 7) % 11

    def register(self, register: SpecialRegister) -> int:
        grid = self.grid
        block, inside = divmod(self.thread, grid.threads_per_block)
        width, height, depth = grid.block
        found = {
            SpecialRegister.THREAD_X: inside % width,
            SpecialRegister.THREAD_Y: inside // width % height,
            SpecialRegister.THREAD_Z: inside // (width * height),
            SpecialRegister.BLOCK_X: block,
            SpecialRegister.BLOCK_DIM_X: width,
            SpecialRegister.BLOCK_DIM_Y: height,
            SpecialRegister.BLOCK_DIM_Z: depth,
            SpecialRegister.GRID_DIM_X: grid.blocks,
            SpecialRegister.LANE: inside % grid.warp_size,
            SpecialRegister.WARP_INDEX: inside // grid.warp_size,
            SpecialRegister.WARP_SIZE: grid.warp_size,
        }
        return found[register]

    def leave(self, block: BasicBlockId, instance: Instance) -> BasicBlockId | None:
        terminator = self.function.blocks[block].terminator
        for operand in terminator.operands:
            if operand in self.values:
                self.trace.uses[operand, instance] = self.values[operand]
        match terminator:
            case Return():
                return None
            case Jump(target=target):
                return target
            case Branch(condition=condition, if_true=if_true, if_false=if_false):
                return if_true if self.values.get(condition, 0) else if_false
            case Switch(value=value, cases=cases, default=default):
                chosen = self.values.get(value, 0)
                return next((case.target for case in cases if case.value == chosen), default)
            case _:
                raise AssertionError(terminator)


def arithmetic(instruction: Instruction, operands: Sequence[int], type_: Type) -> int | None:
    """C's integers, written out."""
    if isinstance(instruction, Convert) and isinstance(type_, BooleanType):
        return int(bool(operands[0]))
    return _fit(unlimited(instruction, operands), type_)


def unlimited(instruction: Instruction, operands: Sequence[int]) -> int | None:
    """The same over the integers of mathematics."""
    match instruction:
        case Binary(operator=operator):
            left, right = operands
            return _binary(operator, left, right)
        case Compare(operator=operator):
            left, right = operands
            return int(_compare(operator, left, right))
        case Unary(operator=UnaryOperator.NEGATE):
            return -operands[0]
        case Unary(operator=UnaryOperator.COMPLEMENT):
            return -operands[0] - 1
        case Unary(operator=UnaryOperator.LOGICAL_NOT):
            return int(not operands[0])
        case Convert():
            return operands[0]
        case Math(function=MathFunction.MINIMUM):
            return min(operands)
        case Math(function=MathFunction.MAXIMUM):
            return max(operands)
        case _:
            raise AssertionError(f"the evaluator does not know {instruction}")


def _size(pointer: Type) -> int:
    """Of what it points to."""
    element = pointer.element if isinstance(pointer, PointerType) else pointer
    if isinstance(element, ArrayType):
        return (element.length or 0) * _size(PointerType(element.element, MemorySpace.GENERIC))
    assert isinstance(element, IntegerType)
    return element.bits // 8


def _fit(value: int | None, type_: Type) -> int | None:
    if value is None or isinstance(type_, BooleanType):
        return value
    assert isinstance(type_, IntegerType)
    value %= 2**type_.bits
    return value - 2**type_.bits if type_.signed and value >= 2 ** (type_.bits - 1) else value


def _binary(operator: BinaryOperator, left: int, right: int) -> int | None:
    if operator in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER):
        if right == 0:
            return None
        quotient = int(abs(left) // abs(right)) * (1 if (left >= 0) == (right >= 0) else -1)
        return quotient if operator is BinaryOperator.DIVIDE else left - right * quotient
    if operator in (BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT):
        if right not in range(64):
            return None
        return left * 2**right if operator is BinaryOperator.SHIFT_LEFT else left // 2**right
    table = {
        BinaryOperator.ADD: left + right,
        BinaryOperator.SUBTRACT: left - right,
        BinaryOperator.MULTIPLY: left * right,
        BinaryOperator.AND: left & right,
        BinaryOperator.OR: left | right,
        BinaryOperator.XOR: left ^ right,
        BinaryOperator.LOGICAL_AND: int(left != 0 and right != 0),
        BinaryOperator.LOGICAL_OR: int(left != 0 or right != 0),
    }
    return table[operator]


def _compare(operator: CompareOperator, left: int, right: int) -> bool:
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
