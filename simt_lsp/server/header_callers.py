"""Keeps what the files that include an open header pass to its functions.

Rules    After each analysis and each change on disk, when there is nothing better to do, the includers of every open
         included file are analysed with the texts as they are now; where what they pass has changed, the file is
         analysed again.  Until then it is judged by what was known before, so an edit of a header waits for nobody.
         The end depends on the texts alone: the last pass finds no change.
         Of an open file with more than `MAX_INCLUDERS` the callers count as not known.
         A file that nobody has opened is told with its callers at once (`callers_of_closed`), as the shell tells it.
Cost     An includer of which no function changed costs the walk over its declarations.  For files that nobody has
         opened each includer is analysed once, until some text changes.
Threads  Everything here runs on the worker's thread, but `look_soon` may be called from any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, final

from analysis.ir.record import record
from simt_lsp.server.analysed import Analysed, AnalysisJob, Passed
from simt_lsp.server.documents import DocumentStore, OpenDocument
from simt_lsp.server.roots import Roots
from simt_lsp.server.worker import Worker
from simt_lsp.workspace.file_index import DEVICE_SUFFIXES
from simt_lsp.workspace.include_graph import IncludeGraph

if TYPE_CHECKING:
    from analysis.facts.calls import KnownCallers

MAX_INCLUDERS: Final = 24
MAX_OF_CLOSED: Final = 2_000
ANY_INCLUDE: Final = "#include"
"""Among the names that a report rests on: it may change with whatever file comes to include another one."""
_MARKS: Final = (b"__global__", b"__device__")


@final
@record
class ClosedCallers:
    """The callers of a file that nobody has opened, and the paths that this rests on."""

    known: KnownCallers | None
    touched: frozenset[str]


@final
class HeaderCallers:
    """See the top of the file."""

    def __init__(
        self,
        documents: DocumentStore,
        roots: Roots,
        job: AnalysisJob,
        worker: Worker[OpenDocument, Analysed],
        again: Callable[[OpenDocument], None],
    ) -> None:
        """`again` has a document analysed again."""
        self._documents = documents
        self._roots = roots
        self._job = job
        self._worker = worker
        self._again = again
        self._is_waiting = False
        self._read: set[str] = set()
        """Files that no client opened and that were analysed for what they pass."""
        self._passed: dict[str, Passed] = {}
        self._version = -1
        """Of the texts that `_passed` comes from."""

    def look_soon(self) -> None:
        """Something was analysed or has another text on disk: what it passes may be new."""
        if not self._is_waiting:
            self._is_waiting = True
            self._worker.run_in_background(self._look)

    def callers_of_closed(self, path: str, version: int, cancelled: Callable[[], bool]) -> ClosedCallers | None:
        """On the worker's thread; `version` is another one after each change.  None where no file includes it."""
        root = self._roots.of(path)
        if root is None or root.project is None or not root.project.is_complete:
            return None
        graph = root.graph
        if graph is None or not graph.possible_includers(path):
            return None
        if self._version != version:
            self._version = version
            self._passed.clear()
        includers = self._includers(graph, path, MAX_OF_CLOSED)
        opened = {item.path for item in self._documents.current.values()}
        for one in includers or ():
            if one not in self._passed:
                is_included = bool(graph.possible_includers(one))
                self._passed[one] = self._job.calls_of(one, cancelled, is_included=is_included)
                if one not in opened and one not in self._read:
                    self._job.forget(one)
        found = [self._passed[one] for one in includers or ()]
        known = None if includers is None else _known(path, found, includers)
        return ClosedCallers(known, frozenset[str]().union(*(one.touched for one in found)))

    def _look(self, cancelled: Callable[[], bool]) -> None:
        self._is_waiting = False
        needed: set[str] = set()
        opened = {item.path for item in self._documents.current.values()}
        for item in [*self._documents.current.values()]:
            graph = self._graph_of(item)
            if item.path is None or graph is None or not graph.possible_includers(item.path):
                continue
            includers = self._includers(graph, item.path, MAX_INCLUDERS)
            needed.update(includers or ())
            known = None if includers is None else self._callers(graph, item.path, includers, cancelled)
            if known != self._job.callers.get(item.path):
                self._job.callers[item.path] = known
                self._again(item)
        for path in self._read - needed - opened:
            self._job.release(path)
        self._read = needed - opened

    def _graph_of(self, item: OpenDocument) -> IncludeGraph | None:
        root = self._roots.of(item.path)
        is_known = root is not None and root.project is not None and root.project.is_complete
        return root.graph if root is not None and is_known and item.analysed else None

    def _includers(self, graph: IncludeGraph, path: str, most: int) -> Sequence[str] | None:
        """The files that may call what the file defines; None where they are too many."""
        seen = {path}
        waiting = [path]
        while waiting:
            fresh = [one for one in graph.possible_includers(waiting.pop()) if one not in seen]
            seen.update(fresh)
            waiting += fresh
        callers = sorted(one for one in seen if one != path and self._may_call(graph, one))
        return callers if len(callers) <= most else None

    def _may_call(self, graph: IncludeGraph, path: str) -> bool:
        """A file that others include calls by its kernels alone: the rest is a part of these others."""
        marks = _MARKS[:1] if graph.possible_includers(path) else _MARKS
        if marks == _MARKS and path.lower().endswith(DEVICE_SUFFIXES):
            return True
        text = self._job.read(path)
        return text is None or any(mark in text for mark in marks)

    def _callers(
        self, graph: IncludeGraph, path: str, includers: Sequence[str], cancelled: Callable[[], bool]
    ) -> KnownCallers | None:
        calls = [
            self._job.calls_of(one, cancelled, is_included=bool(graph.possible_includers(one))) for one in includers
        ]
        return _known(path, calls, includers)


def _known(path: str, passed: Sequence[Passed], includers: Sequence[str]) -> KnownCallers | None:
    from analysis.facts.calls import known_callers

    return known_callers(path, [one.calls for one in passed], includers)
