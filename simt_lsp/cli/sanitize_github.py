"""`sanitize` as workflow commands, which GitHub shows beside the changed lines: see `github_report.py`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from sim.sanitize.model import Severity
from sim.sanitize.report import Finding, Repository
from simt_lsp.cli.github_report import Annotation, Command, annotation_lines
from simt_lsp.cli.sanitize_text import counts_words, tried_words

_COMMANDS: Final = {Severity.ERROR: Command.ERROR, Severity.WARNING: Command.WARNING, Severity.NOTE: Command.NOTICE}


def github_report(found: Repository) -> str:
    """Errors and warnings, what did not run, and in a last line, which is no annotation, what was tried."""
    totals = found.totals()
    summary = counts_words(totals) + tried_words(totals, found.seconds)
    return "\n".join([*annotation_lines(_annotations(found), os.environ), summary])


def _annotations(found: Repository) -> Iterator[Annotation]:
    for finding in found.findings:
        if finding.severity is not Severity.NOTE:
            yield _annotation(finding)
    for kernel in found.kernels:
        if kernel.not_run is not None:
            yield Annotation(
                Command.NOTICE, kernel.path, "not run", f"{kernel.name}: {kernel.not_run}", kernel.line, kernel.line
            )
    for file in found.files:
        if file.error is not None:
            yield Annotation(Command.NOTICE if file.is_left else Command.ERROR, file.path, "not looked at", file.error)


def _annotation(finding: Finding) -> Annotation:
    at = finding.place
    return Annotation(
        _COMMANDS[finding.severity], at.path, finding.kind, finding.message, at.line, at.line, at.column, at.end_column
    )
