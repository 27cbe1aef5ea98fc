"""Two threads by definition: pairs of paths through the blocks, without nets, orders or states.

A path is a list of steps; a step is a dynamic instance (the block, and the iteration of each loop around it) with the
block that comes next.  Two paths are possible together if they agree wherever both execute one instance of an agreed
branch, and if they pass the same instances of barriers that wait, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from analysis.ir.ids import BasicBlockId
from analysis.petri.flow_graph import FlowGraph

Instance: TypeAlias = tuple[BasicBlockId, tuple[int, ...]]
Step: TypeAlias = tuple[Instance, BasicBlockId | None]


def paths(graph: FlowGraph, most_blocks: int, most_paths: int) -> Iterator[tuple[BasicBlockId, ...]]:
    """The paths to a return, shortest first, so many at most."""
    growing: list[tuple[BasicBlockId, ...]] = [(graph.order[0],)]
    found = 0
    for path in growing:  # which grows
        if path[-1] in graph.returns:
            yield path
            found += 1
        if found >= most_paths or len(growing) > 40 * most_paths:
            return
        if len(path) < most_blocks:
            growing.extend((*path, target) for target in graph.successors[path[-1]])


def steps(graph: FlowGraph, path: Sequence[BasicBlockId]) -> list[Step]:
    cycles = graph.cycles[::-1]  # outer ones first
    iteration: dict[int, int] = {cycle.id: 0 for cycle in cycles}
    found: list[Step] = []
    for index, block in enumerate(path):
        before = path[index - 1] if index else None
        around = [cycle for cycle in cycles if block in cycle.blocks]
        for cycle in around:
            if before is None or before not in cycle.blocks:
                iteration[cycle.id] = 0
            elif block == cycle.header:
                iteration[cycle.id] += 1
        assert before is None or block in graph.successors[before], "a path follows edges"
        instance = (block, tuple(iteration[cycle.id] for cycle in around))
        found.append((instance, path[index + 1] if index + 1 < len(path) else None))
    return found


def possible_together(graph: FlowGraph, one: Sequence[Step], other: Sequence[Step]) -> bool:
    chosen = {instance: following for instance, following in one if instance[0] in graph.agreed}
    return all(chosen.get(instance, following) == following for instance, following in other) and (
        _barriers(graph, one) == _barriers(graph, other)
    )


def _barriers(graph: FlowGraph, path: Sequence[Step]) -> list[Instance]:
    return [instance for instance, _ in path if instance[0] in graph.waiting]
