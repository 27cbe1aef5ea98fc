"""What watches a run: an observer gets the events it asks for, and code for others is not even generated.

An observer is made by who wants its answer, passed to `simulate`, and asked afterwards; every observer file defines
its own frozen answer.  Events hold arrays of the engine: look, do not change, copy what must survive the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Flag, auto
from typing import ClassVar, Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Instruction, Phi, Terminator
from analysis.ir.record import record
from analysis.ir.source import Span
from sim.arrays import Lanes, LaneSets, Rows, Values, lane_sets, lanes_of
from sim.faults import AccessKind, Fault
from sim.policies.protocol import SegmentGraph, Split
from sim.specification import LaunchSpecification


class Events(Flag):
    NONE = 0
    SEGMENTS = auto()
    ACCESSES = auto()
    VALUES = auto()
    BARRIERS = auto()


@final
@record
class Segment:
    """Instructions that run without meeting another thread; a part of a basic block, `terminator` if it ends it.

    `issued` is the number of instructions that count (all but constants, undefined values, addresses of variables,
    phis and jumps).
    """

    function: Function
    block: int
    phis: tuple[Phi, ...]
    instructions: tuple[Instruction, ...]
    terminator: Terminator | None
    issued: int


@final
@record
class Run:
    """What stays the same during a run."""

    kernel: Function
    launch: LaunchSpecification
    segments: tuple[Segment, ...]
    graph: SegmentGraph
    policy: str


@final
@record
class Wave:
    """The resident `blocks` by their linear numbers, ascending.  Row r is warp `r % warps_per_block` of block
    `blocks[r // warps_per_block]`."""

    blocks: Rows
    warps_per_block: int
    live: LaneSets
    """(rows,): the lanes that exist."""

    @property
    def first_block(self) -> int:
        """For who counts on that those after it follow without a gap."""
        assert len(self.blocks) == int(self.blocks[-1] - self.blocks[0]) + 1, "only a sample of the blocks is run"
        return int(self.blocks[0])


@final
@record
class SegmentEvent:
    """`rows` ran `segment` with the lanes `active`, and went where `split` says."""

    rows: Rows
    active: LaneSets
    segment: int
    split: Split


@final
@record
class AccessSite:
    """One instruction that touches memory; `width` in bytes is that of the whole access (16 for a `float4`)."""

    function: Function
    instruction: Instruction
    span: Span
    kind: AccessKind
    width: int
    segment: int


@final
@record
class AccessEvent:
    """`addresses` broadcasts to (rows, lanes) and counts only where `lanes` is true (None: everywhere).

    `values`: of a store what it writes, one array per scalar part of the type; empty for loads and atomics.
    """

    rows: Rows
    lanes: Lanes | None
    site: AccessSite
    addresses: Values
    values: tuple[Values, ...] = ()


@final
@record
class ValueEvent:
    """`values` (one array per scalar part of the type) were computed; they count where `lanes` is true (None: all).

    Phis are reported by the predecessor that the lanes come from; values that are the same for the whole grid because
    they depend on constants and arguments only are not reported.
    """

    rows: Rows
    lanes: Lanes | None
    segment: int
    value: ValueId
    parts: tuple[Values, ...]


class BarrierScope(Flag):
    WARP = auto()
    BLOCK = auto()
    GRID = auto()


@final
@record
class BarrierEvent:
    """The lanes `active` of `rows` met; their memory accesses before and after it are ordered.

    `masks` (rows, lanes; None: all are equal) are the lanes that each names at a warp barrier.  Lanes with different
    masks may come at the same time, as the tiles of a warp do; only those with equal ones wait for each other.
    """

    scope: BarrierScope
    rows: Rows
    active: LaneSets
    masks: NDArray[np.uint64] | None = None

    def meetings(self) -> Iterator[tuple[Rows, LaneSets]]:
        """Rows and lanes that waited for each other."""
        if self.masks is None:
            yield self.rows, self.active
            return
        lanes = lanes_of(self.active, self.masks.shape[1])
        for mask in np.unique(self.masks[lanes]):
            equal = lanes & (self.masks == mask)
            some = equal.any(axis=1)
            yield self.rows[some], lane_sets(equal[some])


@final
@record
class ArrivalEvent:
    """The lanes `active` of `rows` arrived at split barriers, and wait elsewhere if they do.

    `barriers` (rows, lanes) are the addresses of memory barriers, or negative numbers of named ones; `parities` are
    those of the phases that the lanes arrived in.  Both count only for active lanes, which stand in their order.
    """

    rows: Rows
    active: LaneSets
    barriers: Values
    parities: Values


@final
@record
class PhaseEvent:
    """The lanes `active` of `rows` found a phase of a split barrier complete; otherwise as above."""

    rows: Rows
    active: LaneSets
    barriers: Values
    parities: Values


@final
@record
class MemoryObject:
    """Where an address points: `name` of the buffer or variable, bytes from its start, the space, and whose it is:
    the resident block of a shared variable, the thread's position in its frame (row * warp size + lane) of a local one.
    """

    name: str
    offset: int
    size: int
    space: str
    block: int | None
    thread: int | None


class AddressBook(Protocol):
    """Names addresses; the engine's memory implements it."""

    def find(self, address: int) -> MemoryObject | None:
        """None where no object lies."""
        ...

    def starts(self, addresses: Values) -> Values:
        """Where the objects begin that the addresses lie in, for all at once; the address itself where there is none.

        What observers of local memory need: each thread's object begins elsewhere.
        """
        ...


class Observer:
    """Override what you subscribe to."""

    events: ClassVar[Events] = Events.NONE

    def begin(self, run: Run, addresses: AddressBook) -> None:
        """Before the first wave."""

    def wave(self, wave: Wave) -> None:
        """Blocks became resident; those of the wave before are done."""

    def segment(self, event: SegmentEvent) -> None: ...

    def access(self, event: AccessEvent) -> None: ...

    def value(self, event: ValueEvent) -> None: ...

    def barrier(self, event: BarrierEvent) -> None: ...

    def arrival(self, event: ArrivalEvent) -> None: ...

    def phase(self, event: PhaseEvent) -> None: ...

    def faults(self) -> tuple[Fault, ...]:
        """What it found wrong with the program, asked for after the run."""
        return ()


Observers: TypeAlias = tuple[Observer, ...]
