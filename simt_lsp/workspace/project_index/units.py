"""Which compiled files have the text of a file in them?

Rules    Files are numbered, and a set of files is an integer with a bit for each, so that sets of thousands are joined
         and compared at once.  Everything is found when it is asked for, and holds until an include changes.
Cost     Per file a walk over its includers, in which those that nobody includes are taken all together.
Limits   A file with more than `MAX_REACHED` includers, over any chain, has too many to tell (`TooMany`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from simt_lsp.workspace.file_index import SOURCE_SUFFIXES
from simt_lsp.workspace.include_graph import IncludeGraph

MAX_REACHED: Final = 4_000

Files = int
"""A set of files, a bit for each."""


class TooMany(Exception):
    """More files include one than are looked at."""


@final
class Units:
    """See the top of the file; belongs to its index."""

    def __init__(self, graph: IncludeGraph) -> None:
        self._graph = graph
        self._version = graph.version
        self._paths: list[str] = []
        self._numbers: dict[str, int] = {}
        self._compiled: Files = 0
        self._including: dict[str, Files] = {}
        self._direct: dict[int, Files] = {}
        self._is_included: Files = 0
        """Of the files with a number, those that some file may include."""

    @property
    def is_outdated(self) -> bool:
        """Whether an include changed since."""
        return self._version != self._graph.version

    def including(self, path: str) -> Files:
        """All files that include a file over any chain, not itself; raises `TooMany`."""
        known = self._including.get(path)
        if known is None:
            known = self._including[path] = self._find(path)
        if known.bit_count() >= MAX_REACHED:
            raise TooMany
        return known

    def with_text(self, path: str) -> Files:
        """The compiled files that include a file, over any chain; raises `TooMany`."""
        return self.including(path) & self._compiled

    def of(self, path: str) -> Files:
        """The same, and the file itself if it is compiled; raises `TooMany`."""
        own = 1 << self.number(path)
        return self.with_text(path) | (own & self._compiled)

    def paths(self, files: Files) -> Iterator[str]:
        """The files of a set."""
        return (self._paths[number] for number in _bits(files))

    def number(self, path: str) -> int:
        """Which bit stands for a file."""
        known = self._numbers.get(path)
        if known is None:
            known = self._numbers[path] = len(self._paths)
            self._paths.append(path)
            if path.lower().endswith(SOURCE_SUFFIXES) and not self._graph.is_part(path):
                self._compiled |= 1 << known
            if self._graph.may_include(path):
                self._is_included |= 1 << known
        return known

    def is_compiled(self, path: str) -> bool:
        """Whether it is a unit of its own."""
        return bool(self._compiled >> self.number(path) & 1)

    def _find(self, path: str) -> Files:
        own = 1 << self.number(path)
        seen = own
        waiting = own & self._is_included
        while waiting and seen.bit_count() <= MAX_REACHED:
            fresh: Files = 0
            for number in _bits(waiting):
                fresh |= self._directly(number)
            fresh &= ~seen
            seen |= fresh
            waiting = fresh & self._is_included
        return seen & ~own

    def _directly(self, number: int) -> Files:
        known = self._direct.get(number)
        if known is None:
            known = 0
            for including in self._graph.may_include(self._paths[number]):
                known |= 1 << self.number(including)
            self._direct[number] = known
        return known


def _bits(files: Files) -> Iterator[int]:
    while files:
        lowest = files & -files
        yield lowest.bit_length() - 1
        files ^= lowest
