"""What follows from the edges of one control-flow graph alone: order, dominance, control dependence, cycles, joins.

Nothing here knows an instruction, but for the blocks that end in a trap.  So all functions whose blocks lead on in the
same way have one graph, as most versions of a function do: an edit seldom changes which blocks there are.

All answers are about the blocks that the entry reaches; a block that it does not reach has no dominator, no
controller and no cycle.  Everything beyond the order is computed when first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property, lru_cache
from typing import Final, TypeAlias, final

from analysis.graph.cycles import Cycle, find_cycles
from analysis.graph.joins import find_joins
from analysis.graph.layout import loop_layout
from analysis.graph.post_dominance import PostDominance, doomed_blocks, post_dominance
from analysis.ir.control_flow import UNREACHED, immediate_dominators, reverse_post_order, reversed_edges
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.ir.pace import paced, popped

Successors: TypeAlias = tuple[tuple[BasicBlockId, ...], ...]
"""For each block, the distinct blocks that it leads to."""
MOST_KEPT_BLOCKS: Final = 200
"""A larger graph is made for each who asks."""


def flow_graph(successors: Successors, traps: tuple[int, ...]) -> FlowGraph:
    """The graph with these edges, in which these blocks end in a trap."""
    return _kept(successors, traps) if len(successors) <= MOST_KEPT_BLOCKS else FlowGraph(successors, traps)


@final
class FlowGraph:
    """Immutable to its users; made by `flow_graph`."""

    def __init__(self, successors: Successors, traps: tuple[int, ...]) -> None:
        self.successors = successors
        self._traps = traps
        self.predecessors: list[list[int]] = reversed_edges(successors)
        self.order: tuple[BasicBlockId, ...] = tuple(map(BasicBlockId, reverse_post_order(ENTRY, successors)))
        """Reverse post-order of the reachable blocks."""
        self.rank: list[int] = [UNREACHED] * len(successors)
        for position, block in enumerate(self.order):
            self.rank[block] = position
        self._is_small = len(successors) <= MOST_KEPT_BLOCKS
        # What was asked, and answered: of a large graph no sets of blocks for each block, which grow with the square.
        self._iterated: dict[BasicBlockId, frozenset[BasicBlockId]] = {}
        self._deciders: dict[BasicBlockId, set[BasicBlockId]] = {}
        self._between: dict[tuple[BasicBlockId, BasicBlockId | None], set[BasicBlockId]] = {}
        self._joins: dict[BasicBlockId, tuple[frozenset[BasicBlockId], int]] = {}

    def is_reachable(self, block: BasicBlockId) -> bool:
        return self.rank[block] != UNREACHED

    @cached_property
    def exits(self) -> tuple[BasicBlockId, ...]:
        """Blocks without successors: returns and traps."""
        return tuple(block for block in self.order if not self.successors[block])

    # -- dominance --------------------------------------------------------------------------------------------------

    @cached_property
    def _dominators(self) -> list[int]:
        return immediate_dominators(self.order, self.predecessors)

    def immediate_dominator(self, block: BasicBlockId) -> BasicBlockId | None:
        """None for the entry and for unreachable blocks."""
        dominator = self._dominators[block]
        return None if dominator in (UNREACHED, block) else BasicBlockId(dominator)

    @cached_property
    def dominated(self) -> list[range]:
        """The blocks that each block dominates, itself first, as numbers in preorder of the dominator tree."""
        dominators, count = self._dominators, [1] * len(self.successors)
        for block in reversed(self.order[1:]):
            count[dominators[block]] += count[block]
        dominated = [range(-1, -1)] * len(count)  # of unreachable blocks nothing is dominated
        free = [0] * len(count)
        for block in self.order:
            start = 0 if block == ENTRY else free[dominators[block]]
            free[dominators[block]] = start + count[block]
            free[block] = start + 1
            dominated[block] = range(start, start + count[block])
        return dominated

    def dominates(self, above: BasicBlockId, below: BasicBlockId) -> bool:
        """Does every path to `below` pass `above`?  A block dominates itself."""
        dominated = self.dominated
        return above == below or dominated[below].start in dominated[above]

    # -- post-dominance and control dependence ----------------------------------------------------------------------

    @cached_property
    def doomed(self) -> list[bool]:
        """For each block, whether it can only end in a trap."""
        return doomed_blocks(self._traps, self.order, self.successors)

    @cached_property
    def _post(self) -> PostDominance:
        return post_dominance(self.order, self.successors, self.predecessors, self.cycles, self.doomed)

    @cached_property
    def _post_dominated(self) -> list[range]:
        """The nodes that each node post-dominates, itself first, as numbers in preorder of their tree."""
        immediate = self._post.immediate
        inside: list[list[int]] = [[] for _ in immediate]
        for node, above in enumerate(paced(immediate)):
            if above not in (UNREACHED, node):
                inside[above].append(node)
        dominated = [range(-1, -1)] * len(immediate)  # what does not come to the exit is post-dominated by nothing
        order: list[int] = []
        waiting = [self._post.exit]
        for node in popped(waiting):
            order.append(node)
            waiting += inside[node]
        numbers = {node: number for number, node in enumerate(order)}
        last = {node: numbers[node] for node in order}
        for node in paced(order[:0:-1]):
            above = immediate[node]
            last[above] = max(last[above], last[node])
        for node in paced(order):
            dominated[node] = range(numbers[node], last[node] + 1)
        return dominated

    def immediate_post_dominator(self, block: BasicBlockId) -> BasicBlockId | None:
        """The nearest block every thread passes after `block` in this iteration, or after the loop; None: the exit."""
        post = self._post
        node = post.immediate[block]
        while node > post.exit:
            node = post.immediate[node]
        return None if node in (post.exit, UNREACHED) else BasicBlockId(node)

    def post_dominates(self, below: BasicBlockId, above: BasicBlockId) -> bool:
        """Does every path from `above` to the exit pass `below`?  A block post-dominates itself."""
        dominated = self._post_dominated
        return above == below or dominated[above].start in dominated[below]

    def controllers(self, block: BasicBlockId) -> tuple[BasicBlockId, ...]:
        """The blocks whose terminators decide directly whether `block` runs in this iteration."""
        return tuple(map(BasicBlockId, self._post.controllers[block]))

    @cached_property
    def _dependents(self) -> list[list[BasicBlockId]]:
        dependents: list[list[BasicBlockId]] = [[] for _ in self.successors]
        for block in self.order:
            for controller in self._post.controllers[block]:
                dependents[controller].append(block)
        return dependents

    def dependents(self, block: BasicBlockId) -> list[BasicBlockId]:
        """The blocks that are control dependent on the terminator of `block`, in reverse post-order."""
        return self._dependents[block]

    def iterated_controllers(self, block: BasicBlockId) -> frozenset[BasicBlockId]:
        """All branches that have a say in whether `block` runs."""
        known = self._iterated.get(block)
        if known is None:
            found: set[int] = set()
            waiting = list(self._post.controllers[block])
            while waiting:
                node = waiting.pop()
                if node not in found:
                    found.add(node)
                    waiting.extend(self._post.controllers[node])
            known = self._iterated[block] = frozenset(map(BasicBlockId, found))
        return known

    def deciders(self, block: BasicBlockId) -> Set[BasicBlockId]:
        """All blocks whose ends have a say in whether and how often `block` runs, and which way it is left."""
        known = self._deciders.get(block)
        if known is None:
            known = {block, *self.iterated_controllers(block)}
            for cycle in self.cycles_around(block):
                known.update(self.exit_influences(cycle))
            if self._is_small:
                self._deciders[block] = known
        return known

    def between(self, block: BasicBlockId, end: BasicBlockId | None) -> Set[BasicBlockId]:
        """The blocks that come behind `block` without passing `end` (None: the exit)."""
        known = self._between.get((block, end))
        if known is None:
            known = set[BasicBlockId]()
            waiting = list(self.successors[block])
            while waiting:
                inside = waiting.pop()
                if inside != end and inside not in known:
                    known.add(inside)
                    waiting.extend(self.successors[inside])
            if self._is_small:
                self._between[block, end] = known
        return known

    # -- cycles -----------------------------------------------------------------------------------------------------

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """All loops, inner ones before the ones around them."""
        rank = self.rank
        if all(rank[target] > rank[block] for block in self.order for target in self.successors[block]):
            return ()
        return find_cycles(ENTRY, self.successors, self.predecessors)

    @cached_property
    def _around(self) -> list[tuple[Cycle, ...]]:
        around: list[tuple[Cycle, ...]] = [()] * len(self.successors)
        for cycle in reversed(self.cycles):  # a parent comes after its children
            for block in cycle.blocks:
                around[block] = (cycle, *around[block])
        return around

    def innermost_cycle(self, block: BasicBlockId) -> Cycle | None:
        around = self._around[block]
        return around[0] if around else None

    def cycles_around(self, block: BasicBlockId) -> Sequence[Cycle]:
        """The cycles that contain the block, innermost first."""
        return self._around[block]

    @cached_property
    def layout(self) -> list[int]:
        """A place for each block: who is at a lower one is further behind on the way through the function."""
        rank = self.rank
        successors = [[rank[target] for target in self.successors[block]] for block in self.order]
        layout = [UNREACHED] * len(rank)
        for place, number in enumerate(loop_layout(range(len(successors)), successors)):
            layout[self.order[number]] = place
        return layout

    @cached_property
    def _exit_branches(self) -> list[tuple[BasicBlockId, ...]]:
        return [
            tuple(
                block
                for block in paced(sorted(cycle.blocks, key=lambda b: self.rank[b]))
                if any(t not in cycle.blocks and not self.doomed[t] for t in self.successors[block])
            )
            for cycle in self.cycles
        ]

    def exit_branches(self, cycle: Cycle) -> tuple[BasicBlockId, ...]:
        """The blocks of the cycle with an edge out of it that does not merely trap."""
        return self._exit_branches[cycle.id]

    @cached_property
    def irreducible_cycles(self) -> tuple[Cycle, ...]:
        return tuple(cycle for cycle in self.cycles if not cycle.reducible)

    @cached_property
    def _exit_influences(self) -> list[frozenset[BasicBlockId]]:
        return [self._exit_influences_of(cycle) for cycle in self.cycles]

    def _exit_influences_of(self, cycle: Cycle) -> frozenset[BasicBlockId]:
        found = set(self.exit_branches(cycle))
        waiting = list(found)
        while waiting:
            new = {block for block in self.controllers(waiting.pop()) if block in cycle.blocks} - found
            found |= new
            waiting += new
        return frozenset(found)

    def exit_influences(self, cycle: Cycle) -> frozenset[BasicBlockId]:
        """The branches of the cycle that decide, alone or through other branches of it, whether a thread leaves it."""
        return self._exit_influences[cycle.id]

    # -- joins ------------------------------------------------------------------------------------------------------

    def joins(self, branch: BasicBlockId) -> tuple[frozenset[BasicBlockId], int]:
        """The blocks where threads may meet that took different ways at this branch; the steps that it took."""
        known = self._joins.get(branch)
        if known is None:
            end = self.immediate_post_dominator(branch)
            around = self.cycles_around(branch)
            found, steps = find_joins(branch, self.successors, self.predecessors, self.rank, around, end)
            known = self._joins[branch] = frozenset(map(BasicBlockId, found)), steps
        return known


_kept: Final = lru_cache(maxsize=128)(FlowGraph)
