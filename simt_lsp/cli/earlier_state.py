"""Which reports would be the same in an earlier state of the tree?

Rules    What was found in a file follows from what its analysis asked and was told (`surroundings.py`).  So it is the
         same in an earlier state where all these questions had the same answers: texts, places where nothing is, who
         includes whom and whose a name is, over an index with the skims of then.  Of a file that others include, what
         these pass must be the same as well.
         Where settings or build commands changed, or files that no walk finds, nothing is known to be the same.
Cost     A skim of each file that changed, and the questions of each report that is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, final

from analysis.syntax.includes import HEADER_SUFFIXES
from simt_lsp.cli.engine import Engine, Keeping, absolute_path
from simt_lsp.cli.project_files import calling, includers_of
from simt_lsp.gates.changes import Changes
from simt_lsp.workspace.disk_loader import path_key
from simt_lsp.workspace.file_index import SKIPPED_FOLDERS, SOURCE_SUFFIXES, FileIndex
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.project_index.build import ReadProject
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.settings.sources import FILE_NAME, folders_upward

_WALKED: Final = (*SOURCE_SUFFIXES, *HEADER_SUFFIXES)


@final
class EarlierState:
    """The tree around an engine with the texts of an earlier state."""

    def __init__(self, engine: Engine, keeping: Keeping, read: ReadProject, changes: Changes) -> None:
        """Raises `LookupError` where nothing is known to be the same."""
        self._engine = engine
        self._keeping = keeping
        spelled = {_spelled(path, engine.options.roots): text for path, text in changes.before.items()}
        if any(path not in read.files and not _is_walked(path, engine.options.roots) for path in spelled):
            raise LookupError
        known = {_spelled(path, engine.options.roots) for path in changes.known}
        folders = {os.path.dirname(path) for path in read.files}
        if any(os.path.isfile(one) and one not in known for one in _settings_files(folders)):
            raise LookupError
        self._changed: Final = {*spelled, *(path for path in read.files if path not in known)}
        self._now: Final = read.index()
        self._then: Final = _index_of(read, known, spelled)
        files = _files_of(engine.file_index, known, spelled)
        gone = frozenset(path_key(path) for path in self._changed if path not in spelled)
        before = {path_key(path): text for path, text in spelled.items()}
        self._around: Final = engine.surroundings_in(self._now), engine.surroundings_in(self._then, before, gone, files)

    def says_the_same(self, path: str) -> bool:
        """Whether what is told of a file was told of it in that state, too."""
        if not all(self._engine.report_holds(self._keeping, path, around) for around in self._around):
            return False
        absolute = absolute_path(path)
        including = includers_of(self._now.graph, absolute)
        if including != includers_of(self._then.graph, absolute) or not self._changed.isdisjoint(including):
            return False
        callers = calling(self._now.graph, absolute)
        return all(self._engine.calls_hold(one, around) for one in callers for around in self._around)


def _index_of(read: ReadProject, known: set[str], before: Mapping[str, bytes]) -> ProjectIndex:
    index = ProjectIndex(IncludeGraph(), is_complete=read.is_complete)
    for path, one in read.files.items():
        if path in known and path not in before:
            index.take(path, one.skim)
    for path, text in before.items():
        index.scan(path, text)
    return index


def _files_of(files: FileIndex, known: set[str], before: Mapping[str, bytes]) -> FileIndex:
    paths = {path for path in files.files() if path in known} | {*before}
    by_name: dict[str, tuple[str, ...]] = {}
    for path in sorted(paths):
        name = path.rpartition("/")[2]
        by_name[name] = (*by_name.get(name, ()), path)
    return FileIndex(by_name, files.truncated)


def _settings_files(folders: Iterable[str]) -> Iterator[str]:
    """Where settings of files in these folders may be."""
    around = {above for folder in folders for above in folders_upward(folder)}
    return (os.path.join(folder, FILE_NAME).replace(os.sep, "/") for folder in sorted(around))


def _is_walked(path: str, roots: tuple[str, ...]) -> bool:
    """Whether a walk below the roots finds a file of that name."""
    root = next((root for root in roots if path.startswith(root.rstrip("/") + "/")), None)
    if root is None or not path.lower().endswith(_WALKED):
        return False
    folders = path[len(root) :].strip("/").split("/")[:-1]
    return not any(folder.startswith(".") or folder in SKIPPED_FOLDERS for folder in folders)


def _spelled(path: str, roots: tuple[str, ...]) -> str:
    """A path without links as the analysis spells it: below a root."""
    for root in roots:
        real = os.path.realpath(root).rstrip(os.sep) + os.sep
        if path.startswith(real):
            return os.path.join(root, path[len(real) :]).replace(os.sep, "/")
    return path.replace(os.sep, "/")
