"""The open documents: an immutable map of immutable snapshots, replaced at every notification.

Rules    The map changes on the event loop only, in the order of the messages; who holds a map keeps what it saw.
         `analysed` decides which documents are CUDA: by language id, by file name, or by the qualifiers in the text.
         The text of every open document stands in for its file when another one includes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, final

from analysis.syntax.document import Document, Edit, WholeText, encoded
from simt_lsp.server.documents.uris import path_of
from simt_lsp.workspace.disk_loader import path_key

CUDA_LANGUAGES: Final = frozenset({"cuda", "cuda-cpp", "cuda-c++", "cu", "hip", "hip-cpp"})
CUDA_SUFFIXES: Final = (".cu", ".cuh", ".hip")
BYTES_PER_TURN: Final = 500
QUALIFIERS: Final = (b"__global__", b"__device__")


@final
@dataclass(frozen=True)
class OpenDocument:
    """One version of one document; `path` is None when there is no such place on disk."""

    uri: str
    version: int
    language: str
    document: Document

    @cached_property
    def path(self) -> str | None:
        return path_of(self.uri)

    @property
    def analysis_path(self) -> str:
        """The name the analysis knows the document by: its path, or a name with the suffix of its language."""
        if self.path is not None:
            return self.path
        return self.uri if "hip" not in self.language or self.uri.endswith(".hip") else f"{self.uri}.hip"

    @property
    def key(self) -> str:
        return path_key(self.path) if self.path is not None else self.uri

    @property
    def analysed(self) -> bool:
        if self.language.lower() in CUDA_LANGUAGES or (self.path or "").lower().endswith(CUDA_SUFFIXES):
            return True
        return any(qualifier in self.document.text for qualifier in QUALIFIERS)


def weight_of(item: OpenDocument) -> int:
    """About how many turns its analysis takes, if it is device code throughout (see `Worker`)."""
    return len(item.document.text) // BYTES_PER_TURN


Documents = Mapping[str, OpenDocument]
EMPTY: Final[Documents] = MappingProxyType({})

SEEN: ContextVar[Documents] = ContextVar("documents", default=EMPTY)
"""The documents as they were when the message in hand arrived; set for each message, kept by its handler."""


@final
class DocumentStore:
    """The current map of documents."""

    def __init__(self) -> None:
        self.current: Documents = EMPTY

    def open(self, uri: str, version: int, language: str, text: str) -> OpenDocument:
        """Take a document over from the client; opening twice replaces."""
        return self._put(OpenDocument(uri, version, language, Document.open(encoded(text))))

    def change(self, uri: str, version: int, edits: Sequence[Edit | WholeText]) -> OpenDocument | None:
        """The document after `edits`, or None if it is not open."""
        known = self.current.get(uri)
        if known is None:
            return None
        return self._put(OpenDocument(uri, version, known.language, known.document.edit(edits)))

    def close(self, uri: str) -> OpenDocument | None:
        """Forget a document; returns what was open."""
        known = self.current.get(uri)
        self.current = MappingProxyType({key: value for key, value in self.current.items() if key != uri})
        return known

    def overlay(self) -> Mapping[str, bytes]:
        """The texts that stand in for files, by `path_key`."""
        return {item.key: item.document.text for item in self.current.values() if item.path is not None}

    def uri_of(self, path: str) -> str | None:
        """The URI under which the document at `path` is open."""
        key = path_key(path)
        for item in self.current.values():
            if key in (item.key, path_key(item.analysis_path)):
                return item.uri
        return None

    def _put(self, item: OpenDocument) -> OpenDocument:
        self.current = MappingProxyType({**self.current, item.uri: item})
        return item
