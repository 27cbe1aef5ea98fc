"""The folders of the workspace, with what is known of the files below them.

Rules    The index of files and the graph of includes are built on a thread of their own, when an analysis first misses
         them; until they are there the answers are empty, and `ready` makes the analyses run again.  After them comes
         the index of who uses what, which reads all files: until it is there each file is looked at alone.
         A file belongs to the innermost root above it; a file below no root has neither index nor context.
         Where the client names no folder (an editor that was started on one file), the project of each document that is
         opened is a root, unless that would be somebody's home.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Final, final

from simt_lsp.server.documents.uris import path_of, uri_of
from simt_lsp.workspace.disk_loader import FileCache, path_key
from simt_lsp.workspace.file_index import FileIndex, build_index
from simt_lsp.workspace.include_graph import IncludeGraph, build_graph
from simt_lsp.workspace.project_index.build import build_project
from simt_lsp.workspace.project_index.cache_folder import cache_folder
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_root import is_a_project, project_root

NO_FILES = FileIndex()
BREATH: Final = 0.001
"""Seconds that the others get after each file that is read for an index."""


@dataclass(slots=True)
class Indexing:
    """How far an index is; anybody may cancel it."""

    done: int = 0
    all: int = 0
    has_ended: bool = False
    is_cancelled: bool = False


@final
class WorkspaceFolder:
    """One folder; what is below it is None until it was walked."""

    def __init__(self, uri: str, path: str, *, is_adopted: bool = False) -> None:
        """`is_adopted`: the client does not know that it is one."""
        self.uri = uri
        self.is_adopted = is_adopted
        self.path = path
        self.prefix = path_key(path).rstrip("/") + "/"
        self.files: FileIndex | None = None
        self.graph: IncludeGraph | None = None
        self.project: ProjectIndex | None = None
        self.wanted = False
        self.is_settled = False
        """Whether it was walked and indexed, or that failed."""


@final
class Roots:
    """All folders of the workspace; `ready(root)` is called on the walking thread after each walk, and when an index is
    there."""

    def __init__(
        self,
        ready: Callable[[WorkspaceFolder], None],
        crashed: Callable[[str, BaseException], None],
    ) -> None:
        self._ready = ready
        self.indexing: Callable[[WorkspaceFolder, Indexing], None] = lambda _, __: None
        """Called on the walking thread when an index is begun."""
        self._crashed = crashed
        self._roots: tuple[WorkspaceFolder, ...] = ()
        self._wanted: dict[str, WorkspaceFolder] = {}
        self._changed = Condition()
        self._thread: Thread | None = None
        self._stopped = False

    @property
    def all(self) -> tuple[WorkspaceFolder, ...]:
        return self._roots

    def add(self, uris: Iterable[str]) -> None:
        """Folders on disk among `uris` become roots; others have nothing to walk."""
        known = {root.uri for root in self._roots}
        found = [(uri, path) for uri in uris if uri not in known and (path := path_of(uri)) is not None]
        self._roots += tuple(WorkspaceFolder(uri, path) for uri, path in found)

    def adopt(self, path: str | None) -> None:
        """A document of a client that named no folder: that of its project, as the shell finds it, is a root."""
        if path is None:
            return
        folder = project_root(path)
        if all(root.is_adopted for root in self._roots) and self.of(path) is None and is_a_project(folder):
            self._roots += (WorkspaceFolder(uri_of(folder), folder, is_adopted=True),)

    def remove(self, uris: Iterable[str]) -> None:
        gone = set(uris)
        self._roots = tuple(root for root in self._roots if root.uri not in gone)

    def of(self, path: str | None) -> WorkspaceFolder | None:
        """The innermost root above `path`."""
        if path is None:
            return None
        key = path_key(path)
        above = [root for root in self._roots if key.startswith(root.prefix)]
        return max(above, key=lambda root: len(root.prefix), default=None)

    def want(self, root: WorkspaceFolder) -> None:
        """Have the files below `root` looked at, unless that was asked before."""
        if not root.wanted:
            root.wanted = True
            self.walk(root)

    def walk(self, root: WorkspaceFolder) -> None:
        """Have the files below `root` looked at (again), soon."""
        with self._changed:
            if self._stopped:
                return
            self._wanted[root.uri] = root
            if self._thread is None:
                self._thread = Thread(target=self._run, name="simt-files", daemon=True)
                self._thread.start()
            self._changed.notify()

    def files_of(self, root: WorkspaceFolder) -> FileIndex:
        """The files below `root`, walked now if they were not yet; call it from a thread that may wait."""
        return root.files or self._walk(root)

    def files_changed(self, changed: Iterable[str], listed: Iterable[str], cache: FileCache) -> None:
        """The texts of `changed` are new; `listed` were created or deleted, so their roots are walked again."""
        for path in changed:
            root = self.of(path)
            text = cache.read(path) if root is not None and root.graph is not None else None
            if root is not None and root.graph is not None and text is not None:
                root.graph.scan(path, text)
        for root in {root.uri: root for path in listed if (root := self.of(path)) is not None}.values():
            if root.files is not None:
                self.walk(root)

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._wanted and not self._stopped:
                    self._changed.wait()
                if self._stopped:
                    return
                root = self._wanted.pop(next(iter(self._wanted)))
            try:
                self._walk(root)
            except Exception as error:  # reported; the root stays without files
                self._crashed(f"walk of {root.path}", error)
                root.is_settled = True
                continue
            self._ready(root)
            try:
                self._index(root)
            except Exception as error:  # reported; each file below the root is looked at alone
                self._crashed(f"index of {root.path}", error)
            root.is_settled = root.is_settled or root.uri not in self._wanted

    def _index(self, root: WorkspaceFolder) -> None:
        files = root.files
        if files is None or files.truncated:
            return
        state = Indexing()
        self.indexing(root, state)

        def advance(done: int, files: int) -> None:
            state.done, state.all = done, files

        try:
            project = build_project(
                [root.path],
                files,
                cache_folder(),
                cancelled=lambda: self._stopped or state.is_cancelled or root.uri in self._wanted,
                advance=advance,
                breathe=lambda: time.sleep(BREATH),
            )
        finally:
            state.has_ended = True
        if project is not None:
            root.project, root.graph = project, project.graph
            self._ready(root)

    def _walk(self, root: WorkspaceFolder) -> FileIndex:
        files = build_index([root.path], cancelled=lambda: self._stopped)
        graph = IncludeGraph()
        build_graph(graph, files, cancelled=lambda: self._stopped)
        root.files, root.graph = files, graph
        return files


@final
class RootView:
    """What one analysis sees of a root; remembers whether it missed something that a walk would bring."""

    def __init__(self, root: WorkspaceFolder | None) -> None:
        self._root = root
        self.missed = False

    def files(self) -> FileIndex:
        root = self._root
        if root is None:
            return NO_FILES
        self.missed |= root.files is None
        return root.files or NO_FILES

    def graph_for(self, path: str | None) -> IncludeGraph | None:
        """The graph: headers need it, and source files that others include."""
        root = self._root
        if root is None or path is None:
            return None
        self.missed |= root.graph is None
        return root.graph

    def project_of(self, path: str | None) -> ProjectIndex | None:
        """The index of the project that a file belongs to, if it is there and knows all files."""
        project = None if self._root is None or path is None else self._root.project
        is_known = project is not None and path is not None and project.is_complete and project.knows(path)
        return project if is_known else None
