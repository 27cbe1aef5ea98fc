"""compile_commands.json: which flags a file is built with.

Rules    The nearest database above a file counts, beside a folder or in its `build/`.  A file without an entry uses the
         entry of a file that includes it, or else the nearest entry by folder (of CUDA files first).
         A database that cannot be read is one problem that names the file and the place; it has no entries then.
Cost     A database is parsed when its time stamp changes; the flags of an entry when it is asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, cast, final

from analysis.facts.model import Location
from analysis.ir.record import record
from simt_lsp.workspace.compile_flags import CompileFlags, read_flags, split_command
from simt_lsp.workspace.regular_file import read_regular
from simt_lsp.workspace.settings.configuration import SettingProblem
from simt_lsp.workspace.settings.sources import find_upward

FILE_NAMES: Final = ("compile_commands.json", os.path.join("build", "compile_commands.json"))
MAX_DATABASE_BYTES: Final = 256_000_000
CUDA_SUFFIXES: Final = (".cu", ".cuh", ".hip")


@final
@record
class CompileEntry:
    """One compiler call of the database."""

    file: str
    directory: str
    arguments: tuple[str, ...]

    def flags(self) -> CompileFlags:
        """What the arguments say; folders are absolute."""
        return _entry_flags(self)


@lru_cache(maxsize=512)
def _entry_flags(entry: CompileEntry) -> CompileFlags:
    return read_flags(entry.arguments, entry.directory)


@final
@record
class CompileDatabase:
    """All entries of one file, by the path they build."""

    path: str
    entries: Mapping[str, CompileEntry]
    problems: tuple[SettingProblem, ...] = ()

    def entry_for(self, file: str, includers: Iterable[str] = ()) -> CompileEntry | None:
        """The entry that builds `file`, or one of `includers`, or the nearest."""
        for path in (file, *includers):
            entry = self.entries.get(os.path.normpath(path)) or self.entries.get(os.path.realpath(path))
            if entry is not None:
                return entry
        return min(self.entries.values(), key=lambda entry: _distance(entry.file, file), default=None)


def find_database(path: str) -> str | None:
    """The nearest compile_commands.json above `path`."""
    return find_upward(path, FILE_NAMES)


def read_database(path: str) -> CompileDatabase:
    """The database at `path`, from a cache while its time stamp stays."""
    try:
        status = os.stat(path)
        return _read_database(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        return _broken(path, f"cannot be read: {error.strerror}")


@lru_cache(maxsize=8)
def _read_database(path: str, _modified: int, size: int) -> CompileDatabase:
    if size > MAX_DATABASE_BYTES:
        return _broken(path, f"larger than {MAX_DATABASE_BYTES:,} bytes, not read")
    return parse_database(read_regular(path), path)


def parse_database(text: bytes, path: str) -> CompileDatabase:
    """The database in `text`; entries that make no sense are problems, the others count."""
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"cannot be read: {error.msg[:1].lower()}{error.msg[1:]}"
        return _broken(path, message, len(error.doc[: error.pos].encode("utf-8", "surrogatepass")))
    except (UnicodeDecodeError, RecursionError) as error:
        return _broken(path, f"cannot be read: {error}")
    if not isinstance(value, list):
        return _broken(path, "expected a list of entries")
    entries: dict[str, CompileEntry] = {}
    problems: list[SettingProblem] = []
    base = os.path.dirname(path)
    for index, item in enumerate(cast("list[object]", value)):
        try:
            entry = _entry(item, base)
        except ValueError as error:
            problems.append(SettingProblem(path, f"[{index}]", f"entry {index}: {error}", Location(path, 0, 0)))
            continue
        entries.setdefault(entry.file, entry)
    return CompileDatabase(path, entries, tuple(problems[:20]))


def _entry(item: object, base: str) -> CompileEntry:
    if not isinstance(item, dict):
        raise ValueError("expected an object")
    fields = cast("dict[str, object]", item)
    file = fields.get("file")
    if not isinstance(file, str):
        raise ValueError("no file")
    given = fields.get("directory", "")
    if not isinstance(given, str):
        raise ValueError("directory is not a text")
    directory = os.path.normpath(os.path.join(base, given))
    return CompileEntry(os.path.normpath(os.path.join(directory, file)), directory, _arguments(fields))


def _arguments(fields: Mapping[str, object]) -> tuple[str, ...]:
    arguments, command = fields.get("arguments"), fields.get("command")
    if isinstance(arguments, list):
        words = tuple(word for word in cast("list[object]", arguments) if isinstance(word, str))
        if len(words) != len(cast("list[object]", arguments)):
            raise ValueError("arguments holds something that is not a text")
        return words
    if isinstance(command, str):
        try:
            return tuple(split_command(command))
        except ValueError as error:
            raise ValueError(f"command cannot be split: {error}") from error
    raise ValueError("neither arguments nor command")


def _distance(candidate: str, file: str) -> tuple[int, int, str]:
    try:
        common = len(os.path.commonpath((candidate, file)))
    except ValueError:  # different drives
        common = 0
    return -common, not candidate.endswith(CUDA_SUFFIXES), candidate


def _broken(path: str, message: str, start: int = 0) -> CompileDatabase:
    return CompileDatabase(path, {}, (SettingProblem(path, "", message, Location(path, start, start)),))
