"""Cycles: the loops of a control-flow graph, natural and irreducible, and how they nest.

A cycle is a maximal strongly connected set of blocks; its header is the block that a depth-first search from the
entry meets first; the child cycles are the cycles that remain when the edges into the header are taken away.  A
cycle with one entry is a natural loop and its header does not depend on the order of the search.  A cycle that can be
entered at several blocks is irreducible (`goto` into a loop); its header is then only a convention.

Cost      O(blocks + edges) times the nesting depth.
Source    LLVM `CycleTerminology.rst` and `GenericCycleImpl.h`; Havlak, TOPLAS 1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType, final

from analysis.ir.control_flow import Edges
from analysis.ir.instructions import BasicBlockId
from analysis.ir.pace import paced
from analysis.ir.record import record

CycleId = NewType("CycleId", int)
"""Index into `ControlFlow.cycles`; a parent comes after its children."""


@final
@record
class Cycle:
    """One loop with everything inside it, children too."""

    id: CycleId
    header: BasicBlockId
    blocks: frozenset[BasicBlockId]
    entries: tuple[BasicBlockId, ...]
    parent: CycleId | None
    depth: int
    """1 for an outermost cycle."""

    @property
    def reducible(self) -> bool:
        return len(self.entries) == 1


def find_cycles(root: int, successors: Edges, predecessors: Edges) -> tuple[Cycle, ...]:
    """All cycles, inner ones before the ones around them."""
    order, last = _preorder(root, successors)
    entered = {block: position for position, block in enumerate(order)}
    forest = _Forest(predecessors, entered, last)
    for block in paced(order[::-1]):
        forest.try_header(block)
    return forest.finished()


def _preorder(root: int, successors: Edges) -> tuple[list[int], dict[int, int]]:
    """Blocks in depth-first order, and for each the position of its last descendant."""
    order: list[int] = []
    last: dict[int, int] = {}
    seen = bytearray(len(successors))
    stack = [root]
    while stack:
        node = stack.pop()
        if node < 0:  # all below it is done
            last[~node] = len(order) - 1
        elif not seen[node]:
            seen[node] = 1
            order.append(node)
            stack.append(~node)
            stack += successors[node][::-1]
    return order, last


class _Forest:
    """The cycles found so far, innermost first."""

    def __init__(self, predecessors: Edges, entered: dict[int, int], last: dict[int, int]) -> None:
        self.predecessors = predecessors
        self.entered = entered
        self.last = last
        self.headers: list[int] = []
        self.members: list[list[int]] = []
        self.entries: list[list[int]] = []
        self.parents: list[int | None] = []
        self.innermost: dict[int, int] = {}

    def try_header(self, header: int) -> None:
        """Makes a cycle of everything that reaches `header` from below it in the search tree."""
        first, last = self.entered[header], self.last[header]
        waiting = [p for p in self.predecessors[header] if first <= self.entered.get(p, -1) <= last]
        if not waiting:
            return
        cycle = len(self.headers)
        self.headers.append(header)
        self.members.append([header])
        self.entries.append([header])
        self.parents.append(None)
        self.innermost[header] = cycle
        while waiting:
            block = waiting.pop()
            if block == header:
                continue
            known = self._outermost(block)
            if known == cycle:
                continue
            if known is None:
                self.innermost[block] = cycle
                self.members[cycle].append(block)
                doors: Sequence[int] = (block,)
            else:
                self.parents[known] = cycle
                self.members[cycle].extend(self.members[known])
                doors = self.entries[known]
            for door in doors:
                self._look_back(door, cycle, first, last, waiting)

    def _look_back(self, block: int, cycle: int, first: int, last: int, waiting: list[int]) -> None:
        is_entry = False
        for predecessor in self.predecessors[block]:
            position = self.entered.get(predecessor)
            if position is None:
                continue
            if first <= position <= last:
                waiting.append(predecessor)
            else:
                is_entry = True
        if is_entry and block not in self.entries[cycle]:
            self.entries[cycle].append(block)

    def _outermost(self, block: int) -> int | None:
        cycle = self.innermost.get(block)
        while cycle is not None and (parent := self.parents[cycle]) is not None:
            cycle = parent
        return cycle

    def finished(self) -> tuple[Cycle, ...]:
        depths = [1] * len(self.headers)
        for cycle in reversed(range(len(self.headers))):
            parent = self.parents[cycle]
            if parent is not None:
                depths[cycle] = depths[parent] + 1
        return tuple(
            Cycle(
                CycleId(index),
                BasicBlockId(self.headers[index]),
                frozenset(map(BasicBlockId, self.members[index])),
                tuple(map(BasicBlockId, self.entries[index])),
                None if (parent := self.parents[index]) is None else CycleId(parent),
                depths[index],
            )
            for index in range(len(self.headers))
        )
