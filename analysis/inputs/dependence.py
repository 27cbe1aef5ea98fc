"""What of a launch decides where an access goes: arguments, contents of arrays, the shape.

Question  Two threads meet at one place.  Is that the program's doing, or that of inputs which were chosen for it?
Rules     An address depends on the numbers it is computed from, on the contents of the arrays that these were loaded
          from, on what was stored there by the kernel, and, at joins and in loops, on the conditions that decide which
          value arrives.  The object that a pointer points to is no such input: objects never overlap.
          Guards around an access decide who comes; they are asked for apart.
Cost      One walk over what lies behind them for each set of values, however often it is asked for.
Limits    Pointers of unknown origin depend on nothing that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from analysis.inputs.flow import Flow, NamedObject, RootKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Atomic, Bitcast, Convert, Load, Phi, ReadSpecial, Store
from analysis.ir.operators import AtomicOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import PointerType

_BLOCK_INDICES: Final = frozenset({SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z})
_OF_SHAPE: Final = {
    SpecialRegister.BLOCK_DIM_X: "block",
    SpecialRegister.BLOCK_DIM_Y: "block",
    SpecialRegister.BLOCK_DIM_Z: "block",
    SpecialRegister.GRID_DIM_X: "grid",
    SpecialRegister.GRID_DIM_Y: "grid",
    SpecialRegister.GRID_DIM_Z: "grid",
}


@final
@record
class Dependence:
    """Names of `Choice`s: `numbers` with `grid` and `block`, `contents` of arrays.  `has_block_index`: blocks may go to
    different places."""

    numbers: frozenset[str] = frozenset()
    contents: frozenset[str] = frozenset()
    has_block_index: bool = False


@final
class Dependences:
    """Of the values of one kernel."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._known: dict[frozenset[ValueId], Dependence] = {}
        self._block_of: dict[ValueId, BasicBlockId] = {}
        self._stores: dict[NamedObject, list[Store]] = {}
        for block in flow.control.order:
            for one in (*flow.function.blocks[block].phis, *flow.function.blocks[block].instructions):
                if one.result is not None:
                    self._block_of[one.result] = block
                if isinstance(one, Store):
                    for place in flow.places(one.address):
                        self._stores.setdefault(place.root, []).append(one)

    def guards(self, blocks: Iterable[int]) -> Dependence:
        """Of the conditions under which threads come to the blocks."""
        deciders = {one for block in blocks for one in self._flow.control.iterated_controllers(BasicBlockId(block))}
        return self.of([value for one in deciders for value in self._operands(one)])

    def is_guess(self, load: Load, atomic: Atomic) -> bool:
        """Whether what is loaded is what the compare-and-swap expects to find: a wrong guess does nothing."""
        if atomic.operator is not AtomicOperator.COMPARE_AND_SWAP:
            return False
        seen: set[ValueId] = set()
        pending = [atomic.arguments[0]]
        while pending:
            value = pending.pop()
            definition = self._flow.definitions.get(value)
            if definition is load:
                return True
            if value not in seen and isinstance(definition, Phi | Convert | Bitcast):
                seen.add(value)
                pending += definition.operands
        return False

    def stored_at(self, address: ValueId) -> Iterator[ValueId]:
        """The addresses to which the kernel stores in the objects that an address leads to."""
        for root in {place.root for place in self._flow.places(address)}:
            yield from (store.address for store in self._stores.get(root, ()))

    def of(self, values: Iterable[ValueId]) -> Dependence:
        """Of all of them together."""
        asked = frozenset(values)
        known = self._known.get(asked)
        if known is None:
            known = self._known[asked] = self._behind(asked)
        return known

    def _behind(self, values: frozenset[ValueId]) -> Dependence:
        names: set[str] = set()
        contents: set[str] = set()
        has_block_index = False
        seen: set[ValueId] = set()
        known: set[NamedObject] = set()
        pending = list(values)
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            leaf = self._flow.leaf(value)
            if leaf is not None:
                if not isinstance(self._flow.function.type_of(value), PointerType):
                    names.add(leaf)
                continue
            definition = self._flow.definitions.get(value)
            match definition:
                case None:
                    continue
                case ReadSpecial(register=register):
                    has_block_index |= register in _BLOCK_INDICES
                    if register in _OF_SHAPE:
                        names.add(_OF_SHAPE[register])
                case Load(address=address) | Atomic(address=address):
                    contents.update(self._contents(address))
                    pending += self._stored(address, known)
                case Phi():
                    pending += self._deciding(definition)
                case _:
                    pass
            pending += definition.operands
        return Dependence(frozenset(names), frozenset(contents), has_block_index)

    def _contents(self, address: ValueId) -> Iterator[str]:
        for place in self._flow.places(address):
            if place.root.kind in (RootKind.ARGUMENT, RootKind.VARIABLE):
                yield place.root.name

    def _stored(self, address: ValueId, known: set[NamedObject]) -> Iterator[ValueId]:
        """What the kernel itself may have put there, but for objects that are `known`; these now are."""
        roots = {place.root for place in self._flow.places(address)} - known
        known |= roots
        for root in roots:
            for store in self._stores.get(root, ()):
                yield from store.operands

    def _deciding(self, phi: Phi) -> Iterator[ValueId]:
        """The conditions that decide which value arrives, and how often in a loop."""
        control, block = self._flow.control, self._block_of[phi.result]
        deciders = {one for source, _ in phi.incoming for one in (source, *control.controllers(source))}
        deciders.update(branch for cycle in control.cycles_around(block) for branch in control.exit_branches(cycle))
        for one in deciders:
            yield from self._operands(one)

    def _operands(self, block: BasicBlockId) -> Sequence[ValueId]:
        """Of the branch that ends the block."""
        terminator = self._flow.function.blocks[block].terminator
        return terminator.operands if len(terminator.successors) > 1 else ()
