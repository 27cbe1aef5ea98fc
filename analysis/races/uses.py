"""The accesses of a function to memory that its threads share."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.access.model import AccessKind
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Bitcast,
    Convert,
    Instruction,
    Load,
    Phi,
    Store,
)
from analysis.ir.operators import AtomicOperator
from analysis.ir.types import MemorySpace, PointerType
from analysis.lower.layouts import size_of
from analysis.memory.spaces import SpaceResult
from analysis.races.model import MemoryUse


def shared_uses(function: Function, order: tuple[BasicBlockId, ...], spaces: SpaceResult) -> tuple[MemoryUse, ...]:
    """Those of shared memory, in reverse post-order of their blocks; empty if none of them writes."""
    found = memory_uses(function, order, spaces, frozenset({MemorySpace.SHARED}))
    return found if any(use.kind is not AccessKind.LOAD for use in found) else ()


def memory_uses(
    function: Function, order: tuple[BasicBlockId, ...], spaces: SpaceResult, wanted: frozenset[MemorySpace]
) -> tuple[MemoryUse, ...]:
    """Those of the wanted spaces whose width is known, in reverse post-order of their blocks."""
    found: list[MemoryUse] = []
    for block, index, instruction in _accesses(function, order, spaces, wanted):
        width = _width(function, instruction.address)
        if width is not None:
            space, variable = spaces.space(instruction.address), spaces.variable(instruction.address)
            use = MemoryUse(len(found), block, index, kind_of(instruction), instruction, width, space, variable)
            found.append(use)
    return tuple(found)


def has_known_widths(
    function: Function, order: tuple[BasicBlockId, ...], spaces: SpaceResult, wanted: frozenset[MemorySpace]
) -> bool:
    """Whether `memory_uses` leaves none out."""
    accesses = _accesses(function, order, spaces, wanted)
    return all(_width(function, instruction.address) is not None for _, _, instruction in accesses)


def _accesses(
    function: Function, order: tuple[BasicBlockId, ...], spaces: SpaceResult, wanted: frozenset[MemorySpace]
) -> Iterator[tuple[BasicBlockId, int, Load | Store | Atomic]]:
    for block in order:
        for index, instruction in enumerate(function.blocks[block].instructions):
            # Most instructions are none of these: comparing types is several times faster than `isinstance`.
            if (
                type(instruction) is Load or type(instruction) is Store or type(instruction) is Atomic
            ) and spaces.space(instruction.address) in wanted:
                yield block, index, instruction


def kind_of(instruction: Instruction) -> AccessKind:
    match instruction:
        case Load():
            return AccessKind.LOAD
        case Store():
            return AccessKind.STORE
        case _:
            return AccessKind.ATOMIC


def _width(function: Function, address: ValueId) -> int | None:
    pointer = function.types[address]
    return size_of(pointer.element, function.structs) if isinstance(pointer, PointerType) else None


def conflict(one: MemoryUse, other: MemoryUse) -> bool:
    """Would it be a race if both used the same bytes at the same time?

    Volatile accesses are relaxed operations, as atomics are: among themselves they do not race.
    """
    kinds = {one.kind, other.kind}
    if kinds == {AccessKind.LOAD} or kinds == {AccessKind.ATOMIC}:
        return False
    strong = [use.is_volatile or use.kind is AccessKind.ATOMIC for use in (one, other)]
    return not all(strong)


def is_guess(divergence: DivergenceResult, one: MemoryUse, other: MemoryUse) -> bool:
    """Does one only read what the other, a compare-and-swap, expects?  A wrong guess is tried again."""
    load, atomic = (one, other) if one.kind is AccessKind.LOAD else (other, one)
    if not isinstance(load.instruction, Load) or not isinstance(atomic.instruction, Atomic):
        return False
    if atomic.instruction.operator is not AtomicOperator.COMPARE_AND_SWAP:
        return False
    seen: set[ValueId] = set()
    waiting = [atomic.instruction.arguments[0]]
    while waiting:
        value = waiting.pop()
        if value not in seen:
            seen.add(value)
            item = divergence.definition(value)
            if isinstance(item, Phi | Convert | Bitcast):
                waiting.extend(item.operands)
    return load.instruction.result in seen
