"""Which files do the paths on the command line mean?

Rules    A file is taken as it is, whatever its name.  A folder is searched for files with device code
         (`device_file.py`).  Hidden folders and links to folders are not entered.
         The order is that of the arguments, inside a folder that of the names, so two runs print the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, final

from analysis.ir.record import record
from simt_lsp.workspace.device_file import is_device_file


@final
@record
class SourceFile:
    """A file to look at; `explicit` when the user named it, not the folder around it."""

    path: str
    explicit: bool


@final
@record
class BadPath:
    """A path that leads to nothing that can be read."""

    path: str
    reason: str


@final
@record
class EmptyFolder:
    """A folder without CUDA files."""

    path: str


@final
@record
class ExcludedFile:
    """A file that the user named and the settings leave out."""

    path: str


Found: TypeAlias = SourceFile | BadPath | EmptyFolder | ExcludedFile
Excludes: TypeAlias = Callable[[str], bool]


def expand(paths: Iterable[str], excludes: Excludes = lambda path: False) -> Iterator[Found]:
    """All files that `paths` mean, in order; every path yields at least one thing."""
    for path in paths:
        if os.path.isdir(path):
            yield from _folder(path, excludes)
        elif excludes(path):
            yield ExcludedFile(path)
        else:
            reason = why_unreadable(path)
            yield SourceFile(path, explicit=True) if reason is None else BadPath(path, reason)


def without_repeats(found: Iterable[Found]) -> list[Found]:
    """Each file once, at its first place, also when it was named in two ways."""
    seen: dict[str, Found] = {}
    for item in found:
        seen.setdefault(os.path.normcase(os.path.abspath(item.path)), item)
    return list(seen.values())


def why_unreadable(path: str) -> str | None:
    """What the system says when the file is opened, or None when it opens."""
    try:
        # Opened for reading only; a named pipe would block, and is not a source file.
        if not os.path.isfile(path):
            return why_no_file(path)
        with open(path, "rb"):
            return None
    except OSError as error:
        return reason_of(error)
    except ValueError as error:  # a path with a NUL
        return str(error)


def why_no_file(path: str) -> str:
    if os.path.isdir(path):
        return "a folder; name a file in it"
    return "not a regular file" if os.path.lexists(path) else "no such file or folder"


def reason_of(error: OSError) -> str:
    """The reason alone, in lower case, without errno and path."""
    return (error.strerror or type(error).__name__).lower()


def _folder(folder: str, excludes: Excludes) -> Iterator[Found]:
    found = False
    unreadable: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not excludes(os.path.join(root, name))
        )
        for name in sorted(names):
            path = os.path.join(root, name)
            if not excludes(path) and is_device_file(path):
                found = True
                yield SourceFile(path, explicit=False)
    for error in unreadable:
        yield BadPath(str(error.filename), reason_of(error))
    if not found and not unreadable:
        yield EmptyFolder(folder)


def displayed(path: str) -> str:
    """`path` relative to the current folder when it lies below it."""
    here = os.path.abspath(os.curdir).replace(os.sep, "/").rstrip("/") + "/"
    return path.removeprefix(here)
