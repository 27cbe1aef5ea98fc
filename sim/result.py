"""What a run found out, frozen: counters, memory, faults, output."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, final

from numpy.typing import NDArray

from analysis.ir.ids import SourceBranchId
from analysis.ir.index3 import Index3
from analysis.ir.record import record
from analysis.ir.source import Span
from sim.faults import DataRace, Fault, LeftOutLaunch


@final
@record
class BranchCount:
    """One source branch of one function; several IR branches (`a && b`) are counted together.

    `executed` counts warps that came to it, `diverged` those whose active lanes went different ways, `lanes` the active
    lanes of all.
    """

    function: str
    branch: SourceBranchId
    keyword: Span
    executed: int
    diverged: int
    lanes: int


@final
@record
class InstructionCount:
    """Work attributed to one source span."""

    function: str
    span: Span
    warp_instructions: int
    thread_instructions: int


class TruncationReason(Enum):
    STEPS = "the step budget is used up"
    TIME = "the time budget is used up"
    MEMORY = "the memory budget is used up"
    CANCELLED = "cancelled"
    RUNNING = "it is still running"


@final
@record
class Truncation:
    """The run ended before the program did, or has not ended yet; `span` is where the most work was done lately."""

    reason: TruncationReason
    function: str
    span: Span


FAR_BYTES: Final = 128 << 20
"""Nobody's array is meant that far from its start."""


@final
@record
class Extent:
    """The bytes of a buffer that accesses aimed at outside of it: [low, high), relative to its start.

    Accesses further away than `FAR_BYTES` went astray and do not count.
    """

    low: int
    high: int


@final
@record
class Result:
    """`arrays` holds every array argument after the run by parameter name (`p.x` for a struct's member), `variables`
    every `__device__` variable as bytes or, where its elements are numbers, as an array."""

    kernel: str
    grid: Index3
    block: Index3
    warp_size: int
    policy: str
    warp_instructions: int
    thread_instructions: int
    branches: tuple[BranchCount, ...]
    instructions: tuple[InstructionCount, ...]
    faults: tuple[Fault, ...]
    extents: Mapping[str, Extent]
    arrays: Mapping[str, NDArray[Any]]
    variables: Mapping[str, NDArray[Any]]
    printed: tuple[str, ...]
    memory_digest: str
    """SHA-256 over all arrays and variables."""
    truncated: Truncation | None
    seconds: float
    left_out: tuple[LeftOutLaunch, ...] = ()
    watches_races: bool = False
    """Whether a `RaceObserver` was among the observers."""

    def assert_race_free(self) -> None:
        """For tests: AssertionError where threads race in this run, or it was cut off, so that it says nothing.

        Writes of the same value by several threads do not count.  Raises ValueError where nobody watched for races.
        """
        if not self.watches_races:
            raise ValueError("races were not watched: pass [RaceObserver()] to simulate()")
        races = [fault for fault in self.faults if isinstance(fault, DataRace) and not fault.same_value]
        if races:
            raise AssertionError(f"{self.kernel}: {len(races)} data races, the first: {_race_words(races[0])}")
        if self.truncated is not None:
            raise AssertionError(f"{self.kernel}: no race until {self.truncated.reason.value}: the run was cut off")

    @property
    def is_running(self) -> bool:
        """Whether it is what was counted so far: then it has neither arrays nor a digest."""
        return self.truncated is not None and self.truncated.reason is TruncationReason.RUNNING

    @property
    def simd_efficiency(self) -> float:
        """Thread instructions per lane that was issued; 1 for an empty run."""
        slots = self.warp_instructions * self.warp_size
        return self.thread_instructions / slots if slots else 1.0


def _race_words(race: DataRace) -> str:
    one, other = race.evidence, race.other
    space = "shared" if race.is_shared else "global"
    return (
        f"byte {race.offset} of {race.buffer} in {space} memory: thread {one.thread} of block {one.block} "
        f"({race.access.value}) and thread {other.thread} of block {other.block} ({race.other_access.value})"
    )
