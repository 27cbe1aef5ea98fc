"""Runs a function thread by thread and writes down what somebody else could see of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Instruction, Store, Unary
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import IntegerType
from tests.support.evaluator import Address, Grid, Scalar, ThreadRun, unlimited

SPACE = 2**64
"""Addresses are numbers modulo this."""


@dataclass
class Seen:
    """Of one thread: the addresses that it loaded from, in order, and what it left in memory.

    `overflowed`: a signed operation did, so that nothing can be said.
    """

    loads: list[Address] = field(default_factory=list[Address])
    memory: dict[Address, Scalar] = field(default_factory=dict[Address, Scalar])
    finished: bool = False
    overflowed: bool = False


def seen_of(function: Function, grid: Grid, arguments: Mapping[ValueId, Scalar], steps: int) -> list[Seen]:
    """What each thread shows."""
    control = ControlFlow.of(function)
    found: list[Seen] = []
    for thread in range(grid.threads):
        run = _Observed(function, control, grid, arguments, thread)
        run.seen.finished = run.run(steps, keep_states=False).finished
        run.seen.memory = {
            (name, byte % SPACE): value for (name, byte), value in run.memory.items() if name not in run.locals
        }
        found.append(run.seen)
    return found


@final
class _Observed(ThreadRun):
    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        grid: Grid,
        arguments: Mapping[ValueId, Scalar],
        thread: int,
    ) -> None:
        super().__init__(function, control, grid, arguments, thread)
        self.seen = Seen()
        self.locals = {symbol.name for symbol in function.symbols}

    def load(self, address: Scalar) -> Scalar | None:
        assert isinstance(address, tuple)
        place = address[0], address[1] % SPACE
        if place[0] in self.locals:
            return self.memory.get(place)
        self.seen.loads.append(place)
        return (place[1] // 4 * 2654435761 >> 7) % 11

    def execute(self, instruction: Instruction, instance: object) -> None:
        if isinstance(instruction, Store):
            address = self.values.get(instruction.address)
            if isinstance(address, tuple):
                self.values[instruction.address] = address[0], address[1] % SPACE
        super().execute(instruction, instance)  # pyright: ignore[reportArgumentType]

    def has_wrapped(self, instruction: Instruction, value: Scalar) -> bool:
        if isinstance(instruction, Binary | Unary) and instruction.operands:
            operands = [self.values[operand] for operand in instruction.operands]
            numbers = [operand for operand in operands if isinstance(operand, int)]
            type_ = self.function.types[instruction.result]
            is_shift = isinstance(instruction, Binary) and instruction.operator is BinaryOperator.SHIFT_LEFT
            if isinstance(type_, IntegerType) and type_.signed and type_.bits >= 32 and not is_shift:
                self.seen.overflowed |= unlimited(instruction, numbers) != value
        return False
