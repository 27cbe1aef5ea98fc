"""Which local variables in memory can be tracked, and which pointers may point to them?

A local variable (`SymbolKind.LOCAL` that was not promoted to SSA) has one instance per thread, so its address says
nothing about its contents.  As long as its address only flows through address arithmetic into the address operands of
loads and stores, every access to it is known and the contents can be tracked as one cell per variable.  In every other
use (stored, passed to opaque code, compared as an integer, handed to an atomic) it *escapes*: its contents are
unknown, and its address is VARYING, so that a load through a reloaded or rebuilt pointer is VARYING as well.

Cost      O(instructions), again for each round that addresses take around loops; nothing without such variables.
Gives up  one cell per variable: elements of an array are not told apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
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
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.types import MemorySpace, PointerType


@final
@record
class LocalMemory:
    targets: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """For each pointer value that may point to local variables: their symbols."""
    escaped: frozenset[int] = frozenset()


NO_LOCAL_MEMORY = LocalMemory()
NOWHERE: frozenset[int] = frozenset()


def find_local_memory(function: Function, order: Sequence[int]) -> LocalMemory:
    local = {index for index, symbol in enumerate(function.symbols) if symbol.kind is SymbolKind.LOCAL}
    if not local:
        return NO_LOCAL_MEMORY
    return _track(function, order, local)


def _track(function: Function, order: Sequence[int], local: set[int]) -> LocalMemory:
    targets: dict[int, frozenset[int]] = {}
    escaped: set[int] = set()
    while True:
        for block in order:
            body = function.blocks[block]
            for phi in body.phis:
                _follow(function, phi, targets, escaped)
            for instruction in paced(body.instructions):
                if type(instruction) is FieldAddress:
                    if instruction.base in targets:
                        targets[instruction.result] = targets[instruction.base]
                elif type(instruction) is SymbolAddress:
                    if instruction.symbol in local:
                        targets[instruction.result] = frozenset((instruction.symbol,))
                elif type(instruction) is Store:
                    if instruction.value in targets:
                        escaped |= targets[instruction.value]
                elif type(instruction) is not Load and not targets.keys().isdisjoint(instruction.operands):
                    _follow(function, instruction, targets, escaped)
            for operand in body.terminator.operands:
                escaped |= targets.get(operand, NOWHERE)
        if not _arrives_late(function, order, targets):
            return LocalMemory(targets, frozenset(escaped))


def _follow(
    function: Function, instruction: Instruction | Phi, targets: dict[int, frozenset[int]], escaped: set[int]
) -> None:
    """Notes the local variables that the result may point to; other uses of an address add to `escaped`.

    The most frequent instructions never come here.
    """
    operands = instruction.operands
    match instruction:
        case ElementAddress():
            through, ending = operands[:1], operands[1:]
        case Phi():
            through, ending = operands, ()
        case Select():
            through, ending = operands[1:], operands[:1]
        case Bitcast() | Convert() if isinstance(function.types[instruction.result], PointerType):
            through, ending = operands, ()
        case Compare() | PointerDifference():
            return
        case _:
            through, ending = (), operands
    for operand in ending:
        escaped |= targets.get(operand, NOWHERE)
    reached = NOWHERE.union(*[targets[operand] for operand in through if operand in targets])
    if reached and instruction.result is not None:
        targets[instruction.result] = reached


def _arrives_late(function: Function, order: Sequence[int], targets: Mapping[int, frozenset[int]]) -> bool:
    """Does a phi read an address that was found after it?  Everything else stands behind what it reads."""
    return any(
        not targets[value] <= targets.get(phi.result, NOWHERE)
        for block in order
        for phi in function.blocks[block].phis
        for _, value in phi.incoming
        if value in targets
    )


def is_untracked_local(function: Function, address: int, memory: LocalMemory) -> bool:
    """Is this a pointer to memory of the thread whose contents are not tracked?"""
    symbols = memory.targets.get(address)
    if symbols:
        return not symbols.isdisjoint(memory.escaped)
    type_ = function.types[address]
    return isinstance(type_, PointerType) and type_.space is MemorySpace.LOCAL
