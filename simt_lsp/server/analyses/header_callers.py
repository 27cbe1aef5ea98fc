"""Keeps what the files that include an open header pass to its functions.

Rules    After each analysis and each change on disk, when there is nothing better to do, the includers of every open
         included file are looked at with the texts as they are now; where what they pass has changed, the file is
         analysed again.  Until then it is judged by what was known before, so an edit of a header waits for nobody.
         The end depends on the texts alone: the last pass finds no change.
         What an includer passes is kept with all that it rests on (`kept_calls.py`): it is analysed only where it would
         be told something else than the last time, in whatever run of the server that was.
         Of a file with more than `MAX_INCLUDERS` the callers count as not known, and that is said.
         A file that nobody has opened is told with its callers at once (`callers_of_closed`), as the shell tells it.
Cost     Of an includer that does not change some lookups.  Of the others `MAX_AT_HAND` stay in memory, where what did
         not change in them costs nothing; the rest is analysed as a whole and let go.
Threads  Everything here runs on the worker's thread, but `look_soon` may be called from any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Final, final

from analysis.ir.record import record
from simt_lsp.server.analyses.analysed import Analysed, AnalysisJob
from simt_lsp.server.analyses.worker import GaveWay, Worker
from simt_lsp.server.documents.roots import Roots, WorkspaceFolder
from simt_lsp.server.documents.store import DocumentStore, OpenDocument
from simt_lsp.workspace.file_index import DEVICE_SUFFIXES
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.kept_calls import Passed
from simt_lsp.workspace.surroundings import Surroundings

if TYPE_CHECKING:
    from analysis.facts.calls import KnownCallers

MAX_INCLUDERS: Final = 2_000
MAX_AT_HAND: Final = 24
ANY_INCLUDE: Final = "#include"
"""Among the names that a report rests on: it may change with whatever file comes to include another one."""
_MARKS: Final = (b"__global__", b"__device__")


@final
@record
class ClosedCallers:
    """The callers of a file that nobody has opened, and the paths and names that this rests on."""

    known: KnownCallers | None
    touched: frozenset[str]
    asked: frozenset[str]


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
        includers = self._includers(graph, path)
        if len(includers) > MAX_INCLUDERS:
            return ClosedCallers(_too_many(includers), frozenset(), frozenset())
        missing = [one for one in includers if one not in self._passed]
        self._passed.update(self._passed_by(root, missing, cancelled))
        found = [self._passed[one] for one in includers]
        touched = frozenset[str]().union(*(one.touched for one in found))
        return ClosedCallers(
            _known(path, found, includers), touched, frozenset[str]().union(*(one.asked for one in found))
        )

    def _look(self, cancelled: Callable[[], bool]) -> None:
        self._is_waiting = False
        needed: set[str] = set()
        for item in [*self._documents.current.values()]:
            root = self._root_of(item)
            if item.path is None or root is None or root.graph is None:
                continue
            if not root.graph.possible_includers(item.path):
                continue
            known = self._callers(root, root.graph, item.path, cancelled, needed)
            if known != self._job.callers.get(item.path):
                self._job.callers[item.path] = known
                self._again(item)
        for path in self._read - needed - self._opened:
            self._job.release(path)
        self._read &= needed

    def _root_of(self, item: OpenDocument) -> WorkspaceFolder | None:
        root = self._roots.of(item.path)
        is_known = root is not None and root.project is not None and root.project.is_complete
        return root if is_known and item.analysed else None

    @property
    def _opened(self) -> set[str | None]:
        return {item.path for item in self._documents.current.values()}

    def _callers(
        self, root: WorkspaceFolder, graph: IncludeGraph, path: str, cancelled: Callable[[], bool], needed: set[str]
    ) -> KnownCallers | None:
        """Of an open file; those of its includers that stay in memory are added to the `needed` ones."""
        includers = self._includers(graph, path)
        if len(includers) > MAX_INCLUDERS:
            return _too_many(includers)
        needed.update(includers[:MAX_AT_HAND])
        return _known(path, [*self._passed_by(root, includers, cancelled, needed).values()], includers)

    def _passed_by(
        self,
        root: WorkspaceFolder,
        paths: Sequence[str],
        cancelled: Callable[[], bool],
        at_hand: Set[str] = frozenset(),
    ) -> dict[str, Passed]:
        """By path; what is not at hand is let go after it was looked at."""
        around: dict[str, Surroundings] = {}
        opened = self._opened
        found: dict[str, Passed] = {}
        for path in paths:
            if cancelled():
                raise GaveWay
            own = self._roots.of(path) or root
            if own.uri not in around:
                around[own.uri] = self._job.surroundings(own)
            known = self._job.kept_calls_of(path, around[own.uri])
            if known is None:
                known = self._job.calls_of(path, cancelled)
                if path in at_hand:
                    self._read.add(path)
                elif path not in opened and path not in self._read:
                    self._job.forget(path)
            found[path] = known
        return found

    def _includers(self, graph: IncludeGraph, path: str) -> Sequence[str]:
        """The files that may call what the file defines."""
        seen = {path}
        waiting = [path]
        while waiting:
            fresh = [one for one in graph.possible_includers(waiting.pop()) if one not in seen]
            seen.update(fresh)
            waiting += fresh
        return sorted(one for one in seen if one != path and self._may_call(graph, one))

    def _may_call(self, graph: IncludeGraph, path: str) -> bool:
        """A file that others include calls by its kernels alone: the rest is a part of these others."""
        marks = _MARKS[:1] if graph.possible_includers(path) else _MARKS
        if marks == _MARKS and path.lower().endswith(DEVICE_SUFFIXES):
            return True
        text = self._job.read(path)
        return text is None or any(mark in text for mark in marks)


def _known(path: str, passed: Sequence[Passed], includers: Sequence[str]) -> KnownCallers | None:
    from analysis.facts.calls import known_callers

    return known_callers(path, [one.calls for one in passed], includers)


def _too_many(includers: Sequence[str]) -> KnownCallers:
    from analysis.facts.calls import too_many_callers

    return too_many_callers(len(includers))
