"""The trees of the items of one build that are made to see what they hold, before anybody reads them.

Trees are repaired in place, with what names mean.  One that was only looked at is as good as a new one, so it is handed
over to who reads the item first.
"""

from collections.abc import Mapping, Sequence
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

    def of(self, index: int) -> Snippet:
        """The tree of the item at that index, which is now the caller's."""
        looked_at = self._looked_at.pop(index, None)
        return self.make(self._items[index]) if looked_at is None else looked_at

    def make(self, item: Item) -> Snippet:
        """The tree of an item."""
        text = self._texts.get(item.path, b"")
        line = text.count(b"\n", 0, item.span.start) + 1 if b"__LINE__" in item.identifiers else 1
        return build_snippet(item, self._macros.view(item.order), line)

    def body(self, index: int, content: bytes) -> HiddenBody | None:
        known = self._cache.bodies.get(content)
        if known is None:
            item = self._items[index]
            snippet = self._looked_at[index] = self.make(item)
            known = (hidden_body(item, snippet),)
            self._cache.bodies.put(content, known)
        return known[0]

    def is_plain_record(self, index: int, content: bytes) -> bool:
        known = self._cache.plain_records.get(content)
        if known is None:
            snippet = self._looked_at[index] = self.make(self._items[index])
            known = (is_plain_record(snippet),)
            self._cache.plain_records.put(content, known)
        return known[0]
