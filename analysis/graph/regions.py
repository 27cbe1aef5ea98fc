"""Single-entry-single-exit regions: pieces of the flow graph that are entered and left over one edge's end each.

A region is a pair of blocks `entry`, `exit`: `exit` post-dominates `entry`, no edge leads into the region except to
`entry` or out of it except to `exit`, and a loop that `entry` is in either lies around both or in the region as a
whole.  `exit` does not belong to the region (it is where control goes on); None is the function's exit.  Listed are,
for each branch, the smallest region that begins there: what melding and outlining start from.

Cost      O(blocks + edges) per branch.
Source    Johnson, Pearson and Pingali, PLDI 1994 (what a region is); the blocks are collected by a plain walk.
"""

from __future__ import annotations

from typing import final

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.ids import BasicBlockId
from analysis.ir.record import record


@final
@record
class Region:
    entry: BasicBlockId
    exit: BasicBlockId | None
    blocks: frozenset[BasicBlockId]
    """With `entry`, without `exit`."""


def branch_regions(control: ControlFlow) -> tuple[Region, ...]:
    """The smallest region that begins at each branch, in reverse post-order; branches without one are left out."""
    found = (region_of(control, block) for block in control.order if len(control.successors[block]) > 1)
    return tuple(region for region in found if region is not None)


def region_of(control: ControlFlow, entry: BasicBlockId) -> Region | None:
    """The smallest region that begins at `entry`, if everything from there to its post-dominator is closed."""
    end = control.immediate_post_dominator(entry)
    blocks = _between(control, entry, end)
    for block in blocks - {entry}:
        if any(control.rank[p] >= 0 and p not in blocks for p in control.predecessors[block]):
            return None
    # Either the region lies inside one iteration, or it is whole loops: the cycles that `entry` is in and `end` is not.
    outside = {cycle.id for cycle in control.cycles_around(end)} if end is not None else set[CycleId]()
    for cycle in control.cycles_around(entry):
        if cycle.id not in outside and not cycle.blocks <= blocks:
            return None
    return Region(entry, end, blocks)


def _between(control: ControlFlow, entry: BasicBlockId, end: BasicBlockId | None) -> frozenset[BasicBlockId]:
    found = {entry}
    waiting = [entry]
    while waiting:
        for target in control.successors[waiting.pop()]:
            if target != end and target not in found:
                found.add(target)
                waiting.append(target)
    return frozenset(found)
