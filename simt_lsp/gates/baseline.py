"""Findings that are known: written down once, and not reported again.

Question  A project has findings when it begins to use the tool.  Which findings are new?
Rules     An entry is a path, a rule, a function, and digests of the line and of the lines around it, white space aside.
          A finding is known if there is an entry for it in its file, each entry for one finding: first entries whose
          surroundings are equal too, then those whose line is.  So findings stay known when they move, and when lines
          beside them are edited; of equal lines, the one with other surroundings is new.
          Entries of files that are gone fit findings of any other file: a file may be renamed.
          Paths are relative to the folder of the baseline.
Limits    Who edits the line of a finding, or renames its function, sees it again.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, final

from analysis.ir.record import record
from simt_lsp.gates.fingerprint import line_digest
from simt_lsp.gates.site import Site

FORMAT: Final = "simt-lsp baseline 1"
MAX_BYTES: Final = 256_000_000


class BadBaseline(Exception):
    """The file cannot be read as a baseline; the text says why."""


@final
@record
class Entry:
    """A known finding; `line` and `around` are digests."""

    path: str
    rule: str
    function: str
    line: str
    around: str


@final
class Baseline:
    """The entries of a file, each until a finding takes it."""

    def __init__(self, folder: str, entries: Iterable[Entry]) -> None:
        self._folder = folder
        self._left: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            self._left[entry.path].append(entry)
        self._gone = [path for path in self._left if not os.path.lexists(os.path.join(folder, path))]
        self._looked_at: set[str] = set()

    @classmethod
    def read(cls, path: str) -> Baseline:
        """Raises `BadBaseline`."""
        try:
            with open(path, "rb") as file:
                text = file.read(MAX_BYTES + 1)
            if len(text) > MAX_BYTES:
                raise BadBaseline(f"larger than {MAX_BYTES // 1_000_000} MB")
            return cls(os.path.dirname(os.path.abspath(path)), _entries(json.loads(text)))
        except OSError as error:
            raise BadBaseline((error.strerror or type(error).__name__).lower()) from error
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise BadBaseline(f"no baseline: --write-baseline makes one ({error})") from error

    def known(self, sites: Sequence[Site], path: str) -> list[bool]:
        """Which findings of the file at `path` are known; to be asked once of each file."""
        key = relative(path, self._folder)
        self._looked_at.add(key)
        digests = [line_digest(site) for site in sites]
        taken = [False] * len(sites)

        def take(entries: list[Entry], fits: Callable[[Entry, int], bool]) -> None:
            for number in range(len(sites)):
                if taken[number]:
                    continue
                entry = next((one for one in entries if one.line == digests[number] and fits(one, number)), None)
                if entry is not None:
                    entries.remove(entry)
                    taken[number] = True

        take(self._left[key], lambda entry, number: entry.around == sites[number].around)
        take(self._left[key], lambda entry, number: True)
        for gone in self._gone:
            take(self._left[gone], lambda entry, number: entry.around == sites[number].around)
        return taken

    def left(self) -> list[Entry]:
        """Entries of files that were looked at, or are gone, for which there was no finding."""
        paths = self._looked_at.union(self._gone)
        return [entry for path in sorted(paths & self._left.keys()) for entry in self._left[path]]


def baseline_text(path: str, findings: Iterable[tuple[str, Sequence[Site]]]) -> str:
    """The file at `path` that knows these findings, file by file: one line each, in an order that does not change."""
    folder = os.path.dirname(os.path.abspath(path))
    entries = [entry for file, sites in findings for entry in entries_of(file, sites, folder)]
    lines = [json.dumps(_written(entry)) for entry in sorted(entries, key=_order)]
    body = ",\n    ".join(lines)
    listed = f"[\n    {body}\n  ]" if lines else "[]"
    return f'{{\n  "format": "{FORMAT}",\n  "findings": {listed}\n}}\n'


def entries_of(path: str, sites: Sequence[Site], folder: str) -> list[Entry]:
    """What a baseline in `folder` says of the findings of one file."""
    name = relative(path, folder)
    return [Entry(name, site.rule, site.function, line_digest(site), site.around) for site in sites]


def relative(path: str, folder: str) -> str:
    """`path` as a baseline in `folder` names it."""
    absolute = os.path.abspath(path)
    try:
        return os.path.relpath(absolute, folder).replace(os.sep, "/")
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")


def _written(entry: Entry) -> dict[str, str]:
    return {
        "path": entry.path,
        "rule": entry.rule,
        "function": entry.function,
        "line": entry.line,
        "around": entry.around,
    }


def _order(entry: Entry) -> tuple[str, ...]:
    return entry.path, entry.rule, entry.function, entry.line, entry.around


def _entries(saved: Any) -> list[Entry]:
    if saved["format"] != FORMAT:
        raise ValueError(f"the format is {saved['format']!r}, not {FORMAT!r}")
    names = ("path", "rule", "function", "line", "around")
    return [Entry(*(_text(one[name]) for name in names)) for one in saved["findings"]]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("an entry is not text")
    return value
