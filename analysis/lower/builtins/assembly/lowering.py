"""Lowers inline PTX, instruction by instruction.

Rules    A guarded instruction that only computes becomes a select between the new and the old value; any other becomes
         a branch around it.  An instruction that is not known is opaque by itself; text with labels is opaque as
         a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.calls import Opaque
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.types import BOOLEAN, Type
from analysis.lower.builtins.assembly.arithmetic import PURE, PtxLowering
from analysis.lower.builtins.assembly.call import AssemblyCall
from analysis.lower.builtins.assembly.machine import Machine, NotUnderstood
from analysis.lower.builtins.assembly.memory import MEMORY
from analysis.lower.builtins.assembly.syntax import PtxInstruction, read_ptx
from analysis.lower.builtins.assembly.threads import THREADS
from analysis.lower.builtins.guards_and_loops import guarded

OPCODES: Final[Mapping[str, PtxLowering]] = {**PURE, **THREADS, **MEMORY}

# instructions that may wait for other threads, whatever else they do
_WAITING: Final = ("wgmma", "tcgen05", "barrier", "bar", "mbarrier")


def lower_statement(call: AssemblyCall) -> None:
    """Emits the statement; what is not understood is opaque, never an error."""
    if call.builder.is_terminated:
        call.builder.continue_in(call.builder.new_block())  # dead code after `return`
    text = read_ptx(call.template)
    if text is None:
        _opaque_statement(call)
        return
    machine = Machine(call, text)
    for instruction in text.instructions:
        if call.builder.is_terminated:
            call.builder.continue_in(call.builder.new_block())  # after `trap` or `exit`
        if instruction.guard is None:
            _execute(machine, instruction)
        else:
            _execute_guarded(machine, instruction)
    if not call.builder.is_terminated:
        machine.finish()


def _execute(machine: Machine, instruction: PtxInstruction) -> None:
    lowering = OPCODES.get(instruction.opcode)
    try:
        if lowering is None:
            raise NotUnderstood
        lowering(machine, instruction)
    except (NotUnderstood, ValueError, IndexError):  # too few operands unpack or index wrongly
        _opaque_instruction(machine, instruction)


def _opaque_instruction(machine: Machine, instruction: PtxInstruction) -> None:
    waits = instruction.opcode in _WAITING
    try:
        machine.opaque(instruction, may_contain_barrier=waits)
    except NotUnderstood:  # it names an operand that the statement does not have
        construct = f"asm {instruction.spelled}"
        machine.builder.emit(Opaque(None, construct, (), waits, machine.span))


def _execute_guarded(machine: Machine, instruction: PtxInstruction) -> None:
    assert instruction.guard is not None  # the caller asked
    try:
        guard = machine.read(instruction.guard, BOOLEAN)
        keys = machine.destinations(instruction)
    except NotUnderstood:
        _opaque_instruction(machine, instruction)
        return
    if instruction.opcode in PURE:
        before = {key: machine.values.get(key) for key in keys}
        _execute(machine, instruction)
        for key, old in before.items():
            _merge(machine, key, guard, old)
    else:
        _branch_around(machine, instruction, guard, keys)


def _merge(machine: Machine, key: int | str, guard: ValueId, old: ValueId | None) -> None:
    new = machine.values.get(key)
    if new is None or new == old:
        return
    type = machine.builder.type_of(new)
    kept = machine.builder.undefined(type, machine.span) if old is None else machine.coerce(old, type)
    machine.put(key, machine.emit.select(guard, new, kept))


def _branch_around(machine: Machine, instruction: PtxInstruction, guard: ValueId, keys: list[int | str]) -> None:
    """`if (guard) instruction`; its destinations pass through local objects."""
    builder, span = machine.builder, machine.span
    is_store = instruction.opcode in ("st", "red")
    places: dict[int | str, tuple[ValueId, Type]] = {}
    for key in [] if is_store else keys:
        type = machine.type_of_key(key)
        place = builder.symbol_address(builder.symbol("asm", SymbolKind.LOCAL, type, span), span)
        old = machine.values.get(key)
        builder.store(place, builder.undefined(type, span) if old is None else old, span)
        places[key] = (place, type)

    def execute() -> None:
        _execute(machine, instruction)
        for key, (place, type) in places.items():
            value = machine.values.get(key)
            if value is not None and not builder.is_terminated:
                builder.store(place, machine.coerce(value, type), span)

    guarded(machine.emit, guard, execute)
    for key, (place, type) in places.items():
        machine.put(key, builder.load(place, type, span))


def _opaque_statement(call: AssemblyCall) -> None:
    """Text that is not a straight line: one opaque operation; it may loop until other threads act."""
    sources = tuple(item.value for item in call.inputs)
    construct = "asm with control flow"
    if not call.outputs:
        call.builder.emit(Opaque(None, construct, sources, True, call.span))
    for output in call.outputs:
        if output.constraint.startswith("+"):
            sources = (*sources, call.builder.load(output.address, output.type, call.span))
        value = call.builder.opaque(construct, sources, output.type, call.span, may_contain_barrier=True)
        call.builder.store(output.address, value, call.span)
