"""The accesses of a function to memory that its threads share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import final

from analysis.access.model import AccessKind
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
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
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.types import MemorySpace, PointerType
from analysis.lower.layouts import size_of
from analysis.memory.spaces import SpaceResult
from analysis.races.disjoint import Disjoint
from analysis.races.lone_threads import LoneThreads
from analysis.races.model import MemoryUse
from analysis.races.objects import written_groups


@final
@record
class VariableUse:
    """An access to an array that is known by name."""

    variable: SymbolId
    block: BasicBlockId
    index: int
    instruction: Load | Store | Atomic


@final
class MemoryUses:
    """One function with all that is known of it, for every question about the memory that its threads share.

    What several of these questions need is found once.
    """

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        spaces: SpaceResult,
        launch: LaunchKnowledge,
    ) -> None:
        self.function = function
        self.control = control
        self.divergence = divergence
        self.affine = affine
        self.launch = launch
        self._spaces = spaces

    @cached_property
    def disjoint(self) -> Disjoint:
        return Disjoint(self.control, self.divergence, self.affine, self.launch)

    @cached_property
    def lone_threads(self) -> LoneThreads:
        return LoneThreads(self.control, self.divergence, self.affine, self.launch, self.disjoint)

    def of(self, wanted: frozenset[MemorySpace]) -> tuple[MemoryUse, ...]:
        """Those of the wanted spaces whose width is known, in reverse post-order of their blocks."""
        found: list[MemoryUse] = []
        for block, index, instruction, space, width in paced(self._every):
            if space in wanted and width is not None:
                variable = self._spaces.variable(instruction.address)
                kind = kind_of(instruction)
                found.append(MemoryUse(len(found), block, index, kind, instruction, width, space, variable))
        return tuple(found)

    @cached_property
    def written_in_global_memory(self) -> Sequence[Sequence[MemoryUse]]:
        """The uses of each object in global memory that is written (`objects.py`)."""
        return written_groups(self.function, self.divergence, self.of(frozenset({MemorySpace.GLOBAL})))

    def of_variables(self, wanted: frozenset[MemorySpace]) -> tuple[VariableUse, ...]:
        """Those of arrays that are known by name, however wide; in the same order."""
        named = (
            (self._spaces.variable(one.address), block, index, one, space)
            for block, index, one, space, _ in paced(self._every)
        )
        return tuple(
            VariableUse(variable, block, index, one)
            for variable, block, index, one, space in named
            if variable is not None and space in wanted
        )

    def of_shared_memory(self) -> tuple[MemoryUse, ...]:
        """Empty if none of them writes."""
        found = self.of(frozenset({MemorySpace.SHARED}))
        return found if any(use.kind is not AccessKind.LOAD for use in found) else ()

    def have_known_widths(self, wanted: frozenset[MemorySpace]) -> bool:
        """Whether `of` leaves none out."""
        return all(width is not None or space not in wanted for _, _, _, space, width in self._every)

    @cached_property
    def _every(self) -> Sequence[tuple[BasicBlockId, int, Load | Store | Atomic, MemorySpace, int | None]]:
        return [
            (block, index, item, self._spaces.space(item.address), _width(self.function, item.address))
            for block, index, item in paced(self.control.placed(Load, Store, Atomic), 2)
        ]


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


def conflict(one: MemoryUse, other: MemoryUse, *, in_two_blocks: bool = False) -> bool:
    """Would it be a race if both used the same bytes at the same time?

    Volatile accesses are relaxed operations, as atomics are: among themselves they do not race.  An atomic for the
    block is one for the threads of its own block alone.
    """
    if one.kind is other.kind is AccessKind.LOAD:
        return False
    return not (is_strong(one, in_two_blocks=in_two_blocks) and is_strong(other, in_two_blocks=in_two_blocks))


def is_strong(use: MemoryUse, *, in_two_blocks: bool = False) -> bool:
    """Whether it does not race with others of its kind."""
    return use.is_volatile or (use.kind is AccessKind.ATOMIC and not (in_two_blocks and use.is_for_block))


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
