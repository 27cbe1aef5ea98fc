"""The source files below some folders, found by the end of their path.

Rules    Hidden folders, folders of packages, of version control and of builds are skipped; links to folders are not
         followed, so loops cannot be met.  The walk is breadth-first and stops at bounds of count and time: what it
         did not reach is not found, and `truncated` says so.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Final, final

from analysis.ir.record import record
from analysis.syntax.includes import HEADER_SUFFIXES, nearness

SOURCE_SUFFIXES: Final = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
DEVICE_SUFFIXES: Final = (".cu", ".cuh", ".hip")
SKIPPED_FOLDERS: Final = frozenset({"node_modules", "__pycache__", "site-packages", "CMakeFiles", "venv"})


@final
@record
class WalkBounds:
    """When a walk stops."""

    files: int = 50_000
    folders: int = 20_000
    seconds: float = 3.0


@final
@record
class FileIndex:
    """Files by their last name; `truncated` when the bounds ended the walk."""

    by_name: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    truncated: bool = False

    def find_suffix(self, suffix: str, near: str) -> str | None:
        """The file whose path ends in `/suffix`; of several, that nearest to the file `near`; None if there is none."""
        return min(self.matches(suffix), key=lambda path: nearness(path, near), default=None)

    def matches(self, suffix: str) -> tuple[str, ...]:
        """All files whose path ends in `/suffix`."""
        wanted = "/" + suffix.replace("\\", "/").lstrip("/")
        candidates = self.by_name.get(wanted.rpartition("/")[2], ())
        return tuple(path for path in candidates if path.endswith(wanted))

    def files(self) -> Iterator[str]:
        """Every file, in no order."""
        for paths in self.by_name.values():
            yield from paths


def build_index(
    roots: Sequence[str],
    suffixes: tuple[str, ...] = SOURCE_SUFFIXES + HEADER_SUFFIXES,
    bounds: WalkBounds | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> FileIndex:
    """Walk `roots`; paths use `/`."""
    bounds = bounds or WalkBounds()
    found: dict[str, list[str]] = {}
    deadline = time.monotonic() + bounds.seconds
    waiting = deque(dict.fromkeys(os.path.normpath(root) for root in roots))
    folders = files = 0
    while waiting:
        folders += 1
        if folders > bounds.folders or files > bounds.files or time.monotonic() > deadline or cancelled():
            return _frozen(found, truncated=True)
        for name, path in _entries(waiting.popleft(), waiting):
            if name.lower().endswith(suffixes):
                found.setdefault(name, []).append(path.replace(os.sep, "/"))
                files += 1
    return _frozen(found, truncated=False)


def _entries(folder: str, waiting: deque[str]) -> Iterator[tuple[str, str]]:
    """The files of `folder`; its folders are added to `waiting`."""
    try:
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
        names = {entry.name for entry in entries}
        if "CMakeCache.txt" in names and "CMakeLists.txt" not in names:
            return  # a build; the headers it made are found through the folders that the build commands name
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in SKIPPED_FOLDERS:
                    waiting.append(entry.path)
            else:
                yield entry.name, entry.path
    except OSError:
        return  # a folder that may not be read has no files for us


def _frozen(found: dict[str, list[str]], *, truncated: bool) -> FileIndex:
    return FileIndex({name: tuple(dict.fromkeys(paths)) for name, paths in found.items()}, truncated)
