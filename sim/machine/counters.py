"""The counters that every run keeps: how often each segment ran, with how many lanes, and how often it diverged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import Final, final

import numpy as np

from analysis.ir.instructions import Branch, Select, SourceBranchId, Switch
from analysis.ir.source import Span
from sim.arrays import LaneSets
from sim.code.segments import is_issued
from sim.launch.specification import Budget
from sim.machine.ending import OutOfBudget
from sim.observers.protocol import Segment
from sim.policies.protocol import Split
from sim.result import BranchCount, InstructionCount, TruncationReason

_CHECK_EVERY: Final = 64
_PROGRESS_SECONDS: Final = 0.1


@final
class Counters:
    """Indexed by segment: `warps` that ran it, `lanes` that ran it, warps that `diverged` at its end."""

    def __init__(self, segments: tuple[Segment, ...], budget: Budget, progress: Callable[[float], bool] | None) -> None:
        self._segments = segments
        self._budget = budget
        self._progress = progress
        self._issued = [segment.issued for segment in segments]
        self.warps = [0] * len(segments)
        self.lanes = [0] * len(segments)
        self.diverged = [0] * len(segments)
        self.steps = 0
        """Warp instructions so far: the clock."""
        self.finished = 0.0
        """The share of blocks that are done."""
        self._started = self._told = perf_counter()
        self._until_check = _CHECK_EVERY

    def count(self, segment: int, rows: int, lanes: int) -> None:
        """`rows` warps with `lanes` active lanes altogether ran `segment`; raises OutOfBudget."""
        self.warps[segment] += rows
        self.lanes[segment] += lanes
        self.steps += rows * self._issued[segment] or 1
        self._until_check -= 1 + (rows >> 6)  # the more warps, the longer a segment takes
        if self._until_check <= 0:
            self._check(segment)

    def count_divergence(self, segment: int, split: Split) -> None:
        several = np.sum([lanes != 0 for _, lanes in split], axis=0) > 1
        self.diverged[segment] += int(np.count_nonzero(several))

    def _check(self, segment: int) -> None:
        self._until_check = _CHECK_EVERY
        if self.steps > self._budget.max_steps:
            raise OutOfBudget(TruncationReason.STEPS, segment)
        now = perf_counter()
        if now - self._started > self._budget.seconds:
            raise OutOfBudget(TruncationReason.TIME, segment)
        if self._progress is not None and now - self._told > _PROGRESS_SECONDS:
            self._told = now
            if not self._progress(self.finished):
                raise OutOfBudget(TruncationReason.CANCELLED, segment)

    @property
    def seconds(self) -> float:
        return perf_counter() - self._started

    # -- results ------------------------------------------------------------------------------------------------------

    def warp_instructions(self) -> int:
        return sum(count * issued for count, issued in zip(self.warps, self._issued, strict=True))

    def thread_instructions(self) -> int:
        return sum(count * issued for count, issued in zip(self.lanes, self._issued, strict=True))

    def branches(self) -> tuple[BranchCount, ...]:
        """Every source branch of every function, also those that were never reached."""
        executed: Counter[tuple[str, SourceBranchId]] = Counter()
        diverged: Counter[tuple[str, SourceBranchId]] = Counter()
        for number, segment in enumerate(self._segments):
            name = str(segment.function.id)
            if isinstance(segment.terminator, Branch | Switch) and segment.terminator.branch is not None:
                executed[name, segment.terminator.branch] += self.warps[number]
                diverged[name, segment.terminator.branch] += self.diverged[number]
            for instruction in segment.instructions:
                if isinstance(instruction, Select) and instruction.branch is not None:
                    executed[name, instruction.branch] += self.warps[number]
        functions = {segment.function.id: segment.function for segment in self._segments}
        return tuple(
            BranchCount(str(id), branch, source.keyword, executed[str(id), branch], diverged[str(id), branch])
            for id, function in functions.items()
            for branch, source in zip(
                map(SourceBranchId, range(len(function.branches))), function.branches, strict=True
            )
        )

    def instructions(self) -> tuple[InstructionCount, ...]:
        """Work by source span, in the order of the program."""
        warps: Counter[tuple[str, int, int, int]] = Counter()
        lanes: Counter[tuple[str, int, int, int]] = Counter()
        spans: dict[tuple[str, int, int, int], Span] = {}
        for number, segment in enumerate(self._segments):
            ending = () if segment.terminator is None else (segment.terminator,)
            for one in (*segment.instructions, *ending):
                if not is_issued(one):
                    continue
                key = str(segment.function.id), one.span.frame, one.span.start, one.span.end
                spans[key] = one.span
                warps[key] += self.warps[number]
                lanes[key] += self.lanes[number]
        return tuple(InstructionCount(key[0], spans[key], warps[key], lanes[key]) for key in warps)


def lane_total(active: LaneSets) -> int:
    return int(np.bitwise_count(active).sum())
