"""What a run found wrong with the program: values with evidence, never exceptions.

A fault is kept once per kind and place, with the first thread that caused it and how often it happened.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias, final

from analysis.ir.index3 import Index3
from analysis.ir.instructions import Instruction
from analysis.ir.record import record
from analysis.ir.source import Span

NULL_PAGE: Final = 4096
"""Addresses below come from null pointers: no object lies there."""


class AccessKind(Enum):
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


@final
@record
class Evidence:
    """The first occurrence: who and where.  `span` is relative to the item of `function`, its frame included."""

    function: str
    span: Span
    block: Index3
    thread: Index3
    count: int
    """Threads for which it happened, over the whole run."""


@final
@record
class OutOfBounds:
    """An access outside of the object that the pointer was made for, or outside of every object.

    `offset` is in bytes from the start of `buffer`, whose size is `size` bytes; `buffer` is None for a wild pointer,
    whose `offset` is then the address.
    """

    evidence: Evidence
    access: AccessKind
    buffer: str | None
    offset: int
    size: int
    width: int

    @property
    def is_null(self) -> bool:
        """Whether the pointer was null, or what lies a little behind it."""
        return self.buffer is None and self.offset < NULL_PAGE


@final
@record
class Misaligned:
    """An address that is no multiple of what the accessed type asks for."""

    evidence: Evidence
    access: AccessKind
    buffer: str | None
    offset: int
    width: int
    alignment: int


@final
@record
class LeftOutLaunch:
    """A kernel that the kernel launches, and that is not run: no fault."""

    evidence: Evidence


@final
@record
class UninitialisedRead:
    """A read of bytes that nothing was written to; the thread reads zero."""

    evidence: Evidence
    buffer: str
    offset: int
    width: int


@final
@record
class ReadOnlyWrite:
    """A write to constant memory."""

    evidence: Evidence
    buffer: str
    offset: int


@final
@record
class BarrierDivergence:
    """A block barrier that not all live threads of the block can reach together, or that some went past.

    Of the block of the first thread: `waiting` are the places where threads stand, with how many; `missing` is the
    number that stand at none, those that have left the kernel included.
    """

    evidence: Evidence
    waiting: tuple[tuple[Span, int], ...]
    missing: int


@final
@record
class IllegalWarpMask:
    """A `*_sync` operation whose mask names live lanes that cannot arrive, or does not name the calling lane.

    `other`: both arrive, but the lane names one that passes this other mask.
    """

    evidence: Evidence
    mask: int
    arrived: int
    other: int | None = None


@final
@record
class IllegalShuffleWidth:
    """A shuffle over segments whose `width` is no power of two, or that do not fit into a warp."""

    evidence: Evidence
    width: int


@final
@record
class InactiveLaneRead:
    """A shuffle in which all lanes read from one lane that takes no part: what they get is undefined."""

    evidence: Evidence
    source: int


@final
@record
class FailedAssertion:
    """`of_callee`: that a pointer which is called leads to a function, or an object has virtual ones."""

    evidence: Evidence
    of_callee: bool = False


@final
@record
class Trapped:
    evidence: Evidence


@final
@record
class StackOverflow:
    """Calls nested deeper than `depth`."""

    evidence: Evidence
    depth: int


@final
@record
class Livelock:
    """Threads repeat the same state for ever: nothing that could let them go on can run (a spin under the stack).

    `blocks_left` blocks wait for these to finish: more than fit on the machine, which they may be waiting for.
    """

    evidence: Evidence
    blocks_left: int


@final
@record
class PhaseState:
    """The phase that a memory barrier is in, by parity, and the one that a thread waits for.

    `bytes` are those that copies still owe.  A barrier that nothing initialised is not valid and expects nobody.
    """

    parity: int
    asked: int
    bytes: int
    is_valid: bool


@final
@record
class StuckBarrier:
    """A split barrier that threads wait at in vain: `arrived` of `expected` threads came to its phase.

    `name` is the number of a named barrier, or the object where a memory barrier lies with the bytes before it;
    `phase` is None for a named barrier.
    """

    span: Span
    name: str
    arrived: int
    expected: int
    phase: PhaseState | None


@final
@record
class Deadlock:
    """Every live thread waits and nobody can come (a grid, named or memory barrier that some threads never reach,
    a grid barrier that a whole block left before).

    `barriers` are the split ones among them.  `is_held_up`: lanes of the first thread's warp could go on, but the
    policy runs one side of a branch at a time.
    """

    evidence: Evidence
    waiting: tuple[tuple[Span, int], ...]
    barriers: tuple[StuckBarrier, ...] = ()
    is_held_up: bool = False


class RaceScope(Enum):
    """Who is not ordered: threads of one block, or of two."""

    BLOCK = "block"
    GRID = "grid"


@final
@record
class RaceSite:
    """Where an access stands in its function."""

    block: int
    instruction: Instruction


@final
@record
class DataRace:
    """Two threads use the same bytes and nothing orders them, and at least one writes; found by an observer.

    `evidence` is the later access.  `same_value`: every such pair of writes wrote the same, so that the order does not
    show in this run.  `is_shared`: in shared memory.  `sites` are those of `access` and `other_access`, in the
    functions of their evidence.
    """

    evidence: Evidence
    other: Evidence
    access: AccessKind
    other_access: AccessKind
    buffer: str
    offset: int
    same_value: bool
    is_shared: bool
    scope: RaceScope
    sites: tuple[RaceSite, RaceSite]


MachineFault: TypeAlias = (
    OutOfBounds
    | Misaligned
    | UninitialisedRead
    | ReadOnlyWrite
    | BarrierDivergence
    | IllegalWarpMask
    | IllegalShuffleWidth
    | InactiveLaneRead
    | FailedAssertion
    | Trapped
    | StackOverflow
    | Livelock
    | Deadlock
)
"""What the engine finds by itself."""

Fault: TypeAlias = MachineFault | DataRace
