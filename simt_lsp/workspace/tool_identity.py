"""Which tool worked something out that is kept: another answer for each of its versions.

Rules    The hash of the sources that run and of the grammars that they read with, by name and content: two installs of
         one version are one tool, and a change between two releases counts.
Cost     A look at each file; the texts are read once per install, and their hash is kept under the hash of their paths,
         sizes and time stamps.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

_PACKAGES: Final = ("analysis", "simt_lsp")
_GRAMMARS: Final = ("tree_sitter", "tree_sitter_cuda")
_SUFFIXES: Final = (".py", ".so", ".pyd")
_FOLDER: Final = "tools"
_DIGEST: Final = 16
MAX_KEPT: Final = 20
"""Installs."""


class SourceOfTool(NamedTuple):
    """A file of the tool: its name is the same wherever the package is installed."""

    name: str
    path: str


@lru_cache(maxsize=4)
def tool_identity(folder: Path) -> bytes:
    """Of `_DIGEST` bytes; `folder` is the user's cache folder."""
    return identity_of(_files(), folder)


@lru_cache(maxsize=4)
def keep_tool_identity(folder: Path) -> None:
    """So that the next process need not read the texts; raises `OSError`."""
    keep_identity(_files(), folder)


def identity_of(files: Sequence[SourceOfTool], folder: Path) -> bytes:
    """Of these files, as it is kept or else of their texts."""
    with suppress(OSError):
        known = (folder / _FOLDER / _stamps(files)).read_bytes()
        if len(known) == _DIGEST:
            return known
    digest = blake2b(f"{sys.version_info[:2]}\n".encode(), digest_size=_DIGEST)
    for file in files:
        with open(file.path, "rb") as opened:
            text = blake2b(opened.read(), digest_size=_DIGEST).digest()
        digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0" + text)
    return digest.digest()


def keep_identity(files: Sequence[SourceOfTool], folder: Path) -> None:
    """Keeps it; raises `OSError`."""
    place = folder / _FOLDER
    known = place / _stamps(files)
    if known.is_file():
        return
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(".tmp", "tool-", place)
    with os.fdopen(handle, "wb") as file:
        file.write(identity_of(files, folder))
    os.replace(written, known)
    newest_last = sorted(place.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    for old in newest_last[:-MAX_KEPT]:
        old.unlink()


def _stamps(files: Sequence[SourceOfTool]) -> str:
    digest = blake2b(digest_size=_DIGEST)
    for file in files:
        status = os.stat(file.path)
        line = f"{file.path}\0{status.st_size}\0{status.st_mtime_ns}\n"
        digest.update(line.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _files() -> Sequence[SourceOfTool]:
    """The files of the tool and its grammars, in order."""
    return tuple(_found())


def _found() -> Iterator[SourceOfTool]:
    beside = Path(__file__).parent.parent.parent
    for package in _PACKAGES:
        yield from _below(package, str(beside / package))
    for package in _GRAMMARS:
        found = find_spec(package)
        if found is not None and found.origin is not None:
            yield from _below(package, os.path.dirname(found.origin))


def _below(name: str, top: str) -> Iterator[SourceOfTool]:
    for folder, folders, names in os.walk(top):
        folders.sort()
        for one in sorted(names):
            if one.endswith(_SUFFIXES):
                path = os.path.join(folder, one)
                yield SourceOfTool(f"{name}/{os.path.relpath(path, top)}".replace(os.sep, "/"), path)
