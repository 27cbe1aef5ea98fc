"""The skims of a folder, kept on disk from one start to the next.

Rules    One file per project, in the user's cache folder and never in the project; written beside its place and then
         moved there.  A skim holds as long as time stamp and size of its file do, or else the hash of its text; stamps
         that were young when they were saved are not trusted, since a file can change twice within one tick.
         What cannot be read as it was written, is of another version or for another folder, is not there.
Limits   A folder whose skims take more than `MAX_BYTES` is not kept; the oldest files go beyond `MAX_FILES`.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from analysis.project.skim import VERSION, Skim

FORMAT: Final = f"simt-lsp project 1.{VERSION}"
MAX_BYTES: Final = 64_000_000
MAX_FILES: Final = 40
YOUNG: Final = 2_000_000_000
"""Nanoseconds."""

Stamp = tuple[int, int]


class SavedSkim(NamedTuple):
    """`stamp` is None where the text has to be looked at."""

    stamp: Stamp | None
    digest: str
    skim: Skim


def digest_of(text: bytes) -> str:
    """The hash that tells whether a text is the same."""
    return blake2b(text, digest_size=16).hexdigest()


def load(folder: Path | None, roots: Sequence[str]) -> dict[str, SavedSkim]:
    """What was saved for the folders `roots`, by path; empty if there is nothing of use."""
    if folder is None:
        return {}
    try:
        path = _path(folder, roots)
        if path.stat().st_size > MAX_BYTES:
            return {}
        return dict(_decoded(json.loads(path.read_bytes()), roots))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}


def save(folder: Path | None, roots: Sequence[str], skims: Mapping[str, SavedSkim]) -> bool:
    """Keeps `skims`; whether that was possible."""
    if folder is None or any(is_below(folder, root) for root in roots):
        return False
    text = json.dumps(_encoded(roots, skims), separators=(",", ":")).encode()
    if len(text) > MAX_BYTES:
        return False
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(".tmp", "project-", folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text)
            os.replace(written, _path(folder, roots))
        except BaseException:
            with suppress(OSError):
                os.unlink(written)
            raise
        _prune(folder)
    except OSError:
        return False
    return True


def _path(folder: Path, roots: Sequence[str]) -> Path:
    name = digest_of("\n".join(roots).encode("utf-8", "surrogateescape"))
    return folder / f"project-{name}.json"


def is_below(folder: Path, root: str) -> bool:
    """Whether a folder lies in another one, whatever links lead there."""
    return os.path.realpath(folder).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep)


def _prune(folder: Path) -> None:
    """Leaves the newest files."""
    found: list[tuple[float, Path]] = []
    for pattern in ("project-*.json", "project-*.tmp"):
        for path in folder.glob(pattern):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path))
    for _, path in sorted(found)[:-MAX_FILES]:
        with suppress(OSError):
            path.unlink()


def _encoded(roots: Sequence[str], skims: Mapping[str, SavedSkim]) -> dict[str, Any]:
    numbers: dict[str, int] = {}

    def many(names: Iterable[str]) -> list[int]:
        return [numbers.setdefault(name, len(numbers)) for name in sorted(names)]

    files = {
        path: [
            None if one.stamp is None else list(one.stamp),
            one.digest,
            list(one.skim.includes),
            [list(kernel) for kernel in one.skim.kernels],
            many(one.skim.defined),
            many(one.skim.outer),
            many(one.skim.launched),
            many(one.skim.words),
            many(one.skim.in_macros),
            one.skim.pastes,
            one.skim.unsure,
            many(one.skim.quoted),
            [list(function) for function in one.skim.functions],
        ]
        for path, one in sorted(skims.items())
    }
    return {"format": FORMAT, "roots": list(roots), "saved": time.time_ns(), "names": list(numbers), "files": files}


def _decoded(saved: Any, roots: Sequence[str]) -> Iterator[tuple[str, SavedSkim]]:
    if saved["format"] != FORMAT or saved["roots"] != list(roots):
        return
    names = list(map(_name, saved["names"]))
    youngest = int(saved["saved"]) - YOUNG

    def many(numbers: list[int]) -> frozenset[str]:
        if numbers and min(numbers) < 0:
            raise ValueError
        return frozenset([names[number] for number in numbers])

    for path, one in saved["files"].items():
        stamp, digest, includes, kernels, *sets, in_macros, pastes, unsure, quoted, functions = one
        defined, outer, launched, words = map(many, sets)
        found = Skim(
            tuple(map(_name, includes)),
            tuple((_name(name), int(offset)) for name, offset in kernels),
            defined,
            outer,
            launched,
            words,
            many(in_macros),
            bool(pastes),
            bool(unsure),
            many(quoted),
            tuple((_name(name), int(offset)) for name, offset in functions),
        )
        kept = None if stamp is None or int(stamp[0]) > youngest else (int(stamp[0]), int(stamp[1]))
        yield path, SavedSkim(kept, _name(digest), found)


def _name(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError
    return text
