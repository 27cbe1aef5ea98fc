"""What is reported about a kernel: plain, frozen data; text, JSON and HTML only render it.

Lines and columns count from 1, columns in Unicode code points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, final

from numpy.typing import NDArray

from analysis.divergence.levels import Level
from analysis.ir.index3 import Index3
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from sim.events import BarrierScope
from sim.launch.choices import Choice
from sim.launch.npy_files import FileStamp
from sim.observers.lane_histogram import LaneHistogram
from sim.observers.requests import RequestCount
from sim.observers.timeline import SegmentRun
from sim.observers.work import Work
from sim.report.study import Study
from sim.result import TruncationReason


@final
@record
class SourcePlace:
    """`path` is the file of the kernel or a header of it."""

    path: str
    line: int
    column: int


@final
@record
class SideReport:
    """Where lanes went: `place` is None at the end of the kernel; `divergent_lanes` when others went elsewhere."""

    place: SourcePlace | None
    lanes: int
    divergent_lanes: int


@final
@record
class BranchReport:
    """One source branch: what the run counted, beside what the analysis had said.

    `level` is None where the analysis does not know the branch.  `lanes` are active lanes, summed over executions.
    `sides` is empty for a condition that was computed without branching (`is_select`).  `reconvergence` is where the
    paths meet at the latest; None at the end of the kernel.  `is_counting`: the run has not ended.
    """

    place: SourcePlace
    text: str
    executed: int
    diverged: int
    lanes: int
    level: Level | None
    sides: tuple[SideReport, ...] = ()
    reconvergence: SourcePlace | None = None
    is_select: bool = False
    is_counting: bool = False

    @property
    def never_diverged(self) -> bool:
        """The analysis calls it varying, and yet no warp split in this run; not said before that has ended."""
        return self.level is Level.VARYING and self.executed > 0 and self.diverged == 0 and not self.is_counting


class AccessUse(Enum):
    """What an access does with memory; a reduction is an atomic whose result nothing uses."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    REDUCTION = "reduction"


@final
@record
class AccessPart:
    """The requests of one access that go to one space and do one thing there."""

    space: MemorySpace
    kind: AccessUse
    requests: RequestCount


@final
@record
class AccessReport:
    """One access to memory in the text, of all inlined copies; `parts` tell it apart (`a[i] += 1` loads and stores)."""

    place: SourcePlace
    requests: RequestCount
    parts: tuple[AccessPart, ...] = ()


@final
@record
class BarrierReport:
    """One barrier in the text: how often warps, and how many of their lanes, came to it."""

    place: SourcePlace
    scope: BarrierScope
    executed: int
    lanes: int


@final
@record
class LineReport:
    """One line of the kernel's file: instructions and what their memory requests cost.

    `executed` is how often a warp, or the active part of one, came here.
    """

    line: int
    work: Work
    requests: RequestCount
    executed: int


@final
@record
class RelatedPlace:
    """Another place that a fault is about, and a sentence on what happens there."""

    place: SourcePlace | None
    message: str


@final
@record
class FaultReport:
    """`kind` is a word for programs (`out-of-bounds`), `message` a sentence for people.

    `is_note` for what may be no fault of the program (`races.py`); `chosen` are the names of the choices behind it.
    """

    kind: str
    place: SourcePlace | None
    block: Index3
    thread: Index3
    count: int
    message: str
    is_note: bool = False
    related: tuple[RelatedPlace, ...] = ()
    chosen: tuple[str, ...] = ()


@final
@record
class TimelineReport:
    """The first steps of one warp; `places` has the source of each step's segment (None: nothing stands there)."""

    block: int
    warp: int
    warp_size: int
    steps: tuple[SegmentRun, ...]
    places: tuple[SourcePlace | None, ...]
    omitted: int


@final
@record
class TruncationReport:
    reason: TruncationReason
    place: SourcePlace | None


@final
@record
class LossReport:
    """Lanes that were issued and idled, put down to the splits of one branch; None: to no split (`losses.py`)."""

    branch: SourcePlace | None
    lanes: int


