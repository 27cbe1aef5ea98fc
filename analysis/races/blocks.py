"""Races between blocks: two of them use one element of global memory, at least one writes, and nothing orders them.

Question  Which pairs of accesses through one pointer surely race between blocks 0 and 1 of a grid?
Rules     A few threads of both blocks are followed (`trace.py`).  Two that use a common byte are a race if they meet
          whatever the scalars are: in every launch that is tried in which both come there.  Of unknown block shapes all
          that the kernel is made for have to agree.
Silent    Kernels in which blocks may wait for each other, or hand work on: fences, grid barriers, volatile accesses,
          atomics whose result is used (tickets, locks), calls and constructs that are not understood.  Writes of one
          value, and flags: a write of what is the same in all threads, where another block reads.  Grids of one block,
          and grids of which nothing is known for kernels that never ask for their block.
Limits    Two pointers are taken to lead to different objects.  Blocks are told apart by `blockIdx.x` alone.
Cost      Little where each thread has its own element of whatever is written, which linear forms and indices tell.
          The search is bounded by `MAX_ALL_OPERATIONS`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.access.model import AccessKind
from analysis.affine.atoms import Axis, RegisterAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, FunctionKind, SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Call,
    Convert,
    ElementAddress,
    Fence,
    GridBarrier,
    Load,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Phi,
    ReadSpecial,
    Select,
    Store,
    SymbolAddress,
)
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.memory.roots import pointer_root
from analysis.memory.spaces import SpaceResult
from analysis.races.launches import ASSIGNMENTS, launch, shapes_to_try
from analysis.races.model import MemoryUse, Order, Participant, Race, RaceKind, RaceWitness
from analysis.races.program import OutOfBounds, Program, offset_in
from analysis.races.program_builder import build_program
from analysis.races.stored_values import values_differ
from analysis.races.trace import Event, trace
from analysis.races.uses import conflict, is_guess, memory_uses
from analysis.verdict.barriers import Tier
from analysis.verdict.evaluation import Launch
from analysis.verdict.thread_walk import BLOCK_INDICES

MAX_USES: Final = 60
MAX_OPERATIONS: Final = 2_400
"""For one launch."""
MAX_ALL_OPERATIONS: Final = 10_000
"""For one kernel."""
MAX_MEETINGS: Final = 3
"""Pairs of threads that are tried for one pair of uses."""
BLOCKS: Final = (0, 1)

Pair: TypeAlias = tuple[int, int]
_Object: TypeAlias = tuple[SymbolId | None, ValueId | None]
"""A variable of the program, or what an argument points to."""


@final
@record
class _Meeting:
    """`one` is the use that comes first in the program; the two are of different blocks."""

    one: Event
    other: Event


def find_block_races(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    affine: AffineResult,
    spaces: SpaceResult,
    known: LaunchKnowledge,
) -> tuple[Race, ...]:
    """Those that are proven, in the order of the program."""
    if function.kind is not FunctionKind.KERNEL or known.has_several_blocks is False:
        return ()
    every = memory_uses(function, control.order, spaces, frozenset({MemorySpace.GLOBAL}))
    uses = _watched(function, divergence, affine, known, every)
    pairs = _pairs(function, divergence, uses)
    if not pairs or not _asks_for_several_blocks(function, known) or _may_order_blocks(function):
        return ()
    program = build_program(function, control, divergence, uses)
    visible = [program.can_be_seen(use) for use in uses]
    pairs = [(one, other) for one, other in pairs if visible[one] and visible[other]]
    found: Mapping[Pair, RaceWitness] = _Search(program, known).run(pairs) if pairs else {}
    return tuple(
        Race(RaceKind.BLOCKS, Tier.PROVEN, uses[one], uses[other], found[one, other], is_open=False)
        for one, other in pairs
        if (one, other) in found
    )


# -- what is looked at ------------------------------------------------------------------------------------------------


def _watched(
    function: Function,
    divergence: DivergenceResult,
    affine: AffineResult,
    known: LaunchKnowledge,
    uses: Sequence[MemoryUse],
) -> Sequence[MemoryUse]:
    """Those through pointers that are written through, unless each thread or block has elements of its own there."""
    by_object: dict[_Object, list[MemoryUse]] = {}
    for use in uses:
        used = _object(function, divergence, use)
        if used is not None and not _rests_on_memory(divergence, use.address):
            by_object.setdefault(used, []).append(use)
    found: list[MemoryUse] = []
    for group in by_object.values():
        is_written = any(use.kind is AccessKind.STORE for use in group)
        if is_written and not _has_one_place_each(divergence, affine, known, group):
            found += group
    if len(found) > MAX_USES:
        return ()
    found.sort(key=lambda use: use.number)
    return [replace(use, number=number) for number, use in enumerate(found)]


def _object(function: Function, divergence: DivergenceResult, use: MemoryUse) -> _Object | None:
    """None for what is neither."""
    root = pointer_root(divergence, use.address)
    item = divergence.definition(root)
    if isinstance(item, SymbolAddress):
        return (item.symbol, None) if function.symbols[item.symbol].kind is SymbolKind.GLOBAL else None
    return (None, root) if item is None else None


def _rests_on_memory(divergence: DivergenceResult, address: ValueId) -> bool:
    """Is it computed from what was loaded, whichever way the thread takes?  Then no thread is followed to it."""
    waiting = [address]
    seen: set[ValueId] = set()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        item = divergence.definition(value)
        if isinstance(item, Load | Atomic):
            return True
        if item is not None and not isinstance(item, Phi | Select):
            waiting.extend(item.operands)
    return False


def _has_one_place_each(
    divergence: DivergenceResult, affine: AffineResult, known: LaunchKnowledge, group: Sequence[MemoryUse]
) -> bool:
    """One index for all uses, counted along the grid from `blockIdx.x * blockDim.x`, or by blocks far enough apart."""
    forms = {affine.form_at(use.address, use.block) for use in group}
    if len(forms) == 1 and (form := next(iter(forms))) is not None:
        width = max(use.width for use in group)
        if _grows_along_the_grid(form) or _lies_apart_in_blocks(form, width, known.shapes):
            return True
    places = {_indices(divergence, use.address) for use in group}
    return len(places) == 1 and _counts_along_the_grid(divergence, next(iter(places)))


def _grows_along_the_grid(form: LinearForm) -> bool:
    """Is it `c * (blockIdx.x * blockDim.x + threadIdx.x)`, and something that agrees in all blocks?"""
    step = form.coefficient(Axis.THREAD_X).constant
    if not step or len(form.coefficients) != 1:
        return False
    found = False
    for monomial, factor in form.base.terms:
        if monomial == _FIRST_THREAD:
            found = factor == step
        elif any(isinstance(atom, RegisterAtom) and atom.register in BLOCK_INDICES for atom in monomial):
            return False
    return found


def _lies_apart_in_blocks(form: LinearForm, width: int, shapes: Sequence[BlockShape]) -> bool:
    """Is it `c * blockIdx.x` with a `c` of at least what the threads of a block reach, and something that agrees?"""
    step = 0
    for monomial, factor in form.base.terms:
        if any(isinstance(atom, RegisterAtom) and atom.register in BLOCK_INDICES for atom in monomial):
            if monomial != _BLOCK:
                return False
            step = abs(factor)
    reach = width
    for axis, coefficient in form.coefficients:
        factor = coefficient.constant
        if factor is None or axis is Axis.LANE or not shapes:
            return False
        reach += abs(factor) * (max((shape.x, shape.y, shape.z)[axis] for shape in shapes) - 1)
    return step >= reach


_LINEAR: Final = frozenset({BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY})
_BLOCK: Final = (RegisterAtom(SpecialRegister.BLOCK_X),)
_FIRST_THREAD: Final = tuple(sorted(map(RegisterAtom, (SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_DIM_X))))
"""The index along the grid of the first thread of the block."""


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


def _pairs(function: Function, divergence: DivergenceResult, uses: Sequence[MemoryUse]) -> list[Pair]:
    objects = [_object(function, divergence, use) for use in uses]
    return [
        (one.number, other.number)
        for one in uses
        for other in uses[one.number :]
        if objects[one.number] == objects[other.number]
        and conflict(one, other)
        and not is_guess(divergence, one, other)
        and not _is_flag(divergence, one, other)
    ]


def _is_flag(divergence: DivergenceResult, one: MemoryUse, other: MemoryUse) -> bool:
    """Is what one writes the same in all threads, where the other reads?"""
    store, load = (one, other) if one.kind is AccessKind.STORE else (other, one)
    if load.kind is not AccessKind.LOAD or store.value is None:
        return False
    return divergence.level(store.value) <= Level.GRID


def _asks_for_several_blocks(function: Function, known: LaunchKnowledge) -> bool:
    if known.has_several_blocks:
        return True
    registers = (item.register for _, item in function.instructions() if isinstance(item, ReadSpecial))
    return SpecialRegister.BLOCK_X in registers


def _may_order_blocks(function: Function) -> bool:
    results: list[ValueId] = []
    for _, item in function.instructions():
        match item:
            case Fence() | GridBarrier() | NamedBarrier() | PhaseWait() | Call() | Opaque():
                return True
            case Load(volatile=True) | Store(volatile=True):
                return True
            case Atomic(result=result):
                results.append(result)
            case _:
                pass
    return bool(results) and not _used(function).isdisjoint(results)


def _used(function: Function) -> set[ValueId]:
    found = {operand for _, item in function.instructions() for operand in item.operands}
    for block in function.blocks:
        found.update(operand for phi in block.phis for operand in phi.operands)
        found.update(block.terminator.operands)
    return found


# -- the search -------------------------------------------------------------------------------------------------------


@final
class _Search:
    def __init__(self, program: Program, known: LaunchKnowledge) -> None:
        self._program = program
        self._known = known
        self._left = MAX_ALL_OPERATIONS

    def run(self, pairs: Collection[Pair]) -> Mapping[Pair, RaceWitness]:
        """Of known shapes one is enough; of unknown ones all that the kernel is made for have to agree."""
        found: dict[Pair, RaceWitness] | None = None
        for shape in shapes_to_try(self._program, self._known):
            left = frozenset(pairs) if found is None or self._known.shapes else frozenset(found)
            here = self._in_shape(shape, left)
            if here is None:
                continue
            if found is None or self._known.shapes:
                found = {**here, **(found or {})}
            else:
                found = {pair: found[pair] for pair in found if pair in here}
        return found or {}

    def _in_shape(self, shape: BlockShape, pairs: frozenset[Pair]) -> dict[Pair, RaceWitness] | None:
        """None if the kernel is not made for such blocks."""
        threads = _threads(shape)
        share = max(MAX_OPERATIONS // (len(BLOCKS) * len(threads)), 60)
        for assignment in range(ASSIGNMENTS):
            launches = [self._launch(shape, assignment, block) for block in BLOCKS]
            try:
                events = [
                    [event for thread in threads for event in self._follow(one, thread, share)] for one in launches
                ]
            except OutOfBounds:
                continue
            found: dict[Pair, RaceWitness] = {}
            for pair in pairs:
                for meeting in _meetings(self._program, events, pair):
                    if self._holds(shape, assignment, meeting, share):
                        found[pair] = self._witness(launches[0], meeting)
                        break
            return found
        return None

    def _launch(self, shape: BlockShape, assignment: int, block: int) -> Launch:
        return launch(self._program, shape, self._known.warp_size, assignment, block)

    def _follow(self, here: Launch, thread: int, share: int) -> Sequence[Event]:
        found = trace(self._program, here, thread, min(share, self._left))
        self._left -= found.operations
        return found.events

    def _holds(self, shape: BlockShape, assignment: int, meeting: _Meeting, share: int) -> bool:
        """Do the two threads write different values, and meet with other scalars wherever both come there?"""
        uses = self._program.uses
        if all(uses[event.use].kind is AccessKind.STORE for event in (meeting.one, meeting.other)):
            differ = values_differ(
                self._program, shape, self._known.warp_size, assignment, meeting.one, meeting.other, share
            )
            if not differ:
                return False
        if not self._program.scalars:
            return True
        agreed = False
        for other in range(ASSIGNMENTS):
            if other == assignment:
                continue
            try:
                events = [
                    list(self._follow(self._launch(shape, other, event.block), event.thread, 2 * share))
                    for event in (meeting.one, meeting.other)
                ]
            except OutOfBounds:
                continue
            ones, others = (
                [event for event in found if event.use == met.use]
                for found, met in zip(events, (meeting.one, meeting.other), strict=True)
            )
            if not ones or not others:
                continue
            if not any(_overlap(self._program, one, other) for one in ones for other in others):
                return False
            agreed = True
        return agreed

    def _witness(self, here: Launch, meeting: _Meeting) -> RaceWitness:
        names = {scalar.name: here.scalars[value] for value, scalar in self._program.scalars.items()}
        return RaceWitness(
            here.shape,
            bool(self._known.shapes),
            tuple(names.items()),
            _participant(here.shape, meeting.one),
            _participant(here.shape, meeting.other),
            offset_in(max(meeting.one.address, meeting.other.address)),
            Order.SAME_ROUND,
            is_same_warp=False,
        )


def _threads(shape: BlockShape) -> Sequence[int]:
    """Those at the ends of a block, where it meets the next one, and at the begins of rows and warps."""
    count = shape.threads
    wanted = {0, 1, 2, shape.x - 1, shape.x, count - 2, count - 1, 32, 64}
    return sorted(thread for thread in wanted if 0 <= thread < count)


def _meetings(program: Program, events: Sequence[Sequence[Event]], pair: Pair) -> Iterator[_Meeting]:
    """The first few of a thread of one block and one of the other."""
    count = 0
    for first, second in (pair, pair[::-1]) if pair[0] != pair[1] else (pair,):
        by_place: dict[int, list[Event]] = {}
        for event in events[0]:
            if event.use == first:
                by_place.setdefault(event.address // _GRANULE, []).append(event)
        for event in events[1]:
            if event.use != second:
                continue
            for place in range(event.address // _GRANULE - 1, event.address // _GRANULE + 2):
                for other in by_place.get(place, ()):
                    if _overlap(program, other, event):
                        count += 1
                        yield _Meeting(other, event) if first == pair[0] else _Meeting(event, other)
                        if count == MAX_MEETINGS:
                            return


_GRANULE: Final = 16
"""Bytes; no access is wider."""


def _overlap(program: Program, one: Event, other: Event) -> bool:
    one_end, other_end = (event.address + program.uses[event.use].width for event in (one, other))
    return one.address < other_end and other.address < one_end


def _participant(shape: BlockShape, event: Event) -> Participant:
    thread = event.thread
    x, y, z = thread % shape.x, thread // shape.x % shape.y, thread // (shape.x * shape.y)
    return Participant((x, y, z), thread, event.block)
