"""When must an item be analysed again?

Question  Can two items, of two builds, give different analysis results?  Equal fingerprints: no.
Rules     An item's *own* digest covers its text, its place (owner, namespace, path), and the definitions of the macros
          it can use: those named in it, in their bodies, and so on, as visible at the item.
          Its fingerprint covers the own digests of all items that it can reach by name through identifiers.
          Names are taken from all text, comments too: a fingerprint can change for nothing, never stay for something.
Cost      Items that reach each other share one fingerprint, so one walk over all edges (Tarjan) answers for every item.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final, final

from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import identifiers
from analysis.syntax.macros import MacroDefinition, MacroTable

_DYNAMIC: Final = frozenset({b"__LINE__", b"__FILE__", b"__COUNTER__"})


@final
class Fingerprints:
    """The fingerprints of all items of one build, computed together on first use."""

    def __init__(
        self, items: Sequence[Item], by_name: Mapping[bytes, Sequence[int]], macros: MacroTable, settings: bytes
    ) -> None:
        self._items = items
        self._by_name = by_name
        self._macros = macros
        self._settings = settings
        self._words: dict[bytes, frozenset[bytes]] = {}
        self._digests: list[bytes] | None = None

    def of(self, index: int) -> bytes:
        """The fingerprint of the item at that index."""
        if self._digests is None:
            self._digests = self._all()
        return self._digests[index]

    def _all(self) -> list[bytes]:
        names = self._by_name.keys()
        macro_names = self._macros.names.keys()
        own: list[bytes] = []
        edges: list[list[int]] = []
        for item in self._items:
            words = item.identifiers
            used = words & macro_names
            if used:
                definitions = self._definitions(item.order, used)
                for definition in definitions:
                    words = words | self._body_words(definition)
                macros = b"".join(sorted(definition.digest for definition in definitions))
            else:
                macros = b""
            own.append(self._own(item, macros))
            targets: list[int] = []
            for name in words & names:
                targets.extend(self._by_name[name])
            edges.append(targets)
        return _closed(own, edges)

    def _own(self, item: Item, macros: bytes) -> bytes:
        place = f"{item.path}|{item.namespace}|{item.owner}|{item.name}|{item.part}|{item.active}"
        if not item.identifiers.isdisjoint(_DYNAMIC):
            place += f"|{item.span.start}"
        digest = blake2b(item.text, digest_size=16)
        digest.update(place.encode("utf-8", "surrogateescape") + self._settings)
        digest.update(macros)
        return digest.digest()

    def _definitions(self, order: int, names: frozenset[bytes]) -> list[MacroDefinition]:
        """All definitions that expanding these names can use."""
        found: dict[bytes, MacroDefinition] = {}
        pending = list(names)
        known = self._macros.names
        while pending:
            name = pending.pop()
            definition = None if name in found else self._macros.get(name, order)
            if definition is not None:
                found[name] = definition
                pending.extend(word for word in self._body_words(definition) if word in known)
        return list(found.values())

    def _body_words(self, definition: MacroDefinition) -> frozenset[bytes]:
        words = self._words.get(definition.body)
        if words is None:
            words = self._words[definition.body] = identifiers(definition.body)
        return words


def names_of(items: Sequence[Item]) -> dict[bytes, list[int]]:
    """For each name, the items that can change what it means."""
    by_name: dict[bytes, list[int]] = {}
    for index, item in enumerate(items):
        if item.kind is ItemKind.OTHER and not item.name:
            continue
        by_name.setdefault(item.name.encode("utf-8", "surrogateescape"), []).append(index)
        if item.owner is not None:
            by_name.setdefault(item.owner.encode("utf-8", "surrogateescape"), []).append(index)
    return by_name


def _closed(own: list[bytes], edges: list[list[int]]) -> list[bytes]:
    """Per node, a digest of everything it reaches; nodes of one cycle differ only by their own digest."""
    count = len(own)
    digests: list[bytes] = [b""] * count
    low = [0] * count
    number = [0] * count
    on_stack = [False] * count
    stack: list[int] = []
    counter = 0
    for root in range(count):
        if number[root]:
            continue
        work = [(root, iter(edges[root]))]
        counter += 1
        number[root] = low[root] = counter
        stack.append(root)
        on_stack[root] = True
        while work:
            node, targets = work[-1]
            for target in targets:
                if not number[target]:
                    counter += 1
                    number[target] = low[target] = counter
                    stack.append(target)
                    on_stack[target] = True
                    work.append((target, iter(edges[target])))
                    break
                if on_stack[target]:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    _finish(node, stack, on_stack, own, edges, digests)
    return digests


def _finish(
    node: int, stack: list[int], on_stack: list[bool], own: list[bytes], edges: list[list[int]], digests: list[bytes]
) -> None:
    """Give the members of one cycle their digests; all that they reach outside it has one already."""
    members: list[int] = []
    while True:
        member = stack.pop()
        on_stack[member] = False
        members.append(member)
        if member == node:
            break
    inside = set(members)
    reached = {digests[target] for member in members for target in edges[member] if target not in inside}
    content = sorted([own[member] for member in members])
    group = blake2b(b"".join([*content, b"|", *sorted(reached)]), digest_size=16).digest()
    for member in members:
        digests[member] = blake2b(own[member] + group, digest_size=16).digest()
