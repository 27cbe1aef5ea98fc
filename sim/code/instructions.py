"""Which file writes the code for which instruction."""

from __future__ import annotations

from typing import assert_never

from analysis.ir.ids import ValueId
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
from analysis.ir.operators import COLLECTIVES, SpecialRegister
from sim.code import aggregates, arithmetic, calls, collectives, conversions, meetings, memory
from sim.code.writer import Writer
from sim.values.scalars import NoParts


def emit(writer: Writer, instruction: Instruction) -> None:
    """Writes the code for one instruction; NoParts where it cannot be simulated."""
    match instruction:
        case Constant():
            arithmetic.constant(writer, instruction)
        case Undefined(result=result):
            writer.set(result, [arithmetic.literal(part, 0) for part in writer.parts(result)])
        case ReadSpecial(result=result, register=register):
            _special(writer, result, register)
        case TemplateArgument(name=name):
            raise NoParts(f"the template argument {name}")
        case Unary():
            arithmetic.unary(writer, instruction)
        case Binary():
            arithmetic.binary(writer, instruction)
        case Compare():
            arithmetic.compare(writer, instruction)
        case Select():
            arithmetic.select(writer, instruction)
        case Math() if instruction.function in COLLECTIVES:
            collectives.collective(writer, instruction)
        case Math():
            arithmetic.math(writer, instruction)
        case Convert():
            conversions.convert(writer, instruction)
        case Bitcast():
            conversions.bitcast(writer, instruction)
        case BuildAggregate():
            aggregates.build(writer, instruction)
        case ExtractElement():
            aggregates.extract(writer, instruction)
        case InsertElement():
            aggregates.insert(writer, instruction)
        case Fence():
            pass  # the engine keeps all memory operations in order
        case BlockBarrier() | NamedBarrier() | PhaseWait() | WarpBarrier() | GridBarrier():
            meetings.exchange(writer, instruction)
        case Shuffle() | Vote() | Match() | WarpReduce():
            meetings.exchange(writer, instruction)
        case Call():
            calls.call(writer, instruction)
        case Print():
            calls.output(writer, instruction)
        case Assert():
            calls.assertion(writer, instruction)
        case DeviceLaunch():
            calls.device_launch(writer, instruction)
        case Opaque():
            calls.opaque(writer, instruction)
        case _:
            _memory(writer, instruction)


_Memory = SymbolAddress | ElementAddress | FieldAddress | PointerDifference | Load | Store | Atomic | Texture | Allocate


def _memory(writer: Writer, instruction: _Memory) -> None:
    match instruction:
        case SymbolAddress(result=result):
            if result in writer.unit.placement.hoisted:
                memory.symbol_address(writer, instruction)
        case ElementAddress():
            memory.element_address(writer, instruction)
        case FieldAddress():
            memory.field_address(writer, instruction)
        case PointerDifference():
            memory.pointer_difference(writer, instruction)
        case Load():
            memory.load(writer, instruction)
        case Store():
            memory.store(writer, instruction)
        case Atomic():
            memory.atomic(writer, instruction)
        case Texture():
            memory.texture(writer, instruction)
        case Allocate():
            memory.allocate(writer, instruction)
        case _:
            assert_never(instruction)


def _special(writer: Writer, result: ValueId, register: SpecialRegister) -> None:
    """Registers that change while the kernel runs, and those that never do; others are recomputed by who reads them."""
    held = "" if result in writer.unit.placement.recomputed else writer.part(result).held
    match register:
        case _ if not held:
            pass
        case SpecialRegister.CLOCK | SpecialRegister.GLOBAL_TIMER:
            writer.set(result, [f"{held}(m.clock())"])
        case SpecialRegister.ACTIVE_MASK:
            writer.set(result, [f"active_sets(mask, shape)[:, None].astype({held})"])
        case _:
            writer.set(result, [writer.special(register, writer.part(result))])
