"""Files from disk, with the open documents of an editor in front of them.

Rules    A read looks at exactly the path it is given; only regular files below a size bound are read.
         Texts are kept while the time stamp and size of their file stay, up to `MAX_CACHED_BYTES` in all.
         The overlay is a mapping by `path_key` that its owner must not change while a loader uses it.
Threads  `FileCache` may be shared; a `DiskLoader` belongs to one analysis, which can ask afterwards what was touched.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set
from threading import Lock
from typing import Final, final

from simt_lsp.workspace.file_index import FileIndex, build_index
from simt_lsp.workspace.regular_file import is_special, read_regular

MAX_FILE_BYTES: Final = 16_000_000
MAX_CACHED_BYTES: Final = 128_000_000

Stamp = tuple[int, int]
Question = tuple[str, ...]
"""What was asked, by the kind of the question and what it is about."""


def path_key(path: str) -> str:
    """One spelling per path: normalised, with `/`, and on Windows without case."""
    return os.path.normcase(os.path.normpath(path)).replace("\\", "/")


@final
class FileCache:
    """Texts of files on disk."""

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._texts: OrderedDict[str, tuple[Stamp, bytes]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file, or None: missing, unreadable, too large, or no regular file."""
        stamp = stamp_of(path)
        if stamp is None or stamp[1] > MAX_FILE_BYTES:
            return None
        with self._lock:
            known = self._texts.get(path)
            if known is not None and known[0] == stamp:
                self._texts.move_to_end(path)
                return known[1]
        try:
            text = read_regular(path, MAX_FILE_BYTES + 1)
        except OSError:
            return None
        if len(text) > MAX_FILE_BYTES:
            return None
        self._keep(path, stamp, text)
        return text

    def _keep(self, path: str, stamp: Stamp, text: bytes) -> None:
        with self._lock:
            old = self._texts.pop(path, None)
            self._size += len(text) - (len(old[1]) if old else 0)
            self._texts[path] = (stamp, text)
            while self._size > self._max_bytes and len(self._texts) > 1:
                _, (_, dropped) = self._texts.popitem(last=False)
                self._size -= len(dropped)


@final
class DiskLoader:
    """The `Loader` of `analysis` over disk and overlay; without a cache there is no disk.

    `touched` are the keys of all paths that were asked for, `told` all that was asked with what was answered.
    """

    def __init__(
        self,
        cache: FileCache | None,
        overlay: Mapping[str, bytes] | None = None,
        index: Callable[[], FileIndex] = FileIndex,
        gone: Set[str] = frozenset(),
    ) -> None:
        """`gone`: keys of paths at which nothing is seen, whatever is there."""
        self._cache = cache
        self._gone = gone
        self._overlay = overlay or {}
        self._index = index
        self._present: dict[str, bool] = {}
        self.touched: set[str] = set()
        self.told: dict[Question, object] = {}

    def read(self, path: str) -> bytes | None:
        """The text of the open document at `path`, or else of the file."""
        key = path_key(path)
        self.touched.add(key)
        text = self._overlay.get(key)
        if text is None and self._cache is not None and key not in self._gone:
            text = self._cache.read(path)
        self.told["text", path] = text
        return text

    def exists(self, path: str) -> bool:
        """Whether `read` would find something; one answer per loader."""
        known = self._present.get(path)
        if known is None:
            key = path_key(path)
            self.touched.add(key)
            on_disk = self._cache is not None and key not in self._gone and exists_on_disk(path)
            known = self._present[path] = on_disk or key in self._overlay
            self.told["exists", path] = known
        return known

    def is_special(self, path: str) -> bool:
        """Whether something is there that is never read: a device, a pipe, a file that the system makes up."""
        found = self.told["special", path] = self._cache is not None and is_special(path)
        return found

    def find_suffix(self, suffix: str, near: str) -> str | None:
        """The file of the workspace whose path ends in `suffix`; of several, that nearest to the file `near`."""
        path = self._index().find_suffix(suffix, near)
        found = self.told["suffix", suffix, near] = path if path is not None and self.exists(path) else None
        return found


@final
class LazyIndex:
    """The index of some roots, built when it is first asked for and again after `forget`."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = tuple(roots)
        self._lock = Lock()
        self._index: FileIndex | None = None

    def __call__(self) -> FileIndex:
        with self._lock:
            if self._index is None:
                self._index = build_index(self.roots)
            return self._index

    def forget(self) -> None:
        """The set of files changed: walk again when asked again."""
        with self._lock:
            self._index = None


def exists_on_disk(path: str) -> bool:
    """Whether there is a regular file that is read."""
    stamp = stamp_of(path)
    return stamp is not None and (stamp[1] > 0 or not is_special(path))


def stamp_of(path: str) -> Stamp | None:
    """Time stamp and size of a regular file; None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return None
    return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None
