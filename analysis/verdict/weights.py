"""How many issue slots does each block of a function take, and which share of them is a part of it?

Slots     what the instructions and the terminator of a block cost a warp that runs it once (`latency.py`).
Rounds    how often the loops around a block let it run: the product of their trips (`loops.py`, `mean_trips.py`).
Weight    slots times rounds.  Of a branch all arms count: a warp that parts runs each of them.
Tree      the same with the rounds of unknown loops left open, for shares (`shares.py`).
Unreached blocks that no launch comes to (`unreached.py`) take nothing.
Limits    what a branch skips for the whole warp is counted all the same; a share is an estimate, not a measurement.
Cost      O(instructions) for all blocks together; each block is asked for once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import final

from analysis.affine.result import AffineResult
from analysis.divergence.nodes import PURE
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Constant, Instruction
from analysis.ir.pace import paced
from analysis.ir.source import FrameId
from analysis.memory.spaces import SpaceResult
from analysis.verdict.latency import latencies, latency, terminator_latency
from analysis.verdict.loops import trips
from analysis.verdict.mean_trips import MeanTrips
from analysis.verdict.shares import LoopTree, Part
from analysis.verdict.unreached import unreached_blocks


@final
class BlockWeights:
    """Weights of blocks, computed when first asked for."""

    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        affine: AffineResult,
        spaces: SpaceResult,
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self.spaces = spaces
        self._slots: dict[BasicBlockId, int] = {}
        self._latencies: dict[BasicBlockId, Sequence[int]] = {}
        self._rounds: dict[BasicBlockId, int] = {}
        self._weights: dict[BasicBlockId, int] = {}

    @cached_property
    def unreached(self) -> frozenset[BasicBlockId]:
        """The blocks that no launch comes to."""
        launch = self._divergence.launch
        always, members = dict(launch.always), launch.always_members
        return unreached_blocks(self._function, self._control, self._divergence, always, members)

    @cached_property
    def trips(self) -> list[int]:
        """How often each cycle of the control flow runs when it is entered."""
        return [
            trips(self._affine, cycle) if mean is None else max(1, round(mean))
            for cycle, mean in zip(self._control.cycles, self._means, strict=True)
        ]

    @cached_property
    def _means(self) -> list[float | None]:
        means = MeanTrips(self._function, self._control, self._divergence, self._affine)
        return [means.of(cycle) for cycle in self._control.cycles]

    def rounds(self, block: BasicBlockId) -> int:
        """How often the loops around the block let it run."""
        known = self._rounds.get(block)
        if known is None:
            known = prod([self.trips[cycle.id] for cycle in self._control.cycles_around(block)])
            self._rounds[block] = known
        return known

    def instruction(self, instruction: Instruction) -> int:
        """Issue slots of one instruction of the function."""
        return latency(self._divergence, self.spaces, instruction)

    def is_folded(self, instruction: Instruction) -> bool:
        """Whether arithmetic on constants is left to the compiler."""
        operands, definition = instruction.operands, self._divergence.definition
        is_arithmetic = type(instruction) in PURE and bool(operands)
        return is_arithmetic and all(type(definition(one)) is Constant for one in operands)

    def slots(self, block: BasicBlockId) -> int:
        """Issue slots of one run of the block."""
        known = self._slots.get(block)
        if known is None:
            terminator = self._function.blocks[block].terminator
            is_reached = block not in self.unreached
            known = terminator_latency(terminator) + sum(self.each_in(block)) if is_reached else 0
            self._slots[block] = known
        return known

    def each_in(self, block: BasicBlockId) -> Sequence[int]:
        """The issue slots of each instruction of the block."""
        known = self._latencies.get(block)
        if known is None:
            known = latencies(self._divergence, self.spaces, self._function.blocks[block].instructions)
            self._latencies[block] = known
        return known

    def weight(self, block: BasicBlockId) -> int:
        """Issue slots of all rounds of the loops around the block."""
        known = self._weights.get(block)
        if known is None:
            known = self._weights[block] = self.slots(block) * self.rounds(block)
        return known

    @cached_property
    def whole(self) -> Part:
        """What one round of everything takes, by the loops it stands in."""
        return self.part(self._control.order)

    @cached_property
    def tree(self) -> LoopTree:
        """The weights of the loops, with open trip counts where no bound is known."""
        return self.tree_of(self.whole)

    def tree_of(self, whole: Part) -> LoopTree:
        """The same for something else that is spent in the function."""
        return LoopTree(self._control.cycles, self._means, whole)

    def part(self, blocks: Iterable[BasicBlockId]) -> Part:
        """What one round of the blocks takes, by the loops they stand in."""
        found: defaultdict[CycleId | None, float] = defaultdict(float)
        for block in paced(blocks):
            cycle = self._control.innermost_cycle(block)
            found[None if cycle is None else cycle.id] += self.slots(block)
        return found

    @cached_property
    def by_frame(self) -> Mapping[FrameId, Part]:
        """The same of what stands in the text of each inlined body alone."""
        found: defaultdict[FrameId, defaultdict[CycleId | None, float]] = defaultdict(lambda: defaultdict(float))
        for block in paced(self._control.order):
            if block in self.unreached:
                continue
            around = self._control.innermost_cycle(block)
            cycle = None if around is None else around.id
            body = self._function.blocks[block]
            for instruction, slots in zip(body.instructions, self.each_in(block), strict=True):
                found[instruction.span.frame][cycle] += slots
            found[body.terminator.span.frame][cycle] += terminator_latency(body.terminator)
        return found

    @cached_property
    def total(self) -> int:
        """Issue slots of the whole function, at least 1."""
        return max(1, sum(map(self.weight, self._control.order)))

    def share(self, slots: float) -> float:
        """Which part of the function's issue slots `slots` are."""
        return slots / self.total
