"""How the lanes of a warp come to the operations of one basic block, in launches that are worth trying.

Method    Every lane of some warps is walked through the function (`analysis.verdict.thread_walk`), over the integers
          that decide branches and that the operations take as masks, lanes and widths.
Launches  The known block shapes; else 64 threads, and where the function reads the block's extent more of them.
          Scalars: 1, numbers around the extent of the block, a large multiple of every block, and what conditions
          compare with.  Which of these a program ever passes is not known: what goes wrong in some of them only is
          possible, what goes wrong in all that come to the operation is proven.
Warps     The first two and the last of a block, and those of the threads that conditions compare with.
Cost      bounded by `MAX_OPERATIONS` for a block of the function, and by the caller for all of it; no cost where all
          lanes come and the mask is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, BlockShape, LaunchKnowledge
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import ReadSpecial
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.verdict.evaluation import LaunchedBlock
from analysis.verdict.slice import Integers, Slice
from analysis.verdict.thread_walk import Visit, Walk
from analysis.verdict.witness import chosen_scalars, related_launch, thresholds

MAX_OPERATIONS: Final = 16_000
"""For the operations of one block."""
MAX_WALK: Final = 1_500
"""Operations of one thread: a longer loop is left to smaller arguments."""
MAX_LOST: Final = 4
"""Warps that cannot be followed, before any could be."""
MAX_NUMBERS: Final = 6
MIN_NUMBERS: Final = 3
"""Values of the scalars that a proof needs: one that parts a warp, one that lets all threads pass, and 1."""
LARGE: Final = 1 << 12
"""A multiple of every block that is a power of two: `i < n` holds for all threads."""

_EXTENTS: Final = frozenset({SpecialRegister.BLOCK_DIM_X, SpecialRegister.BLOCK_DIM_Y, SpecialRegister.BLOCK_DIM_Z})
_HIGHER: Final = frozenset({SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z})


@final
@record
class Trial:
    """One launch that is tried; `number` is what all scalars are set to."""

    launch: LaunchedBlock
    number: int


@final
@record
class WalkedWarp:
    """`visits[lane]` for each lane that the block has; `assumed`: some uniform condition was taken to let them pass."""

    trial: Trial
    warp: int
    visits: tuple[tuple[Visit, ...], ...]
    assumed: bool


@final
class LaneWalks:
    """Walks towards some target blocks, which share one budget."""

    def __init__(
        self,
        integers: Integers,
        knowledge: LaunchKnowledge,
        targets: tuple[BasicBlockId, ...],
        watched: Mapping[BasicBlockId, tuple[ValueId, ...]],
        budget: int = MAX_OPERATIONS,
    ) -> None:
        self.slice = Slice.watching(integers, targets, watched)
        self._knowledge = knowledge
        self.budget = budget
        self._followed = self._lost = self._finished = 0
        self._has_several_shapes = False

    @property
    def rests_on_unknown_shape(self) -> bool:
        """The shape of the block decides, and is not known."""
        return not self._knowledge.shapes and bool(
            self._registers & (_HIGHER | _EXTENTS - {SpecialRegister.BLOCK_DIM_X})
        )

    @property
    def has_lost(self) -> bool:
        """Some warp could not be followed."""
        return self._lost > 0

    @property
    def is_conclusive(self) -> bool:
        """Enough launches were tried for what happens in all of them to be a proof."""
        return self.budget > 0 or (self._finished >= MIN_NUMBERS and not self._has_several_shapes)

    @property
    def _registers(self) -> set[SpecialRegister]:
        return {item.register for item in self.slice.definitions.values() if isinstance(item, ReadSpecial)}

    def trials(self) -> Iterator[Trial]:
        """The launches to try, those in which threads part most easily first."""
        slice_ = self.slice
        compared = thresholds(slice_)
        shapes = self._shapes(compared)
        self._has_several_shapes = len(shapes) > 1
        for shape in shapes:
            numbers = dict.fromkeys([shape.threads // 2 + 1, LARGE, 1, *compared[:2], shape.threads])
            for number in list(numbers)[:MAX_NUMBERS] if slice_.scalar_names else [LARGE]:
                scalars = chosen_scalars(slice_.function, slice_, shape, number)
                launch = LaunchedBlock(shape, 0, self._knowledge.warp_size, scalars)
                yield Trial(related_launch(slice_.function, self._knowledge, launch), number)
                self._finished += self.budget > 0

    def warps(self, trial: Trial) -> Iterator[WalkedWarp]:
        """Those that can be followed."""
        size, threads = trial.launch.warp_size, trial.launch.shape.threads
        count = -(-threads // size)
        compared = [thread // size for thread in thresholds(self.slice) if thread < threads]
        for warp in sorted({0, min(1, count - 1), count - 1, *compared[:4]}):
            walked = self._walked(trial, warp)
            if walked is not None:
                self._followed += 1
                yield walked
            else:
                self._lost += 1
            if self.budget <= 0:
                return
            if self._lost >= MAX_LOST and not self._followed:
                self.budget = 0  # data decide, whatever the launch

    def _shapes(self, compared: list[int]) -> tuple[BlockShape, ...]:
        if self._knowledge.shapes:
            return self._knowledge.shapes
        size = self._knowledge.warp_size
        needed = max((thread for thread in compared if thread < MAX_BLOCK_THREADS), default=0) + 1
        usual = max(2 * size, -(-needed // size) * size)
        more = (8 * size, MAX_BLOCK_THREADS) if self._registers & _EXTENTS else ()
        return tuple(BlockShape(threads) for threads in dict.fromkeys((min(usual, MAX_BLOCK_THREADS), *more)))

    def _walked(self, trial: Trial, warp: int) -> WalkedWarp | None:
        size = trial.launch.warp_size
        lanes = range(warp * size, min((warp + 1) * size, trial.launch.shape.threads))
        walk = Walk(self.slice, trial.launch, lanes, self.budget, MAX_WALK)
        is_told = walk.follow()
        self.budget = walk.budget
        if not is_told:
            return None
        return WalkedWarp(trial, warp, tuple(tuple(thread.visits) for thread in walk.threads), walk.assumed)
