"""What is wrong with settings, once, on standard error: `path:line:column: settings: message`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Final, final

from analysis.facts.model import Location
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.cli.paths import displayed
from simt_lsp.cli.report import SETTINGS, FileRange, FileReport, Note
from simt_lsp.cli.text_report import position
from simt_lsp.workspace.settings.configuration import SettingProblem


@final
class SettingComplaints:
    """Remembers what was said, so that a settings file of a hundred sources is complained of once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __bool__(self) -> bool:
        """Whether there was anything to complain of."""
        return bool(self._said)

    def say(self, notes: Iterable[Note]) -> None:
        for note in notes:
            line = f"{position(note.place)}{note.kind}: {note.message}"
            if note.kind == SETTINGS and line not in self._said:
                self._said.add(line)
                print(f"simt-lsp: {line}", file=sys.stderr)

    def of_reports(self, reports: Iterable[FileReport]) -> Iterator[FileReport]:
        """`reports`, with what is wrong with their settings said as they come."""
        for report in reports:
            self.say(report.notes)
            yield report


def complain_of_settings(problems: Iterable[SettingProblem]) -> None:
    """Of a command about one file."""
    SettingComplaints().say(setting_notes(problems))


def setting_notes(problems: Iterable[SettingProblem]) -> tuple[Note, ...]:
    """As plain data, which may travel from another process."""
    return tuple(Note(SETTINGS, one.message, _place(one)) for one in problems)


def complaint(problem: SettingProblem) -> str:
    """In one line; what stands in no file has no place."""
    if problem.location is None:
        return str(problem)
    return f"{position(_place(problem))}{problem.message}"


def _place(problem: SettingProblem) -> FileRange:
    source = displayed(problem.source.replace(os.sep, "/"))
    try:
        lines = None if problem.location is None else LineIndex(_text_of(problem.location))
    except OSError:
        lines = None
    if lines is None or problem.location is None:
        return FileRange(source, 1, 1, 1, 1, None)
    line, column = lines.position(problem.location.start, PositionEncoding.UTF32)
    end_line, end_column = lines.position(problem.location.end, PositionEncoding.UTF32)
    text = lines.line_text(line).decode("utf-8", "replace")
    return FileRange(source, line + 1, column + 1, end_line + 1, end_column + 1, text)


def _text_of(location: Location) -> bytes:
    with open(location.path, "rb") as file:
        return file.read(location.end + _ONE_LINE)


_ONE_LINE: Final = 10_000
"""So many bytes behind a place are read to show its line."""
