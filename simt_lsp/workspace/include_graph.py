"""Who includes this header?

Question  A header analysed on its own lacks the names of the file that includes it.  Which file is that?
Rules     Includes are found by a scan for `#include`, not by the preprocessor: dead branches count too.  System headers
          do not.
          A name means the file beside the includer, or else each file whose path ends in it.
          The context of a header is the nearest file that is compiled itself, over chains of headers:
          `.cu` and `.hip` before other sources, then by path, so the answer is stable.
Cost      One read of the first `MAX_SCANNED_BYTES` of each file of the roots, once; then one file per change.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, final

from analysis.project.skim import project_includes
from analysis.syntax.includes import is_header
from simt_lsp.workspace.disk_loader import path_key
from simt_lsp.workspace.file_index import SOURCE_SUFFIXES, FileIndex
from simt_lsp.workspace.regular_file import read_regular

MAX_SCANNED_BYTES: Final = 256 * 1024
MAX_CHAIN: Final = 12
_NOBODY: Final = frozenset[str]()


@final
@dataclass(slots=True)
class IncludeGraph:
    """The includes of many files; safe to share between threads."""

    _includes: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    _by_beside: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    """Includers by the path that a name means beside them."""
    _by_end: dict[str, dict[str, list[str]]] = field(default_factory=dict[str, "dict[str, list[str]]"])
    """By the end of the paths that a name may mean: includers, each with what such names mean beside it."""
    _unbound: dict[str, frozenset[str]] = field(default_factory=dict[str, "frozenset[str]"])
    """By that end: those beside which there is no such file, as asked since the last change."""
    _ranks: dict[str, Sequence[tuple[int, str]]] = field(default_factory=dict[str, "Sequence[tuple[int, str]]"])
    """What was asked since the last change."""
    _lock: Lock = field(default_factory=Lock)
    version: int = 0
    """Grows with every change of an include."""

    def scan(self, path: str, text: bytes) -> None:
        """Take what `path` includes now."""
        self.take(path, project_includes(text))

    def take(self, path: str, names: tuple[str, ...]) -> None:
        """`path` includes `names` now."""
        path = path.replace(os.sep, "/")
        with self._lock:
            if self._includes.get(path) == names:
                return
            self.version += 1
            self._drop(path)
            self._includes[path] = names
            for name in names:
                beside = _beside(path, name)
                self._by_beside.setdefault(beside, set()).add(path)
                self._by_end.setdefault(_end(name), {}).setdefault(path, []).append(beside)

    def remove(self, path: str) -> None:
        """The file is gone."""
        with self._lock:
            self.version += 1
            self._drop(path.replace(os.sep, "/"))

    def includers(self, header: str) -> tuple[str, ...]:
        """The files that include `header` directly: those beside which the name means it first, then by path."""
        return tuple(dict.fromkeys(path for _, path in self._ranked(header)))

    def possible_includers(self, path: str) -> list[str]:
        """The files that may include `path` directly, sorted: a name that means a file beside them means no other."""
        return sorted(self.may_include(path))

    def may_include(self, path: str) -> set[str]:
        """The same, in no order."""
        path = path.replace(os.sep, "/")
        with self._lock:
            found = self._by_beside.get(path, set[str]()).union(*map(self._unbound_with, _ends(path)))
        found.discard(path)
        return found

    def is_part(self, source: str) -> bool:
        """Whether a source file is included by another one beside it, and so compiled as a part of that."""
        source = source.replace(os.sep, "/")
        with self._lock:
            return bool(self._by_beside.get(source, set[str]()) - {source})

    def _unbound_with(self, end: str) -> frozenset[str]:
        known = self._unbound.get(end)
        if known is None:
            found = self._by_end.get(end)
            if not found:
                return _NOBODY
            unbound = (path for path, meant in found.items() if not all(one in self._includes for one in meant))
            known = self._unbound[end] = frozenset(unbound)
        return known

    def context(self, header: str) -> str | None:
        """The file to analyse `header` in, or None if nothing that is compiled includes it.

        A source file that another one includes (`#include "kernel.cu"`) has a context as well, but only in a file
        beside which the name means it: names like `kernel.cu` are too common to match by the end of their path.
        """
        nearest = next(filter(None, self._outermost(header)), None)
        return None if nearest is None else min(nearest, key=lambda path: not path.endswith((".cu", ".hip")))

    def compiled_includers(self, source: str) -> tuple[str, ...]:
        """All files that are compiled themselves and include this source file, the nearest first.

        None of a header, which any file may include.
        """
        if is_header(source):
            return ()
        return tuple(path for paths in self._outermost(source) for path in paths)

    def _outermost(self, header: str) -> Iterator[list[str]]:
        """The files that are compiled themselves and include `header`, by how far away they are."""
        if not is_header(header) and not self.is_part(header):
            return
        seen = {header}
        level = [header]
        for _ in range(MAX_CHAIN):
            level = list(dict.fromkeys(path for name in level for path in self._surest(name) if path not in seen))
            seen.update(level)
            compiled = [path for path in level if path.endswith(SOURCE_SUFFIXES)]
            # A source file that another one includes is a link of the chain, like a header.
            yield [path for path in compiled if not self.is_part(path)]

    def _surest(self, header: str) -> Iterator[str]:
        """The includers beside which the name means `header`; if there are none, all that may mean it."""
        ranked = self._ranked(header)
        return (path for rank, path in ranked if rank == ranked[0][0])

    def _ranked(self, header: str) -> Sequence[tuple[int, str]]:
        header = header.replace(os.sep, "/")
        with self._lock:
            known = self._ranks.get(header)
            if known is None:
                known = self._ranks[header] = self._rank(header)
            return known

    def _rank(self, header: str) -> Sequence[tuple[int, str]]:
        """0: a name means `header` beside its file; 1: by the end of its path."""
        beside = self._by_beside.get(header, set[str]())
        others = {path for end in _ends(header) for path in self._by_end.get(end, {})}
        return sorted((rank, path) for rank, paths in enumerate((beside, others)) for path in paths if path != header)

    def _drop(self, path: str) -> None:
        self._ranks.clear()
        self._unbound.clear()
        for name in self._includes.pop(path, ()):
            self._by_beside.get(_beside(path, name), set[str]()).discard(path)
            self._by_end.get(_end(name), dict[str, list[str]]()).pop(path, None)


def build_graph(
    graph: IncludeGraph,
    index: FileIndex,
    cancelled: Callable[[], bool] = lambda: False,
    already: Iterable[str] = (),
) -> None:
    """Scan every file of `index` into `graph`, except those `already` known better (open documents)."""
    known = {path_key(path) for path in already}
    for path in index.files():
        if cancelled():
            return
        if path_key(path) not in known and (text := _head(path)) is not None:
            graph.scan(path, text)


def _head(path: str) -> bytes | None:
    try:
        return read_regular(path, MAX_SCANNED_BYTES)
    except OSError:
        return None  # vanished or unreadable since the walk: includes nothing


def _beside(path: str, name: str) -> str:
    joined = posixpath.join(path[: path.rfind("/") + 1], name)
    is_plain = joined[:1] == "/" and "/." not in joined and "//" not in joined and joined[-1] != "/"
    return joined if is_plain else posixpath.normpath(joined)


def _end(name: str) -> str:
    """How the paths end that a name may mean, wherever they are."""
    end = posixpath.normpath(name)
    while end.startswith("../"):
        end = end[3:]
    return end


def _ends(path: str) -> Iterator[str]:
    """All ends of a path that begin behind a `/`."""
    at = path.find("/")
    while at >= 0:
        yield path[at + 1 :]
        at = path.find("/", at + 1)
