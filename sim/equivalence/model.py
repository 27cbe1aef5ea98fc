"""What comparing two versions of a kernel by running both can say, with the evidence.

Words     *Before* is the version that is there, *after* the one that somebody wants to put in its place.
Rules     `Confirmed` is a claim about the inputs of this launch, under the policies that it names, and no more.
          `Refuted` holds whatever the inputs were.  `NotChecked` says nothing about the change.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from sim.launch.choices import Choice
from sim.report.model import SourcePlace


class Goal(Enum):
    """What the change promises."""

    SAME_RESULTS = "same-results"
    FEWER_INSTRUCTIONS = "fewer-instructions"
    """The same results, and fewer warp instructions are issued under the reference policy."""
    ORDERED = "ordered"
    """What lanes did that ran in step, under every policy: no two lanes of a warp race in shared memory any more."""
    RACE_FREE = "race-free"
    """The same under every policy, whatever it was before: no two warps of a block race in shared memory any more."""
    MET = "met"
    """The results of threads that wait at each barrier for those who come to it; some miss one before the change."""
    MERGED = "merged"
    """The same, where threads that wait at two barriers before the change let each other go on."""

    @property
    def may_miss(self) -> bool:
        """Whether it is no surprise that threads miss a barrier before the change."""
        return self in (Goal.MET, Goal.MERGED)


@final
@record
class BranchPlace:
    """A source branch, in bytes of the file at `path`: where its keyword begins, and all of the statement."""

    path: str
    keyword: int
    start: int
    end: int


@final
@record
class Figures:
    """What one run cost.

    `memory_requests` and `sectors` (of 32 bytes) are those of global, constant and local memory, `shared_requests` and
    `bank_passes` those of shared memory.  `divergent_branches` counts how often a warp split.
    """

    warp_instructions: int
    thread_instructions: int
    warp_size: int
    memory_requests: int
    sectors: int
    shared_requests: int
    bank_passes: int
    divergent_branches: int

    @property
    def active_lanes(self) -> float:
        """Of each instruction that was issued, on average."""
        return self.thread_instructions / self.warp_instructions if self.warp_instructions else 0.0

    @property
    def simd_efficiency(self) -> float:
        return self.active_lanes / self.warp_size


@final
@record
class PolicyFigures:
    """Both versions under one policy."""

    policy: str
    before: Figures
    after: Figures


@final
@record
class LaunchSummary:
    """The launch that both versions ran; `choices` is what nobody gave, and what was given, by name."""

    kernel: str
    grid: Index3
    block: Index3
    warp_size: int
    seed: int
    choices: tuple[Choice, ...]

    @property
    def threads(self) -> int:
        grid, block = self.grid, self.block
        return grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]


# -- evidence against a change -----------------------------------------------------------------------------------------


@final
@record
class MemoryDiffers:
    """The first element of `name` that differs, and how many do; the values as text, bytes where they look alike."""

    name: str
    element: tuple[int, ...]
    before: str
    after: str
    count: int


@final
@record
class PrintedDiffers:
    """A line that one version printed more often than the other; order does not count, for threads have none."""

    line: str
    before: int
    after: int


@final
@record
class NewFault:
    """A fault of the version after that the version before does not have, or not as often."""

    kind: str
    message: str
    place: SourcePlace | None


@final
@record
class NotFewer:
    """The version after issues no fewer instructions."""

    before: int
    after: int


@final
@record
class BrokenText:
    """The text after the change cannot be read, or has a construct that is not understood and was not there before."""

    message: str
    place: SourcePlace | None = None


@final
@record
class StillRaces:
    """Two threads that the change was to order race in the version after."""

    message: str
    place: SourcePlace | None


Evidence: TypeAlias = BrokenText | StillRaces | MemoryDiffers | PrintedDiffers | NewFault | NotFewer


# -- verdicts ----------------------------------------------------------------------------------------------------------


@final
@record
class FewerBlocks:
    """What the policies after the first ran where the whole launch takes too long: the same with the grid `grid`."""

    grid: Index3
    whole: Index3

    @property
    def blocks(self) -> int:
        return math.prod(self.grid)


@final
@record
class Confirmed:
    """Equal under each of `policies`.

    Under those in `left_out` the version before does not reach its end (threads spin for ever), so that there is
    nothing to compare.  `is_order_dependent`: already the version before left other memory under one policy than under
    another, and both versions agree policy by policy.  `unexecuted` of the `instructions` of the branch had no thread.
    """

    policies: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    is_order_dependent: bool = False
    unexecuted: int = 0
    instructions: int = 0
    too_long: tuple[str, ...] = ()
    """Policies under which the run of the version before was ended, so that nothing was compared."""
    fewer: FewerBlocks | None = None
    races: int = 0
    """Pairs of accesses at which threads raced before the change that it was to order, and do not after it."""


@final
@record
class Refuted:
    """`policy` is the first under which it shows; None where nothing had to run."""

    policy: str | None
    evidence: Evidence
    fewer: FewerBlocks | None = None


class Gap(Enum):
    """Why a comparison says nothing; the values are those of the `meld` contract."""

    NOT_SIMULATED = "not-simulated"
    LAUNCH = "launch"
    """The launch does not fit the kernel, or the kernel is not there."""
    TRUNCATED = "truncated"
    """A run was ended before the kernel did."""
    CANCELLED = "cancelled"
    ORDER_DEPENDENT = "order-dependent"
    """The version before leaves other memory under one policy than under another: a race."""
    ARMS_NOT_REACHED = "arms-not-reached"
    STOPPED = "stopped"
    """The version before stops in a fault: a trap, a barrier that some threads miss, threads that wait for ever."""
    NO_KERNEL = "no-kernel"
    """No kernel of the file runs the function."""
    NO_RACE = "no-race"
    """No threads race before the change that it was to order, so that nothing shows what it mends."""


UNREADABLE_INSTANCE: Final = "the changed kernel cannot be launched with the same template arguments"


@final
@record
class NotChecked:
    gap: Gap
    message: str
    place: SourcePlace | None = None


Verdict: TypeAlias = Confirmed | Refuted | NotChecked


@final
@record
class Comparison:
    """`figures`: the reference policy first, and each policy that ran to its end with both versions; `launch` is None
    where nothing ran."""

    verdict: Verdict
    launch: LaunchSummary | None = None
    figures: tuple[PolicyFigures, ...] = ()

    @property
    def saving(self) -> float | None:
        """The share of issued instructions that is saved under the reference policy; None where nothing was counted."""
        if not self.figures or not self.figures[0].before.warp_instructions:
            return None
        return 1 - self.figures[0].after.warp_instructions / self.figures[0].before.warp_instructions
