"""The launches that a program makes of the kernels of one file, in whatever file they stand, and the largest of them.

What host code says of a launch is what `check` knows of it (`analysis/facts/known_launches.py`); of the numbers that
several calls pass, each set is a launch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import final

from analysis.facts.analyzer import environment_of
from analysis.facts.known_launches import LaunchesOfFile, launches_of_file
from analysis.launches import Launch, Shape, UseKey, Uses
from analysis.launches.host_memo import HostMemo
from analysis.launches.outside import MAX_KEPT, Outside, UnitMemo
from analysis.lower.program import Program
from analysis.store.bounded import BoundedCache
from analysis.syntax.cache import SyntaxCache
from analysis.syntax.environment import Environment
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache, LazyIndex
from simt_lsp.workspace.project import file_setup
from simt_lsp.workspace.project_index.build import build_project
from simt_lsp.workspace.project_index.cache_folder import cache_folder
from simt_lsp.workspace.project_index.view import ProjectView
from simt_lsp.workspace.project_root import project_root


@final
class ProgramLaunches:
    """Of the files below one root."""

    def __init__(self, root: str) -> None:
        self._index = LazyIndex((root,))
        self._files = build_project(self._index.roots, self._index(), cache_folder())
        self._cache = SyntaxCache()
        self._units: UnitMemo = BoundedCache(MAX_KEPT)

    def of_file(self, program: Program) -> LaunchesOfFile:
        """By the names of the kernels that its file defines."""
        unit = program.unit
        host = HostMemo()
        uses = BoundedCache[UseKey, Uses](8192)
        if self._files is None or not self._files.knows(unit.path):
            return launches_of_file(unit, host, uses)
        view, loader = ProjectView(self._files, self._environment), DiskLoader(FileCache(), None, self._index)
        outside = Outside(unit, view, loader, self._cache, self._units, host)
        try:
            return launches_of_file(unit, host, uses, outside)
        finally:
            outside.close()

    def _environment(self, path: str) -> Environment | None:
        if self._files is None:
            return None
        return environment_of(path, file_setup(path, (), self._files.graph).settings)


@lru_cache(maxsize=2)
def program_launches(root: str) -> ProgramLaunches:
    """Of the project around a folder."""
    return ProgramLaunches(project_root(root))


def largest_launch(launches: Iterable[Launch]) -> Launch | None:
    """That with most threads; None where host code says the grid and the block of none."""
    return max((one for launch in launches for one in _made(launch)), key=_threads, default=None)


def _made(launch: Launch) -> Iterator[Launch]:
    for made in launch.made:
        if made.grid is not None and made.block is not None:
            yield replace(launch, grid=made.grid, block=made.block, argument_values=made.argument_values, called=())


def _threads(launch: Launch) -> int:
    return _volume(launch.grid) * _volume(launch.block)


def _volume(shape: Shape | None) -> int:
    return 0 if shape is None else shape.x * shape.y * shape.z
