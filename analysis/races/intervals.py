"""Which accesses may run in one interval between barriers?

An interval begins at the entry of the kernel or behind a barrier of the block, and ends at the next barrier on each
path; a path may go around a loop.  Two threads of a block pass the same barriers, so what they do in between can only
meet if one beginning leads to both accesses without another barrier.

Assumes   that all threads arrive at every barrier.  Where that is not known no barrier counts: one interval is left.
Cost      O(barriers x (blocks + edges)).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import BlockBarrier, GridBarrier, Instruction
from analysis.races.model import MemoryUse
from analysis.verdict.barriers import BarrierSite, BarrierVerdict

MAX_BARRIERS: Final = 256
"""Functions with more are not cut into intervals."""
_ORDERING: Final = (BlockBarrier, GridBarrier)

Interval: TypeAlias = frozenset[int]
"""Numbers of uses."""


def intervals(control: ControlFlow, barriers: Sequence[BarrierSite], uses: Sequence[MemoryUse]) -> tuple[Interval, ...]:
    """Every set of uses that one beginning leads to; a set that lies in another one is left out."""
    if not are_followed(barriers):
        return (frozenset(use.number for use in uses),)
    paths = Paths(control, barriers, uses)
    behind = {paths.interval(site.block, site.index) for site in _cutting(barriers)}
    return tuple(_largest({paths.interval(ENTRY, -1), *behind}))


def orders_block(instruction: Instruction) -> bool:
    """Does it order what all threads of a block did before it before what they do after it?"""
    return isinstance(instruction, _ORDERING)


def are_followed(barriers: Sequence[BarrierSite]) -> bool:
    """Whether all threads are known to arrive at each barrier of the block, and there are not too many."""
    sites = _cutting(barriers)
    return len(sites) <= MAX_BARRIERS and all(site.verdict is BarrierVerdict.CONVERGENT for site in sites)


@final
class Paths:
    """Walks through the function that end at barriers of the block.

    `reached_from` and `leading_to` map numbers of uses to whether every walk goes around a loop.
    """

    def __init__(self, control: ControlFlow, barriers: Sequence[BarrierSite], uses: Sequence[MemoryUse]) -> None:
        self._control = control
        self._cuts: dict[BasicBlockId, list[int]] = {}
        for site in _cutting(barriers):
            self._cuts.setdefault(site.block, []).append(site.index)
        self._inside: dict[BasicBlockId, list[MemoryUse]] = {}
        for use in uses:
            self._inside.setdefault(use.block, []).append(use)

    def interval(self, block: BasicBlockId, behind: int) -> Interval:
        """The uses that come behind a place, before any barrier."""
        return frozenset(self._forward(block, behind, around=True))

    def before(self, site: BarrierSite) -> Interval:
        """The uses that may come in front of a barrier, behind any other one."""
        return frozenset(self._backward(site.block, site.index, around=True))

    def reached_from(self, site: BarrierSite) -> Mapping[int, bool]:
        """The uses that may come behind a barrier, before any other one."""
        straight, every = (self._forward(site.block, site.index, around=around) for around in (False, True))
        return _marked(straight, every)

    def leading_to(self, site: BarrierSite) -> Mapping[int, bool]:
        """Those of `before`, and of each whether every walk goes around a loop."""
        straight, every = (self._backward(site.block, site.index, around=around) for around in (False, True))
        return _marked(straight, every)

    def _forward(self, start: BasicBlockId, behind: int, *, around: bool) -> Iterator[int]:
        rank, seen, waiting = self._control.rank, set[BasicBlockId](), [(start, behind)]
        while waiting:
            block, first = waiting.pop()
            cuts = self._cuts.get(block)
            end = None if cuts is None else next((cut for cut in cuts if cut > first), None)
            for use in self._inside.get(block, ()):
                if use.index > first and (end is None or use.index < end):
                    yield use.number
            if end is None:
                for target in self._control.successors[block]:
                    if target not in seen and (around or rank[target] > rank[block]):
                        seen.add(target)
                        waiting.append((target, -1))

    def _backward(self, start: BasicBlockId, before: int, *, around: bool) -> Iterator[int]:
        rank, seen = self._control.rank, set[BasicBlockId]()
        waiting: list[tuple[BasicBlockId, int | None]] = [(start, before)]
        while waiting:
            block, last = waiting.pop()
            cuts = [cut for cut in self._cuts.get(block, ()) if last is None or cut < last]
            first = max(cuts, default=-1)
            for use in self._inside.get(block, ()):
                if use.index > first and (last is None or use.index < last):
                    yield use.number
            if not cuts:
                for source in map(BasicBlockId, self._control.predecessors[block]):
                    if (
                        source not in seen
                        and self._control.is_reachable(source)
                        and (around or rank[source] < rank[block])
                    ):
                        seen.add(source)
                        waiting.append((source, None))


def _marked(straight: Iterable[int], every: Iterable[int]) -> Mapping[int, bool]:
    found = dict.fromkeys(straight, False)
    for number in every:
        found.setdefault(number, True)
    return found


def _cutting(barriers: Sequence[BarrierSite]) -> list[BarrierSite]:
    return [site for site in barriers if orders_block(site.instruction)]


def _largest(found: set[Interval]) -> Iterator[Interval]:
    for interval in sorted(found, key=len, reverse=True):
        if interval and not any(interval < other for other in found):
            yield interval
