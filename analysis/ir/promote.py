"""Memory form to SSA: local objects whose address stays private become values.

Question    Which value does each load of a local variable see?
Form        Pruned (a phi only where its variable is read again), minimal, and without redundant phis on every graph,
            irreducible ones included: no set of phis passes on a single value.
How         1. `slots` finds the promotable objects and the scalar slots they fall apart into.
            2. Liveness and iterated dominance frontiers say which block needs a phi for which slots; all slots are
               handled together, as bits of one integer per block.
            3. A walk in reverse post-order keeps the current value of each slot: a block starts with the values at the
               end of its immediate dominator, except where it has phis.
            4. `cleanup` removes redundant phis, folds aggregates and drops dead pure instructions.
            Promotion can free more objects (a pointer variable was all that held an address): repeated until none is.
            5. A call whose function turned out to be known is no choice any more (`known_calls`).
Invariants  Every branch that is written, memory access and effect of the program stays.
            `promote(promote(f)) == promote(f)`, and a function in which there is nothing to do is returned as it is.
            Records name the values that replaced the loads; records of values that are gone are dropped.
            A slot read before any store has one `Undefined`, at the start of the entry.
Cost        O(instructions + blocks * slots / 64) plus one list copy of `slots` values per block, but for the last of
            those that a block dominates immediately; a list is gone when that has begun.
Source      Cytron et al., TOPLAS 1991 (phi placement); Braun et al., CC 2013, section 3.2 (redundant phis).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.ir.cleanup import clean_up_draft
from analysis.ir.control_flow import dominance_frontiers, immediate_dominators, reversed_edges
from analysis.ir.draft import Draft, PhiDraft
from analysis.ir.function import Function
from analysis.ir.instructions import (
    BuildAggregate,
    Convert,
    ExtractElement,
    Instruction,
    Load,
    Store,
    Undefined,
    ValueId,
)
from analysis.ir.known_calls import with_known_calls
from analysis.ir.pace import paced, popped, spend
from analysis.ir.slots import UNKNOWN_TYPES, Accesses, Slots, compatible, find_slots
from analysis.ir.source import Span
from analysis.ir.types import Type

_COPIED_IN_A_ROUND: Final = 1_000
_NOTHING = ValueId(-1)
"""The contents of a slot that was not stored to yet."""


def promote(function: Function) -> Function:
    """The function in SSA form."""
    slots = find_slots(function)
    while True:
        draft = Draft(function)
        if slots is not None:
            _Renaming(draft, slots).run()
        clean_up_draft(draft)
        finished = draft.finish()
        function = with_known_calls(finished)
        if function is not finished:
            slots = find_slots(function)
            continue
        slots = find_slots(function) if slots is not None and slots.may_free_others else None
        if slots is None:
            return function


def _members(slots: int) -> Iterator[int]:
    """Of a bit set."""
    while slots:
        yield (slots & -slots).bit_length() - 1
        slots &= slots - 1


def _phi_slots(draft: Draft, accesses: Sequence[Accesses], dominators: Sequence[int]) -> list[int]:
    """For each block, the slots that need a phi there, as a bit set."""
    before = draft.before
    frontiers = dominance_frontiers(before, dominators)
    live, stored = _live_slots(draft, accesses)
    phis = [0] * len(before)
    pending = [block for block in draft.order if stored[block]]
    spread = list(stored)
    for block in popped(pending):
        for join in frontiers[block]:
            new = spread[block] & live[join] & ~phis[join]
            if new:
                phis[join] |= new
                if new & ~spread[join]:
                    spread[join] |= new
                    pending.append(join)
    return phis


def _live_slots(draft: Draft, accesses: Sequence[Accesses]) -> tuple[list[int], list[int]]:
    """The slots that are live at the start of each block, and those that it stores to."""
    count = len(draft.before)
    read = [0] * count
    stored = [0] * count
    for block in paced(draft.order):
        places = accesses[block].places
        if not places:
            continue
        spend(len(places))
        done = exposed = 0
        for place, is_store in zip(places, accesses[block].stores, strict=True):
            if is_store:
                done |= place.mask
            else:
                exposed |= place.mask & ~done
        read[block] = exposed
        stored[block] = done
    live = list(read)
    pending = list(draft.order)
    queued = bytearray(b"\1") * count
    for block in popped(pending, 3):
        queued[block] = 0
        for other in draft.before[block]:
            new = live[other] | (live[block] & ~stored[other])
            if new != live[other]:
                live[other] = new
                if not queued[other]:
                    queued[other] = 1
                    pending.append(other)
    return live, stored


@final
class _Renaming:
    """Walks the blocks and replaces loads by the contents of their slots."""

    def __init__(self, draft: Draft, slots: Slots) -> None:
        self._draft = draft
        self._slots = slots
        self._ends: dict[int, list[ValueId]] = {}
        """Of blocks that dominate others which are still to come; each of these needs a state of its own."""
        self._undefined: dict[int, ValueId] = {}
        self._built: dict[ValueId, tuple[ValueId, ...]] = {}
        self._out: list[Instruction] = []
        self._state: list[ValueId] = []

    def run(self) -> None:
        draft = self._draft
        dominators = immediate_dominators(draft.order, draft.before)
        phi_slots = _phi_slots(draft, self._slots.accesses, dominators)
        new_phis: list[tuple[int, int, PhiDraft]] = []
        passed: dict[tuple[int, int], ValueId] = {}
        """The contents of slots at the ends of blocks behind which there is a phi of them."""
        to_come = Counter(dominators[block] for block in draft.order[1:])
        after = reversed_edges(draft.before)
        for block in paced(draft.order):
            self._state = self._begun(None if block == draft.order[0] else dominators[block], to_come)
            for slot in _members(phi_slots[block]):
                phi = PhiDraft(draft.value(self._slots.types[slot]), list(draft.before[block]), [], self._span(slot))
                draft.phis[block].append(phi)
                new_phis.append((block, slot, phi))
                self._state[slot] = phi.result
            self._rewrite(block)
            for join in after[block]:
                if phi_slots[join]:
                    passed.update(((block, slot), self._state[slot]) for slot in _members(phi_slots[join]))
            if to_come[block]:
                self._ends[block] = self._state
        for _, slot, phi in new_phis:
            phi.values = [self._defined(passed[other, slot], slot) for other in phi.blocks]
        undefined = [Undefined(value, self._span(slot)) for slot, value in self._undefined.items()]
        entry = draft.order[0]
        draft.instructions[entry] = [*undefined, *draft.instructions[entry]]
        draft.changed = True

    def _begun(self, dominator: int | None, to_come: Counter[int]) -> list[ValueId]:
        """The contents of all slots where a block begins."""
        if dominator is None:
            return [_NOTHING] * len(self._slots.types)
        to_come[dominator] -= 1
        if not to_come[dominator]:
            return self._ends.pop(dominator)
        spend(len(self._slots.types) // _COPIED_IN_A_ROUND)
        return self._ends[dominator].copy()

    def _rewrite(self, block: int) -> None:
        places = self._slots.places
        replaced = self._draft.replaced
        out: list[Instruction] = []
        self._out = out
        for instruction in self._draft.instructions[block]:
            if type(instruction) is Load:
                place = places.get(instruction.address)
                if place is None:
                    out.append(instruction)
                elif place.members is None:
                    value = self._contents(self._state, place.first)
                    if isinstance(place.type, UNKNOWN_TYPES) and not self._fits(instruction.result, value):
                        out.append(Convert(instruction.result, value, instruction.span))
                    else:
                        replaced[instruction.result] = value
                else:
                    self._load_aggregate(instruction.result, place.type, place.first, instruction.span)
            elif type(instruction) is Store:
                place = places.get(instruction.address)
                if place is None:
                    out.append(instruction)
                else:
                    value = replaced.get(instruction.value, instruction.value)
                    if place.members is None:
                        self._state[place.first] = value
                    else:
                        self._store(value, place.type, place.first, instruction.span)
            elif instruction.result not in places:
                if type(instruction) is BuildAggregate:
                    self._built[instruction.result] = instruction.elements
                out.append(instruction)
        self._draft.instructions[block] = out

    def _fits(self, result: ValueId, value: ValueId) -> bool:
        """An object of unknown type may have been stored to as one known type and read as another."""
        return compatible(self._draft.types[result], self._draft.types[value])

    def _contents(self, state: list[ValueId], slot: int) -> ValueId:
        return self._defined(state[slot], slot)

    def _defined(self, value: ValueId, slot: int) -> ValueId:
        if value == _NOTHING:
            found = self._undefined.get(slot)
            if found is None:
                found = self._undefined[slot] = self._draft.value(self._slots.types[slot])
            return found
        return value

    def _load_aggregate(self, result: ValueId, type: Type, first: int, span: Span) -> None:
        shapes = self._slots.shapes
        elements: list[ValueId] = []
        for member in shapes.members(type) or ():
            if shapes.members(member) is None:
                elements.append(self._contents(self._state, first))
            else:
                elements.append(self._draft.value(member))
                self._load_aggregate(elements[-1], member, first, span)
            first += shapes.count(member)
        self._built[result] = tuple(elements)
        self._out.append(BuildAggregate(result, tuple(elements), span))

    def _store(self, value: ValueId, type: Type, first: int, span: Span) -> None:
        shapes = self._slots.shapes
        members = shapes.members(type)
        if members is None:
            self._state[first] = value
            return
        built = self._built.get(value, ())
        for index, member in enumerate(members):
            if len(built) == len(members):
                element = self._draft.replaced.get(built[index], built[index])
            else:
                element = self._draft.value(member)
                self._out.append(ExtractElement(element, value, index, span))
            self._store(element, member, first, span)
            first += shapes.count(member)

    def _span(self, slot: int) -> Span:
        return self._draft.function.symbols[self._slots.symbols[slot]].span
