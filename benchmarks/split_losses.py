"""What split warps lose at each branch of a kernel, counted while it runs under a mask stack: splits nest.

Counted     issued instructions between a branch at which a warp split and the place where its paths meet.  Serialized:
            what the warp issued beyond what its longest lane needed.  Waited: what the longest lane needed beyond the
            average lane.
At once     `if (a && b || c)`, where the estimate says that lanes come to each arm together: conditions that a compiler
            computes without a jump, as it predicates short arms (`predication.py`).  A mask stack sends such lanes on
            apart.  So what evaluates the conditions is no loss there, and an arm that lanes come to in several groups
            counts as its longest group.  Machine code for sm_80 has a place before the arm at which they meet.
Weights     A block that stands for others counts as often (`block_sample.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.instructions import Branch, Switch
from sim.arrays import LaneSets, Rows, lanes_of
from sim.block_sample import blocks_run
from sim.events import AddressBook, Events, Observer, Run, SegmentEvent, Wave

Counts = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True)
class AtOnce:
    """A branch of several conditions after which lanes come to each arm together: the blocks that compute all but the
    first of them, and the arms by their beginnings."""

    evaluates: frozenset[BasicBlockId]
    arms: Mapping[BasicBlockId, frozenset[BasicBlockId]]


@final
class _Arm:
    """Of one branch, by row: the lanes that came, what the group issued that is in it, and the longest of them."""

    def __init__(self, rows: int) -> None:
        self.entered: LaneSets = np.zeros(rows, np.uint64)
        self.current: Counts = np.zeros(rows, np.int64)
        self.longest: Counts = np.zeros(rows, np.int64)

    def enter(self, rows: Rows, active: LaneSets) -> None:
        is_new = (self.entered[rows] & active) == 0
        self.current[rows[is_new]] = 0
        self.entered[rows] |= active

    def run(self, rows: Rows, issued: int) -> None:
        self.current[rows] += issued
        self.longest[rows] = np.maximum(self.longest[rows], self.current[rows])

    def forget(self, rows: Rows) -> None:
        for counts in (self.entered, self.current, self.longest):
            counts[rows] = 0


@final
class _Splits:
    """One branch in all warps of a wave: `lanes` that came to it together and have not met again, 0 for none."""

    def __init__(self, rows: int, warp_size: int, at_once: AtOnce | None) -> None:
        self.lanes: LaneSets = np.zeros(rows, np.uint64)
        self._open = 0
        self._size = warp_size
        self._issued: Counts = np.zeros(rows, np.int64)
        self._needed: Counts = np.zeros((rows, warp_size), np.int64)
        self._at_once = at_once
        self._arms = {} if at_once is None else {begin: _Arm(rows) for begin in at_once.arms}

    def run(self, rows: Rows, active: LaneSets, issued: int, block: BasicBlockId | None) -> None:
        """`block`: of the kernel, if the warps are there."""
        if not self._open or (self._at_once is not None and block in self._at_once.evaluates):
            return
        inside = (self.lanes[rows] & active) != 0
        rows, active = rows[inside], active[inside]
        self._needed[rows] += issued * lanes_of(active, self._size)
        if self._at_once is None:
            self._issued[rows] += issued
            return
        for begin, arm in self._arms.items():
            if block == begin:
                arm.enter(rows, active)
            if block is None:
                within = rows[(arm.entered[rows] & active) != 0]
                arm.run(within, issued)
            elif block in self._at_once.arms[begin]:
                arm.run(rows, issued)

    def open(self, rows: Rows, active: LaneSets) -> None:
        """Of warps that split here, those that are not between a split and its meeting already."""
        is_new = self.lanes[rows] == 0
        self.lanes[rows[is_new]] = active[is_new]
        self._open += int(is_new.sum())

    def close(self, rows: Rows) -> tuple[Rows, NDArray[np.float64]]:
        """Those that were open, with what was serialized and what was waited: (rows, 2)."""
        rows = rows[self.lanes[rows] != 0] if self._open else rows[:0]
        self._open -= len(rows)
        members = lanes_of(self.lanes[rows], self._size)
        needed = self._needed[rows]
        longest = needed.max(axis=1, initial=0)
        issued = self._issued[rows] + sum(arm.longest[rows] for arm in self._arms.values())
        mean = (needed * members).sum(axis=1) / np.maximum(1, members.sum(axis=1))
        self.lanes[rows], self._issued[rows], self._needed[rows] = 0, 0, 0
        for arm in self._arms.values():
            arm.forget(rows)
        return rows, np.stack([np.maximum(0, issued - longest), longest - mean], axis=1)


@final
@dataclass(slots=True)
class WarpLosses:
    """Of one branch, by the linear number of a warp: serialized and waited, weighted."""

    by_warp: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])

    def add(self, warp: int, serialized: float, waited: float) -> None:
        before = self.by_warp.get(warp, (0.0, 0.0))
        self.by_warp[warp] = before[0] + serialized, before[1] + waited


@final
class LossObserver(Observer):
    """Ask for its answers after `close_all`."""

    events: ClassVar[Events] = Events.SEGMENTS

    def __init__(self, at_once: Mapping[SourceBranchId, AtOnce] | None = None) -> None:
        self._at_once = at_once or {}
        self._losses: dict[SourceBranchId, WarpLosses] = defaultdict(WarpLosses)
        self.issued = 0
        """By all warps, weighted."""
        self._splits: dict[tuple[SourceBranchId, int], _Splits] = {}
        """By where the paths meet, too: of several conditions not all need to have the same place."""

    @property
    def lost(self) -> Mapping[SourceBranchId, Mapping[int, tuple[float, float]]]:
        """By source branch and warp: serialized and waited."""
        return {source: losses.by_warp for source, losses in self._losses.items()}

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self._size, self._launch = run.launch.warp_size, run.launch
        self._issued = [segment.issued for segment in run.segments]
        is_own = [segment.function.id == run.kernel.id for segment in run.segments]
        self._blocks = [BasicBlockId(one.block) if own else None for one, own in zip(run.segments, is_own, strict=True)]
        self._sources = [
            one.terminator.branch if own and isinstance(one.terminator, Branch | Switch) else None
            for one, own in zip(run.segments, is_own, strict=True)
        ]
        self._meets_at = run.graph.reconvergence

    def wave(self, wave: Wave) -> None:
        self.close_all()
        sample = blocks_run(self._launch)
        place = np.searchsorted(sample.numbers, wave.blocks)
        inside = np.arange(wave.warps_per_block)
        self._warps = (wave.blocks[:, None] * wave.warps_per_block + inside).ravel()
        self._weights = np.repeat(sample.stands_for[place], wave.warps_per_block)

    def segment(self, event: SegmentEvent) -> None:
        here, rows, active = event.segment, event.rows, event.active
        issued = self._issued[here]
        for (source, meets_at), splits in self._splits.items():
            if meets_at == here:
                self._settle(source, *splits.close(rows))
        self.issued += issued * int(self._weights[rows].sum())
        for splits in self._splits.values():
            splits.run(rows, active, issued, self._blocks[here])
        source = self._sources[here]
        if source is None or len(event.split) < 2:
            return
        parted = sum((lanes != 0).astype(np.int64) for _, lanes in event.split) > 1
        if np.any(parted):
            self._open(source, self._meets_at[here], rows[parted], active[parted])

    def _open(self, source: SourceBranchId, meets_at: int, rows: Rows, active: LaneSets) -> None:
        for (other, _), splits in self._splits.items():
            if other == source:
                is_free = splits.lanes[rows] == 0
                rows, active = rows[is_free], active[is_free]
        key = source, meets_at
        if key not in self._splits:
            self._splits[key] = _Splits(len(self._warps), self._size, self._at_once.get(source))
        self._splits[key].open(rows, active)

    def _settle(self, source: SourceBranchId, rows: Rows, lost: NDArray[np.float64]) -> None:
        losses = self._losses[source]
        for row, (serialized, waited) in zip(rows.tolist(), lost.tolist(), strict=True):
            weight = int(self._weights[row])
            losses.add(int(self._warps[row]), weight * serialized, weight * waited)

    def close_all(self) -> None:
        """Counts what is still open: warps that never met again."""
        for (source, _), splits in self._splits.items():
            self._settle(source, *splits.close(np.arange(len(self._warps))))
        self._splits = {}


def total(warps: Mapping[int, tuple[float, float]]) -> tuple[float, float]:
    """Serialized and waited of all warps."""
    return sum(one[0] for one in warps.values()), sum(one[1] for one in warps.values())
