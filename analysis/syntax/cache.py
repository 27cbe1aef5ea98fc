"""Work that two builds can share.

Rules    The cache is passed in by its owner and bounded; nothing in it depends on anything but its keys.
         Skeletons: by path, the last one, from which an edited text takes what did not change.
         Heads with macros: by text, valid while the macros that were looked up mean the same.
         Snippets: by what they are read with, see `fingerprints`; as long as somebody's newest version reads them.
         Parsed items: by what the grammar alone reads them with, where many files are read once: what several of them
         include, and what is asked for in several ways, is parsed once, and who repairs it gets a copy.
         Hidden bodies, and classes without errors: by all that the tree depends on.
         Fingerprints: by path, the last ones, for the same purpose as skeletons.
         Walked prefixes: by path and by what the file is read for, the last ones, where files are edited.
         Whether words stand in the headers of a file: by path, while these are the same.
"""

from typing import Final, final

from analysis.ir.record import record
from analysis.store.bounded import BoundedCache
from analysis.store.kept import Store, Table
from analysis.syntax.fingerprints import Fingerprints
from analysis.syntax.heads import ExpandedHead
from analysis.syntax.hidden_bodies import HiddenBody
from analysis.syntax.skeleton import Skeleton
from analysis.syntax.skeleton_scanner import update
from analysis.syntax.snippet import Snippet
from analysis.syntax.walked_prefix import WalkedPrefixes

SPARE_SNIPPETS: Final = 2_000_000
"""Bytes of text whose trees are kept though no newest version reads them."""
PARSED: Final = 500_000
"""Bytes of text whose trees are kept as the grammar alone reads them."""


def _bytes(snippet: Snippet) -> int:
    return len(snippet.text)


@final
@record
class _Said:
    """What was asked of some texts, which are mostly the same objects from one version of a file to the next."""

    texts: tuple[bytes, ...]
    answers: dict[tuple[bytes, ...], bool]


@final
class SyntaxCache:
    """Shared by all builds of one workspace."""

    def __init__(
        self,
        skeletons: int = 512,
        heads: int = 1 << 14,
        edited: int = 16,
        store: Store | None = None,
        *,
        keeps_parsed: bool = False,
    ) -> None:
        self._skeletons: BoundedCache[str, Skeleton] = BoundedCache(skeletons)
        self.heads: BoundedCache[tuple[bytes, bool], ExpandedHead] = BoundedCache(heads)
        kept = Store() if store is None else store
        self.snippets: Table[tuple[bytes, int], Snippet] = kept.table("snippets", _bytes, SPARE_SNIPPETS)
        self.parsed: BoundedCache[tuple[bytes, int], Snippet] | None = (
            BoundedCache(PARSED, _bytes) if keeps_parsed else None
        )
        self.bodies: BoundedCache[bytes, tuple[HiddenBody | None]] = BoundedCache(heads)
        self.plain_records: BoundedCache[bytes, tuple[bool]] = BoundedCache(heads)
        self._fingerprints: BoundedCache[str, Fingerprints] = BoundedCache(edited)
        self.prefixes = None if keeps_parsed else WalkedPrefixes(edited)
        self._said: BoundedCache[str, _Said] = BoundedCache(edited)

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
        if self.prefixes is not None:
            self.prefixes.release(path)
        self._said.discard(path)

    def fingerprints(self, path: str, fresh: Fingerprints) -> Fingerprints:
        """`fresh`, with what it can take from those of the last build of `path`."""
        old = self._fingerprints.get(path)
        if old is not None:
            fresh.take_over(old)
        self._fingerprints.put(path, fresh)
        return fresh

    def is_said(self, path: str, texts: tuple[bytes, ...], words: tuple[bytes, ...]) -> bool:
        """Whether one of the words stands in one of the texts that are read with the file `path`."""
        known = self._said.get(path)
        if known is None or known.texts != texts:
            known = _Said(texts, {})
            self._said.put(path, known)
        found = known.answers.get(words)
        if found is None:
            found = known.answers[words] = any(word in text for text in texts for word in words)
        return found
