"""Convergence: how much of a run is converged by proof, how much by luck, how much is diverged?  Figure 4 of Lee et al.

    by shape       blocks that the control-flow graph alone proves convergent (convergence analysis)
    by variance    those that need uniform branch conditions, too (with variance analysis)
    by exits       those that need the exit optimization (threads that only have to return do not count)
    dynamically    blocks that no analysis proves convergent, but all lanes that had not left were there
    diverged       everything else

An instruction of a block that is proven convergent counts as proven, whoever is there: with the exit optimization lanes
that have returned are missing.  Real calls count as the block they are called from does: not at all, they are left out.
Source     Lee, Krashinsky, Grover, Keckler, Asanović, CGO 2013, section 4.1 and Fig. 4.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, Final, final

import numpy as np

from analysis.divergence.options import CONVERGENCE_ONLY, WITH_EXITS, WITH_VARIANCE
from analysis.graph.control_flow import ControlFlow
from analysis.ir.record import record
from sim.arrays import population
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent, Wave
from sim.observers.running import RunningLanes
from sim.observers.static_facts import converged_blocks, launch_knowledge


class Convergence(Enum):
    BY_SHAPE = "by shape"
    BY_VARIANCE = "by variance"
    BY_EXITS = "by exits"
    DYNAMIC = "dynamically"
    DIVERGED = "diverged"


_PROOFS: Final = (
    (Convergence.BY_SHAPE, CONVERGENCE_ONLY),
    (Convergence.BY_VARIANCE, WITH_VARIANCE),
    (Convergence.BY_EXITS, WITH_EXITS),
)


@final
@record
class Dispatched:
    warp_instructions: int
    thread_instructions: int


@final
@record
class ConvergenceAnswer:
    """One entry per kind, in their order; together the whole kernel."""

    kinds: tuple[tuple[Convergence, Dispatched], ...]

    def of(self, kind: Convergence) -> Dispatched:
        return dict(self.kinds)[kind]

    def share(self, kind: Convergence) -> float:
        """Of all thread instructions; 0 for an empty run."""
        total = sum(count.thread_instructions for _, count in self.kinds)
        return self.of(kind).thread_instructions / total if total else 0.0


@final
class ConvergenceObserver(Observer):
    """`knows_shape`: whether the analyses may use the block shape of the launch."""

    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self, *, knows_shape: bool = True) -> None:
        self._knows_shape = knows_shape
        self._running: RunningLanes | None = None
        self._issued: list[int] = []
        self._proofs: dict[int, Convergence | None] = {}
        self._counts: dict[Convergence, tuple[int, int]] = {}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._running = RunningLanes(run)
        self._issued = [segment.issued for segment in run.segments]
        control = ControlFlow.of(run.kernel)
        launch = launch_knowledge(run.launch, knows_shape=self._knows_shape)
        proven: dict[int, Convergence] = {}
        for kind, options in _PROOFS:
            for block in converged_blocks(run.kernel, control, launch, options):
                proven.setdefault(block, kind)
        self._proofs = {
            number: proven.get(segment.block)
            for number, segment in enumerate(run.segments)
            if segment.function.id == run.kernel.id
        }
        self._counts = dict.fromkeys(Convergence, (0, 0))

    def wave(self, wave: Wave) -> None:
        assert self._running is not None
        self._running.wave(wave)

    def segment(self, event: SegmentEvent) -> None:
        assert self._running is not None
        if event.segment in self._proofs:
            issued = self._issued[event.segment]
            sizes = population(event.active)
            proof = self._proofs[event.segment]
            if proof is not None:
                self._add(proof, len(sizes) * issued, int(sizes.sum()) * issued)
            else:
                together = event.active == self._running.lanes[event.rows]
                count = int(np.count_nonzero(together))
                lanes = int(sizes[together].sum())
                self._add(Convergence.DYNAMIC, count * issued, lanes * issued)
                self._add(Convergence.DIVERGED, (len(sizes) - count) * issued, (int(sizes.sum()) - lanes) * issued)
        self._running.leave(event)

    def answer(self) -> ConvergenceAnswer:
        return ConvergenceAnswer(tuple((kind, Dispatched(*count)) for kind, count in self._counts.items()))

    def _add(self, kind: Convergence, warps: int, threads: int) -> None:
        old_warps, old_threads = self._counts[kind]
        self._counts[kind] = old_warps + warps, old_threads + threads
