"""Changes of files: as a diff that `git apply` and `patch` take, or written to disk.

Rules     A file is replaced as a whole by a finished one beside it, so that no interruption leaves half a file; links
          are followed, permissions stay.  A file that changed since it was read is left alone.
          Lines of a diff end where the file's lines end with a line feed; everything else in them, carriage returns and
          bytes that are no UTF-8 included, is kept.
"""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from typing import Final

from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.paths import reason_of

_NO_END: Final = b"\n\\ No newline at end of file\n"


def unified_diff(before: bytes, after: bytes, name: str) -> bytes:
    """Empty where nothing differs; `name` as it stands behind `a/` and `b/`."""
    label = name.replace(os.sep, "/").lstrip("/").encode("utf-8", "surrogateescape")
    lines = difflib.diff_bytes(
        difflib.unified_diff, _lines(before), _lines(after), b"a/" + label, b"b/" + label, lineterm=b"\n"
    )
    return b"".join(line if line.endswith(b"\n") else line + _NO_END for line in lines)


def _lines(text: bytes) -> list[bytes]:
    parts = text.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Writes `after` where `before` was read; raises `UsageError` where that cannot be done."""
    target = os.path.realpath(path)
    temporary: str | None = None
    try:
        with open(target, "rb") as file:
            if file.read() != before:
                raise UsageError(f"{path}: changed while it was analysed; nothing is written")
        descriptor, temporary = tempfile.mkstemp(prefix=".simt-", dir=os.path.dirname(target))
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(target, temporary)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise UsageError(f"{path}: {reason_of(error)}; nothing is written") from error
    finally:
        if temporary is not None:
            os.unlink(temporary)
