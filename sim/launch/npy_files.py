"""`.npy` files, in and out: NumPy's own format, read without unpickling anything.

Rules    Paths are used as the user gave them.  A path in a comment of the source, or in settings that lie beside it,
         may only lead down from the folder of that text, links included: text that comes with a project does not
         choose which other files are opened.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.record import record
from sim.refusals import LaunchError

MAX_BYTES: Final = 1 << 30


@final
@record
class FileStamp:
    """A file that was read, and how to see that it is another one now: time of the last change in ns, size in bytes."""

    path: str
    changed: int
    size: int


def read_array(name: str, path: str) -> NDArray[Any]:
    """The array in a file; raises `LaunchError` with the argument's name, the path and what is wrong."""
    try:
        mapped: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise LaunchError(f"{name}=@{path}: no such file") from None
    except (OSError, ValueError, EOFError) as error:
        raise LaunchError(f"{name}=@{path}: not a readable .npy file ({_first_line(error)})") from error
    if not isinstance(mapped, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]  # an .npz archive
        raise LaunchError(f"{name}=@{path}: holds several arrays; write one per file with numpy.save")
    if mapped.nbytes > MAX_BYTES:
        raise LaunchError(f"{name}=@{path}: {mapped.nbytes:,} bytes; at most {MAX_BYTES:,} are read")
    return np.array(mapped)


def path_below(folder: str, name: str, path: str) -> str:
    """`path` as text in `folder` names it, all links followed; raises `LaunchError` for one that leads elsewhere."""
    parts = path.replace("\\", "/").split("/")
    inside = os.path.realpath(folder)
    found = os.path.realpath(os.path.join(inside, *parts))
    leads_out = os.path.isabs(path) or ".." in parts or ":" in parts[0]
    if leads_out or not found.startswith(inside.rstrip(os.sep) + os.sep):
        raise LaunchError(f"{name}=@{path}: only files below the folder of the text that names them are read")
    return found


def stamp_of(path: str) -> FileStamp:
    """Of the file as it is now; zeros for one that is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return FileStamp(path, 0, 0)
    return FileStamp(path, found.st_mtime_ns, found.st_size)


def write_arrays(folder: str, arrays: Mapping[str, NDArray[Any]]) -> tuple[str, ...]:
    """One `NAME.npy` per array into `folder`, which is made if needed; the paths written.  Raises `OSError`."""
    os.makedirs(folder, exist_ok=True)
    written: list[str] = []
    for name, values in arrays.items():
        path = os.path.join(folder, f"{_file_name(name)}.npy")
        np.save(path, values, allow_pickle=False)
        written.append(path)
    return tuple(written)


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
