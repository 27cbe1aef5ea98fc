"""Joins: where may threads meet that took different ways at a branch?

Question  For one branch: the blocks that two disjoint paths from its successors reach over different edges (a phi
          there depends on the branch, even if all its inputs are constants).
Rules     Each successor is a label; labels flow forward in reverse post-order.  A block that receives two labels
          is a join and starts a label of its own.  Nothing flows beyond the branch itself, nor beyond its
          immediate post-dominator, which all threads pass.  A label that arrives at
          the header of a natural loop around the branch belongs to threads that stay for another iteration: it flows
          on to the exits of that loop only, because those threads may leave there later, but are in another iteration
          inside.  A block whose labels all came over one edge is no join: there is nothing to choose.
Cost      O(blocks + edges) per asked branch, kept.
Source    Rosemann, Moll and Hack, POPL 2021; LLVM `GenericUniformityImpl.h` (the same treatment of headers).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from analysis.graph.cycles import Cycle
from analysis.ir.control_flow import Edges
from analysis.ir.pace import spend


def find_joins(
    branch: int,
    successors: Edges,
    predecessors: Edges,
    rank: Sequence[int],
    around: Sequence[Cycle],
    end: int | None,
) -> tuple[frozenset[int], int]:
    """The joins, and the steps that it took to find them.

    `around`: the cycles that contain the branch; `end`: its post-dominator, behind which nothing can meet.
    """
    walk = _Walk(branch, successors, rank, {cycle.header: cycle for cycle in around if cycle.reducible}, end)
    walk.run()
    found = frozenset([block for block in walk.met if _is_choice(block, branch, predecessors[block], walk)])
    return found, walk.steps


def _is_choice(block: int, branch: int, predecessors: Sequence[int], walk: _Walk) -> bool:
    """Did the labels come over more than one edge?"""
    ways = 0
    for predecessor in predecessors:
        if (
            predecessor in walk.label
            or predecessor == branch
            or any(predecessor in cycle.blocks for cycle in walk.stayed if block not in cycle.blocks)
        ):
            ways += 1
    return ways > 1


class _Walk:
    def __init__(
        self,
        branch: int,
        successors: Edges,
        rank: Sequence[int],
        headers: Mapping[int, Cycle],
        end: int | None,
    ) -> None:
        self.branch = branch
        self.end = end
        self.successors = successors
        self.rank = rank
        self.headers = headers
        self.label: dict[int, int] = {}
        self.met: set[int] = set()
        self.steps = 0
        self.stayed: list[Cycle] = []

    def run(self) -> None:
        label, rank = self.label, self.rank
        fresh: list[tuple[int, int]] = []
        for target in self.successors[self.branch]:
            label[target] = target
            heapq.heappush(fresh, (rank[target], target))
        while fresh:
            _, block = heapq.heappop(fresh)
            arriving = label[block]
            self.steps += 1
            spend(2)
            for target in self._onward(block):
                old = label.get(target)
                if old == arriving:
                    continue
                if old is None:
                    label[target] = arriving
                else:
                    self.met.add(target)
                    if old == target:
                        continue
                    label[target] = target
                heapq.heappush(fresh, (rank[target], target))

    def _onward(self, block: int) -> Sequence[int]:
        if block == self.end:
            return ()
        cycle = self.headers.get(block)
        if cycle is not None:
            if cycle not in self.stayed:
                self.stayed.append(cycle)
            self.steps += len(cycle.blocks) // 4
            return [t for b in sorted(cycle.blocks) for t in self.successors[b] if t not in cycle.blocks]
        return () if block == self.branch else self.successors[block]
