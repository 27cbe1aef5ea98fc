"""When must an item be analysed again?

Question  Can two items, of two builds, give different analysis results?  Equal fingerprints: no.
          Can two functions be lowered to different bodies?  Equal digests `to_lower`: no.
          Can two host functions compute different numbers?  Equal digests `to_evaluate`: no.
Rules     An item's *own* digest covers its text, its place (owner, namespace, path), and the definitions of the macros
          it can use: those named in it, in their bodies, and so on, as visible at the item.
          Its fingerprint covers the own digests of all items that it can reach by name through identifiers.
          Names are taken from all text, comments too: a fingerprint can change for nothing, never stay for something.
          Some items are meant without being named: a class by all that stands in it, an enumeration by its enumerators
          too, and a free operator by every item whose text, or a macro in it, may hold its symbol.
          Of a table of functions it counts, too, whether all others only read it.
          What others *see* of a function with a hidden body (`hidden_bodies`) is its head, and of a class its text
          without these bodies.  Lowering a function depends on its own text and on what it sees of all others, of what
          these see, and so on.  Where a lambda may stand in any of this, the bodies of functions count that it may be
          passed to, so the digest is the fingerprint; likewise where a function takes any thread group.
          The numbers that host code computes depend on the text of a function and on all that it can reach by name, but
          for the bodies that nobody computes with (`evaluated_bodies`); what they are is asked of host functions alone.
Cost      `reach` follows the names.  Macros that are defined once are followed once for all items that use the same
          ones.  After an edit inside of items, that declares nothing else, only what can reach these is hashed again.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from hashlib import blake2b
from threading import RLock
from typing import Final, NamedTuple, Protocol, assert_never, final

from analysis.ir.pace import paced, popped, spend
from analysis.syntax.evaluated_bodies import unread_body
from analysis.syntax.hidden_bodies import HiddenBody, may_be_hidden, may_look_into_others
from analysis.syntax.items import Item, ItemKind, declares_the_same, differ
from analysis.syntax.lexing import identifiers
from analysis.syntax.macros import MacroDefinition, MacroTable
from analysis.syntax.reach import Reach, Reading
from analysis.syntax.table_uses import is_only_read

_FEW: Final = 4
_A_TREE: Final = 50
"""What making the tree of a function weighs, in rounds."""
_AN_ITEM: Final = 15
"""What reading an item weighs."""
_A_DEFINITION: Final = 5
_ENUMERATING: Final = frozenset({ItemKind.ENUM, ItemKind.ALIAS, ItemKind.VARIABLE})
_TABLE: Final = re.compile(rb"\[.*\{\s*&?\s*[A-Za-z_$]", re.DOTALL)
_DYNAMIC: Final = frozenset({b"__LINE__", b"__FILE__", b"__COUNTER__"})


@final
class _View(Enum):
    """What is seen of the items that an item names."""

    WHOLE = "whole"
    SEEN = "seen"
    EVALUATED = "evaluated"


@final
class Seen(NamedTuple):
    """What others see of an item."""

    text: bytes
    words: frozenset[bytes]
    body: int = 0
    """Of a function with a hidden body, where that starts."""


class Texts(Protocol):
    """What is known of the trees of items, by their index; `content` is a digest of all that a tree depends on, `key`
    makes one with its place."""

    def body(self, index: int, content: bytes, key: Callable[[int], bytes], /) -> HiddenBody | None:
        """Of a function, the body if it is hidden."""
        ...

    def is_plain_record(self, index: int, content: bytes, key: Callable[[int], bytes], /) -> bool:
        """Whether a class is read without any error."""
        ...


@final
class Lowering(NamedTuple):
    """What lowering an item depends on: a digest, the items that it names, and whether the whole of them counts."""

    digest: bytes
    targets: Sequence[int]
    is_whole: bool


@final
class Fingerprints:
    """The fingerprints of the items of one build, each computed on first use together with all that it reaches."""

    def __init__(
        self,
        items: Sequence[Item],
        by_name: Mapping[bytes, Sequence[int]],
        macros: MacroTable,
        settings: bytes,
        path: str,
        texts: Texts,
    ) -> None:
        """`path` is the file whose functions may be edited."""
        self._items = items
        self._by_name = by_name
        self._macros = macros
        self._settings = settings
        self._path = path
        self._texts: Texts | None = texts
        """Until it was asked: later builds know this one, and the trees would stay with it."""
        self._words: dict[bytes, frozenset[bytes]] = {}
        self._orders: dict[tuple[bytes, _View], bytes] = {}
        self._used: dict[frozenset[bytes], _UsedMacros] = {}
        self._names: list[Sequence[int]] = []
        self._name_nodes: dict[bytes, int] = {}
        self._placed: set[int] = set()
        """Items whose place in the file counts."""
        self._tables: dict[int, bool] = {}
        """Variables that may be tables of functions, and whether everything else only reads them."""
        self._defined: Counter[tuple[str, str | None, tuple[str, ...]]] | None = None
        """How many functions of one name a class or namespace defines."""
        self._operators = _operators(items, by_name)
        self._seen: dict[int, Seen] | None = None
        """What others see of those items of which they do not see all."""
        self._whole = Reach()
        self._views = Reach()
        self._evaluated = Reach()
        self._computed_with: dict[int, Seen | None] = {}
        """What host code sees of an item; None for all of it."""
        self._evaluations: dict[int, bytes] = {}
        self._parses: dict[int, bytes] = {}
        self._lowerings: dict[int, Lowering] = {}
        self._lock = RLock()
        """Reading a long text gives turns to others, who may ask as well: what is finished then is right for both."""

    def of(self, index: int) -> bytes:
        """The fingerprint of the item at that index."""
        digest = self._whole.known(index)
        if digest is None:
            with self._lock:
                digest = self._whole.of(index, self._read_whole)
        return digest

    def to_lower(self, index: int) -> bytes:
        """A digest of all that reading and lowering the item at that index depends on."""
        known = self._lowerings.get(index)
        if known is None:
            seen = self._looked()
            with self._lock:
                known = self._lowerings[index] = self._lowering(index, seen)
        return known.digest

    def to_evaluate(self, index: int) -> bytes:
        """A digest of all that the numbers depend on which the host function at that index computes."""
        known = self._evaluations.get(index)
        if known is None:
            item = self._items[index]
            with self._lock:
                reading = self._read(index, item.text, item.identifiers, _View.EVALUATED)
                others = b"".join(sorted({self._evaluated.of(one, self._read_evaluated) for one in reading.targets}))
            known = self._evaluations[index] = blake2b(reading.own + others, digest_size=16).digest()
        return known

    def to_parse(self, index: int) -> bytes:
        """A digest of all that the tree of the item at that index depends on, as the grammar alone reads it."""
        with self._lock:
            known = self._parses.get(index)
            if known is None:
                item = self._items[index]
                words = item.identifiers | self._macro_part(item, item.identifiers).words
                line = "" if _DYNAMIC.isdisjoint(words) else str(item.span.start)
                place = f"{item.path}|{line}".encode("utf-8", "surrogateescape")
                known = self._parses[index] = blake2b(place + self._content(item), digest_size=16).digest()
            return known

    def seen(self, index: int) -> bytes:
        """A digest of what others see of the item at that index, and of what that names in turn."""
        self._looked()
        with self._lock:
            digest = self._views.of(index, self._read_view)
            return self._whole.of(index, self._read_whole) if self._views.is_marked(index) else digest

    def view_of(self, index: int) -> bytes:
        """The text of the item at that index as others see it."""
        seen = self._looked().get(index)
        return self._items[index].text if seen is None else seen.text

    def take_over(self, old: "Fingerprints") -> None:
        """Keep what was found for `old`, an earlier version of the text, as far as it would be found again."""
        if not self._means_the_same_by_names(old):
            return
        pairs = enumerate(zip(self._items, old._items, strict=True))
        changed = {index for index, (item, before) in paced(pairs) if differ(item, before)}
        with old._lock:
            moved = {index for index in old._placed if self._items[index].span.start != old._items[index].span.start}
            others = moved | {index for index, read in old._tables.items() if read != self._is_only_read(index)}
            stale = self._whole.take_over(old._whole, changed | others)
            self._take_over_evaluated(old, changed, others)
            self._used, self._words = dict(old._used), dict(old._words)
            self._names, self._name_nodes = list(old._names), dict(old._name_nodes)
            self._placed, self._tables = set(old._placed), {**old._tables, **self._tables}
            before, views, lowerings = old._seen, old._views, dict(old._lowerings)
        if before is None or not all(declares_the_same(self._items[one], old._items[one]) for one in changed):
            return
        # Whether a body is hidden depends on the text of its function and, of others, on what they declare alone.
        seen = {index: view for index, view in before.items() if index not in changed}
        self._seen = self._look_at(sorted(changed), seen)
        self._texts = None
        looks_new = {index for index in changed if self.view_of(index) != _text_of(old._items, before, index)}
        with old._lock:
            new_views = self._views.take_over(views, looks_new | others)
        self._lowerings = {
            index: known
            for index, known in paced(lowerings.items())
            if index not in changed and index not in others and new_views.isdisjoint((index, *known.targets))
            if not (known.is_whole and index in stale)
        }

    def _take_over_evaluated(self, old: "Fingerprints", changed: AbstractSet[int], others: AbstractSet[int]) -> None:
        """`changed` are the items that read otherwise, `others` those that are read otherwise all the same."""
        self._computed_with = {index: seen for index, seen in old._computed_with.items() if index not in changed}
        looks_new = {
            index
            for index in changed
            if index not in old._computed_with
            or self._text_as(index, _View.EVALUATED) != old._text_as(index, _View.EVALUATED)
            or not declares_the_same(self._items[index], old._items[index])
        }
        self._evaluated.take_over(old._evaluated, looks_new | others)

    def _means_the_same_by_names(self, old: "Fingerprints") -> bool:
        return (
            len(self._items) == len(old._items)
            and self._settings == old._settings
            and self._operators == old._operators
            and self._by_name == old._by_name
            and self._macros.means_the_same(old._macros)
        )

    # -- what others see --------------------------------------------------------------------------------------------

    def _looked(self) -> Mapping[int, Seen]:
        """Read without the lock: trees are made, and others may have a turn meanwhile."""
        if self._seen is None:
            own = [index for index, item in enumerate(self._items) if item.path == self._path]
            self._seen = self._look_at(own, {})
            self._texts = None
        return self._seen

    def _look_at(self, indices: Iterable[int], seen: Mapping[int, Seen]) -> dict[int, Seen]:
        """`seen` with what others see of these items; of classes after the functions in them."""
        texts = self._texts
        assert texts is not None, "asked once"
        found = dict(seen)
        records: list[int] = []
        for index in paced(list(indices), _A_TREE):
            item = self._items[index]
            if item.path != self._path:
                continue
            if item.kind is ItemKind.RECORD and item.is_definition and item.active and not item.from_macro:
                records.append(index)
            elif may_be_hidden(item) and not self._is_overloaded(item):
                body = texts.body(index, self._content(item), self.to_parse)
                if body is not None:
                    text = item.text[: body.start] + b"{" + b" ".join(sorted(body.hides)) + b"}"
                    found[index] = Seen(text, identifiers(item.text[: body.start]), body.start)
        if records:
            hidden = sorted((self._items[index].span.start, index) for index, view in found.items() if view.body)
            for index in records:
                view = self._record_without_bodies(index, hidden, found)
                if view is not None and texts.is_plain_record(index, self._content(self._items[index]), self.to_parse):
                    found[index] = view
        return found

    def _record_without_bodies(
        self, index: int, hidden: Sequence[tuple[int, int]], seen: Mapping[int, Seen]
    ) -> Seen | None:
        record = self._items[index]
        start, text = record.span.start, record.text
        parts: list[bytes] = []
        copied = 0
        for at in range(bisect_left(hidden, (start, -1)), len(hidden)):
            begin, inner = hidden[at]
            method = self._items[inner]
            if begin - start >= len(text):
                break
            first, last = begin - start + seen[inner].body, begin - start + len(method.text)
            if first < copied or text[begin - start : last] != method.text:
                continue
            parts += [text[copied:first], b"{}"]
            copied = last
        if not parts:
            return None
        whole = b"".join([*parts, text[copied:]])
        return Seen(whole, identifiers(whole))

    def _is_overloaded(self, item: Item) -> bool:
        """Whether another definition has its name in the same class or namespace: bodies of overloads are compared."""
        if self._defined is None:
            functions = (one for one in self._items if one.kind is ItemKind.FUNCTION and one.is_definition)
            self._defined = Counter((one.name, one.owner, one.namespace) for one in functions)
        return self._defined[item.name, item.owner, item.namespace] > 1

    def _content(self, item: Item) -> bytes:
        """A digest of all that the tree of an item depends on."""
        macros = self._macro_part(item, item.identifiers).digests
        place = repr((self._settings, item.kind, item.name, item.owner, item.in_class, item.part, item.is_definition))
        content = b"|".join([macros, place.encode("utf-8", "surrogateescape"), item.text])
        return blake2b(content, digest_size=16).digest()

    # -- reading ----------------------------------------------------------------------------------------------------

    def _read_whole(self, index: int) -> Reading:
        if index >= len(self._items):
            return Reading(b"", self._names[index - len(self._items)])
        item = self._items[index]
        return self._read(index, item.text, item.identifiers, _View.WHOLE)

    def _read_view(self, index: int) -> Reading:
        if index >= len(self._items):
            return Reading(b"", self._names[index - len(self._items)])
        item = self._items[index]
        view = None if self._seen is None else self._seen.get(index)
        text, words = (item.text, item.identifiers) if view is None else (view.text, view.words)
        return self._read(index, text, words, _View.SEEN)

    def _read_evaluated(self, index: int) -> Reading:
        if index >= len(self._items):
            return Reading(b"", self._names[index - len(self._items)])
        item = self._items[index]
        view = self._evaluated_view(index)
        text, words = (item.text, item.identifiers) if view is None else (view.text, view.words)
        return self._read(index, text, words, _View.EVALUATED)

    def _evaluated_view(self, index: int) -> Seen | None:
        if index not in self._computed_with:
            item = self._items[index]
            body = unread_body(item, self._macros)
            head = b"" if body is None else item.text[:body]
            self._computed_with[index] = None if body is None else Seen(head, identifiers(head), body)
        return self._computed_with[index]

    def _lowering(self, index: int, seen: Mapping[int, Seen]) -> Lowering:
        views = self._views
        if index in seen:
            item = self._items[index]
            reading = self._read(index, item.text, item.identifiers, _View.SEEN)
            others = b"".join(sorted({views.of(target, self._read_view) for target in reading.targets}))
            digest = blake2b(reading.own + others, digest_size=16).digest()
            targets, is_whole = reading.targets, reading.is_marked or any(map(views.is_marked, reading.targets))
        else:
            digest, targets = views.of(index, self._read_view), (index,)
            is_whole = views.is_marked(index)
        if is_whole:
            digest = blake2b(digest + self._whole.of(index, self._read_whole), digest_size=16).digest()
        return Lowering(digest, targets, is_whole)

    def _read(self, index: int, text: bytes, identifiers: frozenset[bytes], view: "_View") -> Reading:
        """An item with that text; of others only what the view shows of them counts."""
        spend(_AN_ITEM)
        item = self._items[index]
        macros = self._macro_part(item, identifiers)
        words = identifiers | macros.words
        place = repr((item.path, item.namespace, item.owner, item.name, item.part, item.active))
        if not _DYNAMIC.isdisjoint(words):
            place += f"|{item.span.start}"
            self._placed.add(index)
        is_variable = item.kind is ItemKind.VARIABLE and view is not _View.EVALUATED  # host code follows no table
        if is_variable and (macros.digests or _TABLE.search(text)):
            place += f"|{self._is_only_read(index)}"
        named = words & self._by_name.keys()
        targets = [target for name in paced(named) for target in self._named(name)]
        owner = b"" if item.owner is None else item.owner.encode("utf-8", "surrogateescape")
        if owner in self._by_name and owner not in words:
            targets += self._named(owner)  # what stands in a class names its members and bases without naming it
        symbols = [name for symbol, name in self._operators if macros.digests or symbol in text]
        targets += [target for name in symbols for target in self._named(name)]
        ordered = sorted([name for name in paced({*named, *symbols}) if len(self._by_name[name]) > 1])
        orders = b"".join([self._order_of(name, view) for name in paced(ordered, _AN_ITEM)])
        content = [self._settings, macros.digests, place.encode("utf-8", "surrogateescape"), orders, text]
        is_marked = macros.look_into_others or may_look_into_others(text, self._macros.names)
        return Reading(blake2b(b"|".join(content), digest_size=16).digest(), targets, is_marked)

    def _is_only_read(self, index: int) -> bool:
        """Whether a call through a table of functions may be followed depends on all who name the table."""
        found = self._tables[index] = is_only_read(self._items[index].name, self._items)
        return found

    def _order_of(self, name: bytes, view: "_View") -> bytes:
        """In which order the declarations of a name stand: the first or the last of them may be the one that counts."""
        found = self._orders.get((name, view))
        if found is None:
            texts = b"|".join([self._text_as(index, view) for index in self._by_name[name]])
            found = self._orders[name, view] = blake2b(texts, digest_size=16).digest()
        return found

    def _text_as(self, index: int, view: "_View") -> bytes:
        match view:
            case _View.WHOLE:
                seen = None
            case _View.SEEN:
                seen = None if self._seen is None else self._seen.get(index)
            case _View.EVALUATED:
                seen = self._evaluated_view(index)
            case _:
                assert_never(view)
        return self._items[index].text if seen is None else seen.text

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

    def _macro_part(self, item: Item, identifiers: frozenset[bytes]) -> "_UsedMacros":
        """The macros that an item can use where these are its words."""
        used = frozenset(identifiers & self._macros.names.keys())
        if not used:
            return _NO_MACROS
        known = self._used.get(used)
        if known is None or item.order < known.since:
            definitions = self._definitions(item.order, used)
            added = frozenset[bytes]().union(*[self._body_words(definition) for definition in definitions])
            digests = b"".join(sorted([definition.digest for definition in definitions]))
            names = self._macros.names
            look = any(may_look_into_others(definition.body, names) for definition in definitions)
            since = self._macros.settled_since(used | added)
            known = _UsedMacros(0 if since is None else since, digests, added, look)
            if since is not None and item.order >= since:
                # Later items may see definitions that an earlier one does not: what that sees is no answer for them.
                self._used[used] = known
        return known

    def _definitions(self, order: int, names: frozenset[bytes]) -> list[MacroDefinition]:
        """All definitions that expanding these names can use."""
        found: dict[bytes, MacroDefinition] = {}
        pending = list(names)
        known = self._macros.names
        for name in popped(pending, _A_DEFINITION):
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


@final
class _UsedMacros(NamedTuple):
    """The macros that a text can use: valid `since` an order, with the words of their bodies."""

    since: int
    digests: bytes
    words: frozenset[bytes]
    look_into_others: bool


_NO_MACROS: Final = _UsedMacros(0, b"", frozenset(), look_into_others=False)


def _text_of(items: Sequence[Item], seen: Mapping[int, Seen], index: int) -> bytes:
    view = seen.get(index)
    return items[index].text if view is None else view.text


def names_of(items: Sequence[Item]) -> dict[bytes, list[int]]:
    """For each name, the items that can change what it means."""
    by_name: dict[bytes, list[int]] = {}
    for index, item in enumerate(paced(items)):
        if item.kind is ItemKind.OTHER and not item.name:
            continue
        own = item.name.encode("utf-8", "surrogateescape")
        by_name.setdefault(own, []).append(index)
        if item.owner is not None:
            by_name.setdefault(item.owner.encode("utf-8", "surrogateescape"), []).append(index)
        if b"enum" in item.identifiers and item.kind in _ENUMERATING:
            for name in paced(item.identifiers - {own}):
                by_name.setdefault(name, []).append(index)
    return by_name


def _operators(items: Sequence[Item], by_name: Mapping[bytes, Sequence[int]]) -> tuple[tuple[bytes, bytes], ...]:
    """The symbols of operators that are no members, each with the name of their items."""
    return tuple(
        (name.removeprefix(b"operator").strip(b'" '), name)
        for name, indices in paced(by_name.items())
        if name.startswith(b"operator") and any(items[index].owner is None for index in indices)
    )
