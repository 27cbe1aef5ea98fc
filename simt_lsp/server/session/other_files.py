"""Questions about files that may not be open: kernels in headers, launches in other sources.

Rules    An open document answers as it is; a file from disk is analysed as a check of the workspace does it, behind
         everything that somebody types or asks of open documents.
         What was analysed lately is kept by the analyser, for `MAX_KEPT` files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar, final

from simt_lsp.server.analyses.analysed import Analysed, AnalysisJob, from_disk
from simt_lsp.server.analyses.worker import Worker
from simt_lsp.server.documents.roots import Roots
from simt_lsp.server.documents.store import DocumentStore, OpenDocument
from simt_lsp.server.documents.uris import uri_of
from simt_lsp.server.views.view import View
from simt_lsp.workspace.project_index.definers import definers

MAX_KEPT: Final = 8

Answer = TypeVar("Answer")


class Views(Protocol):
    """What makes a view."""

    def of(self, analysed: Analysed) -> View | None: ...


class Session(Protocol):
    """What is asked of the server."""

    documents: DocumentStore
    job: AnalysisJob
    worker: Worker[OpenDocument, Analysed]
    roots: Roots

    def ask(self, uri: str, answer: Callable[[View], Any]) -> Awaitable[Any]: ...

    @property
    def views(self) -> Views: ...


@final
class OtherFiles:
    """For the event loop; what is kept belongs to the worker's thread."""

    def __init__(self, ls: Session) -> None:
        self._ls = ls
        self._kept: dict[str, None] = {}

    def definers(self, path: str, name: str) -> tuple[str, ...]:
        """The files that may define a function which `path` only declares, as far as the index is there."""
        root = self._ls.roots.of(path)
        return () if root is None or root.project is None else definers(root.project, path, name)

    def uri_of(self, path: str) -> str:
        """That of the open document, or else of the file."""
        return self._ls.documents.uri_of(path) or uri_of(path)

    async def ask(self, path: str, answer: Callable[[View], Answer]) -> Answer | None:
        """`answer(view)` for a file; None for one that cannot be read or is not CUDA."""
        uri = self._ls.documents.uri_of(path)
        if uri is not None:
            return await self._ls.ask(uri, answer)

        def work(cancelled: Callable[[], bool]) -> Answer | None:
            text = self._ls.job.cache.read(path)
            if text is None:
                return None
            self._keep(path)
            view = self._ls.views.of(self._ls.job(from_disk(uri_of(path), text), cancelled))
            return None if view is None else answer(view)

        return await asyncio.wrap_future(self._ls.worker.run_in_background(work))

    def _keep(self, path: str) -> None:
        self._kept.pop(path, None)
        self._kept[path] = None
        while len(self._kept) > MAX_KEPT:
            oldest = next(iter(self._kept))
            del self._kept[oldest]
            if self._ls.documents.uri_of(oldest) is None:
                self._ls.job.release(oldest)
