"""When must an item be analysed again?

Question  Can two items, of two builds, give different analysis results?  Equal fingerprints: no.
Rules     An item's *own* digest covers its text, its place (owner, namespace, path), and the definitions of the macros
          it can use: those named in it, in their bodies, and so on, as visible at the item.
          Its fingerprint covers the own digests of all items that it can reach by name through identifiers.
          Names are taken from all text, comments too: a fingerprint can change for nothing, never stay for something.
          Some items are meant without being named: a class by all that stands in it, an enumeration by its enumerators
          too, and a free operator by every item whose text, or a macro in it, may hold its symbol.
          Of a table of functions it counts, too, whether all others only read it.
Cost      Items that reach each other are one group, so one walk over the edges (Tarjan) answers for all that an item
          reaches.  Macros that are defined once are followed once for all items that use the same ones.
          After an edit inside of items, that declares nothing else, only what can reach these is hashed again.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Final, final

from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import identifiers
from analysis.syntax.macros import MacroDefinition, MacroTable
from analysis.syntax.table_uses import is_only_read

_FEW: Final = 4
_ENUMERATING: Final = frozenset({ItemKind.ENUM, ItemKind.ALIAS, ItemKind.VARIABLE})
_TABLE: Final = re.compile(rb"\[.*\{\s*&?\s*[A-Za-z_$]", re.DOTALL)
_DYNAMIC: Final = frozenset({b"__LINE__", b"__FILE__", b"__COUNTER__"})


@final
class Fingerprints:
    """The fingerprints of the items of one build, each computed on first use together with all that it reaches."""

    def __init__(
        self, items: Sequence[Item], by_name: Mapping[bytes, Sequence[int]], macros: MacroTable, settings: bytes
    ) -> None:
        self._items = items
        self._by_name = by_name
        self._macros = macros
        self._settings = settings
        self._words: dict[bytes, frozenset[bytes]] = {}
        self._orders: dict[bytes, bytes] = {}
        self._used: dict[frozenset[bytes], tuple[int, bytes, frozenset[bytes]]] = {}
        self._names: list[Sequence[int]] = []
        self._name_nodes: dict[bytes, int] = {}
        self._own: dict[int, bytes] = {}
        self._edges: dict[int, list[int]] = {}
        self._digests: dict[int, bytes] = {}
        self._placed: set[int] = set()
        """Items whose place in the file counts."""
        self._tables: dict[int, bool] = {}
        """Variables that may be tables of functions, and whether everything else only reads them."""
        self._operators = _operators(items, by_name)
        self._lock = Lock()

    def of(self, index: int) -> bytes:
        """The fingerprint of the item at that index."""
        digest = self._digests.get(index)
        if digest is None:
            with self._lock:
                self._close(index)
            digest = self._digests[index]
        return digest

    def take_over(self, old: "Fingerprints") -> None:
        """Keep what was found for `old`, an earlier version of the text, as far as it would be found again."""
        if not self._means_the_same_by_names(old):
            return
        with old._lock:
            changed = [index for index, item in enumerate(self._items) if old._changed(index, item)]
            if changed:
                changed += [index for index, is_read in old._tables.items() if is_read != self._is_only_read(index)]
            stale = _reaching(changed, old._edges) if changed else frozenset[int]()
            self._used, self._words = dict(old._used), dict(old._words)
            self._names, self._name_nodes = list(old._names), dict(old._name_nodes)
            self._edges = {node: targets for node, targets in old._edges.items() if node not in stale}
            self._digests = {node: digest for node, digest in old._digests.items() if node not in stale}
            self._placed = old._placed - stale
            self._tables = {index: is_read for index, is_read in old._tables.items() if index not in stale}

    def _means_the_same_by_names(self, old: "Fingerprints") -> bool:
        return (
            len(self._items) == len(old._items)
            and self._settings == old._settings
            and self._operators == old._operators
            and self._by_name == old._by_name
            and self._macros.means_the_same(old._macros)
        )

    def _changed(self, index: int, item: Item) -> bool:
        """Whether `item` differs from the item that had its index here; where it stands counts for few."""
        before = self._items[index]
        moved = item.span.start != before.span.start and index in self._placed
        return moved or item._replace(span=before.span) != before

    def _close(self, root: int) -> None:
        """Give `root`, and all that it reaches, their fingerprints (Tarjan, 1972, without recursion)."""
        if root in self._digests:
            return
        number: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        work: list[tuple[int, Iterator[int]]] = []

        def enter(node: int) -> None:
            number[node] = low[node] = len(number)
            stack.append(node)
            work.append((node, iter(self._read(node))))

        enter(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target in self._digests:
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
        """The members of one cycle; all that they reach outside it has its fingerprint already."""
        digests, edges, own = self._digests, self._edges, self._own
        inside = set(members)
        reached = {digests[target] for member in members for target in edges[member] if target not in inside}
        group = b"".join(sorted(reached))
        if len(members) > 1:
            together = b"".join(sorted([own[member] for member in members]))
            group += b"|" + blake2b(together, digest_size=16).digest()
        group = blake2b(group, digest_size=16).digest()
        for member in members:
            digests[member] = blake2b(own[member] + group, digest_size=16).digest()

    def _read(self, index: int) -> list[int]:
        """The nodes that a node names; its own digest is computed on the way."""
        if index >= len(self._items):
            targets = list(self._names[index - len(self._items)])
            self._own[index] = b""
        else:
            item = self._items[index]
            macros, words = self._macro_part(item)
            place = repr((item.path, item.namespace, item.owner, item.name, item.part, item.active))
            if not _DYNAMIC.isdisjoint(words):
                place += f"|{item.span.start}"
                self._placed.add(index)
            if item.kind is ItemKind.VARIABLE and (macros or _TABLE.search(item.text)):
                place += f"|{self._is_only_read(index)}"
            named = words & self._by_name.keys()
            orders = b"".join([self._order_of(name) for name in sorted(named) if len(self._by_name[name]) > 1])
            content = b"|".join([self._settings, macros, place.encode("utf-8", "surrogateescape"), orders, item.text])
            self._own[index] = blake2b(content, digest_size=16).digest()
            targets = [target for name in named for target in self._named(name)]
            owner = b"" if item.owner is None else item.owner.encode("utf-8", "surrogateescape")
            if owner in self._by_name and owner not in words:
                targets += self._named(owner)  # what stands in a class names its members and bases without naming it
            for symbol, name in self._operators:
                if macros or symbol in item.text:
                    targets += self._named(name)
        self._edges[index] = targets
        return targets

    def _is_only_read(self, index: int) -> bool:
        """Whether a call through a table of functions may be followed depends on all who name the table."""
        found = self._tables[index] = is_only_read(self._items[index].name, self._items)
        return found

    def _order_of(self, name: bytes) -> bytes:
        """In which order the declarations of a name stand: the first or the last of them may be the one that counts."""
        found = self._orders.get(name)
        if found is None:
            texts = b"|".join([self._items[index].text for index in self._by_name[name]])
            found = self._orders[name] = blake2b(texts, digest_size=16).digest()
        return found

    def _named(self, name: bytes) -> Sequence[int]:
        """The items of a name; a name of many items is a node of its own, or edges would grow with the square."""
        found = self._by_name[name]
        if len(found) <= _FEW:
            return found
        node = self._name_nodes.get(name)
        if node is None:
            node = self._name_nodes[name] = len(self._items) + len(self._names)
            self._names.append(found)
        return (node,)

    def _macro_part(self, item: Item) -> tuple[bytes, frozenset[bytes]]:
        """The digests of the macros that an item can use, and its words with those of their bodies."""
        used = frozenset(item.identifiers & self._macros.names.keys())
        if not used:
            return b"", item.identifiers
        known = self._used.get(used)
        if known is None or item.order < known[0]:
            definitions = self._definitions(item.order, used)
            added = frozenset[bytes]().union(*[self._body_words(definition) for definition in definitions])
            digests = b"".join(sorted([definition.digest for definition in definitions]))
            since = self._macros.settled_since(used | added)
            if since is None or item.order < since:
                # Later items may see definitions that this one does not: what it sees is no answer for them.
                return digests, item.identifiers | added
            known = self._used[used] = since, digests, added
        return known[1], item.identifiers | known[2]

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


def _reaching(goals: Iterable[int], edges: Mapping[int, Iterable[int]]) -> frozenset[int]:
    """The nodes from which edges lead to one of `goals`, these included."""
    sources: defaultdict[int, list[int]] = defaultdict(list)
    for node, targets in edges.items():
        for target in targets:
            sources[target].append(node)
    reached = set(goals)
    pending = list(reached)
    while pending:
        new = [node for node in sources.get(pending.pop(), ()) if node not in reached]
        reached.update(new)
        pending += new
    return frozenset(reached)


def names_of(items: Sequence[Item]) -> dict[bytes, list[int]]:
    """For each name, the items that can change what it means."""
    by_name: dict[bytes, list[int]] = {}
    for index, item in enumerate(items):
        if item.kind is ItemKind.OTHER and not item.name:
            continue
        own = item.name.encode("utf-8", "surrogateescape")
        by_name.setdefault(own, []).append(index)
        if item.owner is not None:
            by_name.setdefault(item.owner.encode("utf-8", "surrogateescape"), []).append(index)
        if b"enum" in item.identifiers and item.kind in _ENUMERATING:
            for name in item.identifiers - {own}:
                by_name.setdefault(name, []).append(index)
    return by_name


def _operators(items: Sequence[Item], by_name: Mapping[bytes, Sequence[int]]) -> tuple[tuple[bytes, bytes], ...]:
    """The symbols of operators that are no members, each with the name of their items."""
    return tuple(
        (name.removeprefix(b"operator").strip(b'" '), name)
        for name, indices in by_name.items()
        if name.startswith(b"operator") and any(items[index].owner is None for index in indices)
    )
