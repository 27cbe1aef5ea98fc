"""The trees of the items of one build that are made to see what they hold, before anybody reads them.

Trees are repaired in place, with what names mean.  One that was only looked at is as good as a new one, so it is handed
over to who reads the item first; where parsed items are kept (`cache.py`), who reads it gets a copy.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import final

from analysis.syntax.cache import SyntaxCache
from analysis.syntax.hidden_bodies import HiddenBody, hidden_body, is_plain_record
from analysis.syntax.items import Item
from analysis.syntax.macros import MacroTable
from analysis.syntax.snippet import Snippet, build_snippet


@final
class Trees:
    """Makes them; see `fingerprints.Texts`."""

    def __init__(
        self, items: Sequence[Item], macros: MacroTable, texts: Mapping[str, bytes], cache: SyntaxCache
    ) -> None:
        self._items = items
        self._macros = macros
        self._texts = texts
        self._cache = cache
        self._looked_at: dict[int, Snippet] = {}

    def of(self, index: int, key: bytes) -> Snippet:
        """The tree of the item at that index, which is now the caller's; `key` is a digest of what it depends on."""
        if self._cache.parsed is not None:
            return self.plain(index, key).copy()
        looked_at = self._looked_at.pop(index, None)
        return self.make(self._items[index]) if looked_at is None else looked_at

    def plain(self, index: int, key: bytes) -> Snippet:
        """The same, as the grammar alone reads it: nobody may repair it."""
        item, parsed = self._items[index], self._cache.parsed
        return self.make(item) if parsed is None else parsed.get_or_compute((key, item.part), lambda: self.make(item))

    def make(self, item: Item) -> Snippet:
        """The tree of an item."""
        text = self._texts.get(item.path, b"")
        line = text.count(b"\n", 0, item.span.start) + 1 if b"__LINE__" in item.identifiers else 1
        return build_snippet(item, self._macros.view(item.order), line)

    def body(self, index: int, content: bytes, key: Callable[[int], bytes]) -> HiddenBody | None:
        known = self._cache.bodies.get(content)
        if known is None:
            known = (hidden_body(self._items[index], self._look_at(index, key)),)
            self._cache.bodies.put(content, known)
        return known[0]

    def is_plain_record(self, index: int, content: bytes, key: Callable[[int], bytes]) -> bool:
        known = self._cache.plain_records.get(content)
        if known is None:
            known = (is_plain_record(self._look_at(index, key)),)
            self._cache.plain_records.put(content, known)
        return known[0]

    def _look_at(self, index: int, key: Callable[[int], bytes]) -> Snippet:
        if self._cache.parsed is not None:
            return self.plain(index, key(index))
        made = self._looked_at[index] = self.make(self._items[index])
        return made
