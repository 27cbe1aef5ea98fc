"""What is known of two accesses that may meet: who they are, and two threads that prove it."""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.access.model import AccessKind
from analysis.divergence.launch_shape import BlockShape
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.instructions import Atomic, Load, Store
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace
from analysis.verdict.barriers import Tier


@final
@record
class MemoryUse:
    """One instruction that reads or writes memory which threads share; `number` is its place in the list of all,
    `index` that in its block.

    `width`: bytes per thread.  `variable`: the array, where it is one.
    """

    number: int
    block: BasicBlockId
    index: int
    kind: AccessKind
    instruction: Load | Store | Atomic
    width: int
    space: MemorySpace
    variable: SymbolId | None

    @property
    def address(self) -> ValueId:
        return self.instruction.address

    @property
    def value(self) -> ValueId | None:
        """What a store writes."""
        return self.instruction.value if isinstance(self.instruction, Store) else None

    @property
    def span(self) -> Span:
        return self.instruction.span

    @property
    def is_for_block(self) -> bool:
        """Whether it is an atomic for the threads of one block alone."""
        return isinstance(self.instruction, Atomic) and self.instruction.is_for_block

    @property
    def is_volatile(self) -> bool:
        return not isinstance(self.instruction, Atomic) and self.instruction.volatile


class RaceKind(Enum):
    """What goes wrong; each is a rule."""

    SHARED = "shared"
    """Two threads of one block, with no barrier between their accesses."""
    ONE_ADDRESS = "one address"
    """One instruction writes different values of several threads to one address."""
    GLOBAL = "global"
    """Two threads of one block in global memory, with no barrier between their accesses."""
    BLOCKS = "blocks"
    """Two threads of different blocks, in global memory."""


class Order(Enum):
    """How the two accesses of a witness lie in the program."""

    SAME_ROUND = "same round"
    NEXT_ROUND = "next round"
    """The second one belongs to a later round of a loop around both."""


@final
@record
class Participant:
    """One of the two threads: its place in the block along x, y and z, and the x index of its block."""

    thread: tuple[int, int, int]
    linear: int
    block: int


@final
@record
class RaceWitness:
    """Two threads that use the same bytes in one interval between barriers, in a launch that is named.

    `offset`: where the bytes begin, from the beginning of the object.  `arguments`: the scalars of the launch that
    lead there, by name.  `is_shape_known`: the block shape is that of a launch in the file.
    """

    shape: BlockShape
    is_shape_known: bool
    arguments: tuple[tuple[str, int], ...]
    first: Participant
    second: Participant
    offset: int
    order: Order
    is_same_warp: bool
    is_reversed: bool = False
    """The first thread does what comes second in the text: the other one is in a later round."""
    assumed: tuple[BasicBlockId, ...] = ()
    """The blocks at whose ends memory lets all threads go on, or so it is assumed."""


@final
@record
class Race:
    """Two accesses that may use the same bytes at the same time, at least one of them a write.

    With a witness `first` is what its first thread does.  All but ASSUMED races have one, and those POSSIBLE ones in
    which memory decides where an atomic goes (`scattered.py`).  `is_open`: no thread could be followed to one of them,
    because memory decides where it goes, so that nothing speaks against the race either.
    """

    kind: RaceKind
    tier: Tier
    first: MemoryUse
    second: MemoryUse
    witness: RaceWitness | None
    is_open: bool
