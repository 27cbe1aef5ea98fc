"""PTX instructions that touch memory: loads, stores, atomics, asynchronous copies, matrix fragments.

Rules    A space that the instruction names becomes the space of the pointer.  `.volatile`, `.relaxed` and stronger make
         an access volatile: its value may change between two reads.  `cp.async` copies at once; waiting for it is a
         fence.
         Fragments are `COLLECTIVE` values: made of what all lanes of the warp hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from analysis.ir.collectives import Fence
from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.memory import Atomic
from analysis.ir.operators import (
    AtomicOperator,
    CompareOperator,
    MathFunction,
    MemoryScope,
    ShareLayout,
    SpecialRegister,
)
from analysis.ir.types import BOOLEAN, F16, U32, U64, ArrayType, MemorySpace, PointerType, Type, VectorType
from analysis.lower.builtins.assembly.arithmetic import PtxLowering, type_of
from analysis.lower.builtins.assembly.machine import PTX_TYPES, Machine, NotUnderstood
from analysis.lower.builtins.assembly.memory_barriers import barrier_of_copies, copy_bulk, memory_barrier
from analysis.lower.builtins.assembly.syntax import Immediate, Operand, PtxInstruction, Vector
from analysis.lower.builtins.assembly.threads import REDUCTIONS, meet, nothing
from analysis.lower.builtins.guards_and_loops import guarded
from analysis.lower.builtins.operations import build_aggregate
from analysis.lower.layouts import size_of

_SPACES: Final[Mapping[str, MemorySpace]] = {
    "global": MemorySpace.GLOBAL,
    "shared": MemorySpace.SHARED,
    "local": MemorySpace.LOCAL,
    "const": MemorySpace.CONSTANT,
    "param": MemorySpace.CONSTANT,
}
_VOLATILE: Final = frozenset(("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "cv"))


def _space(instruction: PtxInstruction) -> MemorySpace | None:
    return next((_SPACES[word] for word in instruction.modifiers if word in _SPACES), None)


def _is_volatile(instruction: PtxInstruction) -> bool:
    return not _VOLATILE.isdisjoint(instruction.modifiers)


def _accessed(machine: Machine, instruction: PtxInstruction) -> Type:
    """The type of the whole access: `.v4.f32` is one vector of 16 bytes."""
    element = type_of(instruction)
    length = next((int(word[1:]) for word in instruction.modifiers if word in ("v2", "v4", "v8")), None)
    if length is None:
        return element
    return VectorType(element, length, length * (size_of(element, machine.builder.structs) or 1))


def _load(machine: Machine, instruction: PtxInstruction) -> None:
    type = _accessed(machine, instruction)
    address = machine.address(instruction.operands[1], type, _space(instruction))
    value = machine.builder.load(address, type, machine.span, volatile=_is_volatile(instruction))
    _order(machine, instruction, "acquire")
    machine.write(instruction.operands[0], value)


def _store(machine: Machine, instruction: PtxInstruction) -> None:
    type = _accessed(machine, instruction)
    address = machine.address(instruction.operands[0], type, _space(instruction))
    _order(machine, instruction, "release")
    value = _value(machine, instruction.operands[1], type)
    machine.builder.store(address, value, machine.span, volatile=_is_volatile(instruction))


def _value(machine: Machine, operand: Operand, type: Type) -> ValueId:
    if isinstance(operand, Vector) and isinstance(type, VectorType):
        elements = tuple(machine.read(member, type.element) for member in operand.members)
        if len(elements) != type.length:
            raise NotUnderstood
        return build_aggregate(machine.builder, elements, type, machine.span)
    return machine.read(operand, type)


def _order(machine: Machine, instruction: PtxInstruction, word: str) -> None:
    if word in instruction.modifiers or "acq_rel" in instruction.modifiers:
        machine.builder.emit(Fence(_scope(instruction), machine.span))


def _scope(instruction: PtxInstruction) -> MemoryScope:
    scope = MemoryScope.SYSTEM if "sys" in instruction.modifiers else MemoryScope.DEVICE
    return MemoryScope.BLOCK if "cta" in instruction.modifiers else scope


_OPERATORS: Final[Mapping[str, AtomicOperator]] = {
    **REDUCTIONS,
    "exch": AtomicOperator.EXCHANGE,
    "inc": AtomicOperator.INCREMENT,
    "dec": AtomicOperator.DECREMENT,
    "cas": AtomicOperator.COMPARE_AND_SWAP,
}


def _atomic(machine: Machine, instruction: PtxInstruction) -> None:
    """`atom.global.add.u32 d, [a], b` and `red`, which has no destination."""
    operator = next((_OPERATORS[word] for word in instruction.modifiers if word in _OPERATORS), None)
    if operator is None:
        raise NotUnderstood
    has_result = instruction.opcode == "atom"
    type = _accessed(machine, instruction)
    place, *operands = instruction.operands[1:] if has_result else instruction.operands
    address = machine.address(place, type, _space(instruction))
    values = tuple(_value(machine, operand, type) for operand in operands)
    result = machine.builder.value(type)
    _order(machine, instruction, "release")
    machine.builder.emit(Atomic(result, operator, address, values, machine.span, _scope(instruction)))
    _order(machine, instruction, "acquire")
    if has_result:
        machine.write(instruction.operands[0], result)


def _copy_async(machine: Machine, instruction: PtxInstruction) -> None:
    """`cp.async.ca.shared.global [to], [from], 16, size?`; a size of 0 fills with zeros instead of reading."""
    words = instruction.modifiers
    if "bulk" in words:
        copy_bulk(machine, instruction)
        return
    if "mbarrier" in words:
        barrier_of_copies(machine, instruction)
        return
    if "commit_group" in words:
        return
    if "wait_group" in words or "wait_all" in words:
        machine.builder.emit(Fence(MemoryScope.BLOCK, machine.span))
        return
    to, source, bytes, *rest = instruction.operands
    if not isinstance(bytes, Immediate) or bytes.value not in (4, 8, 16):
        raise NotUnderstood
    count = int(bytes.value) // 4
    type: Type = U32 if count == 1 else VectorType(U32, count, count * 4)
    target = machine.address(to, type, MemorySpace.SHARED)
    origin = machine.address(source, type, MemorySpace.GLOBAL)
    value = (
        machine.builder.load(origin, type, machine.span) if not rest else _guarded_load(machine, origin, type, rest[0])
    )
    machine.builder.store(target, value, machine.span)


def _guarded_load(machine: Machine, origin: ValueId, type: Type, size: Operand) -> ValueId:
    """The value at `origin`, or zeros without an access where `size` is 0."""
    builder, span = machine.builder, machine.span
    wanted = machine.emit.compare(CompareOperator.NOT_EQUAL, machine.read(size, U32), machine.emit.constant(0))
    address = builder.symbol_address(builder.symbol("copied", SymbolKind.LOCAL, type, span), span)
    zero = machine.emit.constant(0)
    is_vector = isinstance(type, VectorType)
    zeros = build_aggregate(builder, (zero,) * type.length, type, span) if is_vector else zero
    builder.store(address, zeros, span)
    guarded(machine.emit, wanted, lambda: builder.store(address, builder.load(origin, type, span), span))
    return builder.load(address, type, span)


def _load_matrix(machine: Machine, instruction: PtxInstruction) -> None:
    """`ldmatrix.sync.aligned.m8n8.x4.shared.b16 {…}, [a]`: each lane names a row of 16 bytes, all share the rows."""
    row = VectorType(U32, 4, 16)
    meet(machine)
    address = machine.address(instruction.operands[1], row, MemorySpace.SHARED)
    loaded = machine.builder.load(address, row, machine.span)
    emit = machine.emit
    is_transposed = emit.constant(int("trans" in instruction.modifiers))
    lane = emit.special(SpecialRegister.LANE)
    target = instruction.operands[0]
    for index, member in enumerate(target.members if isinstance(target, Vector) else (target,)):
        number = emit.constant(index)
        machine.write(member, emit.math(MathFunction.MATRIX_ROWS, loaded, number, is_transposed, lane, type=U32))


def _store_matrix(machine: Machine, instruction: PtxInstruction) -> None:
    row = VectorType(U32, 4, 16)
    meet(machine)
    operand = instruction.operands[1]
    members = operand.members if isinstance(operand, Vector) else (operand,)
    values = tuple(machine.read(member, U32) for member in members)
    lane = machine.emit.special(SpecialRegister.LANE)
    shared = machine.emit.math(MathFunction.COLLECTIVE, *values, lane, type=row)
    machine.builder.store(machine.address(instruction.operands[0], row, MemorySpace.SHARED), shared, machine.span)


def _multiply_matrices(machine: Machine, instruction: PtxInstruction) -> None:
    """`mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d…}, {a…}, {b…}, {c…}`."""
    meet(machine)
    kinds = [PTX_TYPES.get(word) for word in instruction.modifiers if word in PTX_TYPES]
    sizes = next((found for word in instruction.modifiers if (found := _SIZES.match(word)) is not None), None)
    emit = machine.emit
    m, n, k = map(int, sizes.groups()) if sizes is not None else (0, 0, 0)
    counts = tuple(
        _element_count(operand, kind) for operand, kind in zip(instruction.operands[1:], kinds[1:], strict=False)
    )
    if (
        len(kinds) != 4
        or kinds[1] is None
        or counts != (m * k // 32, n * k // 32, m * n // 32)
        or (n * k == 32 and kinds[1] == F16)  # an old form with a layout of its own
    ):
        _share(machine, instruction.operands[0], _registers(machine, instruction))
        return
    shares = [
        _fragment(machine, operand, kind) for operand, kind in zip(instruction.operands[1:], kinds[1:], strict=True)
    ]
    layout = _LAYOUTS[size_of(kinds[1], {}) or 4]
    numbers = (emit.constant(number) for number in (m, n, k, int(layout)))
    lane = emit.special(SpecialRegister.LANE)
    type = machine.builder.type_of(shares[2])
    product = emit.math(MathFunction.MATRIX_PRODUCT, *shares, *numbers, lane, type=type)
    _spread(machine, instruction.operands[0], product)


_SIZES: Final = re.compile(r"m(\d+)n(\d+)k(\d+)$")
_LAYOUTS: Final = {
    1: ShareLayout.REGISTERS_OF_4,
    2: ShareLayout.REGISTERS_OF_2,
    4: ShareLayout.REGISTERS_OF_1,
    8: ShareLayout.REGISTERS_OF_1,
}


def _element_count(operand: Operand, kind: Type | None) -> int:
    registers = len(operand.members) if isinstance(operand, Vector) else 1
    size = size_of(kind, {}) if kind is not None else None
    return registers * max(4 // size, 1) if size else 0


def _fragment(machine: Machine, operand: Operand, kind: Type | None) -> ValueId:
    """The elements that the registers of a fragment hold, as an array."""
    if kind is None:
        raise NotUnderstood
    members = operand.members if isinstance(operand, Vector) else (operand,)
    each = max(4 // (size_of(kind, {}) or 4), 1)
    elements: list[ValueId] = []
    for member in members:
        if each == 1:
            elements.append(machine.read(member, kind))
            continue
        packed = machine.builder.bitcast(machine.read(member, U32), VectorType(kind, each, 4), machine.span)
        elements += [machine.builder.extract(packed, index, kind, machine.span) for index in range(each)]
    return build_aggregate(machine.builder, tuple(elements), ArrayType(kind, len(elements)), machine.span)


def _spread(machine: Machine, target: Operand, product: ValueId) -> None:
    """Each register of the result gets its elements of the product."""
    array = machine.builder.type_of(product)
    assert isinstance(array, ArrayType)  # `_fragment` made it
    kind = array.element
    each = max(4 // (size_of(kind, {}) or 4), 1)
    for number, member in enumerate(target.members if isinstance(target, Vector) else (target,)):
        indices = range(number * each, number * each + each)
        values = tuple(machine.builder.extract(product, index, kind, machine.span) for index in indices)
        if each == 1:
            machine.write(member, values[0])
        else:
            packed = build_aggregate(machine.builder, values, VectorType(kind, each, 4), machine.span)
            machine.write(member, machine.builder.bitcast(packed, U32, machine.span))


def _registers(machine: Machine, instruction: PtxInstruction) -> tuple[ValueId, ...]:
    operands: list[ValueId] = []
    for operand in instruction.operands[1:]:
        members = operand.members if isinstance(operand, Vector) else (operand,)
        operands += [machine.raw(member) for member in members]
    return tuple(operands)


def _share(machine: Machine, target: Operand, operands: tuple[ValueId, ...]) -> None:
    """Each destination register gets its part of what the warp makes of `operands`."""
    members = target.members if isinstance(target, Vector) else (target,)
    lane = machine.emit.special(SpecialRegister.LANE)
    for index, member in enumerate(members):
        key = machine.key_of(member)
        type = U32 if key is None else machine.type_of_key(key)
        part = machine.emit.constant(index)
        machine.write(member, machine.emit.math(MathFunction.COLLECTIVE, *operands, part, lane, type=type))


def _is_in_space(machine: Machine, instruction: PtxInstruction) -> None:
    function = next((_PREDICATES[word] for word in instruction.modifiers if word in _PREDICATES), None)
    if function is None:
        raise NotUnderstood
    pointer = machine.coerce(machine.raw(instruction.operands[1]), U64)
    pointer = machine.coerce(pointer, PointerType(U32, MemorySpace.GENERIC))
    machine.write(instruction.operands[0], machine.emit.math(function, pointer, type=BOOLEAN))


_PREDICATES: Final = {
    "global": MathFunction.IS_GLOBAL,
    "shared": MathFunction.IS_SHARED,
    "const": MathFunction.IS_CONSTANT,
    "local": MathFunction.IS_LOCAL,
}


MEMORY: Final[Mapping[str, PtxLowering]] = {
    "ld": _load,
    "ldu": _load,
    "st": _store,
    "atom": _atomic,
    "red": _atomic,
    "cp": _copy_async,
    "ldmatrix": _load_matrix,
    "stmatrix": _store_matrix,
    "mma": _multiply_matrices,
    "isspacep": _is_in_space,
    "mbarrier": memory_barrier,
    "prefetch": nothing,
    "prefetchu": nothing,
    "discard": nothing,
    "applypriority": nothing,
}
