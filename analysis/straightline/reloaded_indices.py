"""Indices and bounds that are loaded again because a store may have changed them.

Question  `for (j = row[i]; j < row[i + 1]; j++) y[i] += ...` loads `row[i + 1]` in each round: for all the compiler
          knows `y` and `row` overlap.  Which loads of integers, whose address does not change, are done again in each
          round of a loop, or twice in a block, for no other reason than a store through another pointer?
Compilers nvcc 13.0 loads again whatever the types of the two pointers are.  `__restrict__`, other memory spaces and
          stores to variables of the thread rule it out.
Not       where a barrier, an atomic or a call stands between: there another thread may really have changed it.  Where
          the store goes through the same pointer, it may be meant.
Cost      O(loads and stores) where no loop or block has both; else O(instructions) for who reads them.
Source    Wu et al., CGO 2016, section 3.3, for what aliases cost; PTX of nvcc 13.0 for what compilers do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.cleanup import is_pure
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Branch,
    Compare,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Switch,
    SymbolAddress,
    Unary,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import IntegerType, MemorySpace
from analysis.ir.uses import Uses
from analysis.memory.same_address import SameAddress
from analysis.memory.spaces import SpaceResult
from analysis.verdict.latency import GLOBAL_ACCESS

MAX_LOOKS: Final = 40
_MAX_DEPTH: Final = 10
_STEPS: Final = (ElementAddress, FieldAddress, Bitcast)

MayAlias = Callable[[ValueId, ValueId], bool]
"""Whether a compiler must take it that what two pointers lead to may overlap."""


@final
@record
class ReloadedIndex:
    """A load that is done again behind `store`.

    `loop`: the loop that it need not be in; None for the second load of a block, of which `first` is the first.
    `is_in_header`: a loop that is entered loads it at least once.  `is_bound`: it decides when the loop ends.
    """

    load: Span
    block: BasicBlockId
    slots: int
    store: Span
    first: Span | None
    loop: Cycle | None
    is_in_header: bool
    is_bound: bool


def reloaded_indices(
    function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult, may_alias: MayAlias
) -> Iterator[ReloadedIndex]:
    """In the order of the blocks."""
    loads = [
        (block, index, one)
        for block, index, one in control.placed(Load)
        if not one.volatile and isinstance(function.types[one.result], IntegerType)
    ]
    if loads and control.placed(Store):
        finder = _Reloads(function, control, divergence, spaces, may_alias)
        for block, index, one in loads:
            found = finder.found(one, block, index)
            if found is not None:
                yield found


@final
class _Reloads:
    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        spaces: SpaceResult,
        may_alias: MayAlias,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._spaces = spaces
        self._may_alias = may_alias
        self._same = SameAddress(function, divergence)
        self._with_stores = {block for block, _, _ in control.placed(Store)}

    @cached_property
    def _uses(self) -> Uses:
        return Uses.of(self._function)

    @cached_property
    def _exit_conditions(self) -> frozenset[ValueId]:
        terminators = [
            self._function.blocks[block].terminator
            for cycle in self._control.cycles
            for block in self._control.exit_branches(cycle)
        ]
        return frozenset(one.operands[0] for one in terminators if isinstance(one, Branch | Switch))

    def found(self, load: Load, block: BasicBlockId, index: int) -> ReloadedIndex | None:
        if self._spaces.space(load.address) is not MemorySpace.GLOBAL:
            return None
        root = self._root(load.address)
        if isinstance(self._divergence.definition(root), Load | SymbolAddress | Phi | Select):
            return None
        return self._in_loop(load, block) or self._in_block(load, block, index)

    def _in_loop(self, load: Load, block: BasicBlockId) -> ReloadedIndex | None:
        cycle = self._control.innermost_cycle(block)
        if cycle is None or not cycle.reducible or self._with_stores.isdisjoint(cycle.blocks):
            return None
        if not self._is_outside(load.address, cycle, 0):
            return None
        here = [one for inside in cycle.blocks for one in self._function.blocks[inside].instructions]
        store = self._in_the_way(here, load)
        role = None if store is None else self._role(load.result)
        if store is None or role is None:
            return None
        in_header = block == cycle.header
        return ReloadedIndex(load.span, block, GLOBAL_ACCESS, store.span, None, cycle, in_header, role)

    def _in_block(self, load: Load, block: BasicBlockId, index: int) -> ReloadedIndex | None:
        """The closest load before it from the same address, with a store between."""
        if block not in self._with_stores:
            return None
        instructions = self._function.blocks[block].instructions
        for before in range(index - 1, -1, -1):
            other = instructions[before]
            if not isinstance(other, Load) or other.volatile or not self._same.holds(other.address, load.address):
                continue
            store = self._in_the_way(instructions[before + 1 : index], load)
            role = None if store is None else self._role(load.result)
            if store is None or role is None:
                return None
            return ReloadedIndex(load.span, block, GLOBAL_ACCESS, store.span, other.span, None, False, False)
        return None

    def _in_the_way(self, instructions: Sequence[Instruction], load: Load) -> Store | None:
        """The first store among them that may change what is loaded, if nothing else can and none is meant to."""
        root = self._root(load.address)
        first: Store | None = None
        for one in instructions:
            if isinstance(one, Store):
                stored = self._root(one.address)
                if stored == root or one.volatile:
                    return None
                is_global = self._spaces.space(one.address) in (MemorySpace.GLOBAL, MemorySpace.GENERIC)
                if first is None and is_global and self._may_alias(root, stored):
                    first = one
            elif not is_pure(one) and not isinstance(one, Load | Select):
                return None
        return first

    def _role(self, value: ValueId) -> bool | None:
        """True if it decides when a loop ends, False if an index comes from it, None for anything else."""
        seen, waiting = {value}, [value]
        while waiting and len(seen) < MAX_LOOKS:
            current = waiting.pop()
            if current in self._exit_conditions:
                return True
            for use in self._uses.users(current):
                reader = use.user
                if isinstance(reader, ElementAddress) and reader.index == current:
                    return False
                if isinstance(reader, Binary | Convert | Unary | Compare) and reader.result not in seen:
                    seen.add(reader.result)
                    waiting.append(reader.result)
        return None

    def _root(self, address: ValueId) -> ValueId:
        for _ in range(MAX_LOOKS):
            definition = self._divergence.definition(address)
            if not isinstance(definition, _STEPS):
                break
            address = definition.operands[0]
        return address

    def _is_outside(self, value: ValueId, cycle: Cycle, depth: int) -> bool:
        """Is it the same in all rounds?"""
        definition = self._divergence.definition(value)
        if definition is None or self._divergence.home(value) not in cycle.blocks:
            return True
        if depth > _MAX_DEPTH or isinstance(definition, Phi) or not is_pure(definition):
            return False
        return all(self._is_outside(one, cycle, depth + 1) for one in definition.operands)
