"""Oracle convergence: how much of a run could stay converged under the best possible schedule?

Each lane leaves a trace of segments, cut where it passes blocks that are proven convergent (exits optimized away).
In the regions between, the whole warp can execute an instruction at once if the traces can be aligned at it, so the
best schedule is a heaviest common subsequence of all traces (MLCS).  Lanes that leave the kernel in a region before
others need not be waited for: if some stay, the others go first, and those that stay are aligned.  The answer is one of
the program, not of the policy that ran it.

Bounded    The problem is NP-hard in the number of different traces.  `low` and `high` enclose the answer; they meet
           where all regions are solved exactly.  Regions longer than `max_trace` count 0 in `low` and fully in `high`;
           of regions in which lanes leave, `high` is all their work.  The answer counts such regions.
Left out   Functions that are really called.  Orders that barriers inside a region impose are not looked at.
Source     Lee, Krashinsky, Grover, Keckler, Asanović, CGO 2013, section 4.1 (limit study).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.divergence.options import WITH_EXITS
from analysis.graph.control_flow import ControlFlow
from analysis.ir.record import record
from sim.arrays import lanes_of, population
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent, Wave
from sim.observers.common_subsequence import Alignment, align
from sim.observers.running import RunningLanes
from sim.observers.static_facts import converged_blocks, launch_knowledge

MAX_TRACE: Final = 512
MAX_CELLS: Final = 1 << 16
_ALL: Final = np.iinfo(np.int64).max


@final
@record
class OracleAnswer:
    """Thread instructions of the kernel; `proven` those in blocks that are proven convergent.

    `low` to `high` of the others can be converged; `regions` were found, `unsolved` of them have only bounds.
    """

    total: int
    proven: int
    low: int
    high: int
    regions: int
    unsolved: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    @property
    def shares(self) -> tuple[float, float]:
        """The least and the largest share that can be converged, proven parts included; 1 for an empty run."""
        if not self.total:
            return 1.0, 1.0
        return (self.proven + self.low) / self.total, (self.proven + self.high) / self.total


@final
@dataclass(slots=True)
class _Region:
    """One warp between two convergent places: the segments that were run, with the lanes that ran them, as bits."""

    steps: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    work: int = 0


@final
class OracleObserver(Observer):
    """`knows_shape`: whether the analysis may use the block shape of the launch.

    To solve regions may take longer than the run: `check` is called before each alignment, and may raise
    `OutOfBudget`, also from `answer`.
    """

    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(
        self,
        *,
        knows_shape: bool = True,
        max_trace: int = MAX_TRACE,
        max_cells: int = MAX_CELLS,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._knows_shape = knows_shape
        self._check = check
        self._max_trace, self._max_cells = max_trace, max_cells
        self._running: RunningLanes | None = None
        self._warp_size = 0
        self._issued: dict[int, int] = {}
        self._proven: frozenset[int] = frozenset()
        self._passed: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        """(rows, lanes): how many convergent segments each lane has run; the number of the region it is in."""
        self._open: dict[int, dict[int, _Region]] = {}
        """By row and number."""
        self._known: dict[tuple[tuple[tuple[int, int], ...], tuple[int, ...]], Alignment] = {}
        """Regions that were solved: warps often do the same."""
        self._total = self._proven_work = self._low = self._high = self._regions = self._unsolved = 0

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._running = RunningLanes(run)
        self._warp_size = run.launch.warp_size
        own = {number: one for number, one in enumerate(run.segments) if one.function.id == run.kernel.id}
        self._issued = {number: segment.issued for number, segment in own.items()}
        launch = launch_knowledge(run.launch, knows_shape=self._knows_shape)
        blocks = converged_blocks(run.kernel, ControlFlow.of(run.kernel), launch, WITH_EXITS)
        self._proven = frozenset(number for number, segment in own.items() if segment.block in blocks)

    def wave(self, wave: Wave) -> None:
        assert self._running is not None
        self._close_all()
        self._running.wave(wave)
        self._passed = np.zeros((len(wave.live), self._warp_size), np.int64)

    def segment(self, event: SegmentEvent) -> None:
        assert self._running is not None
        issued = self._issued.get(event.segment)
        if issued is None:
            return
        sizes = population(event.active)
        work = int(sizes.sum()) * issued
        self._total += work
        if event.segment in self._proven:
            self._proven_work += work
            self._passed[event.rows] += lanes_of(event.active, self._warp_size)
            if self._open:
                for row in event.rows.tolist():
                    self._close_passed(row)
        else:
            self._follow(event, issued)
        self._running.leave(event)

    def answer(self) -> OracleAnswer:
        self._close_all()
        return OracleAnswer(self._total, self._proven_work, self._low, self._high, self._regions, self._unsolved)

    def _follow(self, event: SegmentEvent, issued: int) -> None:
        lanes = lanes_of(event.active, self._warp_size)
        passed = self._passed[event.rows]
        first = np.where(lanes, passed, _ALL).min(axis=1)
        last = np.where(lanes, passed, -1).max(axis=1)
        of_row = zip(event.rows.tolist(), event.active.tolist(), first.tolist(), last.tolist(), strict=True)
        for row, active, lowest, highest in of_row:
            regions = self._open.setdefault(row, {})
            if lowest == highest:
                self._note(regions, lowest, event.segment, active, issued)
                continue
            for lane in _lanes(active):
                self._note(regions, int(self._passed[row, lane]), event.segment, 1 << lane, issued)

    def _note(self, regions: dict[int, _Region], number: int, segment: int, active: int, issued: int) -> None:
        region = regions.get(number)
        if region is None:
            region = regions[number] = _Region()
        region.work += issued * active.bit_count()
        # With one step more, the trace of some lane is too long already.
        if len(region.steps) <= self._max_trace * self._warp_size:
            region.steps.append((segment, active))

    def _close_passed(self, row: int) -> None:
        """The regions that every running lane has left behind."""
        assert self._running is not None
        regions = self._open.get(row)
        if regions is None:
            return
        running = _lanes(int(self._running.lanes[row]))
        reached = min(int(self._passed[row, lane]) for lane in running)
        for number in [number for number in regions if number < reached]:
            self._close(row, number, regions.pop(number))
        if not regions:
            del self._open[row]

    def _close_all(self) -> None:
        for row, regions in self._open.items():
            for number, region in regions.items():
                self._close(row, number, region)
        self._open.clear()

    def _close(self, row: int, number: int, region: _Region) -> None:
        """Lanes that passed further stayed, perhaps without running anything here; those that did not left here."""
        self._regions += 1
        passed = self._passed[row].tolist()
        stay = tuple(lane for lane, count in enumerate(passed) if count > number)
        key = tuple(region.steps), stay
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._solve(region, stay)
        high = min(found.high, region.work)
        self._low += found.low
        self._high += high
        self._unsolved += found.low < high

    def _solve(self, region: _Region, stay: tuple[int, ...]) -> Alignment:
        traces: dict[int, list[int]] = {lane: [] for lane in stay}
        for segment, active in region.steps:
            for lane in _lanes(active):
                traces.setdefault(lane, []).append(segment)
        if max(map(len, traces.values())) > self._max_trace:
            return Alignment(0, _ALL)
        counted = stay or tuple(traces)
        once = align([tuple(traces[lane]) for lane in counted], self._issued, self._max_cells, self._check)
        low, high = once.low * len(counted), once.high * len(counted)
        # Of lanes that leave, some work may be aligned with that of others, or of each other.
        return Alignment(low, high if len(stay) == len(traces) else _ALL)


def _lanes(bits: int) -> list[int]:
    return [lane for lane in range(bits.bit_length()) if bits >> lane & 1]
