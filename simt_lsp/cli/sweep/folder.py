"""The folder of a sweep: what it is (`sweep.json`), its parts, and the melds that it found.

Rules    A folder belongs to one sweep: the same kernels in the same texts, settings and axes.  Run once more, that goes
         on with the points that have no row; another sweep is refused.
         One run at a time writes into it.
         Points whose rows say `failed` are run again, and these rows taken out.
         A part is named by the content of its task; a point has a row in one part only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, final

from sim.sweep.model import Outcome, Row, Value
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.paths import reason_of
from simt_lsp.cli.sweep.part_files import UNFINISHED, PartFormat, read_part, write_part, write_text

DESCRIPTION: Final = "sweep.json"
MELDS: Final = "melds.json"
LOCK: Final = ".lock"


@final
class SweepFolder:
    """`open_folder` makes one."""

    def __init__(self, path: str, format: PartFormat, lock: Any) -> None:
        self.path: Final = path
        self.format: Final = format
        self._lock = lock

    def done(self) -> frozenset[str]:
        """The points that have a row."""
        return frozenset(str(row["point"]) for row in self.rows(("point",)))

    def forget_failures(self) -> None:
        """Takes out the rows that say nothing but that there is none: their points are run again."""
        failed = Outcome.FAILED.value
        for part in self._parts():
            if any(row["outcome"] == failed for row in self._read(part, ("outcome",))):
                kept = [row for row in self._read(part, None) if row["outcome"] != failed]
                if kept:
                    self._write(part, kept)
                else:
                    os.unlink(part)

    def rows(self, names: Sequence[str] | None = None) -> Iterator[Mapping[str, Value]]:
        """Of all parts, in the order of their names."""
        for part in self._parts():
            yield from self._read(part, names)

    def write(self, task: str, rows: Sequence[Row]) -> None:
        """Raises `UsageError` where the part cannot be written."""
        self._write(os.path.join(self.path, f"{task}.{self.format.value}"), [row.values for row in rows])

    def melds(self) -> Mapping[str, Mapping[str, Any]]:
        """What was found to meld, by kernel."""
        with suppress(OSError, ValueError), open(os.path.join(self.path, MELDS), encoding="utf-8") as file:
            return json.load(file)
        return {}

    def write_melds(self, melds: Mapping[str, Mapping[str, Any]]) -> None:
        write_text(os.path.join(self.path, MELDS), json.dumps(melds, indent=1))

    def close(self) -> None:
        self._lock.close()

    def _read(self, part: str, names: Sequence[str] | None) -> Iterator[Mapping[str, Value]]:
        try:
            yield from read_part(part, names)
        except (OSError, ValueError) as error:
            raise UsageError(f"{part}: cannot be read as a part of a sweep: {error}") from error

    def _write(self, part: str, rows: Sequence[Mapping[str, Value]]) -> None:
        try:
            write_part(part, rows, self.format)
        except OSError as error:
            raise UsageError(f"{part}: {reason_of(error)}") from error

    def _parts(self) -> Sequence[str]:
        suffixes = tuple(f".{one.value}" for one in PartFormat)
        return [os.path.join(self.path, name) for name in sorted(os.listdir(self.path)) if name.endswith(suffixes)]


def open_folder(path: str, description: Mapping[str, object], format: PartFormat) -> SweepFolder:
    """The folder of that sweep, new or as another run left it; raises `UsageError`."""
    try:
        os.makedirs(path, exist_ok=True)
        lock = _locked(path)
        known = os.path.join(path, DESCRIPTION)
        text = json.dumps({**description, "format": format.value}, indent=1, sort_keys=True)
        if os.path.exists(known):
            with open(known, encoding="utf-8") as file:
                found = file.read()
            if found != text:
                lock.close()
                raise UsageError(f"{path} holds another sweep{_difference(found, text)}; choose another folder")
        elif others := [name for name in os.listdir(path) if name != LOCK]:
            lock.close()
            raise UsageError(f"{path} holds something else ({sorted(others)[0]}); choose another folder")
        else:
            write_text(known, text)
        for name in os.listdir(path):
            if name.endswith(UNFINISHED):
                os.unlink(os.path.join(path, name))
    except OSError as error:
        raise UsageError(f"{path}: {reason_of(error)}") from error
    return SweepFolder(path, format, lock)


def _difference(found: str, wanted: str) -> str:
    """Which of its parts is another one, where that can be told."""
    try:
        known: Mapping[str, object] = json.loads(found)
    except ValueError:
        return ""
    asked: Mapping[str, object] = json.loads(wanted)
    names = [name for name in asked if known.get(name) != asked[name]]
    return f" ({', '.join(names)} differ)" if names else ""


def _locked(path: str) -> Any:
    """A file that is locked until it is closed, also by the death of its process.  Raises `UsageError`."""
    file = open(os.path.join(path, LOCK), "w")  # noqa: SIM115  # as long as the folder is used
    with suppress(ModuleNotFoundError):
        locks = import_module("fcntl")  # not on Windows
        try:
            locks.flock(file, locks.LOCK_EX | locks.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise UsageError(f"{path}: another run writes into it") from None
        except OSError:
            pass  # a file system without locks
    return file
