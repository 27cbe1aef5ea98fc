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

from typing import Final, final

from analysis.access.addresses import Addresses, LaneAddress, Place
from analysis.access.bounds import Bounds
from analysis.access.model import (
    SECTOR_BYTES,
    Access,
    AccessKind,
    AccessPattern,
    Basis,
    Outside,
    Participation,
)
from analysis.access.moved import moved_bytes
from analysis.access.participants import Condition, Guards, Participants
from analysis.access.request_cost import cost_of_request, within_period
from analysis.access.warp_request import Setting
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import (
    MAX_SHAPES,
    Extent,
    Structured,
    is_of_whole_rows,
    is_same_in_rows,
    thread_values,
)
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Atomic, Branch, Load, ReadSpecial, Store, WarpBarrier
from analysis.ir.operators import SpecialRegister
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import NO_SPAN, Span
from analysis.ir.types import MemorySpace
from analysis.memory.spaces import SpaceResult

HIGHER_DIMENSIONS = (
    SpecialRegister.THREAD_Y,
    SpecialRegister.THREAD_Z,
    SpecialRegister.BLOCK_DIM_Y,
    SpecialRegister.BLOCK_DIM_Z,
)
MAX_OWN_BYTES: Final = 4 * SECTOR_BYTES
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
    structured: Structured | None = None,
) -> tuple[Access, ...]:
    """Every load, store and atomic that the entry reaches, in the order of the blocks."""
    finder = _Finder(function, control, divergence, spaces, affine, structured)
    sites = control.placed(Load, Store, Atomic)
    for block, _, instruction in paced(sites, 5):
        finder.note(block, instruction)
    return tuple(finder.access(block, instruction) for block, _, instruction in paced(sites, 5))


ACCESSES = {Load: AccessKind.LOAD, Store: AccessKind.STORE, Atomic: AccessKind.ATOMIC}


@final
@record
class _Behind:
    """Who comes to a block: once for each block shape, once for each shape with short rows; in how many loops it is."""

    settings: tuple[Setting, ...]
    in_short_rows: tuple[Setting, ...]
    certainty: Participation
    loops: int


