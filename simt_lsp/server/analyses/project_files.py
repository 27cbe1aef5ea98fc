"""Keeps the indexes of the roots up to date with what the client edits, and open documents with the indexes.

Rules    What a document says about others is looked at when there is nothing better to do: an edit of a launch that is
         known is seen at once (its file is one of those that the analysis of the kernel read), a new one soon after.
         A change concerns the open documents whose analysis asked for a name that it touches, and no others; a document
         that the project did not know, as a file that is not saved yet, is analysed again once it does.
Threads  `changed`, `closed` and `ended` are called on the event loop; skims are made on the worker's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from simt_lsp.server.analyses.analysed import Analysed, AnalysisJob
from simt_lsp.server.analyses.header_callers import HeaderCallers
from simt_lsp.server.analyses.worker import Worker
from simt_lsp.server.analyses.workspace_reports import WorkspaceReports
from simt_lsp.server.documents.roots import Roots, WorkspaceFolder
from simt_lsp.server.documents.store import DocumentStore, OpenDocument


@final
class ProjectFiles:
    """See the top of the file."""

    def __init__(
        self,
        documents: DocumentStore,
        roots: Roots,
        job: AnalysisJob,
        worker: Worker[OpenDocument, Analysed],
        hand_over: Callable[[Callable[[], None]], None],
        refresh: Callable[[], None],
        reports: WorkspaceReports,
    ) -> None:
        """`hand_over` has something done on the event loop; `refresh` has the client ask again."""
        self._reports = reports
        self._documents = documents
        self._roots = roots
        self._job = job
        self._worker = worker
        self._hand_over = hand_over
        self._refresh = refresh
        self._new: set[str] = set()
        """Paths whose texts have not been looked at."""
        self._is_waiting = False
        self.callers: Final = HeaderCallers(
            documents, roots, job, worker, lambda item: hand_over(lambda: self._submit(item))
        )
        job.ended = self.callers.look_soon

    def changed(self, item: OpenDocument) -> None:
        """A document has a new text."""
        if item.path is not None:
            self._look_at(item.path)

    def closed(self, item: OpenDocument) -> None:
        """The file counts again as it is on disk."""
        if item.path is not None:
            self._look_at(item.path)

    def changed_on_disk(self, paths: set[str]) -> None:
        """Files have new texts, or are new or gone."""
        self._job.environments.clear()
        for path in paths:
            self._look_at(path)
        self.callers.look_soon()

    def ended(self, root: WorkspaceFolder) -> None:
        """The index of a root may be there: open documents stand in front of their files."""
        self._reports.texts_changed(None)
        if root.project is None:
            return
        for item in self._documents.current.values():
            if item.path is not None and self._roots.of(item.path) is root:
                self._look_at(item.path)
                if item.analysed:
                    self._worker.submit(item.uri, item, edited=False)
        self._refresh()

    def _look_at(self, path: str) -> None:
        root = self._roots.of(path)
        if root is None or root.project is None:
            return
        self._new.add(path)
        if not self._is_waiting:
            self._is_waiting = True
            self._worker.run_in_background(self._skim)

    def _skim(self, _cancelled: Callable[[], bool]) -> None:
        """On the worker's thread."""
        self._is_waiting = False
        names: frozenset[str] | None = frozenset()
        joined: set[str] = set()
        """Paths that the project did not know: nothing was asked of it for them."""
        while self._new:
            path = self._new.pop()
            root = self._roots.of(path)
            text = self._job.read(path)
            if root is None or root.project is None or text is None:
                continue
            if not root.project.knows(path):
                joined.add(path)
            found = root.project.scan(path, text)
            names = None if names is None or found is None else names | found
        if names is None or names or joined:
            self._hand_over(lambda: self._analyse_again(names, joined))

    def _submit(self, item: OpenDocument) -> None:
        if self._documents.current.get(item.uri) is item:
            self._worker.submit(item.uri, item, edited=False)
            self._refresh()

    def _analyse_again(self, names: frozenset[str] | None, joined: set[str]) -> None:
        self._reports.names_changed(names)
        found = False
        for uri, item, analysed in self._worker.results():
            concerned = bool(analysed.asked) and (names is None or not names.isdisjoint(analysed.asked))
            if (concerned or item.path in joined) and self._documents.current.get(uri) is item:
                self._worker.submit(uri, item, edited=False)
                found = True
        if found:
            self._refresh()
