"""Claims about control flow: decisions, trip counts, blocks that all of a group enter, counted splits.

A block that all of a warp enter is entered by all at once only under policies that promise so (`keeps_together`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import final

import numpy as np

from analysis.divergence.levels import Level
from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.instructions import Branch, Switch
from analysis.ir.source import NO_SPAN, Span
from analysis.verdict.grade import Grade
from analysis.verdict.split_count import SplitCount
from benchmarks.claims.agreement import Agreement, Attendance, joined
from benchmarks.claims.claim import Claim, Findings, Refutation
from benchmarks.claims.instances import Instances
from benchmarks.claims.policy import keeps_together
from benchmarks.claims.subject import Subject
from benchmarks.claims.threads import Threads
from sim.arrays import Lanes, Rows
from sim.events import Run


@final
class ControlClaims:
    """Told of every arrival at a block and every way out of one."""

    def __init__(self, subject: Subject, instances: Instances, run: Run) -> None:
        self._subject = subject
        self._instances = instances
        self._warps_per_block = run.launch.warps_per_block
        self._keeps_together = keeps_together(run, subject)
        self._running: Lanes = np.zeros((0, run.launch.warp_size), np.bool_)
        order = subject.control.order
        self._convergence = {block: subject.divergence.convergence(block) for block in order}
        self._decisions = {
            block: _decision_level(subject, block)
            for block in order
            if isinstance(subject.function.blocks[block].terminator, Branch | Switch)
        }
        self._loops = [subject.divergence.loop_level(cycle) for cycle in subject.control.cycles]
        self._splits = _counted(subject)
        self._attendance: defaultdict[BasicBlockId, Attendance] = defaultdict(Attendance)
        self._targets: defaultdict[BasicBlockId, Agreement] = defaultdict(Agreement)
        self._trips: defaultdict[int, Agreement] = defaultdict(Agreement)
        self._split_warps: defaultdict[BasicBlockId, set[int]] = defaultdict(set)
        self._together: dict[BasicBlockId, int] = {}
        """By block, the most lanes that a part of a warp that arrived left behind."""
        self.diverged: set[BasicBlockId] = set()
        """Blocks whose decision parted lanes that were together."""
        self.decided: dict[BasicBlockId, int] = {}
        """How often several lanes came to decide."""

    def wave(self, threads: Threads) -> None:
        self._running = threads.exists.copy()

    def arrive(self, block: BasicBlockId, rows: Rows, lanes: Lanes, threads: Threads) -> None:
        level = self._convergence[block]
        if level is Level.VARYING:
            return
        if self._keeps_together:
            missing = np.count_nonzero(self._running[rows] & ~lanes & lanes.any(axis=1, keepdims=True), axis=1)
            self._together[block] = max(self._together.get(block, 0), int(missing.max(initial=0)))
        keys = joined(self._instances.key(block, rows), threads.groups(level, rows))
        self._attendance[block].note(keys, threads.group_sizes(level, rows), threads.numbers(rows), lanes)

    def leave(self, block: BasicBlockId, rows: Rows, ways: list[tuple[int, Lanes]], threads: Threads) -> None:
        """`ways`: the target blocks, -1 for the end, with the lanes that go there."""
        self._decide(block, rows, ways, threads)
        for target, lanes in ways:
            if target < 0:
                self._running[rows] &= ~lanes
        for cycle in self._instances.around(block):
            level = self._loops[cycle.id]
            if level is Level.VARYING:
                continue
            left = np.logical_or.reduce([lanes for target, lanes in ways if target not in cycle.blocks] or [False])
            if left.any():
                keys = joined(self._instances.outer_key(cycle, rows), threads.groups(level, rows))
                rounds = self._instances.number(cycle.id, rows)
                self._trips[cycle.id].note(keys, rounds, threads.numbers(rows), left)

    def _decide(self, block: BasicBlockId, rows: Rows, ways: list[tuple[int, Lanes]], threads: Threads) -> None:
        level = self._decisions.get(block)
        if level is None:
            return
        came = np.logical_or.reduce([lanes for _, lanes in ways])
        several = np.count_nonzero(came, axis=1) > 1
        self.decided[block] = self.decided.get(block, 0) + int(np.count_nonzero(several))
        parted = np.sum([lanes.any(axis=1) for _, lanes in ways], axis=0) > 1
        if parted.any():
            self.diverged.add(block)
            if block in self._splits:
                self._split_warps[block].update(threads.warps(rows)[parted, 0].tolist())
        if level is Level.VARYING:
            return
        goes = np.zeros(came.shape, np.uint64)
        for target, lanes in ways:
            goes[lanes] = np.uint64(target + 1)
        keys = joined(self._instances.key(block, rows), threads.groups(level, rows))
        self._targets[block].note(keys, goes, threads.numbers(rows), came)

    # -- what it comes to -------------------------------------------------------------------------------------------

    def settle(self, findings: Findings, *, all_ended: bool) -> None:
        """Convergence and trip counts are known only if all threads ended where the program says."""
        for block, agreement in self._targets.items():
            agreement.settle()
            findings.count(Claim.DECISION, self._decisions[block], agreement.entries)
            if agreement.conflict is not None:
                seen = f"threads {agreement.conflict.threads} go to {agreement.conflict.seen}"
                self._refute(findings, Claim.DECISION, block, self._decisions[block].name, seen)
        self._settle_splits(findings)
        if not all_ended:
            return
        for block, attendance in self._attendance.items():
            attendance.settle()
            findings.count(Claim.CONVERGENCE, self._convergence[block], attendance.groups)
            if attendance.missing is not None:
                thread, came, size = attendance.missing
                seen = f"thread {thread} came, of its group {came} of {size}"
                self._refute(findings, Claim.CONVERGENCE, block, self._convergence[block].name, seen)
        for number, agreement in self._trips.items():
            agreement.settle()
            findings.count(Claim.TRIPS, self._loops[number], agreement.entries)
            if agreement.conflict is not None:
                header = self._subject.control.cycles[number].header
                seen = f"threads {agreement.conflict.threads} leave in {agreement.conflict.seen}"
                self._refute(findings, Claim.TRIPS, header, self._loops[number].name, seen)
        for block, missing in self._together.items():
            findings.count(Claim.TOGETHER, self._convergence[block])
            if missing:
                seen = f"{missing} lanes of a warp are missing"
                self._refute(findings, Claim.TOGETHER, block, self._convergence[block].name, seen)

    def _settle_splits(self, findings: Findings) -> None:
        for block, count in self._splits.items():
            if not self.decided.get(block):
                continue
            findings.checked[Claim.SPLITS] += 1
            by_block: defaultdict[int, int] = defaultdict(int)
            for warp in self._split_warps[block]:
                by_block[warp // self._warps_per_block] += 1
            most = max(by_block.values(), default=0)
            if most > count.splitting:
                claimed = f"{count.splitting} of {count.warps} warps"
                self._refute(findings, Claim.SPLITS, block, claimed, f"{most} split")

    def _refute(self, findings: Findings, claim: Claim, block: BasicBlockId, claimed: str, seen: str) -> None:
        span = span_of_block(self._subject, block)
        operands = self._subject.function.blocks[block].terminator.operands
        memory = block in self._subject.decided_by_memory or not self._subject.from_memory.isdisjoint(operands)
        findings.refutations.append(Refutation(claim, f"block{block}", span, claimed, seen, rests_on_memory=memory))


def span_of_block(subject: Subject, block: BasicBlockId) -> Span:
    """The first text that stands in a block, from its end."""
    body = subject.function.blocks[block]
    spans = (item.span for item in (body.terminator, *body.instructions) if item.span != NO_SPAN)
    return next(spans, NO_SPAN)


def _decision_level(subject: Subject, block: BasicBlockId) -> Level:
    """An aligned branch agrees in each warp, whatever its level."""
    grading = subject.grader.decision(block)
    is_aligned = grading is not None and grading.grade is Grade.ALIGNED
    level = subject.divergence.terminator_level(block)
    return min(level, Level.WARP) if is_aligned else level


def _counted(subject: Subject) -> dict[BasicBlockId, SplitCount]:
    """Decisions whose splitting warps are counted."""
    found: dict[BasicBlockId, SplitCount] = {}
    for block in subject.control.order:
        terminator = subject.function.blocks[block].terminator
        if isinstance(terminator, Branch | Switch):
            grading = subject.grader.decision(block)
            if grading is not None and grading.splits is not None:
                found[block] = grading.splits
    return found


def decided_by(subject: Subject, branch: SourceBranchId) -> list[BasicBlockId]:
    """The blocks that decide for a source branch with a jump."""
    return [block for block, condition in subject.divergence.branch_sites(branch) if condition is None]
