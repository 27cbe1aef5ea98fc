"""Where a command writes its result: standard output, or the file after `--output`.

Rules    A file is replaced as a whole, when everything is written: a run that is broken off leaves the old one.  What
         is no regular file (a pipe, a device) is written to as it stands; `-` is standard output.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.paths import reason_of

_STANDARD: Final = ("-", "/dev/stdout")


@contextmanager
def output_to(path: str | None) -> Generator[TextIO]:
    """The stream to write the result to, in UTF-8; raises `UsageError` where the file cannot be written."""
    if path is None or path in _STANDARD:
        yield sys.stdout
        return
    target = os.path.realpath(path)
    beside: str | None = None
    try:
        if _is_special(target):
            with open(target, "w", encoding="utf-8", errors="backslashreplace") as stream:
                yield stream
            return
        descriptor, beside = tempfile.mkstemp(prefix=".simt-", dir=os.path.dirname(target))
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            yield stream
        _give_permissions(beside, target)
        os.replace(beside, target)
        beside = None
    except OSError as error:
        raise UsageError(f"--output {path}: {reason_of(error)}") from error
    finally:
        if beside is not None:
            with suppress(OSError):
                os.unlink(beside)


def write_file(path: str, text: str) -> None:
    """All of a file, as `output_to` writes it; raises `UsageError`."""
    with output_to(path) as stream:
        stream.write(text)


def _is_special(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def _give_permissions(written: str, target: str) -> None:
    """Those of the file that is replaced, or those that any new file gets."""
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    os.chmod(written, mode)
