"""What a thread reads of shared memory that its block wrote once: `if (tid == 0) base = blockIdx.x * n;`.

Question  Which value does a read give, whoever wrote it?
Rules     A variable in shared memory, or a member or element of one at a fixed place, has what is written to it if one
          store writes it, all threads of a block would write the same, and the address goes nowhere else.  The read
          stands behind the store, in the loops that this is in, and in a loop no condition stands around the store
          alone: so it gives what the store left in that round.
          Before the store it would give what nobody wrote, and before a barrier either, so these are left aside.
Limits    A store to an element that is not known is one to all of them; arrays that threads fill together are not
          known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Constant, ElementAddress, FieldAddress, Load, Store, SymbolAddress
from analysis.ir.object_members import MemberPlace
from analysis.ir.types import ArrayType, PointerType

_Place: TypeAlias = tuple[int, MemberPlace]
"""The symbol, and the place in it."""
_Moment: TypeAlias = tuple[int, int]
"""The rank of a block, and the number of an instruction in it."""


def stored_values(function: Function, control: ControlFlow, divergence: DivergenceResult) -> Mapping[ValueId, ValueId]:
    """The values that are read, each with the value that was stored."""
    if all(symbol.kind is not SymbolKind.SHARED for symbol in function.symbols):
        return {}
    places = _Places(function, divergence)
    stores: dict[_Place, list[tuple[Store, BasicBlockId, _Moment]]] = {}
    for home, at, store in control.placed(Store):
        place = places.of(store.address)
        if place is not None and places.of(store.value) is None:
            stores.setdefault(place, []).append((store, home, (control.rank[home], at)))
    found: dict[ValueId, ValueId] = {}
    lost: frozenset[int] | None = None
    for block, at, load in control.placed(Load):
        place = places.of(load.address)
        if place is None or place not in stores:
            continue
        written = [one for other, here in stores.items() if _overlap(other, place) for one in here]
        if len(written) != 1:
            continue
        lost = _lost(function, control, places) if lost is None else lost
        ((store, home, before),) = written
        is_same = place[0] not in lost and function.types[store.value] == function.types[load.result]
        around = control.innermost_cycle(home)
        is_behind = before < (control.rank[block], at) and (around is None or block in around.blocks)
        if around is not None:  # in a round without the store it is still what an earlier one left
            is_behind = is_behind and control.iterated_controllers(home) <= control.iterated_controllers(block)
        if is_same and is_behind and divergence.level(store.value) <= Level.BLOCK:
            found[load.result] = store.value
    return found


def _lost(function: Function, control: ControlFlow, places: _Places) -> frozenset[int]:
    """The variables of which an address goes elsewhere than to a load or a store."""
    lost: set[int] = set()
    for block in control.order:
        for item in function.blocks[block].instructions:
            is_load = isinstance(item, Load) and places.of(item.address) is not None
            is_store = isinstance(item, Store) and places.of(item.address) is not None and places.of(item.value) is None
            is_address = isinstance(item, SymbolAddress) or (
                item.result is not None and places.of(item.result) is not None
            )
            if not (is_load or is_store or is_address):
                lost.update(places.variables(item.operands))
    for block in function.blocks:
        lost.update(
            places.variables((*block.terminator.operands, *(one for phi in block.phis for one in phi.operands)))
        )
    return frozenset(lost)


def _overlap(one: _Place, other: _Place) -> bool:
    """Whether one place is in the other."""
    count = min(len(one[1]), len(other[1]))
    return one[0] == other[0] and one[1][:count] == other[1][:count]


@final
class _Places:
    """Which values are addresses of variables in shared memory and of fixed places in them: few are asked for."""

    def __init__(self, function: Function, divergence: DivergenceResult) -> None:
        self._function = function
        self._definition = divergence.definition
        self._found: dict[ValueId, _Place | None] = {}

    def of(self, address: ValueId) -> _Place | None:
        """None for what is no such address."""
        if address not in self._found:
            self._found[address] = self._of(address)
        return self._found[address]

    def variables(self, values: Iterable[ValueId]) -> Iterator[int]:
        """Those of which some of the values are addresses."""
        return (place[0] for value in values if (place := self.of(value)) is not None)

    def _of(self, address: ValueId) -> _Place | None:
        match self._definition(address):
            case SymbolAddress(symbol=symbol) if self._function.symbols[symbol].kind is SymbolKind.SHARED:
                return symbol, ()
            case FieldAddress(base=base, field=field):
                return self._inside(base, field)
            case ElementAddress(base=base, index=index):
                number, whole = self._definition(index), self._function.types[base]
                is_element = isinstance(whole, PointerType) and isinstance(whole.element, ArrayType)
                if is_element and isinstance(number, Constant) and isinstance(number.value, int) and number.value >= 0:
                    return self._inside(base, number.value)
                return None
            case _:
                return None

    def _inside(self, base: ValueId, part: int) -> _Place | None:
        around = self.of(base)
        return None if around is None else (around[0], (*around[1], part))
