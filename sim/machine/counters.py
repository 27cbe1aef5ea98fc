"""The counters that every run keeps: how often each segment ran, with how many lanes, and how often it diverged."""

from __future__ import annotations

from collections import Counter
from typing import final

import numpy as np

from analysis.ir.function import SourceBranchKind
from analysis.ir.instructions import Branch, Select, SourceBranchId, Switch
from analysis.ir.source import Span
from analysis.verdict.latency import is_issued
from sim.arrays import LaneSets
from sim.events import Segment
from sim.policies.protocol import Split
from sim.result import BranchCount, InstructionCount, TruncationReason
from sim.state.deadline import Deadline
from sim.state.ending import OutOfBudget


@final
class Counters:
    """Indexed by segment: `warps` that ran it, `lanes` that ran it, warps that `diverged` at its end."""

    def __init__(self, segments: tuple[Segment, ...], max_steps: int, deadline: Deadline) -> None:
        self._segments = segments
        self._max_steps = max_steps
        self._deadline = deadline
        self._issued = [segment.issued for segment in segments]
        self.warps = [0] * len(segments)
        self.lanes = [0] * len(segments)
        self.diverged = [0] * len(segments)
        self.steps = 0
        """Warp instructions so far: the clock."""

    def count(self, segment: int, rows: int, lanes: int) -> None:
        """`rows` warps with `lanes` active lanes altogether are about to run `segment`; raises OutOfBudget."""
        self.warps[segment] += rows
        self.lanes[segment] += lanes
        self.steps += rows * self._issued[segment] or 1
        self._deadline.segment = segment
        if self.steps > self._max_steps:
            raise OutOfBudget(TruncationReason.STEPS, segment)
        self._deadline.check()

    def count_divergence(self, segment: int, split: Split) -> None:
        if len(split) == 2:
            several = (split[0][1] != 0) & (split[1][1] != 0)
        else:
            several = np.sum([lanes != 0 for _, lanes in split], axis=0) > 1
        self.diverged[segment] += int(np.count_nonzero(several))

    # -- results ------------------------------------------------------------------------------------------------------

    def warp_instructions(self) -> int:
        return sum(count * issued for count, issued in zip(self.warps, self._issued, strict=True))

    def thread_instructions(self) -> int:
        return sum(count * issued for count, issued in zip(self.lanes, self._issued, strict=True))

    def branches(self) -> tuple[BranchCount, ...]:
        """Every source branch of every function, also those that were never reached."""
        executed: Counter[tuple[str, SourceBranchId]] = Counter()
        diverged: Counter[tuple[str, SourceBranchId]] = Counter()
        lanes: Counter[tuple[str, SourceBranchId]] = Counter()
        for number, segment in enumerate(self._segments):
            name = str(segment.function.id)
            if isinstance(segment.terminator, Branch | Switch) and segment.terminator.branch is not None:
                executed[name, segment.terminator.branch] += self.warps[number]
                diverged[name, segment.terminator.branch] += self.diverged[number]
                lanes[name, segment.terminator.branch] += self.lanes[number]
            for instruction in segment.instructions:
                if isinstance(instruction, Select) and instruction.branch is not None:
                    executed[name, instruction.branch] += self.warps[number]
                    lanes[name, instruction.branch] += self.lanes[number]
        functions = {str(segment.function.id): segment.function for segment in self._segments}
        return tuple(
            BranchCount(
                name, branch, source.keyword, executed[name, branch], diverged[name, branch], lanes[name, branch]
            )
            for name, function in functions.items()
            for branch, source in zip(
                map(SourceBranchId, range(len(function.branches))), function.branches, strict=True
            )
            if source.kind is not SourceBranchKind.CALL or (name, branch) in executed  # else the function is known
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
