"""Which accesses may run in one interval between barriers?

An interval begins at the entry of the kernel or behind a barrier of the block, and ends at the next barrier on each
path; a path may go around a loop.  Two threads of a block pass the same barriers, so what they do in between can only
meet if one beginning leads to both accesses without another barrier.

Assumes   that all threads arrive at every barrier.  Where that is not known no barrier counts: one interval is left.
Cost      O(barriers x (blocks + edges)).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import ENTRY, Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import BlockBarrier, GridBarrier, Instruction
from analysis.races.model import MemoryUse
from analysis.verdict.barriers import BarrierSite, BarrierVerdict

MAX_BARRIERS: Final = 256
"""Functions with more are not cut into intervals."""

Interval: TypeAlias = frozenset[int]
"""Numbers of uses."""


def intervals(
    function: Function, control: ControlFlow, barriers: Sequence[BarrierSite], uses: Sequence[MemoryUse]
) -> tuple[Interval, ...]:
    """Every set of uses that one beginning leads to; a set that lies in another one is left out."""
    everything = frozenset(use.number for use in uses)
    sites = [site for site in barriers if orders_block(site.instruction)]
    if len(sites) > MAX_BARRIERS or any(site.verdict is not BarrierVerdict.CONVERGENT for site in sites):
        return (everything,)
    cuts: dict[BasicBlockId, list[int]] = {}
    for site in sites:
        cuts.setdefault(site.block, []).append(site.index)
    inside: dict[BasicBlockId, list[MemoryUse]] = {}
    for use in uses:
        inside.setdefault(use.block, []).append(use)
    starts = [(ENTRY, -1), *((site.block, site.index) for site in sites)]
    found = {_reached(control, cuts, inside, block, index) for block, index in starts}
    return tuple(_largest(found))


def orders_block(instruction: Instruction) -> bool:
    """Does it order what all threads of a block did before it before what they do after it?"""
    return isinstance(instruction, BlockBarrier | GridBarrier)


def _reached(
    control: ControlFlow,
    cuts: dict[BasicBlockId, list[int]],
    inside: dict[BasicBlockId, list[MemoryUse]],
    start: BasicBlockId,
    behind: int,
) -> Interval:
    found: set[int] = set()
    seen: set[BasicBlockId] = set()
    waiting = [(start, behind)]
    while waiting:
        block, first = waiting.pop()
        end = next((cut for cut in cuts.get(block, ()) if cut > first), None)
        for use in inside.get(block, ()):
            if use.index > first and (end is None or use.index < end):
                found.add(use.number)
        if end is None:
            for target in control.successors[block]:
                if target not in seen:
                    seen.add(target)
                    waiting.append((target, -1))
    return frozenset(found)


def _largest(found: set[Interval]) -> Iterator[Interval]:
    for interval in sorted(found, key=len, reverse=True):
        if interval and not any(interval < other for other in found):
            yield interval
