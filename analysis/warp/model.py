"""What is wrong with one operation in which the lanes of a warp meet."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias, final

from analysis.divergence.launch_shape import BlockShape
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Load,
    Match,
    ReadSpecial,
    Shuffle,
    Store,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.verdict.barriers import Guard, Tier

WarpOperation: TypeAlias = WarpBarrier | Shuffle | Vote | Match | WarpReduce
WARP_OPERATIONS: Final = (WarpBarrier, Shuffle, Vote, Match, WarpReduce)


class WarpProblemKind(Enum):
    """One kind for each rule."""

    CALLER = "caller not in mask"
    """A lane runs the operation with a mask that does not name it."""
    ABSENT = "mask names absent lane"
    """The mask names a lane that does not exit and does not come."""
    DIFFER = "masks differ"
    """Lanes that meet pass different masks."""
    ACTIVE_MASK = "active mask"
    """The mask is whoever happens to be active."""
    WIDTH = "bad width"
    SUSPICIOUS = "suspicious mask"
    """A number that is nearly, but not quite, the mask of a warp."""
    SOURCE = "inactive source"
    """A shuffle reads from a lane that takes no part."""
    LEGACY = "legacy operation"
    """An operation without a mask."""
    UNORDERED = "unordered exchange"
    """Lanes exchange data through memory and nothing orders them."""
    SPIN_LOCK = "spin lock"
    """Lanes of one warp wait for a lock that another of them holds."""
    UNFENCED_RELEASE = "unfenced release"
    """A lock is released before what was written under it."""
    UNFENCED_TAKING = "unfenced taking"
    """What is read under a lock may be read before it is taken."""
    NARROWED = "narrowed ballot"
    """A set of 64 lanes is kept in 32 bits."""
    OF_32 = "warp of 32"
    """Lanes or warps are counted as if a warp had 32 lanes."""


@final
@record
class WarpCase:
    """One warp of one launch in which it goes wrong; sets of lanes are bit masks.

    `arguments`: the scalars and template arguments that decide about it, by name, with the values that were tried.
    `lanes`: those that run the operation together; `mask`: what the first of the `wrong` ones passes (0: no mask);
    `wrong`: the lanes that the problem is about, by kind: the callers that are not in their mask, the lanes that do not
    come, those whose masks differ, those that read.  `source`: the lane that is read, the width, or the other mask.
    """

    shape: BlockShape
    warp: int
    arguments: tuple[tuple[str, int], ...]
    lanes: int
    mask: int
    wrong: int
    source: int | None = None


@final
@record
class WarpProblem:
    """One problem of one operation.

    `other`: the write of an exchange through memory, the release of a lock, the read of the active mask, the conversion
    of a set of lanes, the access under a lock.

    `guards`: the branches that keep lanes away, innermost first.  `is_convergent`: every lane of a warp comes.
    """

    kind: WarpProblemKind
    block: BasicBlockId
    instruction: WarpOperation | Load | Store | Atomic | Binary | ReadSpecial
    tier: Tier | None
    case: WarpCase | None
    guards: tuple[Guard, ...]
    is_convergent: bool = False
    other: Span | None = None

    @property
    def span(self) -> Span:
        return self.instruction.span
