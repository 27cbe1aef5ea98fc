"""In which order the blocks of a graph stand, if those further behind come first.

Reverse post-order is not enough.  Of `while (true) { if (done) break; body }` it may put what follows the loop before
the body, and who left would run ahead of those that loop.  Here every loop is contiguous and stands as compilers
rotate it: its header, where all its trips meet, comes last, or those that `continue` would begin the next trip while
others are still in this one.  But for what leads from headers into loops, everything comes after its predecessors; ties
go to the lower number.

Source    Bourdoncle, "Efficient chaotic iteration strategies with widenings", 1993 (weak topological order).
Cost      O((nodes + edges) * depth of loops).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from analysis.ir.pace import paced, spend


def loop_layout(nodes: Sequence[int], successors: Sequence[Sequence[int]]) -> list[int]:
    """The nodes in that order; they are numbered in reverse post-order."""
    order: list[int] = []
    for component in _components_in_order(nodes, successors):
        if len(component) == 1:
            order += component
        else:
            # The lowest number is the header: reverse post-order enters a loop there.
            header = min(component)
            order += loop_layout([node for node in component if node != header], successors)
            order.append(header)
    return order


def _components_in_order(nodes: Sequence[int], successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components, each after those that lead to it; of several the one with the lowest member."""
    components = _strong_components(nodes, successors)
    home = {node: index for index, members in enumerate(paced(components)) for node in members}
    edges = [
        {home[target] for node in members for target in successors[node] if target in home} - {index}
        for index, members in enumerate(paced(components, 2))
    ]
    waiting = [0] * len(components)
    for targets in edges:
        for target in targets:
            waiting[target] += 1
    ready = [(min(members), index) for index, members in enumerate(components) if waiting[index] == 0]
    heapq.heapify(ready)
    order: list[list[int]] = []
    while ready:
        _, index = heapq.heappop(ready)
        order.append(components[index])
        for target in edges[index]:
            waiting[target] -= 1
            if waiting[target] == 0:
                heapq.heappush(ready, (min(components[target]), target))
    return order


def _strong_components(nodes: Sequence[int], successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Tarjan's algorithm without recursion, restricted to `nodes`."""
    inside = frozenset(nodes)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    closed: set[int] = set()
    components: list[list[int]] = []
    for root in paced(nodes):
        if root in index:
            continue
        work = [(root, iter(successors[root]))]
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        while work:
            spend(1)
            node, rest = work[-1]
            for target in rest:
                if target not in inside or target in closed:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_nodes.append(target)
                    work.append((target, iter(successors[target])))
                    break
                low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = [open_nodes.pop()]
                    while members[-1] != node:
                        members.append(open_nodes.pop())
                    components.append(members)
                    closed.update(members)
    return components
