"""Does a value stay the same in all rounds of a loop?

Rules     What is defined before the loop stays; so does arithmetic on what stays.  A load stays if its address does and
          nothing in the loop may write there: no store of a type that may alias, but for what is known to go to
          another space or variable; no call, no barrier behind which other threads may have written.
Assumes   freedom from data races, and C++'s rule that objects of different types do not alias (characters alias all).
Gives up  at volatile loads, at phis, after `MAX_DEPTH` operations.
"""

from __future__ import annotations

from typing import Final, final

from analysis.divergence.nodes import CHANGING_REGISTERS, PURE
from analysis.divergence.result import DivergenceResult
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import (
    Atomic,
    BlockBarrier,
    Call,
    Constant,
    DeviceLaunch,
    Fence,
    GridBarrier,
    Load,
    NamedBarrier,
    Opaque,
    PhaseWait,
    ReadSpecial,
    Store,
    SymbolAddress,
    TemplateArgument,
    WarpBarrier,
)
from analysis.ir.record import record
from analysis.ir.types import FloatType, IntegerType, MemorySpace, PointerType, Type, VectorType
from analysis.memory.spaces import SpaceResult

MAX_DEPTH: Final = 12
_ORDERING: Final = frozenset(
    {BlockBarrier, Call, DeviceLaunch, Fence, GridBarrier, NamedBarrier, Opaque, PhaseWait, WarpBarrier}
)
"""Behind these a thread may see what others wrote, or anything may be written."""


@final
class Steadiness:
    """Answers about the values of one function."""

    def __init__(self, function: Function, divergence: DivergenceResult, spaces: SpaceResult | None = None) -> None:
        """Without `spaces`, pointers may point anywhere."""
        self._function = function
        self._divergence = divergence
        self._spaces = spaces
        self._quiet: dict[tuple[int, _Place], bool] = {}
        self._written: dict[int, frozenset[_Place] | None] = {}
        """Where each cycle writes; None for one in which anything may be written."""

    def is_steady(self, value: ValueId, cycle: Cycle, depth: int = 0) -> bool:
        """One value for a thread, however often it goes round."""
        item = self._divergence.definition(value)
        if item is None or self._divergence.home(value) not in cycle.blocks:
            return True
        if depth > MAX_DEPTH:
            return False
        match item:
            case Constant() | SymbolAddress() | TemplateArgument():
                return True
            case ReadSpecial(register=register):
                return register not in CHANGING_REGISTERS
            case Load(address=address, volatile=False):
                place = self._place(self._function.types[value], address)
                return self._is_quiet(cycle, place) and self.is_steady(address, cycle, depth + 1)
            case _ if type(item) in PURE:
                return all(self.is_steady(operand, cycle, depth + 1) for operand in item.operands)
            case _:
                return False

    def _is_quiet(self, cycle: Cycle, read: _Place) -> bool:
        key = cycle.id, read
        known = self._quiet.get(key)
        if known is None:
            written = self._written_in(cycle)
            known = self._quiet[key] = written is not None and not any(
                _may_alias(place.type, read.type) and not _are_apart(place, read) for place in written
            )
        return known

    def _written_in(self, cycle: Cycle) -> frozenset[_Place] | None:
        if cycle.id not in self._written:
            self._written[cycle.id] = self._find_written(cycle)
        return self._written[cycle.id]

    def _find_written(self, cycle: Cycle) -> frozenset[_Place] | None:
        types, found = self._function.types, set[_Place]()
        for block in cycle.blocks:
            for item in self._function.blocks[block].instructions:
                if type(item) is Store:
                    found.add(self._place(types[item.value], item.address))
                elif type(item) is Atomic:
                    found.add(self._place(types[item.result], item.address))
                elif type(item) in _ORDERING:
                    return None
        return frozenset(found)

    def _place(self, kind: Type, address: ValueId) -> _Place:
        if self._spaces is None:
            return _Place(kind, MemorySpace.GENERIC, None)
        variable = self._spaces.variable(address)
        if variable is not None and self._function.symbols[variable].kind is SymbolKind.DYNAMIC_SHARED:
            variable = None  # all arrays of this kind begin at one address
        return _Place(kind, self._spaces.space(address), variable)


@final
@record
class _Place:
    """What is read or written: `variable`, where it lies in one that shares its bytes with no other."""

    type: Type
    space: MemorySpace
    variable: SymbolId | None


def _are_apart(one: _Place, other: _Place) -> bool:
    if MemorySpace.GENERIC not in (one.space, other.space) and one.space is not other.space:
        return True
    return None not in (one.variable, other.variable) and one.variable != other.variable


def _may_alias(written: Type, loaded: Type) -> bool:
    if isinstance(written, VectorType):
        return _may_alias(written.element, loaded)
    match written, loaded:
        case IntegerType(bits=one), IntegerType(bits=other):
            return 8 in (one, other) or one == other
        case IntegerType(bits=bits), FloatType() | PointerType():
            return bits == 8
        case FloatType() | PointerType(), IntegerType(bits=bits):
            return bits == 8
        case (FloatType(), PointerType()) | (PointerType(), FloatType()):
            return False
        case FloatType(format=one), FloatType(format=other):
            return one is other
        case _:
            return True
