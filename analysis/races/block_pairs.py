"""Which accesses of a kernel two blocks of a grid might race with.

Left out  pointers through which nothing is written; those of which each thread, or each block, has elements of its own,
          as far as linear forms and indices tell; addresses that are computed from what was loaded; flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from analysis.access.model import AccessKind
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Binary,
    Convert,
    ElementAddress,
    Phi,
    ReadSpecial,
    Select,
)
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.ir.pace import popped
from analysis.races.grid_forms import grows_along_the_grid, lies_apart_in_blocks
from analysis.races.model import MemoryUse
from analysis.races.objects import used_object
from analysis.races.uses import MemoryUses, conflict, is_guess

MAX_USES: Final = 60

Pair: TypeAlias = tuple[int, int]


def watched_uses(known: MemoryUses) -> Sequence[MemoryUse]:
    """Those through pointers that are written through, unless each thread or block has elements of its own there."""
    return numbered(
        use
        for group in known.written_in_global_memory
        if not _has_one_place_each(known.divergence, known.affine, known.launch, group)
        for use in group
    )


def numbered(uses: Iterable[MemoryUse]) -> Sequence[MemoryUse]:
    """In the order of the program, with numbers of their own; nothing for more than `MAX_USES`."""
    found = sorted(uses, key=lambda use: use.number)
    return [] if len(found) > MAX_USES else [replace(use, number=number) for number, use in enumerate(found)]


def _has_one_place_each(
    divergence: DivergenceResult, affine: AffineResult, known: LaunchKnowledge, group: Sequence[MemoryUse]
) -> bool:
    """One index for all uses, counted along the grid from `blockIdx.x * blockDim.x`, or by blocks far enough apart."""
    forms = {affine.form_at(use.address, use.block) for use in group}
    if len(forms) == 1 and (form := next(iter(forms))) is not None:
        width = max(use.width for use in group)
        if grows_along_the_grid(form) or lies_apart_in_blocks(form, width, known.shapes):
            return True
    places = {_indices(divergence, use.address) for use in group}
    return len(places) == 1 and _counts_along_the_grid(divergence, next(iter(places)))


_STEPS: Final = (Binary, Convert, Phi, Select)
_COUNTING: Final = frozenset(
    {BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY, BinaryOperator.DIVIDE, BinaryOperator.XOR}
)
"""Not `|`, `&`, a minimum or a maximum: done twice they leave what they left the first time."""
_LINEAR: Final = frozenset({BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY})


def _indices(divergence: DivergenceResult, address: ValueId) -> tuple[ValueId, ...]:
    """Which elements the address goes through, outermost last."""
    found: list[ValueId] = []
    while isinstance(item := divergence.definition(address), ElementAddress):
        index = item.index
        while isinstance(wider := divergence.definition(index), Convert):
            index = wider.operand
        found.append(index)
        address = item.base
    return tuple(found)


def _counts_along_the_grid(divergence: DivergenceResult, values: Iterable[ValueId]) -> bool:
    """Is `blockIdx.x * blockDim.x` a summand, or a summand of a factor?"""
    seen: set[ValueId] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        item = divergence.definition(value)
        if isinstance(item, Binary) and item.operator is BinaryOperator.MULTIPLY:
            registers = {_register(divergence, operand) for operand in item.operands}
            if registers == {SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_DIM_X}:
                return True
        if isinstance(item, Convert | Phi) or (isinstance(item, Binary) and item.operator in _LINEAR):
            waiting.extend(item.operands)
    return False


def _register(divergence: DivergenceResult, value: ValueId) -> SpecialRegister | None:
    while isinstance(item := divergence.definition(value), Convert):
        value = item.operand
    return item.register if isinstance(item, ReadSpecial) else None


def pairs_of(
    function: Function, divergence: DivergenceResult, uses: Sequence[MemoryUse], *, in_two_blocks: bool = False
) -> list[Pair]:
    objects = [used_object(function, divergence, use) for use in uses]
    return [
        (one.number, other.number)
        for one in uses
        for other in uses[one.number :]
        if objects[one.number] == objects[other.number]
        and conflict(one, other, in_two_blocks=in_two_blocks)
        and not is_guess(divergence, one, other)
        and not _is_flag(divergence, one, other)
    ]


def _is_flag(divergence: DivergenceResult, one: MemoryUse, other: MemoryUse) -> bool:
    """Is what one writes the same in all threads, where the other reads?

    `count[0] += 1` is no flag: what each thread writes is what it read, and more.
    """
    store, load = (one, other) if one.kind is AccessKind.STORE else (other, one)
    if load.kind is not AccessKind.LOAD or store.value is None or divergence.level(store.value) > Level.GRID:
        return False
    return not _counts_on(divergence, store.value, load)


def _counts_on(divergence: DivergenceResult, value: ValueId, load: MemoryUse) -> bool:
    """Is the value computed from what was loaded, by a step that changes it each time it is taken?"""
    waiting = [(value, False)]
    seen: set[tuple[ValueId, bool]] = set()
    for number, counts in popped(waiting):
        if (number, counts) in seen:
            continue
        seen.add((number, counts))
        item = divergence.definition(number)
        if item is load.instruction:
            if counts:
                return True
        elif isinstance(item, _STEPS):
            counts = counts or (isinstance(item, Binary) and item.operator in _COUNTING)
            waiting.extend((operand, counts) for operand in item.operands)
    return False
