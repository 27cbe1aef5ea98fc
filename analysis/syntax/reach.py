"""What can a node reach, as a digest?

Rules   A node has a digest of its own, edges to others, and may be marked.  Its digest covers its own and those of all
        that it reaches; it counts as marked where anything that it reaches is.
Cost    Nodes that reach each other are one group, so one walk over the edges (Tarjan) answers for all that a node
        reaches.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, final


@final
class Reading(NamedTuple):
    """A node as it is read: its own digest, where its edges lead, and whether it is marked."""

    own: bytes
    targets: Sequence[int]
    is_marked: bool = False


@final
class Reach:
    """The digests of the nodes of one graph, each computed on first use together with all that it reaches."""

    def __init__(self) -> None:
        self._readings: dict[int, Reading] = {}
        self._digests: dict[int, bytes] = {}
        self._marked: set[int] = set()

    def of(self, node: int, read: Callable[[int], Reading]) -> bytes:
        """The digest of a node; `read` is always the same."""
        if node not in self._digests:
            self._close(node, read)
        return self._digests[node]

    def known(self, node: int) -> bytes | None:
        """The digest of a node, if it was asked for before."""
        return self._digests.get(node)

    def is_marked(self, node: int) -> bool:
        """Whether a node of which the digest was asked for reaches one that is marked."""
        return node in self._marked

    def take_over(self, old: "Reach", changed: Iterable[int]) -> frozenset[int]:
        """Keep what was found for `old`, where only the nodes `changed` read otherwise; returns what is not kept."""
        changed = list(changed)
        stale = old._reaching(changed) if changed else frozenset[int]()
        self._readings = {node: reading for node, reading in old._readings.items() if node not in stale}
        self._digests = {node: digest for node, digest in old._digests.items() if node not in stale}
        self._marked = old._marked - stale
        return stale

    def _reaching(self, goals: Iterable[int]) -> frozenset[int]:
        """The nodes from which edges lead to one of `goals`, these included."""
        sources: defaultdict[int, list[int]] = defaultdict(list)
        for node, reading in self._readings.items():
            for target in reading.targets:
                sources[target].append(node)
        return closed(goals, sources)

    def _close(self, root: int, read: Callable[[int], Reading]) -> None:
        """Give `root`, and all that it reaches, their digests (Tarjan, 1972, without recursion)."""
        digests = self._digests
        number: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        work: list[tuple[int, Iterator[int]]] = []

        def enter(node: int) -> None:
            number[node] = low[node] = len(number)
            stack.append(node)
            reading = self._readings[node] = read(node)
            work.append((node, iter(reading.targets)))

        enter(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target in digests:
                    continue
                if target not in number:
                    enter(target)
                    break
                if number[target] < low[node]:
                    low[node] = number[target]
            else:
                work.pop()
                if work and low[node] < low[work[-1][0]]:
                    low[work[-1][0]] = low[node]
                if low[node] == number[node]:
                    at = stack.index(node) if stack[-1] != node else len(stack) - 1
                    self._finish(stack[at:])
                    del stack[at:]

    def _finish(self, members: list[int]) -> None:
        """The members of one cycle; all that they reach outside it has its digest already."""
        digests = self._digests
        if members[0] in digests:
            return  # somebody else asked for it while one of them was read, so all of them are known
        inside = set(members)
        readings = [self._readings[member] for member in members]
        outside = {target for reading in readings for target in reading.targets if target not in inside}
        group = b"".join(sorted({digests[target] for target in outside}))
        if len(members) > 1:
            together = b"".join(sorted([reading.own for reading in readings]))
            group += b"|" + blake2b(together, digest_size=16).digest()
        group = blake2b(group, digest_size=16).digest()
        for member, reading in zip(members, readings, strict=True):
            digests[member] = blake2b(reading.own + group, digest_size=16).digest()
        if any(reading.is_marked for reading in readings) or not self._marked.isdisjoint(outside):
            self._marked.update(members)


def closed(goals: Iterable[int], sources: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """`goals` and all that lead to them, one after the other."""
    reached = set(goals)
    pending = list(reached)
    while pending:
        new = [node for node in sources.get(pending.pop(), ()) if node not in reached]
        reached.update(new)
        pending += new
    return frozenset(reached)
