"""URIs and paths.

Rules    `file:` URIs have a path on disk; every other scheme (`untitled:`, `vscode-vfs:`, ...) has only its text.
         `/C:` at the start is a drive of Windows, on every system; `/c:x` is not.
         Percent signs decode to bytes, so names that are not UTF-8 survive the way to a path and back.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote, urlsplit

_DRIVE = re.compile(r"/[A-Za-z]:(?=/|$)")


def path_of(uri: str) -> str | None:
    """The path on disk, with `/`; None for other schemes and for what is no URI."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file":
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if not path or "\0" in path:
        return None
    if parts.netloc and parts.netloc != "localhost":
        return f"//{unquote(parts.netloc)}{path}"
    return path[1:] if _DRIVE.match(path) else path


def uri_of(path: str) -> str:
    """The `file:` URI of an absolute path."""
    path = path.replace(os.sep, "/")
    if path.startswith("//"):
        return "file:" + quote(os.fsencode(path), safe="/")
    if not path.startswith("/"):
        path = "/" + path
    if _DRIVE.match(path):
        return f"file://{path[:3]}{quote(os.fsencode(path[3:]))}"
    return "file://" + quote(os.fsencode(path))
