"""Accesses: how does a warp address memory, and what does each request cost?

Rules     space (`analysis.memory`), lane addresses (`addresses.py`), who takes part (`participants.py`), cost by
          enumeration (`warp_request.py`).  A vector or a struct that its alignment lets move at once is one access.
          Several block shapes: the worst.  Memory of unknown space is counted as if it were global, not as exact.
          What library functions do as a warp (`wmma`, `memcpy_async`) is modelled for its data flow, not for the lanes
          that carry it: its cost is not known.
Assumes   allocations are 256-byte aligned; 32-bit index arithmetic does not wrap (`docs/limitations.md`); the block
          shape not known: a warp lies in one row.
Cost      a few microseconds per access, once a form was seen before.
Source    Lee et al., CGO 2013, section 4 (warp-sequential accesses); CUDA C++ Best Practices Guide, "Memory
          Optimizations".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

from analysis.access.addresses import Addresses, LaneAddress, Place
from analysis.access.bounds import Bounds
from analysis.access.model import (
    SECTOR_BYTES,
    Access,
    AccessKind,
    AccessPattern,
    Basis,
    FarApart,
    Outside,
    Participation,
    RequestCost,
)
from analysis.access.moved import moved_bytes
from analysis.access.participants import Condition, Guards, Participants
from analysis.access.warp_request import Setting, count_bank_ways, count_sectors, lane_pattern
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import MAX_SHAPES, Extent, is_of_whole_rows, is_same_in_rows, thread_values
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Atomic, Branch, Load, ReadSpecial, Store, WarpBarrier
from analysis.ir.operators import SpecialRegister
from analysis.ir.source import NO_SPAN, Span
from analysis.ir.types import MemorySpace, Type
from analysis.memory.spaces import SpaceResult

HIGHER_DIMENSIONS = (
    SpecialRegister.THREAD_Y,
    SpecialRegister.THREAD_Z,
    SpecialRegister.BLOCK_DIM_Y,
    SpecialRegister.BLOCK_DIM_Z,
)
SHORT_ROWS: dict[Basis, tuple[Extent, ...]] = {
    Basis.LINE: ((16, 1, 1),),
    Basis.ROW: ((16, 16, 1), (8, 32, 1)),
}


def analyze_accesses(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    spaces: SpaceResult,
    affine: AffineResult,
) -> tuple[Access, ...]:
    """Every load, store and atomic that the entry reaches, in the order of the blocks."""
    finder = _Finder(function, control, divergence, spaces, affine)
    sites = [
        (block, instruction)
        for block in control.order
        for instruction in function.blocks[block].instructions
        if type(instruction) in ACCESSES
    ]
    for block, instruction in sites:
        finder.note(block, instruction)
    return tuple(finder.access(block, instruction) for block, instruction in sites)


ACCESSES = {Load: AccessKind.LOAD, Store: AccessKind.STORE, Atomic: AccessKind.ATOMIC}


@final
class _Finder:
    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        spaces: SpaceResult,
        affine: AffineResult,
    ) -> None:
        self._function = function
        self._control = control
        self._spaces = spaces
        self._addresses = Addresses(function, divergence, affine)
        self._guards = Guards(function, control, divergence, self._addresses)
        self._bounds = Bounds(function, control, divergence, affine, self._addresses)
        launch = divergence.launch
        self._modelled = _modelled_spans(function, control)
        self._basis = Basis.KNOWN_SHAPE if launch.shapes else Basis.LINE if _is_line(function, launch) else Basis.ROW
        self._lanes: dict[tuple[ValueId, BasicBlockId], LaneAddress | None] = {}
        self._used: dict[Place, set[int]] = {}
        self._sizes: dict[Type, tuple[int | None, int | None]] = {}
        self._warp_size = launch.warp_size
        shapes = launch.shapes if len(launch.shapes) <= MAX_SHAPES else ()
        self._extents: tuple[Extent, ...] = tuple((shape.x, shape.y, shape.z) for shape in shapes) or (None,)

    def note(self, block: BasicBlockId, instruction: object) -> None:
        """Remembers which bytes of its neighbourhood an access uses."""
        assert isinstance(instruction, Load | Store | Atomic)
        key = (instruction.address, block)
        if key not in self._lanes:
            is_modelled = instruction.span in self._modelled
            self._lanes[key] = None if is_modelled else self._addresses.lanes(instruction.address, block)
        lanes = self._lanes[key]
        size, _ = self._moved(instruction)
        if lanes is not None and size is not None:
            self._used.setdefault(lanes.place, set()).update(_own_bytes(lanes, size))

    def access(self, block: BasicBlockId, instruction: object) -> Access:
        assert isinstance(instruction, Load | Store | Atomic)
        kind = ACCESSES[type(instruction)]
        address = instruction.address
        size, width = self._moved(instruction)
        lanes = self._lanes[address, block]
        participants = self._guards.of(block)
        request, pattern, stride = None, AccessPattern.UNKNOWN, None
        space = self._spaces.space(address)
        if lanes is not None:
            settings = [self._setting(extent, participants) for extent in self._extents]
            patterns = {lane_pattern(lanes, size or 0, setting) for setting in settings}
            pattern, _ = patterns.pop() if len(patterns) == 1 else (AccessPattern.SCATTERED, None)
            if space is MemorySpace.LOCAL:  # one offset in all lanes is one row of the interleaved memory
                is_row = pattern is AccessPattern.BROADCAST
                pattern = AccessPattern.WARP_SEQUENTIAL if is_row else AccessPattern.SCATTERED
            stride = _stride(lanes)
            if size is not None and width is not None:
                costs = [_cost(lanes, size, width, setting, space, kind, self._basis) for setting in settings]
                request = _worst([cost for cost in costs if cost is not None])
                if request is not None and self._basis is not Basis.KNOWN_SHAPE:
                    short = [self._setting(extent, participants) for extent in SHORT_ROWS[self._basis]]
                    again = [_cost(lanes, size, width, setting, space, kind, self._basis) for setting in short]
                    request = replace(
                        request, in_short_rows=_least(again), far_apart=_far_in_short_rows(request, again)
                    )
        return Access(
            kind,
            instruction.span,
            block,
            address,
            space,
            self._spaces.variable(address),
            size,
            self._addresses.form(address, block),
            stride,
            pattern,
            self._certainty(participants),
            request,
            sum(1 for _ in self._control.cycles_around(block)),
            None if lanes is None or size is None else self._used_around(lanes, size),
            None if lanes is None or size is None else self._outside(block, address, lanes, size),
        )

    def _outside(self, block: BasicBlockId, address: ValueId, lanes: LaneAddress, size: int) -> Outside | None:
        symbol = self._spaces.variable(address)
        if symbol is None:
            return None
        return self._bounds.outside(block, symbol, lanes, size, self._extents, self._warp_size)

    def _used_around(self, lanes: LaneAddress, size: int) -> int:
        own = _own_bytes(lanes, size)
        first, last = own.start // SECTOR_BYTES, (own.stop - 1) // SECTOR_BYTES
        around = range(first * SECTOR_BYTES, (last + 1) * SECTOR_BYTES)
        used = self._used[lanes.place]
        stride = abs(_stride(lanes) or 0)
        if not stride:
            return sum(1 for byte in around if byte in used)
        by_any_lane = {byte % stride for byte in used}
        return sum(1 for byte in around if byte % stride in by_any_lane) // max(1, len(around) // stride)

    def _moved(self, instruction: Load | Store | Atomic) -> tuple[int | None, int | None]:
        """Bytes per lane, and how many of them one instruction moves."""
        value = instruction.value if isinstance(instruction, Store) else instruction.result
        type_ = self._function.types[value]
        known = self._sizes.get(type_)
        if known is None:
            known = self._sizes[type_] = moved_bytes(type_, self._function.structs)
        return known

    def _setting(self, extent: Extent, participants: Participants) -> Setting:
        conditions = tuple(
            condition for condition in participants.conditions if _is_told(condition, extent, self._warp_size)
        )
        return Setting(extent, self._warp_size, conditions)

    def _certainty(self, participants: Participants) -> Participation:
        untold = any(
            not _is_told(condition, extent, self._warp_size) and not (extent is None and is_of_whole_rows(condition[0]))
            for condition in participants.conditions
            for extent in self._extents
        )
        return Participation.UNKNOWN if untold else participants.certainty


def _is_told(condition: Condition, extent: Extent, warp_size: int) -> bool:
    """Can the guard be evaluated?  Which row a warp lies in is not known where the shape is not."""
    if extent is None and not is_same_in_rows(condition[0]):
        return False
    return thread_values(condition[0], extent, warp_size) is not None


def _modelled_spans(function: Function, control: ControlFlow) -> set[Span]:
    """Spans of calls that stand for barriers or loops of their own."""
    spans: set[Span] = set()
    for block in control.order:
        body = function.blocks[block]
        spans.update(item.span for item in body.instructions if type(item) is WarpBarrier)
        if type(body.terminator) is Branch and body.terminator.branch is None:  # `if (a[i])` is a load like others
            spans.add(body.terminator.span)
    return spans - {NO_SPAN}


def _is_line(function: Function, launch: LaunchKnowledge) -> bool:
    """Does nothing in the function depend on a second dimension of the block?"""
    return launch.one_dimensional or not any(
        isinstance(instruction, ReadSpecial) and instruction.register in HIGHER_DIMENSIONS
        for _, instruction in function.instructions()
    )


def _own_bytes(lanes: LaneAddress, size: int) -> range:
    """The bytes that one lane moves, counted from the unknown base; of large structs only the first."""
    return range(lanes.constant, lanes.constant + min(size, 4 * SECTOR_BYTES))


def _stride(lanes: LaneAddress) -> int | None:
    x, _, _, lane = lanes.scales
    return None if x is None or lane is None or lanes.tables else x + lane


def _cost(
    lanes: LaneAddress,
    size: int,
    width: int,
    setting: Setting,
    space: MemorySpace,
    kind: AccessKind,
    basis: Basis,
) -> RequestCost | None:
    if space is MemorySpace.SHARED:
        banks = count_bank_ways(lanes, width, setting, is_atomic=kind is AccessKind.ATOMIC)
        if banks is None:
            return None
        ways = banks.ways if banks.is_exact or banks.ways > 1 else None
        return RequestCost(None, None, None, ways, banks.lanes, banks.is_exact, basis)
    count = count_sectors(lanes, size, setting, is_local=space is MemorySpace.LOCAL)
    if count is None:
        return None
    is_exact = count.is_exact and space is not MemorySpace.GENERIC
    sectors = count.sectors if count.is_exact or count.sectors > 1 else None
    far_apart = FarApart(count.far, count.far_from) if lanes.is_of_one_size else None
    return RequestCost(sectors, count.most, count.ideal, None, count.lanes, is_exact, basis, far_apart=far_apart)


def _least(costs: Sequence[RequestCost | None]) -> int | None:
    """The fewest sectors or passes; None where some are not known."""
    found = [None if cost is None else cost.sectors if cost.bank_ways is None else cost.bank_ways for cost in costs]
    known = [number for number in found if number is not None]
    return min(known) if len(known) == len(found) else None


def _far_in_short_rows(request: RequestCost, short: Sequence[RequestCost | None]) -> FarApart | None:
    """What holds of all of them."""
    found = [cost.far_apart for cost in short if cost is not None and cost.far_apart is not None]
    if request.far_apart is None or len(found) != len(short):
        return None
    distance = max(cost.distance for cost in (request.far_apart, *found))
    return FarApart(request.far_apart.sectors, distance, min(cost.sectors for cost in found))


def _worst(costs: Sequence[RequestCost]) -> RequestCost | None:
    """Over block shapes: what another shape may exceed is no exact cost."""
    worst = max(costs, key=lambda cost: (cost.sectors or 0, cost.sectors_max or 0, cost.bank_ways or 0), default=None)
    if worst is None:
        return None
    most = [cost.sectors_max for cost in costs if cost.sectors_max is not None]
    return replace(worst, sectors_max=max(most, default=None), is_exact=all(cost.is_exact for cost in costs))
