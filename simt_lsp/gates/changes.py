"""Which files are not as they were at a commit, and what did they say there?

Rules    Contents are compared by the hash that git names them by, so nothing of the index is looked at, and time stamps
         do not count.  Where git converts line ends, a file that it converted is not as it was.
Cost     Each file is read once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha1, sha256
from typing import final

from analysis.ir.record import record
from simt_lsp.gates.git import Commit

SHA256_DIGITS = 64


@final
@record
class Changes:
    """By absolute paths without links: `known` are the files of the commit, `before` the texts of those that are not as
    they were, or not there any more."""

    known: frozenset[str]
    before: Mapping[str, bytes]


def changes_since(commit: Commit, suffixes: tuple[str, ...]) -> Changes:
    """Of the files whose names end so; raises `GitError`."""
    files = {os.path.join(commit.top, path): blob for path, blob in commit.files(suffixes).items()}
    changed = {path: blob for path, blob in files.items() if _blob_of(path, len(blob)) != blob}
    texts = commit.texts([*changed.values()])
    return Changes(frozenset(files), dict(zip(changed, texts, strict=True)))


def _blob_of(path: str, digits: int) -> str | None:
    """How git names the text of a file; None where it cannot be read, or is a link."""
    try:
        if os.path.islink(path):
            return None
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return None
    head = f"blob {len(text)}\0".encode()
    if digits == SHA256_DIGITS:
        return sha256(head + text).hexdigest()
    return sha1(head + text, usedforsecurity=False).hexdigest()
