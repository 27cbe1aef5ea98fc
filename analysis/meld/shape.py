"""Order, dominance and plain post-dominance of a draft as it stands.

Post-dominance here is that of the graph alone, without the junctions of `analysis.graph.post_dominance`: a region is
closed when every path leaves it through its exit, in whatever iteration.  A block from which no path leads to the
exit of the function has no post-dominator.
"""

from __future__ import annotations

from functools import cached_property
from typing import final

from analysis.ir.control_flow import UNREACHED, immediate_dominators, reverse_post_order, reversed_edges
from analysis.meld.draft import BlockIndex, FlowDraft


@final
class FlowShape:
    """Answers are about the moment when it was made."""

    def __init__(self, draft: FlowDraft) -> None:
        self.order = draft.order()
        self.predecessors = draft.predecessors(self.order)
        self.successors = [draft.successors(block) for block in range(len(draft.blocks))]
        self.rank = [UNREACHED] * len(draft.blocks)
        for position, block in enumerate(self.order):
            self.rank[block] = position

    @cached_property
    def dominators(self) -> list[int]:
        """The immediate dominator of each block; the entry has itself."""
        return immediate_dominators(self.order, self.predecessors)

    @cached_property
    def _intervals(self) -> tuple[list[int], list[int]]:
        """For each block when a walk over the dominator tree enters it and when it has seen everything below."""
        size = [1] * len(self.rank)
        for block in reversed(self.order[1:]):
            size[self.dominators[block]] += size[block]
        first = [UNREACHED] * len(self.rank)
        free = [0] * len(self.rank)
        for block in self.order:
            dominator = self.dominators[block]
            start = 0 if block == dominator else free[dominator]
            free[dominator] = start + size[block]
            free[block] = start + 1
            first[block] = start
        return first, size

    def dominates(self, above: BlockIndex, below: BlockIndex) -> bool:
        first, size = self._intervals
        return first[above] <= first[below] < first[above] + size[above]

    @cached_property
    def _post_dominators(self) -> list[int]:
        exit_node = len(self.rank)
        onward = [list(targets) for targets in self.successors]
        for block in self.order:
            onward[block] = onward[block] or [exit_node]
        onward = [targets if self.rank[block] != UNREACHED else [] for block, targets in enumerate(onward)]
        backward = reversed_edges([*onward, []])
        return immediate_dominators(reverse_post_order(exit_node, backward), [*onward, []])

    def post_dominator(self, block: BlockIndex) -> BlockIndex | None:
        """The nearest block that every path from `block` passes; None: the exit of the function, or there is none."""
        found = self._post_dominators[block]
        return None if found in (UNREACHED, len(self.rank)) else found

    def reaches_exit(self, block: BlockIndex) -> bool:
        return self._post_dominators[block] != UNREACHED
