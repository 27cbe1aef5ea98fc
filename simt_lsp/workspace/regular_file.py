"""Reading regular files, and nothing else: a named pipe would wait for ever, a device would never end.

Rules    What a name means is looked at after it was opened, so nobody can put another thing in its place meanwhile.
         A file that says it is empty is not read: those that the system makes up (`/proc`) do, and some of them wait.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_regular(path: str, limit: int = -1) -> bytes:
    """The first `limit` bytes of a regular file; OSError for anything else."""
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read(limit) if status.st_size else b""


def is_special(path: str) -> bool:
    """Whether there is something at `path` that is neither a regular file with contents nor a folder."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    if stat.S_ISREG(status.st_mode):
        return not status.st_size and os.path.realpath(path).startswith(("/proc/", "/sys/"))
    return not stat.S_ISDIR(status.st_mode)
