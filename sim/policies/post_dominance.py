"""Which paths still have to come by: the tree of immediate post-dominators, as intervals.

enter[J] < enter[s] < leave[J]     J post-dominates s: a lane at s reaches J before it leaves, if it ever leaves
"""

from __future__ import annotations

from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from sim.policies.protocol import EXIT, SegmentGraph


@final
@record
class PostDominance:
    """All arrays are indexed by segment."""

    enter: NDArray[np.int64]
    leave: NDArray[np.int64]
    joins: NDArray[np.bool_]
    """Whether the paths of a branch meet again here."""


@lru_cache(maxsize=16)
def post_dominance(graph: SegmentGraph) -> PostDominance:
    count = len(graph.reconvergence)
    children: list[list[int]] = [[] for _ in range(count + 1)]
    for segment, parent in enumerate(graph.reconvergence):
        children[count if parent == EXIT else parent].append(segment)
    enter, leave = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    clock, stack = 0, [(count, False)]
    while stack:
        node, done = stack.pop()
        clock += 1
        if done:
            leave[node] = clock
        else:
            enter[node] = clock
            stack.append((node, True))
            stack += [(child, False) for child in children[node]]
    joins = np.zeros(count, np.bool_)
    for segment, successors in enumerate(graph.successors):
        if len(successors) > 1 and graph.reconvergence[segment] != EXIT:
            joins[graph.reconvergence[segment]] = True
    return PostDominance(enter[:count], leave[:count], joins)
