"""The bare control-flow facts that the passes of this package need: order, predecessors, dominators.

Blocks are plain integers here.  `analysis.graph` holds the richer structures (post-dominance, loops, regions) for the
analyses; the IR may not import it, and needs only this much to build and check SSA form.

Cost    O(blocks + edges) for the order; the dominators iterate to a fixpoint over the reverse post-order, which takes
        two rounds on reducible graphs.
Source  Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001).
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.ir.function import BasicBlock


def reverse_post_order(blocks: Sequence[BasicBlock]) -> list[int]:
    """The blocks that the entry reaches; a block comes after its dominators.

    Of two successors the first comes first, as in the source: a loop's body before what follows the loop.
    """
    successors = [block.terminator.successors[::-1] for block in blocks]
    seen = bytearray(len(blocks))
    seen[0] = 1
    post_order: list[int] = []
    path = [0]
    pending = [iter(successors[0])]
    while path:
        for successor in pending[-1]:
            if not seen[successor]:
                seen[successor] = 1
                path.append(successor)
                pending.append(iter(successors[successor]))
                break
        else:
            post_order.append(path.pop())
            pending.pop()
    post_order.reverse()
    return post_order


def predecessors(blocks: Sequence[BasicBlock], reachable: Sequence[int]) -> list[list[int]]:
    """The distinct predecessors of each block in ascending order; edges out of unreachable blocks do not count."""
    result: list[list[int]] = [[] for _ in blocks]
    for block in sorted(reachable):
        for successor in dict.fromkeys(blocks[block].terminator.successors):
            result[successor].append(block)
    return result


def immediate_dominators(order: Sequence[int], before: Sequence[Sequence[int]]) -> list[int]:
    """The immediate dominator of each reachable block (the entry's is itself), -1 for the others.

    `order` is the reverse post-order, `before` the predecessors.
    """
    position = [0] * len(before)
    for index, block in enumerate(order):
        position[block] = index
    dominator = [-1] * len(before)
    dominator[order[0]] = order[0]
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            found = -1
            for other in before[block]:
                if dominator[other] < 0:
                    continue
                if found < 0:
                    found = other
                    continue
                while other != found:
                    if position[other] > position[found]:
                        other = dominator[other]
                    else:
                        found = dominator[found]
            if dominator[block] != found:
                dominator[block] = found
                changed = True
    return dominator


def dominance_frontiers(before: Sequence[Sequence[int]], dominator: Sequence[int]) -> list[list[int]]:
    """For each block, the blocks where its dominance ends: there its definitions meet others."""
    frontier: list[list[int]] = [[] for _ in before]
    for block, incoming in enumerate(before):
        if len(incoming) < 2 or dominator[block] < 0:
            continue
        for other in incoming:
            runner = other
            while runner != dominator[block]:
                if not frontier[runner] or frontier[runner][-1] != block:
                    frontier[runner].append(block)
                runner = dominator[runner]
    return frontier