@final
class _Finder:
    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        spaces: SpaceResult,
        affine: AffineResult,
        structured: Structured | None,
    ) -> None:
        self._function = function
        self._control = control
        self._spaces = spaces
        self._addresses = Addresses(function, divergence, affine, structured)
        self._guards = Guards(function, control, divergence, self._addresses)
        self._bounds = Bounds(function, control, divergence, affine, self._addresses)
        launch = divergence.launch
        self._modelled = _modelled_spans(function, control)
        self._basis = Basis.KNOWN_SHAPE if launch.shapes else Basis.LINE if _is_line(control, launch) else Basis.ROW
        self._lanes: dict[tuple[ValueId, BasicBlockId], tuple[LaneAddress, set[int]] | None] = {}
        """What is known of an address, with the bytes of its place that the function uses."""
        self._used: dict[Place, set[int]] = {}
        self._behind: dict[BasicBlockId, _Behind] = {}
        self._sizes: dict[int, tuple[int | None, int | None]] = {}
        """By the identity of a type."""
        self._warp_size = launch.warp_size
        shapes = launch.shapes if len(launch.shapes) <= MAX_SHAPES else ()
        self._extents: tuple[Extent, ...] = tuple((shape.x, shape.y, shape.z) for shape in shapes) or (None,)

    def note(self, block: BasicBlockId, instruction: Load | Store | Atomic) -> None:
        """Remembers which bytes of its neighbourhood an access uses."""
        key = (instruction.address, block)
        if key not in self._lanes:
            is_modelled = instruction.span in self._modelled
            lanes = None if is_modelled else self._addresses.lanes(instruction.address, block)
            self._lanes[key] = None if lanes is None else (lanes, self._used.setdefault(lanes.place, set()))
        known = self._lanes[key]
        size, _ = self._moved(instruction)
        if known is not None and size is not None:
            lanes, used = known
            used.update(_own_bytes(lanes, size))

    def access(self, block: BasicBlockId, instruction: Load | Store | Atomic) -> Access:
        kind = ACCESSES[type(instruction)]
        address = instruction.address
        size, width = self._moved(instruction)
        known = self._lanes[address, block]
        behind = self._behind_guards(block)
        request, pattern, stride, used, outside = None, AccessPattern.UNKNOWN, None, None, None
        space = self._spaces.space(address)
        if known is not None and known[0].is_turned and space is not MemorySpace.SHARED:
            known = None
        if known is not None:
            lanes, bytes_used = known
            stride = _stride(lanes)
            pattern, request = cost_of_request(
                within_period(lanes),
                size,
                width,
                behind.settings,
                behind.in_short_rows,
                self._basis,
                is_shared=space is MemorySpace.SHARED,
                is_local=space is MemorySpace.LOCAL,
                is_certain=space is not MemorySpace.GENERIC,
                is_atomic=kind is AccessKind.ATOMIC,
                is_of_one_size=lanes.is_of_one_size,
            )
            if size is not None:
                used = _used_around(lanes, size, bytes_used)
                outside = self._outside(block, address, lanes, size)
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
            behind.certainty,
            request,
            behind.loops,
            used,
            outside,
        )

    def _behind_guards(self, block: BasicBlockId) -> _Behind:
        """What is the same for all accesses of a block."""
        known = self._behind.get(block)
        if known is None:
            participants = self._guards.of(block)
            extents = () if self._basis is Basis.KNOWN_SHAPE else SHORT_ROWS[self._basis]
            known = self._behind[block] = _Behind(
                tuple(self._setting(extent, participants) for extent in self._extents),
                tuple(self._setting(extent, participants) for extent in extents),
                self._certainty(participants),
                len(self._control.cycles_around(block)),
            )
        return known

    def _outside(self, block: BasicBlockId, address: ValueId, lanes: LaneAddress, size: int) -> Outside | None:
        symbol = self._spaces.variable(address)
        if symbol is None or lanes.is_turned:
            return None
        return self._bounds.outside(block, symbol, lanes, size, self._extents, self._warp_size)

    def _moved(self, instruction: Load | Store | Atomic) -> tuple[int | None, int | None]:
        """Bytes per lane, and how many of them one instruction moves."""
        value = instruction.value if isinstance(instruction, Store) else instruction.result
        type_ = self._function.types[value]
        known = self._sizes.get(id(type_))
        if known is None:
            known = self._sizes[id(type_)] = moved_bytes(type_, self._function.structs)
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
        terminator = function.blocks[block].terminator
        if type(terminator) is Branch and terminator.branch is None:  # `if (a[i])` is a load like others
            spans.add(terminator.span)
    spans.update(item.span for _, _, item in control.placed(WarpBarrier))
    return spans - {NO_SPAN}


def _is_line(control: ControlFlow, launch: LaunchKnowledge) -> bool:
    """Does nothing in the function depend on a second dimension of the block?"""
    return launch.one_dimensional or not any(
        read.register in HIGHER_DIMENSIONS for _, _, read in control.placed(ReadSpecial)
    )


def _own_bytes(lanes: LaneAddress, size: int) -> range:
    """The bytes that one lane moves, counted from the unknown base; of large structs only the first."""
    return range(lanes.constant, lanes.constant + min(size, MAX_OWN_BYTES))


def _used_around(lanes: LaneAddress, size: int, used: set[int]) -> int:
    """How many of the `used` bytes lie in the sectors of an element, where every lane uses the same of its own."""
    start = lanes.constant
    first, last = start // SECTOR_BYTES, (start + min(size, MAX_OWN_BYTES) - 1) // SECTOR_BYTES
    around = range(first * SECTOR_BYTES, (last + 1) * SECTOR_BYTES)
    stride = abs(_stride(lanes) or 0)
    if not stride:
        return len(used.intersection(around))
    by_any_lane = {byte % stride for byte in used}
    if len(around) % stride == 0:
        return len(by_any_lane)
    return sum(1 for byte in around if byte % stride in by_any_lane) // max(1, len(around) // stride)


def _stride(lanes: LaneAddress) -> int | None:
    x, _, _, lane = lanes.scales
    return None if x is None or lane is None or lanes.tables else x + lane