@final
@record
class CoveredLine:
    """`executed` is how often a warp, or the active part of one, came here at most; of the `places` in the text that
    issue instructions, `reached` ran."""

    line: int
    executed: int
    places: int
    reached: int


@final
@record
class FileCoverage:
    """The lines with code of one file, in order."""

    path: str
    lines: tuple[CoveredLine, ...]


@final
@record
class Coverage:
    """The kernel's own file comes first."""

    files: tuple[FileCoverage, ...] = ()

    @property
    def lines(self) -> int:
        """With code, in all files."""
        return sum(len(file.lines) for file in self.files)

    @property
    def reached(self) -> int:
        """Lines of which something ran."""
        return sum(line.reached > 0 for file in self.files for line in file.lines)

    @property
    def is_low(self) -> bool:
        """Whether less than half of the lines ran: then silence about the others is no praise."""
        return 2 * self.reached < self.lines


@final
@record
class PolicyReport:
    """One run of the kernel under one policy; `notes` are findings that are no faults."""

    policy: str
    warp_instructions: int
    thread_instructions: int
    simd_efficiency: float
    branches: tuple[BranchReport, ...]
    accesses: tuple[AccessReport, ...]
    lines: tuple[LineReport, ...]
    requests: RequestCount
    histogram: LaneHistogram
    timeline: TimelineReport
    faults: tuple[FaultReport, ...]
    notes: tuple[FaultReport, ...]
    printed: tuple[str, ...]
    memory_digest: str
    truncated: TruncationReport | None
    seconds: float
    losses: tuple[LossReport, ...] = ()
    barriers: tuple[BarrierReport, ...] = ()
    coverage: Coverage = Coverage()


class Standing(Enum):
    """Of a simulation when a report on it was made."""

    ENDED = "ended"
    GOING_ON = "going on"
    STOPPED = "stopped"


@final
@record
class KernelReport:
    """One kernel under one launch; `policies` in the order they were asked for, `arrays` after the first of them.

    `files` are the `.npy` files that arguments were read from; `study` is None where none was asked for or the run did
    not end.  Unless the simulation has ended, the last run, or all of it, is what was counted until then.

    `source` has all lines of the kernel's file; the kernel stands in `first_line` to `last_line`.
    """

    path: str
    kernel: str
    first_line: int
    last_line: int
    source: tuple[str, ...]
    grid: Index3
    block: Index3
    warp_size: int
    seed: int
    choices: tuple[Choice, ...]
    policies: tuple[PolicyReport, ...]
    arrays: Mapping[str, NDArray[Any]]
    files: tuple[FileStamp, ...]
    study: Study | None
    seconds: float
    barriers: frozenset[int] = frozenset()
    """Lines of the kernel's file with a barrier of the block."""
    before: KernelReport | None = None
    """Of another version of the kernel, to be compared with."""
    standing: Standing = Standing.ENDED
    blocks_run: int = 0
    """So many blocks of the grid, in linear order; 0 for all."""
    is_grid_cut: bool = False
    """Host code launches more blocks."""
    architecture: int = 800
    """`__CUDA_ARCH__` that the text was read for."""

    @property
    def is_interim(self) -> bool:
        """Whether the simulation went on when this was made."""
        return self.standing is Standing.GOING_ON

    def stopped(self) -> KernelReport:
        """What an interim report becomes when the simulation, which was at its last policy, is stopped there."""
        *others, last = self.policies
        place = None if last.truncated is None else last.truncated.place
        cancelled = replace(last, truncated=TruncationReport(TruncationReason.CANCELLED, place))
        return replace(self, policies=(*others, cancelled), standing=Standing.STOPPED)

    @property
    def agree(self) -> bool | None:
        """Whether all policies left the same memory; None where one was cut off and those that ended do not differ."""
        if len({run.memory_digest for run in self.policies if run.truncated is None}) > 1:
            return False
        return None if any(run.truncated is not None for run in self.policies) else True
