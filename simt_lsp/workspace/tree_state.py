"""What files and folders say, as far as it decides what is found in the files of a project; is it still the same?

Rules    Everything that an analysis is told follows from
         - the files of the project, by path and content: who includes whom, and whose a name is, too;
         - the settings files and build commands of all their folders;
         - what was looked at beside them: headers elsewhere, and places where there is none.
         A file is the same where its time stamp and size are, or else the hash of its text; a stamp that was young when
         the state was taken is not trusted, since a file can change twice within one tick.
Cost     A look at each file and folder; texts are read where a time stamp differs.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, final

from analysis.ir.record import record
from simt_lsp.workspace.canonical import digest_of_data
from simt_lsp.workspace.compile_commands import FILE_NAMES, read_database
from simt_lsp.workspace.disk_loader import MAX_FILE_BYTES, DiskLoader, FileCache, Question, exists_on_disk, stamp_of
from simt_lsp.workspace.project_index.saved import YOUNG, SavedSkim, Stamp, digest_of
from simt_lsp.workspace.regular_file import read_regular
from simt_lsp.workspace.settings.sources import FILE_NAME, load_configuration
from simt_lsp.workspace.settings.values import Source
from simt_lsp.workspace.surroundings import Trace, hash_of

_YES: Final = hash_of(answer=True)
_NO: Final = hash_of(answer=False)


@final
@record
class TreeState:
    """Plain data.  `files` are those of the project, with time stamp and hash; `found` stands for the names of those
    that a walk finds; `absent` is where nothing is, `beside` what else was asked of the disk."""

    files: tuple[tuple[str, Stamp | None, str], ...]
    found: bytes
    absent: tuple[str, ...]
    beside: tuple[tuple[Question, bytes], ...]
    settings: bytes


def state_of(
    files: Mapping[str, SavedSkim],
    found: Iterable[str],
    given: Iterable[str],
    traces: Iterable[Trace],
    overrides: Sequence[Source],
) -> TreeState | None:
    """The state in which analyses of the `given` files had these traces, over the `files` of the index.

    None where a file is not as they saw it, or not as the index did.
    """
    now = time.time_ns()
    if any(stamp_of(path) != one.stamp for path, one in files.items()):
        return None
    absent = {path for path in _includable(files) if path not in files}
    beside: dict[Question, bytes] = {}
    for trace in traces:
        for question, answer in trace.items():
            known = files.get(question[1])
            if question[0] == "text" and known is not None:
                if bytes.fromhex(known.digest) != answer:
                    return None
            elif question[0] == "exists" and answer == _NO:
                absent.add(question[1])
            elif question[0] in ("text", "special") or (question[0] == "exists" and known is None):
                beside[question] = answer
    stamped = ((path, _trusted(one.stamp, now), one.digest) for path, one in sorted(files.items()))
    settings = _settings({*files, *given}, overrides)
    return TreeState(tuple(stamped), _names(found), tuple(sorted(absent)), tuple(beside.items()), settings)


def refreshed(
    state: TreeState, found: Iterable[str], given: Iterable[str], overrides: Sequence[Source]
) -> TreeState | None:
    """The state with the time stamps of now where all else is as it was; None where something is not."""
    if _names(found) != state.found or any(map(_is_there, state.absent)):
        return None
    now = time.time_ns()
    files: list[tuple[str, Stamp | None, str]] = []
    for one in state.files:
        path, before, digest = one
        stamp = stamp_of(path) if os.access(path, os.R_OK) else None
        if stamp != before:
            if stamp is None or not _has_text(path, digest):
                return None
            one = path, _trusted(stamp, now), digest
        files.append(one)
    loader = DiskLoader(FileCache())
    if any(_answer(loader, question) != answer for question, answer in state.beside):
        return None
    if _settings({*(path for path, _, _ in files), *given}, overrides) != state.settings:
        return None
    return TreeState(tuple(files), state.found, state.absent, state.beside, state.settings)


def _is_there(path: str) -> bool:
    return os.access(path, os.F_OK) and exists_on_disk(path)


def _has_text(path: str, digest: str) -> bool:
    try:
        return digest_of(read_regular(path, MAX_FILE_BYTES)) == digest
    except OSError:
        return False


def _trusted(stamp: Stamp | None, now: int) -> Stamp | None:
    return None if stamp is None or stamp[0] > now - YOUNG else stamp


def _answer(loader: DiskLoader, question: Question) -> bytes:
    match question:
        case ("text", path):
            return hash_of(loader.read(path))
        case ("special", path):
            return hash_of(loader.is_special(path))
        case _:
            return _YES if exists_on_disk(question[1]) else _NO


def _names(paths: Iterable[str]) -> bytes:
    return blake2b("\n".join(sorted(paths)).encode("utf-8", "surrogateescape"), digest_size=16).digest()


def _includable(files: Mapping[str, SavedSkim]) -> Iterator[str]:
    """What the files may include that lies beside them: a file that comes there is one of the project."""
    for path, one in files.items():
        for name in one.skim.includes:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _settings(paths: Iterable[str], overrides: Sequence[Source]) -> bytes:
    """Stands for the settings and the build commands of files: equal where these are."""
    folders: dict[str, list[str]] = {}
    for path in sorted(paths):
        folders.setdefault(os.path.dirname(path), []).append(path)
    chosen, databases = _Nearest((FILE_NAME,)), _Nearest(FILE_NAMES)
    told: list[object] = [(folder, chosen.of(folder), databases.of(folder)) for folder in folders]
    files = dict.fromkeys(map(chosen.of, folders))
    told += [load_configuration(None if file is None else os.path.dirname(file), overrides) for file in files]
    for file in dict.fromkeys(filter(None, map(databases.of, folders))):
        database = read_database(file)
        flags = [(path, entry, entry.flags()) for path, entry in sorted(database.entries.items())]
        told += [flags, database.problems]
        built = [path for folder, some in folders.items() if databases.of(folder) == file for path in some]
        told.append([os.path.realpath(path) for path in built])  # as its entries may name them
    return digest_of_data(told)


@final
class _Nearest:
    """The nearest file with one of some names, in a folder or one above it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._known: dict[str, str | None] = {}

    def of(self, folder: str) -> str | None:
        """None if there is none."""
        if folder not in self._known:
            here = (os.path.join(folder, name) for name in self._names)
            found = next(filter(os.path.isfile, here), None)
            above = os.path.dirname(folder)
            self._known[folder] = self.of(above) if found is None and above not in (folder, "") else found
        return self._known[folder]
