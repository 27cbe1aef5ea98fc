"""A tiny reference evaluator: runs one thread of a function, in memory form or in SSA form, and records what it prints.

It knows nothing of the passes under test: a local object is a dictionary from paths to scalars.  An uninitialised
scalar is `UNDEFINED`; arithmetic on it is undefined again, and a branch on it goes to the second target.  So a pass
that keeps the meaning of a function keeps its trace exactly, undefined values included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, final

from analysis.ir.function import ENTRY, Function
from analysis.ir.instructions import (
    Binary,
    Branch,
    BuildAggregate,
    Call,
    Compare,
    Constant,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    FunctionId,
    InsertElement,
    Instruction,
    Jump,
    Load,
    Print,
    Return,
    Select,
    Store,
    Switch,
    SymbolAddress,
    Trap,
    Undefined,
    ValueId,
)
from analysis.ir.operators import BinaryOperator, CompareOperator
from analysis.ir.types import ArrayType, StructType, Type, VectorType

UNDEFINED = "undefined"


@final
@dataclass(frozen=True, slots=True)
class Address:
    object: int
    path: tuple[int, ...]


Contents: TypeAlias = "int | float | bool | str | Address | tuple[Contents, ...] | None"
Trace: TypeAlias = list[tuple[Contents, ...]]

_BINARY: Mapping[BinaryOperator, Callable[[int, int], int]] = {
    BinaryOperator.ADD: lambda left, right: (left + right) & 0xFFFF,
    BinaryOperator.SUBTRACT: lambda left, right: (left - right) & 0xFFFF,
    BinaryOperator.MULTIPLY: lambda left, right: (left * right) & 0xFFFF,
}
_COMPARE: Mapping[CompareOperator, Callable[[int, int], bool]] = {
    CompareOperator.LESS: lambda left, right: left < right,
    CompareOperator.EQUAL: lambda left, right: left == right,
}


class OutOfSteps(Exception):
    """The thread ran for too long; its trace so far still counts."""


@final
@dataclass(slots=True)
class Machine:
    """Memory and trace of one run; `budget` counts executed basic blocks."""

    resolve: Callable[[FunctionId], Function | None] = lambda id: None
    budget: int = 60
    trace: Trace = field(default_factory=list[tuple[Contents, ...]])
    memory: dict[Address, Contents] = field(default_factory=dict[Address, Contents])
    objects: int = 0
    shared: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])


def run(
    function: Function,
    arguments: Sequence[Contents] = (),
    resolve: Callable[[FunctionId], Function | None] = lambda id: None,
) -> Trace:
    """What a thread prints; a trap and the end of the budget are recorded too."""
    machine = Machine(resolve)
    try:
        machine.trace.append(("returned", _call(machine, function, arguments)))
    except OutOfSteps as reason:
        machine.trace.append((str(reason),))
    return machine.trace


def _call(machine: Machine, function: Function, arguments: Sequence[Contents]) -> Contents:
    frame = _Activation(machine, function)
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        frame.values[parameter.value] = argument
    return frame.run()


@final
class _Activation:
    def __init__(self, machine: Machine, function: Function) -> None:
        self.machine = machine
        self.function = function
        self.values: dict[ValueId, Contents] = {}
        self._objects: dict[int, int] = {}

    def run(self) -> Contents:
        previous, current = ENTRY, ENTRY
        while True:
            self.machine.budget -= 1
            if self.machine.budget < 0:
                raise OutOfSteps("out of steps")
            block = self.function.blocks[current]
            arriving = {phi.result: self.values[dict(phi.incoming)[previous]] for phi in block.phis}
            self.values.update(arriving)
            for instruction in block.instructions:
                self._step(instruction)
            previous = current
            match block.terminator:
                case Jump(target=target):
                    current = target
                case Branch(condition=condition, if_true=if_true, if_false=if_false):
                    current = if_true if self.values[condition] is True else if_false
                case Switch(value=value, cases=cases, default=default):
                    labels = {case.value: case.target for case in reversed(cases)}
                    selector = self.values[value]
                    current = labels.get(selector, default) if isinstance(selector, int) else default
                case Return(value=value):
                    return None if value is None else self.values[value]
                case Trap():
                    raise OutOfSteps("trap")

    def _step(self, instruction: Instruction) -> None:
        result = self._result(instruction)
        if instruction.result is not None:
            self.values[instruction.result] = result

    def _result(self, instruction: Instruction) -> Contents:
        values = self.values
        match instruction:
            case Constant(value=value):
                return value
            case Undefined(result=result):
                return _uninitialised(self.function, self.function.types[result])
            case Binary(operator=operator, left=left, right=right):
                return _applied(_BINARY[operator], values[left], values[right])
            case Compare(operator=operator, left=left, right=right):
                return _applied(_COMPARE[operator], values[left], values[right])
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                return values[if_true] if values[condition] is True else values[if_false]
            case BuildAggregate(elements=elements):
                return tuple(values[element] for element in elements)
            case ExtractElement(aggregate=aggregate, index=index):
                whole = values[aggregate]
                assert isinstance(whole, tuple)
                return whole[index]
            case InsertElement(aggregate=aggregate, index=index, value=value):
                whole = values[aggregate]
                assert isinstance(whole, tuple)
                return (*whole[:index], values[value], *whole[index + 1 :])
            case Print(format=format, arguments=arguments):
                self.machine.trace.append((format, *(values[argument] for argument in arguments)))
                return None
            case Call(callee=callee, arguments=arguments):
                function = self.machine.resolve(callee)
                assert function is not None
                return _call(self.machine, function, [values[argument] for argument in arguments])
            case _:
                return self._memory(instruction)

    def _memory(self, instruction: Instruction) -> Contents:
        values = self.values
        match instruction:
            case SymbolAddress(symbol=symbol):
                return Address(self._object(symbol), ())
            case FieldAddress(base=base, field=field):
                return _stepped(values[base], field)
            case ElementAddress(base=base, index=index):
                offset = values[index]
                assert isinstance(offset, int)
                return _stepped(values[base], offset)
            case Load(result=result, address=address):
                source = values[address]
                assert isinstance(source, Address)
                return self._load(source, self.function.types[result])
            case Store(address=address, value=value):
                target = values[address]
                assert isinstance(target, Address)
                self._store(target, values[value])
                return None
            case _:
                raise NotImplementedError(instruction)

    def _object(self, symbol: int) -> int:
        if symbol not in self._objects:
            self.machine.objects += 1
            self._objects[symbol] = self.machine.objects
        return self._objects[symbol]

    def _load(self, source: Address, type: Type) -> Contents:
        members = members_of(self.function, type)
        if members is None:
            return self.machine.memory.get(source, UNDEFINED)
        return tuple(self._load(_stepped(source, index), member) for index, member in enumerate(members))

    def _store(self, target: Address, contents: Contents) -> None:
        if isinstance(contents, tuple):
            for index, part in enumerate(contents):
                self._store(_stepped(target, index), part)
        else:
            self.machine.memory[target] = contents


def members_of(function: Function, type: Type) -> tuple[Type, ...] | None:
    match type:
        case VectorType(element=element, length=length) | ArrayType(element=element, length=int(length)):
            return (element,) * length
        case StructType(name=name):
            return tuple(member.type for member in function.structs[name].fields)
        case _:
            return None


def _uninitialised(function: Function, type: Type) -> Contents:
    members = members_of(function, type)
    return UNDEFINED if members is None else tuple(_uninitialised(function, member) for member in members)


def _stepped(base: Contents, index: int) -> Address:
    assert isinstance(base, Address)
    return Address(base.object, (*base.path, index))


def _applied(operator: Callable[[int, int], int], left: Contents, right: Contents) -> Contents:
    if not isinstance(left, int) or not isinstance(right, int):
        return UNDEFINED
    return operator(left, right)
