"""What a net is made from: blocks, edges, returns, and what is known of barriers and branches.

Waiting   A block whose barrier waits for both threads.
Agreed    A block at whose end two threads go the same way if both execute the same dynamic instance of it: the same
          block in the same iteration of all loops around it.  This is what `analysis.divergence` calls a decision that
          is uniform for the group of the two threads.
Trap      Blocks that can only end in a trap are left out: a trap ends the launch, so no thread is left that could
          miss anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.cycles import Cycle, find_cycles
from analysis.ir.control_flow import reverse_post_order, reversed_edges
from analysis.ir.function import ENTRY, BasicBlock
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import BlockBarrier, GridBarrier
from analysis.petri.block_order import BlockOrder, block_order


@final
class FlowGraph:
    """Blocks by number, the entry first; only blocks that the entry reaches count."""

    def __init__(
        self,
        successors: Sequence[Sequence[int]],
        returns: Iterable[int],
        waiting: Iterable[int] = (),
        agreed: Iterable[int] = (),
    ) -> None:
        self.successors = tuple(tuple(map(BasicBlockId, dict.fromkeys(targets))) for targets in successors)
        self.order = tuple(map(BasicBlockId, reverse_post_order(ENTRY, self.successors)))
        """Reverse post-order of the reachable blocks."""
        reached = frozenset(self.order)
        self.returns = reached & frozenset(map(BasicBlockId, returns))
        self.waiting = reached & frozenset(map(BasicBlockId, waiting))
        self.agreed = reached & frozenset(map(BasicBlockId, agreed))

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """All loops, inner ones before the ones around them."""
        return find_cycles(ENTRY, self.successors, reversed_edges(self.successors))

    @cached_property
    def positions(self) -> BlockOrder:
        return block_order(self.successors, self.order, self.cycles)


def flow_graph(divergence: DivergenceResult, group: Level, *, barriers_wait: bool) -> FlowGraph:
    """The flow of a function for two threads of one `group` (GRID, BLOCK or WARP)."""
    control = divergence.control
    doomed, blocks = control.doomed, control.function.blocks
    live = [block for block in control.order if not doomed[block]]
    successors: list[tuple[int, ...]] = [()] * len(blocks)
    for block in live:
        successors[block] = tuple(target for target in control.successors[block] if not doomed[target])
    return FlowGraph(
        successors,
        returns=(block for block in live if not control.successors[block]),
        waiting=(block for block in live if barriers_wait and holds_barrier(blocks[block], group)),
        agreed=(block for block in live if divergence.terminator_level(block) <= group),
    )


def holds_barrier(block: BasicBlock, group: Level) -> bool:
    """Does the block hold a barrier that waits for all threads of the group?"""
    if group is Level.GRID:
        return any(isinstance(instruction, GridBarrier) for instruction in block.instructions)
    return any(isinstance(instruction, BlockBarrier | GridBarrier) for instruction in block.instructions)
