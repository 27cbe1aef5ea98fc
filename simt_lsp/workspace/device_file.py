"""Which files of a folder are looked at for what their device code does?

Rules    `.cu`, `.cuh` and `.hip` always, `.h` and `.hpp` where they contain device code: the shell and the server mean
         the same files.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final

from simt_lsp.workspace.file_index import DEVICE_SUFFIXES
from simt_lsp.workspace.regular_file import read_regular

WITH_DEVICE_CODE: Final = (".h", ".hpp")
DEVICE_MARKS: Final = (b"__global__", b"__device__")


def is_device_file(path: str) -> bool:
    """One that cannot be read, and that nobody named, is not known to be one."""
    lower = path.lower()
    if lower.endswith(DEVICE_SUFFIXES):
        return os.path.isfile(path)
    if not lower.endswith(WITH_DEVICE_CODE):
        return False
    try:
        status = os.stat(path)
        return _has_device_code(path, status.st_mtime_ns, status.st_size)
    except OSError:
        return False


@lru_cache(maxsize=20_000)
def _has_device_code(path: str, _time: int, _size: int) -> bool:
    text = read_regular(path)
    return any(mark in text for mark in DEVICE_MARKS)
