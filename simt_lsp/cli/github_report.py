"""Findings as workflow commands, which GitHub shows beside the changed lines of a pull request.

Rules    One line per annotation: `::error file=…,line=…,title=…::message`, errors first: of one step GitHub shows ten
         errors, ten warnings and ten notices, and keeps the rest in the log.
         Paths are relative to the checkout (`GITHUB_WORKSPACE`), whatever the folder of the step.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, final

from analysis.ir.record import record
from simt_lsp.cli.report import SYNTAX_ERROR, FileReport, Finding


class Command(Enum):
    """The kinds of annotations, in the order in which they are written."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


COMMANDS: Final[Mapping[str, Command]] = {
    "error": Command.ERROR,
    "warning": Command.WARNING,
    "information": Command.NOTICE,
    "hint": Command.NOTICE,
}
"""By the severity of a finding."""


@final
@record
class Annotation:
    """What is said of some lines of a file; lines and columns count from 1, None is the file as a whole."""

    command: Command
    path: str
    title: str
    message: str
    line: int | None = None
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None


def github_report(reports: Sequence[FileReport], *, hints: bool) -> str:
    """The findings of `check`, and what could not be analysed; empty where there is nothing to say."""
    return "\n".join(annotation_lines(_annotations(reports, hints=hints), os.environ))


def annotation_lines(annotations: Iterable[Annotation], variables: Mapping[str, str]) -> Iterator[str]:
    """One line each, errors first; `variables` are those of the environment."""
    base = os.path.abspath(variables.get("GITHUB_WORKSPACE") or os.curdir)
    order = list(Command)
    for one in sorted(annotations, key=lambda one: order.index(one.command)):
        yield _line(one, base)


def _annotations(reports: Iterable[FileReport], *, hints: bool) -> Iterator[Annotation]:
    for report in reports:
        if report.error is not None:
            yield Annotation(Command.ERROR, report.path, "simt-lsp", f"not analysed: {report.error}")
        for finding in report.findings:
            if hints or finding.severity != "hint":
                yield _annotation(finding)
        for note in report.notes:
            if note.kind == SYNTAX_ERROR:
                at = note.place
                yield Annotation(Command.ERROR, at.path, note.kind, note.message, at.line, at.end_line)


def _annotation(finding: Finding) -> Annotation:
    at = finding.place
    same_line = at.line == at.end_line  # GitHub takes columns only then
    return Annotation(
        COMMANDS[finding.severity],
        at.path,
        f"{finding.code} {finding.name}",
        finding.message if finding.run is None else f"{finding.message} ({finding.run.message})",
        at.line,
        at.end_line,
        at.column if same_line else None,
        at.end_column if same_line else None,
    )


def _line(one: Annotation, base: str) -> str:
    places = {
        "file": _relative(one.path, base),
        "line": one.line,
        "endLine": one.end_line,
        "col": one.column,
        "endColumn": one.end_column,
        "title": one.title,
    }
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value is not None)
    return f"::{one.command.value} {properties}::{_data(one.message)}"


def _relative(path: str, base: str) -> str:
    absolute = os.path.abspath(path)
    inside = absolute.startswith(base.rstrip(os.sep) + os.sep)
    return (os.path.relpath(absolute, base) if inside else path).replace(os.sep, "/")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
