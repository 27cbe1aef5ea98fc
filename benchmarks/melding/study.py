"""Every kernel before and after melding: by method, block size, threshold and width of a warp.

Rules    A melded kernel runs with the inputs of the original and must leave the same memory, bit by bit; otherwise the
         study ends with an error.  Functions that melding leaves equal run once.
Blocks   The published methods are not told the size of a block, as the paper's pass is not.  `best` is: it knows what
         the analysis knows of a launch.
Source   The source melder sees the block of the comment above the kernel and a warp of 32 lanes; the text that it
         writes then runs with all blocks.
Cost     One simulation for each different function and block: a few minutes for everything on one core.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final, final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.function import Function
from analysis.ir.index3 import Index3
from analysis.ir.printer import print_function
from analysis.ir.record import record
from analysis.meld.settings import MeldMethod, MeldSettings
from benchmarks.melding.counts import Counts, RunError, count_run
from benchmarks.melding.launching import launch_of
from benchmarks.melding.melders import SourceMeld, meld_ir, meld_source
from benchmarks.melding.subjects import Subject, program_of
from sim.kernel import Kernel
from sim.specification import LaunchSpecification

WARP_SIZES: Final = (32, 64)
THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.5)
DEFAULT_THRESHOLD: Final = 0.2


class Variant(Enum):
    """What was done to a kernel; the order of the columns."""

    DARM = "darm"
    FUSION = "fusion"
    TAIL = "tail"
    LINEAR = "linear"
    BEST = "best"
    SOURCE = "source"


_METHODS: Final = {
    Variant.DARM: MeldMethod.DARM,
    Variant.FUSION: MeldMethod.FUSION,
    Variant.TAIL: MeldMethod.TAIL,
    Variant.LINEAR: MeldMethod.LINEAR,
}


@final
@record
class Comparison:
    """One kernel with one block under one warp size: `before`, and `after` each variant."""

    subject: str
    block: Index3
    warp_size: int
    before: Counts
    after: Mapping[Variant, Counts]

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    def speed_up(self, variant: Variant) -> float:
        """In issue slots."""
        return self.before.slots / self.after[variant].slots


@final
@record
class ThresholdCurve:
    """DARM's speed-up in issue slots for each threshold, at one block."""

    subject: str
    block: Index3
    warp_size: int
    speed_ups: Mapping[float, float]


@final
@record
class SubjectStudy:
    """All about one kernel; `source_edits` is how many melds the text took."""

    subject: str
    comparisons: tuple[Comparison, ...]
    curves: tuple[ThresholdCurve, ...]
    source_edits: int


def best_block(comparisons: Iterable[Comparison]) -> Comparison:
    """That with the largest speed-up by DARM; of equal ones the largest block."""
    return max(comparisons, key=lambda comparison: (round(comparison.speed_up(Variant.DARM), 2), comparison.threads))


class ResultError(Exception):
    """Melding changed what a kernel computes."""


def study(
    subject: Subject, warp_sizes: Sequence[int] = WARP_SIZES, thresholds: Sequence[float] = THRESHOLDS
) -> SubjectStudy:
    source = _melded_source(subject)
    comparisons: list[Comparison] = []
    curves: list[ThresholdCurve] = []
    for warp_size in warp_sizes:
        melded = _Melded(subject, warp_size, source.text)
        found = [melded.compared(block) for block in subject.blocks]
        comparisons += found
        curves.append(melded.curve(best_block(found).block, thresholds))
    return SubjectStudy(subject.name, tuple(comparisons), tuple(curves), source.edits)


@final
class _Melded:
    """One kernel under one warp size, with everything that melding makes of it."""

    def __init__(self, subject: Subject, warp_size: int, source: bytes) -> None:
        self._subject = subject
        self._warp_size = warp_size
        self._program = program_of(subject.text, subject.file, warp_size)
        self._source = program_of(source, subject.file, warp_size)
        self._functions: dict[tuple[MeldSettings, tuple[BlockShape, ...]], Function] = {}
        self._runs: dict[tuple[str, Index3], Counts] = {}

    def compared(self, block: Index3) -> Comparison:
        before = self._run(block, None)
        after = {variant: self._run(block, MeldSettings(method=method)) for variant, method in _METHODS.items()}
        after[Variant.BEST] = self._run(block, MeldSettings(method=MeldMethod.BEST), knows_block=True)
        after[Variant.SOURCE] = self._run_source(block)
        for variant, counts in after.items():
            _check_equal(before, counts, f"{self._subject.name}, {variant.value}, block {block}")
        return Comparison(self._subject.name, block, self._warp_size, before, after)

    def curve(self, block: Index3, thresholds: Sequence[float]) -> ThresholdCurve:
        before = self._run(block, None)
        found: dict[float, float] = {}
        for threshold in thresholds:
            after = self._run(block, MeldSettings(method=MeldMethod.DARM, threshold=threshold))
            _check_equal(before, after, f"{self._subject.name}, threshold {threshold}, block {block}")
            found[threshold] = before.slots / after.slots
        return ThresholdCurve(self._subject.name, block, self._warp_size, found)

    def _run(self, block: Index3, settings: MeldSettings | None, *, knows_block: bool = False) -> Counts:
        kernel, launch = launch_of(self._program, self._subject.function, block)
        if settings is None:
            return self._counted(kernel, launch)
        shapes = (BlockShape(*block),) if knows_block else ()
        key = settings, shapes
        if key not in self._functions:
            knowledge = LaunchKnowledge(shapes, warp_size=self._warp_size)
            self._functions[key] = meld_ir(kernel.function, settings, knowledge)
        return self._counted(replace(kernel, function=self._functions[key]), launch)

    def _run_source(self, block: Index3) -> Counts:
        return self._counted(*launch_of(self._source, self._subject.function, block))

    def _counted(self, kernel: Kernel, launch: LaunchSpecification) -> Counts:
        key = print_function(kernel.function), launch.block
        if key not in self._runs:
            self._runs[key] = count_run(kernel, launch)
        return self._runs[key]


def _check_equal(before: Counts, after: Counts, what: str) -> None:
    if before.memory != after.memory:
        raise ResultError(f"{what}: the memory differs after melding")


def _melded_source(subject: Subject) -> SourceMeld:
    def is_better(before: bytes, after: bytes) -> bool:
        try:
            first, second = (
                count_run(*launch_of(program_of(text, subject.file, 32), subject.function)) for text in (before, after)
            )
        except RunError:
            return False
        return first.memory == second.memory and second.issued < first.issued

    return meld_source(subject.text, subject.function, MeldSettings(), is_better)
