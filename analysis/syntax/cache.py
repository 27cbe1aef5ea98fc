"""Work that two builds can share.

Rules    The cache is passed in by its owner and bounded; nothing in it depends on anything but its keys.
         Skeletons: by path, the last one, from which an edited text takes what did not change.
         Heads with macros: by text, valid while the macros that were looked up mean the same.
         Snippets: by what they are read with, see `fingerprints`; as long as somebody's newest version reads them.
         Hidden bodies, and classes without errors: by all that the tree depends on.
         Fingerprints: by path, the last ones, for the same purpose as skeletons.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Final, Generic, TypeVar, final

from analysis.store.kept import Store, Table
from analysis.syntax.fingerprints import Fingerprints
from analysis.syntax.heads import ExpandedHead
from analysis.syntax.hidden_bodies import HiddenBody
from analysis.syntax.skeleton import Skeleton
from analysis.syntax.skeleton_scanner import update
from analysis.syntax.snippet import Snippet

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@final
class Bounded(Generic[Key, Value]):
    """A mapping that forgets what was not asked for longest. Safe to share between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: Key, value: Value) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._limit:
                self._values.popitem(last=False)

    def discard(self, key: Key) -> None:
        with self._lock:
            self._values.pop(key, None)


SPARE_SNIPPETS: Final = 2_000_000
"""Bytes of text whose trees are kept though no newest version reads them."""


def _bytes(snippet: Snippet) -> int:
    return len(snippet.text)


@final
class SyntaxCache:
    """Shared by all builds of one workspace."""

    def __init__(
        self, skeletons: int = 512, heads: int = 1 << 14, edited: int = 16, store: Store | None = None
    ) -> None:
        self._skeletons: Bounded[str, Skeleton] = Bounded(skeletons)
        self.heads: Bounded[tuple[bytes, bool], ExpandedHead] = Bounded(heads)
        kept = Store() if store is None else store
        self.snippets: Table[tuple[bytes, int], Snippet] = kept.table("snippets", _bytes, SPARE_SNIPPETS)
        self.bodies: Bounded[bytes, tuple[HiddenBody | None]] = Bounded(heads)
        self.plain_records: Bounded[bytes, tuple[bool]] = Bounded(heads)
        self._fingerprints: Bounded[str, Fingerprints] = Bounded(edited)

    def skeleton(self, path: str, text: bytes) -> Skeleton:
        """The skeleton of `text`, reusing that of the last text seen at `path`."""
        old = self._skeletons.get(path)
        if old is not None and (old.text is text or old.text == text):
            return old
        fresh = update(old, text)
        self._skeletons.put(path, fresh)
        return fresh

    def release(self, path: str) -> None:
        """Nobody edits the text at `path` any more."""
        self._skeletons.discard(path)
        self._fingerprints.discard(path)

    def fingerprints(self, path: str, fresh: Fingerprints) -> Fingerprints:
        """`fresh`, with what it can take from those of the last build of `path`."""
        old = self._fingerprints.get(path)
        if old is not None:
            fresh.take_over(old)
        self._fingerprints.put(path, fresh)
        return fresh
