"""What can be worked out again, kept in the user's cache folder under names.

Rules    It is of one version of the tool, and has a hash of its own: what is not as it was written is not there.  Never
         in a project; written beside its place and then moved there; the oldest go beyond a number and a size.
Limits   Only classes that are meant to be there are read.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, Final, final

from simt_lsp.workspace.project_index.saved import is_below
from simt_lsp.workspace.tool_identity import keep_tool_identity, tool_identity

Classes = frozenset[tuple[str, str]]
"""By module and name."""

MAX_BYTES: Final = 1_000_000
"""Of one file, where nothing else is said."""
MAX_ALL_BYTES: Final = 300_000_000
"""Of a folder."""
_DIGEST: Final = 16
_PRUNED_EVERY: Final = 500


@final
class KeptOnDisk:
    """The files of one kind; belongs to one thread."""

    def __init__(
        self,
        folder: Path | None,
        roots: Callable[[], Sequence[str]],
        classes: Classes,
        max_files: int,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Nothing is written below one of `roots`; without a folder, which lies in the user's cache folder, nothing is
        kept."""
        self._folder = folder
        self._roots = roots
        self._classes = classes
        self._max_files = max_files
        self._max_bytes = max_bytes
        self._written = 0

    def read(self, name: str) -> Any:
        """What was written under a name; None where there is nothing of use."""
        if self._folder is None:
            return None
        place = _place(self._folder, name)
        try:
            if place.stat().st_size > self._max_bytes:
                return None
            text = place.read_bytes()
        except OSError:
            return None
        head, digest, body = text[:_DIGEST], text[_DIGEST : 2 * _DIGEST], text[2 * _DIGEST :]
        if head != tool_identity(self._folder.parent) or digest != blake2b(body, digest_size=_DIGEST).digest():
            return None
        try:
            owner, value = _Reader(BytesIO(body), self._classes).load()
        except Exception:  # whatever a damaged file makes of the reader, it is as if it were not there
            return None
        return value if owner == name else None

    def write(self, name: str, value: object) -> None:
        """Instead of what was there; where that cannot be done, nothing is kept."""
        if not self._write(name, value) and self._folder is not None:
            with suppress(OSError):
                os.unlink(_place(self._folder, name))

    def _write(self, name: str, value: object) -> bool:
        folder = self._folder
        if folder is None or any(is_below(folder, root) for root in self._roots()):
            return False
        body = pickle.dumps((name, value), protocol=5)
        text = tool_identity(folder.parent) + blake2b(body, digest_size=_DIGEST).digest() + body
        if len(text) > self._max_bytes:
            return False
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, written = tempfile.mkstemp(".tmp", "kept-", folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text)
                os.replace(written, _place(folder, name))
            except BaseException:
                with suppress(OSError):
                    os.unlink(written)
                raise
            keep_tool_identity(folder.parent)
            if self._written % _PRUNED_EVERY == 0:
                _prune(folder, self._max_files)
            self._written += 1
            return True
        return False


@final
class _Reader(pickle.Unpickler):
    def __init__(self, text: BytesIO, classes: Classes) -> None:
        super().__init__(text)
        self._classes = classes

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in self._classes:
            raise pickle.UnpicklingError(global_name)
        return super().find_class(module_name, global_name)


def _place(folder: Path, name: str) -> Path:
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=_DIGEST).hexdigest()
    return folder / f"{digest}.kept"


def _prune(folder: Path, max_files: int) -> None:
    """Leaves the newest files."""
    found: list[tuple[float, int, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                status = entry.stat()
                found.append((status.st_mtime, status.st_size, entry.path))
    size = 0
    for number, (_, bytes_, path) in enumerate(sorted(found, reverse=True)):
        size += bytes_
        if number >= max_files or size > MAX_ALL_BYTES:
            with suppress(OSError):
                os.unlink(path)
