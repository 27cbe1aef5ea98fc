"""Which part of its kernel does an inlined function take, with everything it calls?

What a header says of its own functions is a share of these; times this part it is a share of the kernel, as it is told
for functions that stand in the kernel's file.  Both are estimates, and loops that nobody knows count alike in both.

Rounded   to two digits: it is shown in whole percents, and most edits of a header do not change it, so that what was
          found out about the header still holds.
Cost      O(instructions) once for a kernel that calls functions of other files, O(frames + accesses) for each of these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import final

from analysis.access.model import Access
from analysis.facts.model import PartOf, Taken
from analysis.facts.roots import RootAnalysis
from analysis.graph.cycles import CycleId
from analysis.ir.source import OWN_FRAME, FrameId
from analysis.verdict.hoisting import Hoisting
from analysis.verdict.memory_losses import moved_sectors
from analysis.verdict.shares import LoopTree, Part, Share


@final
class FrameShares:
    """Answers for one kernel."""

    def __init__(self, root: RootAnalysis, launched_instead: int) -> None:
        self._root = root
        self._launched_instead = launched_instead
        hoisting = Hoisting(root.function, root.control, root.divergence, root.spaces)
        self._sectors = {frame: _sectors(root, hoisting, records.accesses) for frame, records in root.records.items()}
        self._all_sectors = root.weights.tree_of(_sum(self._sectors.values()))

    def taken(self, frames: Iterable[FrameId]) -> Taken:
        """By these calls together."""
        inside = set(frames)
        for index, frame in enumerate(self._root.function.frames):  # a parent's number is smaller
            if index != OWN_FRAME and frame.parent in inside:
                inside.add(FrameId(index))
        weights = self._root.weights
        return Taken(
            self._part(weights.tree, weights.by_frame, inside),
            self._part(self._all_sectors, self._sectors, inside),
        )

    def _part(self, whole: LoopTree, by_frame: Mapping[FrameId, Part], inside: Iterable[FrameId]) -> PartOf | None:
        part = _sum(by_frame[frame] for frame in sorted(inside) if frame in by_frame)
        share = whole.share(part)
        if not share.high:
            return None
        low, expected, high = (min(1.0, float(f"{end:.2g}")) for end in share.ends)
        return PartOf(Share(low, expected, high), self._root.function.name, True, self._launched_instead)


def _sectors(root: RootAnalysis, hoisting: Hoisting, accesses: Iterable[Access]) -> Part:
    found: defaultdict[CycleId | None, float] = defaultdict(float)
    for access in accesses:
        if access.block not in root.weights.unreached:
            found[hoisting.cycle(access)] += moved_sectors(access)
    return found


def _sum(parts: Iterable[Part]) -> Part:
    found: defaultdict[CycleId | None, float] = defaultdict(float)
    for part in parts:
        for cycle, amount in part.items():
            found[cycle] += amount
    return found
