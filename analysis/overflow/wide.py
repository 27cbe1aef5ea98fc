"""An index of 32 bits that is compared with a size of 64 bits: whoever passes the size expects that it gets larger.

Found    `i < n`, where `n` is an argument of 64 bits and `i`, which is used as an index, is computed in 32 bits from
         the thread's block or counted by a loop: with one more element than 32 bits count, the last thread or the last
         round computes another number than the text says.  Checked by evaluating that thread.
         What is an index of a shared or local array as well stays small.
Limits   a guess: many sizes have 64 bits by habit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.affine.interval import type_range
from analysis.affine.result import AffineResult
from analysis.graph.work import Work
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Convert, ElementAddress, Phi
from analysis.ir.operators import CompareOperator
from analysis.ir.source import FrameId
from analysis.ir.types import IntegerType, MemorySpace
from analysis.memory.spaces import SpaceResult
from analysis.overflow.candidates import in_frame
from analysis.overflow.model import LARGEST_GRID, Admitted, Extents, Launched, Overflow, Point
from analysis.overflow.thread_values import EXACT, INDEX_BITS, FunctionFlow, ThreadValues

_BELOW: Final = frozenset({CompareOperator.LESS, CompareOperator.LESS_EQUAL})
LEAST_STEP: Final = 64
"""Of a loop that goes so far: no thread takes more rounds than that leaves."""
_STRIDED_BLOCKS: Final = 1024
"""Of a grid whose threads go on with the elements behind those of the grid."""


def has_wide_size(flow: FunctionFlow) -> bool:
    """Whether the function takes a number of 64 bits."""
    return any(_bits(flow, one.value) > INDEX_BITS for one in flow.function.parameters)


def find_wide(
    flow: FunctionFlow,
    affine: AffineResult,
    frame: FrameId,
    places: Sequence[tuple[ValueId, BasicBlockId]],
    block: Extents,
    spaces: SpaceResult,
    work: Work,
) -> tuple[Overflow, ...]:
    """Each innermost operation once, of those in the frame."""
    found: dict[ValueId, Overflow] = {}
    sizes = {one.value for one in flow.function.parameters if _bits(flow, one.value) > INDEX_BITS}
    if not sizes:
        return ()
    small = _of_small_arrays(flow, spaces)
    used = {flow.without_conversions(index) for index, _ in places}
    used |= {value for index in used for value in _terms(flow, index)}
    for index, size in _compared(flow, affine, used, sizes):
        one = None if flow.without_conversions(index) in small else _overflow(flow, index, size, block, work)
        if one is not None and in_frame(flow, one.value, frame):
            found.setdefault(one.value, one)
    return tuple(found.values())


def _of_small_arrays(flow: FunctionFlow, spaces: SpaceResult) -> set[ValueId]:
    """Indices of shared and local arrays as well, of which none is so large."""
    return {
        flow.without_conversions(item.index)
        for _, item in flow.function.instructions()
        if isinstance(item, ElementAddress) and spaces.space(item.base) in (MemorySpace.SHARED, MemorySpace.LOCAL)
    }


def _bits(flow: FunctionFlow, value: ValueId) -> int:
    type_ = flow.types[value]
    return type_.bits if isinstance(type_, IntegerType) else 0


def _terms(flow: FunctionFlow, index: ValueId) -> Iterator[ValueId]:
    """`i` of `i * 4 + 1`."""
    item = flow.definition(index)
    if isinstance(item, Binary) and item.operator in EXACT:
        for operand in item.operands:
            term = flow.without_conversions(operand)
            yield term
            yield from _terms(flow, term)


def _compared(
    flow: FunctionFlow, affine: AffineResult, used: set[ValueId], sizes: set[ValueId]
) -> Iterator[tuple[ValueId, ValueId]]:
    """Indices of 32 bits, without conversions between 32 bits and 64, each with the size that it is below."""
    for value, facts in affine.ranges.guards.in_block.items():
        if _bits(flow, value) <= INDEX_BITS or flow.without_conversions(value) not in used:
            continue
        narrow = value
        while _bits(flow, narrow) > INDEX_BITS and isinstance(item := flow.definition(narrow), Convert):
            narrow = item.operand
        if _bits(flow, narrow) != INDEX_BITS:
            continue
        for _, (operator, other) in facts:
            size = flow.without_conversions(other)
            if operator in _BELOW and size in sizes:
                yield narrow, size


def _overflow(flow: FunctionFlow, index: ValueId, size: ValueId, block: Extents, work: Work) -> Overflow | None:
    type_ = flow.types[index]
    assert isinstance(type_, IntegerType)
    beyond = type_range(type_).high + 1
    item = flow.definition(flow.without_conversions(index))
    counter = flow.counter(item) if isinstance(item, Phi) else None
    threads = block[0]
    if counter is None:
        blocks = beyond // threads + 1
        point = Point((beyond % threads, 0, 0), (beyond // threads, 0, 0), {})
        launched = Launched(block, (blocks, 1, 1), {size: beyond + 1}, Admitted.WIDE)
    else:
        launched = Launched(block, (_STRIDED_BLOCKS, 1, 1), {size: beyond + 1}, Admitted.WIDE)
        step = _step(flow, launched, index, counter.cycle.id, work)
        if step is None or step < LEAST_STEP:
            return None
        point = Point((0, 0, 0), (0, 0, 0), {counter.cycle.id: -(-beyond // step)})
    values = ThreadValues(flow, launched, point, work)
    number, seen = values.exact(index), values.machine(index)
    if number is None or number == seen or number < beyond or launched.grid[0] > LARGEST_GRID[0]:
        return None
    if counter is not None:
        launched = Launched(block, launched.grid, {size: number + 1}, Admitted.WIDE)
    inner = _operation(flow, counter.last if counter is not None else index)
    if inner is None:
        return None
    definition, inner_type = flow.definition(inner), flow.types[inner]
    assert definition is not None
    assert not isinstance(definition, Phi)
    assert isinstance(inner_type, IntegerType)
    path = _path(flow, inner, index) if counter is None else (*_path(flow, inner, counter.last), index)
    return Overflow(inner, definition.span, definition.span, number, type_, launched, launched, point, False, path)


def _step(flow: FunctionFlow, launched: Launched, index: ValueId, cycle: int, work: Work) -> int | None:
    first, second = (
        ThreadValues(flow, launched, Point((0, 0, 0), (0, 0, 0), {flow.control.cycles[cycle].id: round_}), work).exact(
            index
        )
        for round_ in (0, 1)
    )
    return None if first is None or second is None else second - first


def _operation(flow: FunctionFlow, value: ValueId) -> ValueId | None:
    """What is computed in 32 bits, without the conversions behind it."""
    item = flow.definition(value)
    while isinstance(item, Convert) and flow.is_number(item.operand):
        value = item.operand
        item = flow.definition(value)
    return value if isinstance(item, Binary) else None


def _path(flow: FunctionFlow, value: ValueId, index: ValueId) -> tuple[ValueId, ...]:
    """From an operation over conversions to the index."""
    found = [index]
    while found[-1] != value and isinstance(item := flow.definition(found[-1]), Convert):
        found.append(item.operand)
    return tuple(reversed(found)) if found[-1] == value else (value, index)
