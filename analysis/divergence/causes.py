"""Why is this not uniform?  The closed vocabulary of reasons, and the things they are about."""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.divergence.levels import Level
from analysis.ir.enumeration import Enumeration
from analysis.ir.ids import BasicBlockId, SourceBranchId, SymbolId, ValueId
from analysis.ir.record import record
from analysis.ir.source import Span

# -- subjects: what has a level -------------------------------------------------------------------------------------


@final
@record
class ValueSubject:
    value: ValueId


@final
@record
class BranchSubject:
    """The decision at the end of a basic block."""

    block: BasicBlockId
    branch: SourceBranchId | None


@final
@record
class BlockSubject:
    """The convergence of a basic block."""

    block: BasicBlockId


@final
@record
class LoopSubject:
    """The number of iterations of a loop, named by its header."""

    header: BasicBlockId


@final
@record
class MemorySubject:
    """What a local variable in memory holds."""

    symbol: SymbolId


Subject: TypeAlias = ValueSubject | BranchSubject | BlockSubject | LoopSubject | MemorySubject


# -- causes: what raised the level of a subject ---------------------------------------------------------------------


class Seed(Enumeration):
    """Where divergence starts."""

    THREAD_INDEX = "thread index"
    LANE = "lane id"
    WARP_INDEX = "warp id"
    BLOCK_INDEX = "block index"
    MULTIPROCESSOR = "multiprocessor id"
    CLOCK = "clock"
    ACTIVE_MASK = "active mask"
    ATOMIC = "result of an atomic"
    PHASE = "whether a phase of a barrier is complete"
    VOLATILE = "volatile load"
    SHARED_MEMORY = "shared memory belongs to one block"
    LOCAL_MEMORY = "memory of this thread"
    WAITING = "memory read after waiting for another thread"
    ALLOCATION = "fresh allocation"
    BARRIER_REDUCTION = "reduction over the block"
    WARP_OPERATION = "exchange within the warp"
    PARTIAL_EXCHANGE = "exchange among part of a warp"
    OPAQUE = "not understood"
    CALL = "call that was not inlined"
    PARAMETER = "argument of an unknown caller"
    ENTRY = "call from unknown code"
    ARGUMENT = "argument that callers pass"
    UNKNOWN_ARGUMENT = "argument of which its callers do not tell"
    APART = "call in code that not all threads run"
    STRUCTURE = "variance is not used"


@final
@record
class SeedCause:
    seed: Seed


@final
@record
class DataCause:
    """An operand is not uniform."""

    operand: ValueId


@final
@record
class SyncCause:
    """Paths of this branch meet here."""

    block: BasicBlockId
    branch: SourceBranchId | None


@final
@record
class TemporalCause:
    """The value comes out of a loop that threads leave in different iterations."""

    header: BasicBlockId


@final
@record
class ExitCause:
    """This branch decides, directly or not, whether a thread leaves the loop."""

    block: BasicBlockId
    branch: SourceBranchId | None


@final
@record
class ControlCause:
    """Whether the block runs depends on this branch."""

    block: BasicBlockId
    branch: SourceBranchId | None


@final
@record
class NestingCause:
    """Whether the block runs is decided in a block that is itself not convergent."""

    block: BasicBlockId


@final
@record
class ConvergenceCause:
    """The instruction needs its threads together, and stands in a block that is not convergent."""

    block: BasicBlockId


@final
@record
class MemoryCause:
    """Read from (or written to) this local variable."""

    symbol: SymbolId


@final
@record
class IrreducibleCause:
    """Threads may enter this irreducible loop at different places, or part inside it."""

    block: BasicBlockId
    branch: SourceBranchId | None


Cause: TypeAlias = (
    SeedCause
    | DataCause
    | SyncCause
    | TemporalCause
    | ExitCause
    | ControlCause
    | NestingCause
    | ConvergenceCause
    | MemoryCause
    | IrreducibleCause
)


@final
@record
class CauseStep:
    """One link of an explanation: `subject` has `level` because of `cause`, which the next step is about.

    `is_read`: it is what an instruction reads from memory, at an address that the next step is about.
    """

    subject: Subject
    level: Level
    cause: Cause
    span: Span
    is_read: bool = False
