"""A part of a syntax tree as data that can be compared: equal where the grammar saw the same at the same places.

Rules     Nodes stand in the order of `Node.walk`, parents first.  Places count from wherever the caller says, so a part
          that only moved is equal to what it was.
Cost      O(nodes) to freeze, to compare and to thaw.
"""

from __future__ import annotations

from typing import final

from analysis.ir.pace import paced, popped
from analysis.ir.record import record
from analysis.syntax.tree import Node


@final
@record
class FrozenTree:
    """The nodes below one node, itself first."""

    kinds: tuple[str, ...]
    roles: tuple[str | None, ...]
    extents: tuple[int, ...]
    """Of each node its start, its end, and the number of its children."""
    missing: tuple[int, ...]
    """Numbers of the nodes that the grammar put there itself."""

    def thawed(self, source: bytes) -> Node:
        """The tree again, over the text in which its places count."""
        missing = frozenset(self.missing)
        waiting: list[Node] = []
        """The nodes behind the one that is made whose parent is not made yet, the first of them on top."""
        for number in paced(range(len(self.kinds) - 1, -1, -1)):
            start, end, count = self.extents[3 * number : 3 * number + 3]
            children = [waiting.pop() for _ in range(count)]
            made = Node(self.kinds[number], start, end, source, self.roles[number], children, number in missing)
            waiting.append(made)
        (root,) = waiting
        return root


def frozen(root: Node, origin: int) -> FrozenTree:
    """The tree below `root`; places count from `origin`."""
    kinds: list[str] = []
    roles: list[str | None] = []
    extents: list[int] = []
    missing: list[int] = []
    stack = [root]
    for node in popped(stack):
        children = node.children
        if node.is_missing:
            missing.append(len(kinds))
        kinds.append(node.kind)
        roles.append(node.role)
        extents += (node.start - origin, node.end - origin, len(children))
        if children:
            stack += children[::-1]
    return FrozenTree(tuple(kinds), tuple(roles), tuple(extents), tuple(missing))
