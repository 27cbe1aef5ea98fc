"""Loops in which lanes of a warp wait for a lock that another lane of the same warp may hold.

A lane *takes* a lock by a compare-and-swap or an exchange whose result decides about leaving the loop, and *releases*
it behind the loop.  If the warp runs the loop until all its lanes have left it, the lane that holds the lock never
comes to the release.

Rules     A loop with an atomic compare-and-swap or exchange that runs in every round and whose result decides one of
          its exits; no write to that address in the loop but this; behind the loop an atomic or a store to the same
          address.  More than one lane of a warp may come: no equality on the thread index guards the loop.
Tiers     PROVEN    the address agrees in each warp, and all lanes of a warp come together.
          POSSIBLE  otherwise: lanes may take different locks, or come one by one.
Source    ElTantawy and Aamodt, "MIMD synchronization on SIMT architectures", MICRO 2016 (SIMT-induced deadlock).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from analysis.affine.result import AffineResult
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Atomic, Store
from analysis.ir.operators import AtomicOperator
from analysis.ir.source import Span
from analysis.memory.same_address import SameAddress
from analysis.verdict.alone import SingleLanes
from analysis.verdict.barriers import Tier
from analysis.warp.dependence import rests_on
from analysis.warp.model import WarpProblem, WarpProblemKind

ACQUIRING: Final = (AtomicOperator.COMPARE_AND_SWAP, AtomicOperator.EXCHANGE)


def find_spin_locks(
    function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
) -> Iterator[WarpProblem]:
    finder = _Finder(function, control, divergence, affine)
    for cycle in control.cycles:
        yield from finder.locks(cycle)


@final
class _Finder:
    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._same = SameAddress(function, divergence)
        self._alone = SingleLanes(function, control, divergence, affine)

    def locks(self, cycle: Cycle) -> Iterator[WarpProblem]:
        taking = [
            (block, item)
            for block in sorted(cycle.blocks)
            for item in self._function.blocks[block].instructions
            if isinstance(item, Atomic) and item.operator in ACQUIRING
        ]
        for block, atomic in taking:
            own = self._control.innermost_cycle(block)
            if own is None or own.id != cycle.id or not self._decides_exit(cycle, atomic.result):
                continue
            if self._alone.runs_alone(block) or self._is_written_inside(cycle, atomic):
                continue
            release = self._release(cycle, atomic)
            if release is not None:
                yield self._problem(cycle, block, atomic, release)

    def _problem(self, cycle: Cycle, block: BasicBlockId, atomic: Atomic, release: Span) -> WarpProblem:
        divergence = self._divergence
        is_one_lock = divergence.use_level(atomic.address, block) <= Level.WARP
        is_together = all(
            divergence.convergence(BasicBlockId(before)) <= Level.WARP
            for before in self._control.predecessors[cycle.header]
            if before not in cycle.blocks
        )
        tier = Tier.PROVEN if is_one_lock and is_together else Tier.POSSIBLE
        return WarpProblem(WarpProblemKind.SPIN_LOCK, block, atomic, tier, None, (), other=release)

    def _decides_exit(self, cycle: Cycle, result: ValueId) -> bool:
        exits = (self._function.blocks[block].terminator for block in self._control.exit_branches(cycle))
        return rests_on(self._divergence, (value for terminator in exits for value in terminator.operands), result)

    def _is_written_inside(self, cycle: Cycle, atomic: Atomic) -> bool:
        """The lock is released in the loop that waits for it: a round lets the next lane go on."""
        return any(
            item is not atomic and isinstance(item, Atomic | Store) and self._same.holds(item.address, atomic.address)
            for block in cycle.blocks
            for item in self._function.blocks[block].instructions
        )

    def _release(self, cycle: Cycle, atomic: Atomic) -> Span | None:
        for block in self._control.order:
            if block in cycle.blocks or not self._control.dominates(cycle.header, block):
                continue
            for item in self._function.blocks[block].instructions:
                if isinstance(item, Atomic | Store) and self._same.holds(item.address, atomic.address):
                    return item.span
        return None
