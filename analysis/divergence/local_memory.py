"""Which local variables in memory can be tracked, and which pointers may point to them?

A local variable (`SymbolKind.LOCAL` that was not promoted to SSA) has one instance per thread, so its address says
nothing about its contents.  As long as its address only flows through address arithmetic into the address operands of
loads and stores, every access to it is known and the contents can be tracked as one cell per variable.  In every other
use (stored, passed to opaque code, compared as an integer, handed to an atomic) it *escapes*: its contents are
unknown, and its address is VARYING, so that a load through a reloaded or rebuilt pointer is VARYING as well.

Cost      O(uses of local addresses).
Gives up  one cell per variable: elements of an array are not told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from analysis.ir.function import Function, SymbolKind
from analysis.ir.instructions import (
    Bitcast,
    Compare,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Phi,
    PointerDifference,
    Select,
    Store,
    SymbolAddress,
)
from analysis.ir.types import MemorySpace, PointerType


@final
@dataclass(frozen=True, slots=True)
class LocalMemory:
    targets: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """For each pointer value that may point to local variables: their symbols."""
    escaped: frozenset[int] = frozenset()


NO_LOCAL_MEMORY = LocalMemory()


def find_local_memory(function: Function, order: Sequence[int]) -> LocalMemory:
    local = {index for index, symbol in enumerate(function.symbols) if symbol.kind is SymbolKind.LOCAL}
    if not local:
        return NO_LOCAL_MEMORY
    return _track(function, order, local)


def _track(function: Function, order: Sequence[int], local: set[int]) -> LocalMemory:
    targets: dict[int, set[int]] = {}
    escaped: set[int] = set()
    changed = True
    while changed:
        changed = False
        for block in order:
            body = function.blocks[block]
            for instruction in (*body.phis, *body.instructions):
                if isinstance(instruction, SymbolAddress):
                    reached = {int(instruction.symbol)} & local
                else:
                    reached = _flows(function, instruction, targets, escaped)
                result = instruction.result
                if result is not None and reached and not reached <= targets.get(result, set()):
                    targets.setdefault(result, set()).update(reached)
                    changed = True
            for operand in body.terminator.operands:
                escaped |= targets.get(operand, set())
    return LocalMemory({value: frozenset(symbols) for value, symbols in targets.items()}, frozenset(escaped))


def _flows(
    function: Function, instruction: Instruction | Phi, targets: dict[int, set[int]], escaped: set[int]
) -> set[int]:
    """The local variables that the result may point to; other uses of an address add to `escaped`."""
    match instruction:
        case ElementAddress() | FieldAddress():
            through = (instruction.operands[0],)
        case Phi():
            through = instruction.operands
        case Select():
            through = instruction.operands[1:]
        case Bitcast() | Convert():
            pointer = isinstance(function.types[instruction.result], PointerType)
            through = instruction.operands if pointer else ()
        case Load() | Store() | Compare() | PointerDifference():
            kept = instruction.operands[:1] if isinstance(instruction, Load | Store) else instruction.operands
            for operand in instruction.operands[len(kept) :]:
                escaped |= targets.get(operand, set())
            return set()
        case _:
            through = ()
    reached: set[int] = set()
    for operand in instruction.operands:
        found = targets.get(operand)
        if found:
            if operand in through:
                reached |= found
            else:
                escaped |= found
    return reached


def is_untracked_local(function: Function, address: int, memory: LocalMemory) -> bool:
    """Is this a pointer to memory of the thread whose contents are not tracked?"""
    symbols = memory.targets.get(address)
    if symbols:
        return not symbols.isdisjoint(memory.escaped)
    type_ = function.types[address]
    return isinstance(type_, PointerType) and type_.space is MemorySpace.LOCAL
