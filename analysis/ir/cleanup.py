"""Removes what scalar replacement and inlining leave behind; no source branch and no memory access is ever removed.

Folds   a redundant phi is the value it passes on; a member of an aggregate that was just built is that member; an
        aggregate rebuilt from all members of another is the other.
Dead    a pure instruction or phi is dead when nothing that is alive reads it.  Alive are: instructions with effects,
        selects that stand for a source branch, loads (the programmer wrote an access, and it costs), terminators, and
        the values that `Function.definitions` names, so that `int unused = 2 * n;` keeps its hover.  `expressions`
        keep nothing alive: their records go with the value.
Cost    O(instructions); folding repeats only while it finds something.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from analysis.ir.draft import Draft
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Instruction,
    Math,
    PointerDifference,
    ReadSpecial,
    Select,
    SymbolAddress,
    TemplateArgument,
    Terminator,
    Unary,
    Undefined,
    ValueId,
)
from analysis.ir.pace import paced, spend
from analysis.ir.redundant_phis import replace_redundant_phis
from analysis.ir.slots import Shapes

_PURE: frozenset[type[Instruction]] = frozenset(
    (
        Binary,
        Bitcast,
        BuildAggregate,
        Compare,
        Constant,
        Convert,
        ElementAddress,
        ExtractElement,
        FieldAddress,
        InsertElement,
        Math,
        PointerDifference,
        ReadSpecial,
        SymbolAddress,
        TemplateArgument,
        Unary,
        Undefined,
    )
)

_AGGREGATES: frozenset[type[Instruction]] = frozenset((BuildAggregate, ExtractElement, InsertElement))


def clean_up_draft(draft: Draft) -> None:
    """Takes away redundant phis, foldable aggregates and dead pure instructions."""
    replace_redundant_phis(draft)
    while _fold_aggregates(draft):
        replace_redundant_phis(draft)
    draft.settle()
    _remove_dead(draft)


def is_pure(instruction: Instruction) -> bool:
    """True where the instruction can go when nobody reads its result."""
    return type(instruction) in _PURE or (isinstance(instruction, Select) and instruction.branch is None)


def unread(inputs: Mapping[ValueId, Sequence[ValueId]], read: Iterable[ValueId]) -> Set[ValueId]:
    """The values of `inputs` that nothing alive needs: neither are they `read`, nor the inputs of what is."""
    needed: set[ValueId] = set()
    waiting = [*read]
    while waiting:
        value = waiting.pop()
        if value not in needed:
            needed.add(value)
            waiting += inputs.get(value, ())
    return inputs.keys() - needed


# -- aggregates -----------------------------------------------------------------------------------------------------


def _fold_aggregates(draft: Draft) -> bool:
    """Forwards members of aggregates; true if anything was replaced."""
    aggregates: dict[ValueId, BuildAggregate | ExtractElement | InsertElement] = {
        instruction.result: instruction
        for index in draft.order
        for instruction in draft.instructions[index]
        if type(instruction) in _AGGREGATES
        and isinstance(instruction, (BuildAggregate, ExtractElement, InsertElement))
        and instruction.result not in draft.replaced
    }
    if not aggregates:
        return False
    shapes = Shapes(draft.function.structs)
    found = False
    for instruction in aggregates.values():
        match instruction:
            case ExtractElement():
                value = _member(draft, aggregates, instruction)
            case BuildAggregate():
                value = _rebuilt_from(draft, aggregates, instruction, shapes)
            case InsertElement():
                value = None
        if value is not None:
            draft.replace(instruction.result, value)
            found = True
    return found


def _member(
    draft: Draft,
    aggregates: dict[ValueId, BuildAggregate | ExtractElement | InsertElement],
    extract: ExtractElement,
) -> ValueId | None:
    """The value that `extract` takes out, where the aggregate was put together in sight."""
    source = aggregates.get(draft.find(extract.aggregate))
    while isinstance(source, InsertElement):
        if source.index == extract.index:
            return draft.find(source.value)
        source = aggregates.get(draft.find(source.aggregate))
    if isinstance(source, BuildAggregate) and extract.index < len(source.elements):
        return draft.find(source.elements[extract.index])
    return None


def _rebuilt_from(
    draft: Draft,
    aggregates: dict[ValueId, BuildAggregate | ExtractElement | InsertElement],
    build: BuildAggregate,
    shapes: Shapes,
) -> ValueId | None:
    """The aggregate of the same type whose members, all and in order, `build` puts together again."""
    origin: ValueId | None = None
    for index, element in enumerate(build.elements):
        extract = aggregates.get(draft.find(element))
        if not isinstance(extract, ExtractElement) or extract.index != index:
            return None
        aggregate = draft.find(extract.aggregate)
        if origin is None:
            origin = aggregate
        elif aggregate != origin:
            return None
    if origin is None or draft.types[origin] != draft.types[build.result]:
        return None
    members = shapes.members(draft.types[origin])
    return origin if members is not None and len(members) == len(build.elements) else None


# -- dead values ----------------------------------------------------------------------------------------------------


def _remove_dead(draft: Draft) -> None:
    """One walk against the control flow sees uses before definitions, except for what arrives over back edges."""
    replaced = draft.replaced
    stands_for = list(range(len(draft.types)))
    for value, by in replaced.items():
        stands_for[value] = by
    needed = bytearray(len(draft.types))
    for record in draft.function.definitions:
        needed[stands_for[record.value]] = 1
    postponed: dict[ValueId, tuple[ValueId, ...]] = {}
    pure = _PURE

    for index in reversed(draft.order):
        spend(1)
        for operand in _terminator(draft, index).operands:
            needed[stands_for[operand]] = 1
        for instruction in paced(draft.instructions[index][::-1]):
            result = instruction.result
            if result is not None and not needed[result]:
                if result in replaced:
                    continue
                if type(instruction) in pure or (type(instruction) is Select and instruction.branch is None):
                    postponed[result] = instruction.operands
                    continue
            for operand in instruction.operands:
                needed[stands_for[operand]] = 1
        for phi in draft.phis[index]:
            if phi.result in replaced:
                continue
            if needed[phi.result]:
                _need(draft, phi.values, needed, postponed)
            else:
                postponed[phi.result] = tuple(phi.values)
    if postponed:
        _drop(draft, postponed)


def _need(
    draft: Draft, values: list[ValueId], needed: bytearray, postponed: dict[ValueId, tuple[ValueId, ...]]
) -> None:
    """Marks values that may stand earlier or later in the walk."""
    pending = [draft.find(value) for value in values]
    while pending:
        value = pending.pop()
        needed[value] = 1
        operands = postponed.pop(value, None)
        if operands is not None:
            pending.extend(map(draft.find, operands))


def _drop(draft: Draft, dead: dict[ValueId, tuple[ValueId, ...]]) -> None:
    draft.changed = True
    for index in draft.order:
        draft.instructions[index] = [
            instruction for instruction in draft.instructions[index] if instruction.result not in dead
        ]
        draft.phis[index] = [phi for phi in draft.phis[index] if phi.result not in dead]


def _terminator(draft: Draft, index: int) -> Terminator:
    return draft.function.blocks[index].terminator
