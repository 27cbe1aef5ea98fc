"""Post-dominance and control dependence, per loop iteration.

Question  Which branches decide whether a block runs *in this iteration of the loops around it*?
Graph     Blocks, one virtual exit, and one junction per cycle.  All edges from inside a cycle to its header pass
          through the junction, which also leads on to the first block after the cycle that every thread must pass
          (to the virtual exit if there is none).
Why       Without the second edge of the junction, `for (;;) { if (a) continue; P; if (b) break; }` would have P
          post-dominate the test of `a`, because whoever skips P comes back to it in a later iteration.  Threads would
          then pass P in different iterations, leave the loop at different times, and P would still be called
          convergent.  The junction says that the end of an iteration is a place one can stop at, so P depends on `a`.
          A junction has no condition: it adds no divergence itself and is transparent in the answers.  Blocks outside
          the cycle keep their post-dominators, because the extra edge leads to one of them.
Endless   A cycle without exit has its junction lead to the virtual exit.  So every block reaches the exit, and code
          after a branch into such a cycle depends on that branch: sound, some threads may never come.
Trap      A block that can only end in `Trap` leads to the virtual exit, but does not count when the post-dominators
          of others are computed: a trap ends the whole launch, no thread is left that could miss anything.  The
          trapping blocks themselves still depend on the branch before them.
Cost      two dominance computations with loops, one without; O(edges times depth) for the dependence.
Source    Ferrante, Ottenstein and Warren, TOPLAS 1987; the iteration vectors of Rosemann et al., POPL 2021.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import final

from analysis.graph.cycles import Cycle
from analysis.ir.control_flow import UNREACHED, Edges, immediate_dominators, reverse_post_order, reversed_edges
from analysis.ir.pace import paced
from analysis.ir.record import record


@final
@record
class PostDominance:
    """Nodes are blocks, then the virtual exit, then one junction per cycle."""

    exit: int
    immediate: Sequence[int]
    controllers: Sequence[tuple[int, ...]]
    """For each block, the blocks whose terminators decide whether it runs; without junctions."""


def doomed_blocks(traps: Collection[int], order: Sequence[int], successors: Edges) -> list[bool]:
    """Blocks from which every path ends in a trap soon (not through a cycle)."""
    doomed = [False] * len(successors)
    if not traps:
        return doomed
    ends = frozenset(traps)
    for block in reversed(order):
        targets = successors[block]
        doomed[block] = block in ends or (bool(targets) and all(doomed[target] for target in targets))
    return doomed


def post_dominance(
    order: Sequence[int], successors: Edges, predecessors: Edges, cycles: Sequence[Cycle], doomed: Sequence[bool]
) -> PostDominance:
    exit_node = len(successors)
    full, live = _with_exit_and_junctions(order, successors, predecessors, cycles, doomed)
    immediate = _post_dominators(exit_node, live)
    if cycles:
        for cycle in cycles:
            junction = exit_node + 1 + cycle.id
            after = _first_after(cycle, cycles, immediate, exit_node)
            if after not in live[junction]:
                live[junction].append(after)
            full[junction] = live[junction]
        immediate = _post_dominators(exit_node, live)
    return PostDominance(exit_node, immediate, _controllers(order, full, immediate, exit_node))


def _with_exit_and_junctions(
    order: Sequence[int], successors: Edges, predecessors: Edges, cycles: Sequence[Cycle], doomed: Sequence[bool]
) -> tuple[list[list[int]], list[list[int]]]:
    """All edges, and those that count for post-dominance."""
    exit_node = len(successors)
    full: list[list[int]] = [[] for _ in range(exit_node + 1 + len(cycles))]
    for block in order:
        full[block] = list(successors[block]) or [exit_node]
    for cycle in cycles:
        junction = exit_node + 1 + cycle.id
        header: int = cycle.header
        for block in paced(predecessors[header]):
            if block in cycle.blocks:
                full[block] = [junction if target == header else target for target in full[block]]
        full[junction] = [header]
    live = [list(targets) for targets in full]
    if True in doomed:
        for block in order:
            if not doomed[block]:
                live[block] = [target for target in live[block] if target >= exit_node or not doomed[target]]
    for cycle in cycles:
        if cycle.parent is None and not _leaves(cycle, live, exit_node):
            live[exit_node + 1 + cycle.id].append(exit_node)
    return full, live


def _leaves(cycle: Cycle, live: Sequence[Sequence[int]], exit_node: int) -> bool:
    return any(target <= exit_node and target not in cycle.blocks for block in cycle.blocks for target in live[block])


def _post_dominators(exit_node: int, live: Edges) -> list[int]:
    backward = reversed_edges(live)
    return immediate_dominators(reverse_post_order(exit_node, backward), live)


def _first_after(cycle: Cycle, cycles: Sequence[Cycle], immediate: Sequence[int], exit_node: int) -> int:
    node = immediate[cycle.header]
    while node != exit_node and node != UNREACHED:
        place = node if node < exit_node else cycles[node - exit_node - 1].header
        if place not in cycle.blocks:
            return node
        node = immediate[node]
    return exit_node


def _controllers(order: Sequence[int], full: Edges, immediate: Sequence[int], exit_node: int) -> list[tuple[int, ...]]:
    direct: list[list[int]] = [[] for _ in full]
    nodes = [*order, *range(exit_node + 1, len(full))]
    for node in nodes:
        targets = full[node]
        if len(targets) < 2:
            continue
        stop = immediate[node]
        for target in targets:
            runner = target
            while runner != stop and runner != exit_node and runner != UNREACHED:
                if not direct[runner] or direct[runner][-1] != node:
                    direct[runner].append(node)
                runner = immediate[runner]
    return [_without_junctions(block, direct, exit_node) for block in range(exit_node)]


def _without_junctions(block: int, direct: Sequence[Sequence[int]], exit_node: int) -> tuple[int, ...]:
    found = direct[block]
    if all(node < exit_node for node in found):
        return tuple(dict.fromkeys(found))
    result: dict[int, None] = {}
    waiting = list(found)
    seen: set[int] = set()
    while waiting:
        node = waiting.pop(0)
        if node < exit_node:
            result[node] = None
        elif node not in seen:
            seen.add(node)
            waiting.extend(direct[node])
    return tuple(result)
