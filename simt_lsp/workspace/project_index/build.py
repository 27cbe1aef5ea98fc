"""Builds the index of the files below some folders.

Rules    What was saved is taken where its file is the same; the rest is read and skimmed; what is new is saved.
         A file that cannot be read says nothing, and the index is not complete.
         Files of other suffixes count where a file beside them includes them.
Cost     One `stat` per file that did not change.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, final

from analysis.ir.record import record
from analysis.project.skim import Skim, skim
from simt_lsp.workspace.disk_loader import MAX_FILE_BYTES
from simt_lsp.workspace.file_index import FileIndex
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.saved import SavedSkim, Stamp, digest_of, load, save
from simt_lsp.workspace.regular_file import read_regular

MAX_OTHERS: Final = 2_000
LEAST_SAVED: Final = 50
"""Fewer files are read as fast as what was saved of them."""


def build_project(
    roots: Sequence[str],
    files: FileIndex,
    folder: Path | None = None,
    *,
    least_saved: int = LEAST_SAVED,
    cancelled: Callable[[], bool] = lambda: False,
    advance: Callable[[int, int], None] = lambda _, __: None,
    breathe: Callable[[], None] = lambda: None,
) -> ProjectIndex | None:
    """The index of `files` as `read_project` finds them; None if it was cancelled."""
    project = read_project(
        roots, files, folder, least_saved=least_saved, cancelled=cancelled, advance=advance, breathe=breathe
    )
    return None if project is None else project.index()


@final
@record
class ReadProject:
    """The files of a project as they were read; `is_complete` False where there are others."""

    files: Mapping[str, SavedSkim]
    is_complete: bool

    def index(self) -> ProjectIndex:
        """The index of these files."""
        index = ProjectIndex(IncludeGraph(), is_complete=self.is_complete)
        for path, one in self.files.items():
            index.take(path, one.skim)
        return index


def read_project(
    roots: Sequence[str],
    files: FileIndex,
    folder: Path | None = None,
    *,
    least_saved: int = LEAST_SAVED,
    cancelled: Callable[[], bool] = lambda: False,
    advance: Callable[[int, int], None] = lambda _, __: None,
    breathe: Callable[[], None] = lambda: None,
) -> ReadProject | None:
    """Of `files`, which lie below `roots`; `folder` is where skims are kept.  None if it was cancelled.

    `advance(done, all)` is called after each file, `breathe()` after each that was read.
    """
    saved = load(folder, roots)
    found: dict[str, SavedSkim] = {}
    unread: list[str] = []
    paths = sorted(files.files())
    for done, path in enumerate(paths):
        if cancelled():
            return None
        try:
            found[path] = _skimmed(path, saved.get(path))
            if found[path] is not saved.get(path):
                breathe()
        except FileNotFoundError:
            pass  # a link to nowhere, or gone since the walk
        except (OSError, ValueError):
            unread.append(path)
        advance(done + 1, len(paths))
    for path in _others(found):
        with suppress(OSError, ValueError):
            found[path] = _skimmed(path, saved.get(path))
    is_complete = not files.truncated and not unread
    is_new = len(saved) != len(found) or any(saved.get(path) is not one for path, one in found.items())
    if is_new and len(found) >= least_saved:
        save(folder, roots, found)
    return ReadProject(found, is_complete)


def skim_file(path: str) -> Skim | None:
    """The skim of a file on disk; None if it cannot be read."""
    with suppress(OSError, ValueError):
        return _skimmed(path, None).skim
    return None


def _skimmed(path: str, saved: SavedSkim | None) -> SavedSkim:
    status = os.stat(path)
    stamp: Stamp = status.st_mtime_ns, status.st_size
    if saved is not None and saved.stamp == stamp:
        return saved
    text = read_regular(path, MAX_FILE_BYTES)
    digest = digest_of(text)
    if saved is not None and saved.digest == digest:
        return SavedSkim(stamp, digest, saved.skim)
    found = skim(text)
    if len(text) < status.st_size:  # the rest may say anything
        found = replace(found, pastes=True, unsure=True)
    return SavedSkim(stamp, digest, found)


def _others(found: dict[str, SavedSkim]) -> Iterator[str]:
    """Files that are included by one beside them and that no walk looks for."""
    known = set(found)
    waiting = list(found)
    others = 0
    while waiting and others < MAX_OTHERS:
        path = waiting.pop()
        for name in found[path].skim.includes if path in found else ():
            other = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if other not in known:
                known.add(other)
                if os.path.isfile(other):
                    others += 1
                    yield other
                    waiting.append(other)
