"""Runs machine code thread by thread, to compare with what the reference evaluator does with the intermediate code.

Register files are private to the thread here, scalar registers too: that the threads of a warp agree on those is what
the referee checks apart.  The thread's part of a warp-sequential address is added as the machine would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analysis.affine.atoms import Axis
from analysis.ir.function import Function
from analysis.ir.instructions import (
    BasicBlockId,
    ElementAddress,
    Instruction,
    Select,
    Store,
    Switch,
    Terminator,
    ValueId,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import IntegerType, Type
from analysis.scalar.machine import (
    Execution,
    Immediate,
    MachineFunction,
    MachineInstruction,
    Operand,
    Register,
    SiteId,
)
from analysis.scalar.scalarize import Scalarization
from analysis.scalar.sites import Sites
from tests.support.evaluator import Grid, Scalar, arithmetic

SPECIAL = {
    "%tid.x": SpecialRegister.THREAD_X,
    "%tid.y": SpecialRegister.THREAD_Y,
    "%tid.z": SpecialRegister.THREAD_Z,
    "%ctaid.x": SpecialRegister.BLOCK_X,
    "%ntid.x": SpecialRegister.BLOCK_DIM_X,
    "%ntid.y": SpecialRegister.BLOCK_DIM_Y,
    "%ntid.z": SpecialRegister.BLOCK_DIM_Z,
    "%nctaid.x": SpecialRegister.GRID_DIM_X,
    "%lane": SpecialRegister.LANE,
    "%warp_index": SpecialRegister.WARP_INDEX,
    "%warp_size": SpecialRegister.WARP_SIZE,
}
ELEMENT = 4
"""Bytes of what the random kernels load and store."""


class CompileTimeError(Exception):
    """An operand that only a compiler knows."""


@dataclass
class Effects:
    """What one thread did to memory, in order, and where it went."""

    stores: list[tuple[Scalar, Scalar | None]] = field(default_factory=list[tuple[Scalar, Scalar | None]])
    blocks: list[BasicBlockId] = field(default_factory=list[BasicBlockId])


def site_items(function: Function) -> dict[SiteId, Instruction | Terminator]:
    """What of the intermediate code each site is."""
    sites, found = Sites(function), dict[SiteId, Instruction | Terminator]()
    for index, block in enumerate(function.blocks):
        id = BasicBlockId(index)
        found[sites.terminator(id)] = block.terminator
        for place, instruction in enumerate(block.instructions):
            found[sites.instruction(id, place)] = instruction
    return found


def run_machine(
    result: Scalarization,
    code: MachineFunction,
    grid: Grid,
    thread: int,
    arguments: Mapping[ValueId, Scalar],
    registers_of: Mapping[SpecialRegister, int],
    steps: int,
) -> Effects:
    """Raises `CompileTimeError` where the code has operands that cannot be told from their text."""
    return _Thread(result, code, grid, thread, arguments, registers_of).run(steps)


class _Thread:
    def __init__(
        self,
        result: Scalarization,
        code: MachineFunction,
        grid: Grid,
        thread: int,
        arguments: Mapping[ValueId, Scalar],
        special: Mapping[SpecialRegister, int],
    ) -> None:
        self.function = result.function
        self.sequential = result.plan.sequential
        self.items = site_items(result.function)
        self.code = code
        self.grid = grid
        self.thread = thread
        self.arguments = [arguments[parameter.value] for parameter in result.function.parameters]
        self.special = special
        self.registers: dict[Register, Scalar | None] = {}
        self.memory: dict[Scalar, Scalar | None] = {}
        self.effects = Effects()

    def run(self, steps: int) -> Effects:
        blocks = {block.id: place for place, block in enumerate(self.code.blocks)}
        place = 0
        for _ in range(steps):
            block = self.code.blocks[place]
            self.effects.blocks.append(block.id)
            target: BasicBlockId | None = None
            for instruction in block.instructions:
                if instruction.mnemonic == "exit":
                    return self.effects
                target = self.branch(instruction)
                if target is not None:
                    break
                if instruction.mnemonic != "bra":
                    self.execute(instruction)
            place = place + 1 if target is None else blocks[target]
        return self.effects

    def branch(self, instruction: MachineInstruction) -> BasicBlockId | None:
        """Where to go on; None to fall through."""
        if instruction.mnemonic == "brx.idx":
            switch = self.items[instruction.site]
            assert isinstance(switch, Switch)
            chosen = self.value(instruction.operands[0]) or 0
            return next((case.target for case in switch.cases if case.value == chosen), switch.default)
        if instruction.mnemonic != "bra":
            return None
        taken = not instruction.operands or bool(self.value(instruction.operands[0])) != instruction.negated
        return instruction.target if taken else None

    def value(self, operand: Operand) -> Scalar | None:
        match operand:
            case Register():
                return self.registers.get(operand)
            case Immediate(number=int() as known):
                return known
            case Immediate(text="undef"):
                return None
            case Immediate(text=text) if text in SPECIAL:
                return self.special[SPECIAL[text]]
            case Immediate(text=text):
                if any(symbol.name == text for symbol in self.function.symbols):
                    return text, 0
                raise CompileTimeError(text)

    def execute(self, instruction: MachineInstruction) -> None:
        name = instruction.mnemonic
        if instruction.site < len(self.arguments):
            self.registers[instruction.results[0]] = self.arguments[instruction.site]
            return
        operands = [self.value(operand) for operand in instruction.operands]
        if instruction.access is not None:
            self.access(instruction, operands)
        elif name == "mov":
            self.registers[instruction.results[0]] = operands[0]
        else:
            self.registers[instruction.results[0]] = self.compute(instruction, operands)

    def access(self, instruction: MachineInstruction, operands: list[Scalar | None]) -> None:
        address = operands[0]
        if instruction.execution is Execution.SEQUENTIAL:
            axis = self.sequential[instruction.site]
            register = SpecialRegister.THREAD_X if axis is Axis.THREAD_X else SpecialRegister.LANE
            assert address is None or isinstance(address, tuple)
            address = None if address is None else (address[0], address[1] + ELEMENT * self.special[register])
        if instruction.results:
            self.registers[instruction.results[0]] = None if address is None else self.load(address)
        elif address is not None:
            store = self.items[instruction.site]
            assert isinstance(store, Store)
            stored = _read_as(operands[1], self.function.types[store.value])
            self.effects.stores.append((address, stored))
            self.memory[address] = stored

    def load(self, address: Scalar) -> Scalar | None:
        assert isinstance(address, tuple)
        name, byte = address
        if any(symbol.name == name for symbol in self.function.symbols):
            return self.memory.get(address)
        return (byte // 4 * 2654435761 >> 7) % 11

    def compute(self, instruction: MachineInstruction, operands: list[Scalar | None]) -> Scalar | None:
        item = self.items[instruction.site]
        if any(operand is None for operand in operands):
            return None
        if isinstance(item, Select):
            return operands[1] if operands[0] else operands[2]
        types = self.function.types
        if isinstance(item, ElementAddress):
            if instruction.mnemonic != "iadd":
                operands[0] = _read_as(operands[0], types[item.index])
            return _address_arithmetic(instruction.mnemonic, operands)
        assert not isinstance(item, Terminator), instruction
        assert item.result is not None
        numbers = [_read_as(operand, types[value]) for operand, value in zip(operands, item.operands, strict=True)]
        return arithmetic(item, [number for number in numbers if isinstance(number, int)], types[item.result])


def _read_as(operand: Scalar | None, type_: Type) -> Scalar | None:
    """The bits of a register as a number of this type: conversions between integers of one width cost nothing."""
    if not isinstance(operand, int) or not isinstance(type_, IntegerType):
        return operand
    number = operand % 2**type_.bits
    return number - 2**type_.bits if type_.signed and number >= 2 ** (type_.bits - 1) else number


def _address_arithmetic(mnemonic: str, operands: list[Scalar | None]) -> Scalar:
    match mnemonic, *operands:
        case "shl", int() as left, int() as right:
            return left << right
        case "imul", int() as left, int() as right:
            return left * right
        case "iadd", int() as left, int() as right:
            return left + right
        case ("iadd", (str() as name, int() as byte), int() as step):
            return name, byte + step
        case _:
            raise AssertionError((mnemonic, operands))
