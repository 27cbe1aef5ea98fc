"""The mask stack of Pixar and NVIDIA: paths wait on a stack until they meet at the immediate post-dominator.

    stack of one warp at `if (c) A; else B; J`          (join, resumes at, lanes), the top runs
    before        (-, branch, 1111)
    diverged      (-, J, 1111)  (J, B, 0011)  (J, A, 1100)
    A ends at J   (-, J, 1111)  (J, B, 0011)
    B ends at J   (-, J, 1111)

A level for J is not opened when the top already ends at J: the rounds of a loop share one, or the stack would overflow.
The stack has one order only.  Lanes that wait stop everything beneath them, which is how a spin lock livelocks.
Only where lanes wait for their whole block, and the sides of the branch never meet again, the sides change places:
whether `if (c) return;` or its opposite is written must not decide whether a barrier behind it is reached.

Source    Levinthal and Porter, "Chap: a SIMD graphics processor", SIGGRAPH 1984; Fung et al., "Dynamic warp
          formation", MICRO 2007, section 3.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from sim.arrays import LaneSets, Rows
from sim.policies.protocol import EXIT, NOTHING, SegmentGraph, Split
from sim.policies.splits import doubled, taken_ways, ways_per_row, where

WAITING: Final = -2
"""Where a path on the stack resumes whose lanes wait."""
_FIRST_DEPTH: Final = 8
_NONE: Final = np.uint64(0)


@final
class Ipdom:
    """The top of each row's stack is `(join, segment, active)`; below it lie `depth` paths in stacks of arrays."""

    name: ClassVar[str] = "ipdom"
    can_switch: ClassVar[bool] = False
    uses_convergence: ClassVar[bool] = False

    def __init__(self, rows: int, warp_size: int, graph: SegmentGraph) -> None:
        self._reconvergence = graph.reconvergence
        self.segment: NDArray[np.int64] = np.full(rows, NOTHING, np.int64)
        self.active: LaneSets = np.zeros(rows, np.uint64)
        self._join: NDArray[np.int64] = np.full(rows, EXIT, np.int64)
        self._waiting: LaneSets = np.zeros(rows, np.uint64)
        """The lanes of the top while they wait; `active` is empty then."""
        self._depth: NDArray[np.intp] = np.zeros(rows, np.intp)
        self._joins: NDArray[np.int64] = np.full((_FIRST_DEPTH, rows), EXIT, np.int64)
        self._resumes: NDArray[np.int64] = np.full((_FIRST_DEPTH, rows), NOTHING, np.int64)
        self._lanes: LaneSets = np.zeros((_FIRST_DEPTH, rows), np.uint64)

    def stack(self, row: int) -> list[tuple[int, int, int]]:
        """(join, segment, lanes) from the bottom to the top; WAITING for the segment where lanes wait."""
        below = range(int(self._depth[row]))
        paths = [(int(self._joins[d, row]), int(self._resumes[d, row]), int(self._lanes[d, row])) for d in below]
        join = int(self._join[row])
        if self._waiting[row]:
            return [*paths, (join, WAITING, int(self._waiting[row]))]
        if self.active[row]:
            return [*paths, (join, int(self.segment[row]), int(self.active[row]))]
        return paths

    def start(self, rows: Rows, lanes: LaneSets, entry: int) -> None:
        self.segment[rows] = np.where(lanes != 0, entry, NOTHING)
        self.active[rows] = lanes
        self._join[rows] = EXIT
        self._waiting[rows] = 0
        self._depth[rows] = 0

    def follows(self, rows: Rows, target: int) -> bool:
        return target != EXIT and not np.count_nonzero(self._join.take(rows) == target)

    def advance(self, rows: Rows, segment: int, split: Split) -> None:
        ways = taken_ways(split)
        if len(ways) == 1:
            self._all_go(rows, *ways[0])
            return
        if len(ways) == 2 and EXIT not in (ways[0][0], ways[1][0]):
            self._fork(rows, segment, *ways)
            return
        join = self._reconvergence[segment]
        fresh = rows[(ways_per_row(ways, len(rows)) > 1) & (self._join[rows] != join)]
        self._push(fresh, self._join[fresh], join, self.active[fresh])
        self._join[fresh] = join
        joins = self._join[rows]
        segments, active = np.full(len(rows), NOTHING, np.int64), np.zeros(len(rows), np.uint64)
        for target, lanes in reversed(ways):
            if target == EXIT:
                self._leave(rows, lanes)
                continue
            run = (lanes != 0) & (joins != target)
            deferred = run & (active != 0)
            self._push(rows[deferred], joins[deferred], segments[deferred], active[deferred])
            segments[run] = target
            active[run] = lanes[run]
        self.segment[rows] = segments
        self.active[rows] = active
        self._pop(rows[active == 0])

    def _fork(self, rows: Rows, segment: int, one: tuple[int, LaneSets], other: tuple[int, LaneSets]) -> None:
        """The same for the two ways of most branches."""
        (target, lanes), (other_target, other_lanes) = one, other
        join = self._reconvergence[segment]
        joins = self._join.take(rows)
        first, second = lanes != 0, other_lanes != 0
        opening = first & second & (joins != join)
        if np.count_nonzero(opening):
            places = where(opening)
            fresh = rows.take(places)
            self._push(fresh, joins.take(places), join, self.active.take(fresh))
            self._join[fresh] = join
            joins[places] = join
        first &= joins != target
        second &= joins != other_target
        deferred = first & second
        if np.count_nonzero(deferred):
            places = where(deferred)
            self._push(rows.take(places), joins.take(places), other_target, other_lanes.take(places))
        self.active[rows] = np.where(first, lanes, other_lanes)
        self.segment[rows] = np.where(first, target, other_target)
        first |= second
        if np.count_nonzero(first) < len(rows):
            idle = rows.take(where(~first))
            self.segment[idle], self.active[idle] = NOTHING, 0
            self._pop(idle)

    def _all_go(self, rows: Rows, target: int, lanes: LaneSets) -> None:
        if target == EXIT:
            self._leave(rows, lanes)
            self._pop(rows)
            return
        self.segment[rows] = target
        arrived = self._join.take(rows) == target
        if np.count_nonzero(arrived):
            self._pop(rows.take(where(arrived)))

    def block(self, rows: Rows) -> None:
        self._waiting[rows] = self.active[rows]
        self.active[rows] = 0
        self.segment[rows] = NOTHING

    def release(self, rows: Rows, lanes: LaneSets, target: int) -> None:
        whole = (lanes != 0) & (lanes == self._waiting[rows])
        ready = rows[whole]
        self._waiting[ready] = 0
        self.active[ready] = lanes[whole]
        self.segment[ready] = target
        arrived = ready[self._join[ready] == target]
        if arrived.size:
            self._pop(arrived)
        for row, part in zip(rows[~whole], lanes[~whole], strict=True):
            if part:
                self._release_part(int(row), int(part), target)

    def make_way(self, rows: Rows, *, at_joins: bool) -> bool:
        """Swaps a path that waits with the next one of its level that can run."""
        found = False
        for row in map(int, rows):
            depth = int(self._depth[row]) - 1
            join = self._join[row]
            if not self._waiting[row] or (join != EXIT and not at_joins):
                continue
            while depth >= 0 and self._joins[depth, row] == join:
                segment, lanes = self._resumes[depth, row], self._lanes[depth, row]
                if segment >= 0 and segment != join and lanes:
                    self._resumes[depth, row], self._lanes[depth, row] = WAITING, self._waiting[row]
                    self.segment[row], self.active[row], self._waiting[row] = segment, lanes, 0
                    found = True
                    break
                depth -= 1
        return found

    def _push(self, rows: Rows, joins: NDArray[np.int64], resumes: NDArray[np.int64] | int, lanes: LaneSets) -> None:
        if not rows.size:
            return
        depth = self._depth.take(rows)
        deepest = int(depth.max())
        if deepest == len(self._lanes):
            self._joins = doubled(self._joins)
            self._resumes = doubled(self._resumes)
            self._lanes = doubled(self._lanes)
        level = deepest if int(depth.min()) == deepest else depth  # most often one, and one costs less
        self._joins[level, rows] = joins
        self._resumes[level, rows] = resumes
        self._lanes[level, rows] = lanes
        self._depth[rows] = depth + 1

    def _pop(self, rows: Rows) -> None:
        """The path below becomes the top; paths that have no lanes or stand at their join end at once."""
        while rows.size:
            depth = self._depth.take(rows) - 1
            least = int(depth.min())
            if least < 0:
                empty = depth < 0
                self.segment[rows[empty]] = NOTHING
                self.active[rows[empty]] = 0
                rows, depth = rows[~empty], depth[~empty]
                if not rows.size:
                    return
                least = int(depth.min())
            self._depth[rows] = depth
            level = least if int(depth.max()) == least else depth
            join, segment, lanes = self._joins[level, rows], self._resumes[level, rows], self._lanes[level, rows]
            held = segment == WAITING
            self._join[rows] = join
            if np.count_nonzero(held):
                self._waiting[rows] = np.where(held, lanes, _NONE)
                self.segment[rows] = np.where(held, NOTHING, segment)
                self.active[rows] = np.where(held, _NONE, lanes)
            else:
                self._waiting[rows] = 0
                self.segment[rows] = segment
                self.active[rows] = lanes
            rows = rows.take(where((lanes == 0) | (segment == join)))

    def _leave(self, rows: Rows, lanes: LaneSets) -> None:
        """Lanes left the function: nobody waits for them further down."""
        deepest = int(self._depth[rows].max(initial=0))
        if deepest:
            self._lanes[:deepest, rows] &= ~lanes

    def _release_part(self, row: int, lanes: int, target: int) -> None:
        """Some of the lanes of waiting paths go on: they become paths of their own, above those that still wait."""
        paths: list[tuple[int, int, int]] = []
        for join, segment, members in self.stack(row):
            ready = members & lanes if segment == WAITING else 0
            if members & ~ready:
                paths.append((join, segment, members & ~ready))
            if ready:
                paths.append((join, target, ready))
        only = np.array([row])
        self._depth[row] = 0
        for join, segment, members in paths:
            self._push(only, np.array([join]), segment, np.array([members], np.uint64))
        self._pop(only)
