"""Dead stores by memory space: what is overwritten before anybody can read it, and what nobody reads at all.

Overwritten  a store whose address is stored to again in the same block, before anything that may read it.
Unread       a store to a variable of the thread that is never loaded from and whose address goes nowhere else.
Alias        pointers into different spaces never meet, nor pointers into two variables; so a load from shared memory
             does not keep a store to global memory alive.  GENERIC may be any of them.
Others       what another thread may see ends a store's chance to be dead: barriers, fences, atomics, calls; not so for
             memory of the thread.  Volatile stores are never dead.
Source       Wu et al., CGO 2016, section 3.3.
"""

from __future__ import annotations

from typing import Final, final

from analysis.ir.cleanup import is_pure
from analysis.ir.function import SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import (
    Assert,
    Bitcast,
    BlockBarrier,
    Constant,
    ElementAddress,
    Fence,
    FieldAddress,
    Instruction,
    Load,
    Select,
    Shuffle,
    Store,
    SymbolAddress,
    Vote,
    WarpBarrier,
)
from analysis.ir.types import MemorySpace
from analysis.memory.spaces import SpaceResult
from analysis.straightline.code import Code

_FOR_OTHERS: Final = (BlockBarrier, Fence, WarpBarrier)
"""Points at which other threads may look at what this one stored, but not at its own memory."""
_NEUTRAL: Final = (Shuffle, Vote, Assert)


def remove_dead_stores(code: Code, spaces: SpaceResult) -> int:
    """How many stores were taken away."""
    places = _Places(code, spaces)
    unread = _unread_variables(code)
    dead = 0
    for block in code.preorder:
        kept: list[Instruction] = []
        overwritten: dict[ValueId, Store] = {}
        """By address, the next store to it, if nothing in between may read."""
        for instruction in reversed(code.blocks[block]):
            if isinstance(instruction, Store) and not instruction.volatile:
                if instruction.address in overwritten and places.covers(overwritten[instruction.address], instruction):
                    dead += 1
                    continue
                if places.variable(instruction.address) in unread:
                    dead += 1
                    continue
                overwritten[instruction.address] = instruction
            else:
                _forget(instruction, overwritten, places)
            kept.append(instruction)
        code.blocks[block] = kept[::-1]
    if dead:
        code.settle()
    return dead


def _forget(instruction: Instruction, overwritten: dict[ValueId, Store], places: _Places) -> None:
    """Going backwards: what the instruction may read is needed."""
    if is_pure(instruction) or isinstance(instruction, (*_NEUTRAL, Constant, Select)):
        return
    if isinstance(instruction, Load):
        for address in [one for one in overwritten if places.may_be_same(one, instruction.address)]:
            del overwritten[address]
    elif isinstance(instruction, _FOR_OTHERS):
        for address in [one for one in overwritten if places.space(one) is not MemorySpace.LOCAL]:
            del overwritten[address]
    else:
        overwritten.clear()


@final
class _Places:
    """Where addresses point; of those that are new, what their bases say."""

    def __init__(self, code: Code, spaces: SpaceResult) -> None:
        self._code = code
        self._spaces = spaces
        self._originals = len(code.function.types)

    def space(self, address: ValueId) -> MemorySpace:
        return self._spaces.space(self._known(address))

    def variable(self, address: ValueId) -> SymbolId | None:
        return self._spaces.variable(self._known(address))

    def may_be_same(self, left: ValueId, right: ValueId) -> bool:
        spaces = {self.space(left), self.space(right)}
        if MemorySpace.GENERIC not in spaces and len(spaces) > 1:
            return False
        variables = self.variable(left), self.variable(right)
        return None in variables or variables[0] == variables[1]

    def covers(self, later: Store, earlier: Store) -> bool:
        """Is as much overwritten as was stored?"""
        return self._code.types[later.value] == self._code.types[earlier.value]

    def _known(self, address: ValueId) -> ValueId:
        while address >= self._originals:
            definition = self._code.definitions[address]
            address = definition.operands[0]
        return address


def _unread_variables(code: Code) -> set[SymbolId]:
    """Variables of the thread whose addresses are only stored to."""
    symbols = code.function.symbols
    found = {SymbolId(index) for index, symbol in enumerate(symbols) if symbol.kind is SymbolKind.LOCAL}
    if not found:
        return found
    into: dict[ValueId, SymbolId] = {}
    for _, instruction in code.instructions():
        if isinstance(instruction, SymbolAddress) and instruction.symbol in found:
            into[instruction.result] = instruction.symbol
        elif isinstance(instruction, ElementAddress | FieldAddress | Bitcast) and instruction.operands[0] in into:
            into[instruction.result] = into[instruction.operands[0]]
    readers = code.readers()
    for value, symbol in into.items():
        if not all(_only_stores(reader, value) for reader in readers.get(value, ())):
            found.discard(symbol)
    return found


def _only_stores(reader: Instruction | None, value: ValueId) -> bool:
    """Is the address only stored to, or a step on the way to one that is looked at in turn?"""
    match reader:
        case ElementAddress(base=base) | FieldAddress(base=base):
            return base == value and value not in reader.operands[1:]
        case Bitcast():
            return True
        case Store(volatile=False, value=stored):
            return stored != value
        case _:
            return False
