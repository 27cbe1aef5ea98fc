"""Activity with and without scalarization: Figure 6 of Lee et al. for a run.

`analysis.scalar` translates the kernel twice, conventionally and with scalar registers and instructions; this counts
how often the warps of a run execute each block of both, and sums up what the listing says about it:

    issued      instructions: one per warp, or per part of a warp that is at a block by itself
    operations  one per warp for a scalar or warp-sequential instruction, else one per active thread
    reads, writes   of registers: a scalar register once per warp, a thread register once per active thread
    addresses   one per warp for a scalar or warp-sequential access, else one per active thread
    data        elements moved: once per warp for a scalar access, else once per active thread

each split by where it comes from: scalar (and warp-sequential) instructions, thread instructions of blocks that are
proven convergent, of other blocks where all lanes that had not left were together, and of diverged lanes.  On the
stackless machine of section 5.2 a diverged thread issues for itself: there, diverged `issued` is diverged `operations`.
Left out   Functions that are really called.
Source     Lee, Krashinsky, Grover, Keckler, Asanović, CGO 2013, section 4.2 and Fig. 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId
from analysis.scalar.counts import Activity, Share, activity
from analysis.scalar.machine import Execution, MachineFunction, MachineInstruction
from analysis.scalar.scalarize import Scalarization, scalarize
from sim.arrays import population
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent, Wave
from sim.observers.running import RunningLanes
from sim.observers.static_facts import launch_knowledge


class Source(Enum):
    SCALAR = "scalar"
    STATICALLY_CONVERGED = "statically converged"
    DYNAMICALLY_CONVERGED = "dynamically converged"
    DIVERGED = "diverged"


@final
@dataclass(frozen=True, slots=True)
class Executed:
    """What one source did in the whole run."""

    issued: int = 0
    operations: int = 0
    reads: int = 0
    writes: int = 0
    addresses: int = 0
    data: int = 0

    def __add__(self, other: Executed) -> Executed:
        return Executed(
            self.issued + other.issued,
            self.operations + other.operations,
            self.reads + other.reads,
            self.writes + other.writes,
            self.addresses + other.addresses,
            self.data + other.data,
        )


@final
@dataclass(frozen=True, slots=True)
class ScalarActivity:
    """By source, for both translations; the conventional one has no scalar instructions."""

    conventional: Mapping[Source, Executed]
    scalarized: Mapping[Source, Executed]

    def saved(self) -> Mapping[str, float]:
        """Which share of each count scalarization saves; negative where it adds."""
        before = sum(self.conventional.values(), Executed())
        after = sum(self.scalarized.values(), Executed())
        names = Executed.__slots__
        return {name: 1 - getattr(after, name) / (getattr(before, name) or 1) for name in names}


@final
@dataclass(slots=True)
class _Visits:
    """Arrivals of warps or parts of them at a block, and their lanes."""

    together: int = 0
    together_lanes: int = 0
    apart: int = 0
    apart_lanes: int = 0


@final
class ScalarActivityObserver(Observer):
    """`knows_shape`: whether the translation may use the block shape of the launch."""

    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self, *, knows_shape: bool = True, exit_optimization: bool = False) -> None:
        self._knows_shape = knows_shape
        self._exit_optimization = exit_optimization
        self._running: RunningLanes | None = None
        self._scalarization: Scalarization | None = None
        self._block_of: dict[int, int] = {}
        self._visits: dict[int, _Visits] = {}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._running = RunningLanes(run)
        launch = launch_knowledge(run.launch, knows_shape=self._knows_shape)
        control = ControlFlow.of(run.kernel)
        self._scalarization = scalarize(run.kernel, control, launch, self._exit_optimization)
        self._block_of = {}
        for number, segment in enumerate(run.segments):
            is_first = number == 0 or run.segments[number - 1].block != segment.block
            if segment.function.id == run.kernel.id and is_first:
                self._block_of[number] = segment.block
        self._visits = {block: _Visits() for block in self._block_of.values()}

    def wave(self, wave: Wave) -> None:
        assert self._running is not None
        self._running.wave(wave)

    def segment(self, event: SegmentEvent) -> None:
        assert self._running is not None
        block = self._block_of.get(event.segment)
        if block is not None:
            together = event.active == self._running.lanes[event.rows]
            self._count(self._visits[block], together, population(event.active))
        self._running.leave(event)

    def answer(self) -> ScalarActivity:
        scalarization = self._scalarization
        assert scalarization is not None, "asked after a run"
        proven = scalarization.plan.converged
        return ScalarActivity(
            self._executed(scalarization.conventional, proven), self._executed(scalarization.scalarized, proven)
        )

    def _count(self, visits: _Visits, together: NDArray[np.bool_], sizes: NDArray[np.uint8]) -> None:
        count, lanes = int(np.count_nonzero(together)), int(sizes[together].sum())
        visits.together += count
        visits.together_lanes += lanes
        visits.apart += len(sizes) - count
        visits.apart_lanes += int(sizes.sum()) - lanes

    def _executed(self, function: MachineFunction, proven: frozenset[BasicBlockId]) -> Mapping[Source, Executed]:
        found = dict.fromkeys(Source, Executed())
        for block in function.blocks:
            visits = self._visits.get(block.id, _Visits())
            threads: list[MachineInstruction] = []
            scalars: list[MachineInstruction] = []
            for instruction in block.instructions:
                (threads if instruction.execution is Execution.THREAD else scalars).append(instruction)
            arrivals, lanes = visits.together + visits.apart, visits.together_lanes + visits.apart_lanes
            once = activity(threads)
            found[Source.SCALAR] += _times(activity(scalars), arrivals, lanes)
            if block.id in proven:
                found[Source.STATICALLY_CONVERGED] += _times(once, arrivals, lanes)
            else:
                found[Source.DYNAMICALLY_CONVERGED] += _times(once, visits.together, visits.together_lanes)
                found[Source.DIVERGED] += _times(once, visits.apart, visits.apart_lanes)
        return found


def _times(once: Activity, warps: int, lanes: int) -> Executed:
    def total(share: Share) -> int:
        return share.once * warps + share.each * lanes

    return Executed(
        once.issued * warps,
        total(once.operations),
        total(once.reads),
        total(once.writes),
        total(once.addresses),
        total(once.data),
    )
