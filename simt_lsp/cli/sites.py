"""The findings of a report as the gates see them (`simt_lsp/gates`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simt_lsp.cli.report import SYNTAX_ERROR, FileReport, Finding, Note
from simt_lsp.gates.site import Site


def site_of(finding: Finding) -> Site:
    at = finding.place
    return Site(
        rule=finding.code,
        name=finding.name,
        severity=finding.severity,
        function=finding.function,
        path=at.path,
        line=at.line,
        end_line=at.end_line,
        text=at.source or "",
        around=finding.around,
        related=tuple((one.place.path, one.place.line) for one in finding.related),
    )


def sites_of(report: FileReport) -> list[Site]:
    """Of all findings in their order, then of the functions that could not be read."""
    unreadable = [_site_of_note(note) for note in report.notes if note.kind == SYNTAX_ERROR]
    return [*map(site_of, report.findings), *unreadable]


def with_sites(report: FileReport, kept: Sequence[bool]) -> FileReport:
    """The report with those of `sites_of` that are `kept`."""
    findings = tuple(one for one, keep in zip(report.findings, kept, strict=False) if keep)
    rest = iter(kept[len(report.findings) :])
    notes = tuple(note for note in report.notes if note.kind != SYNTAX_ERROR or next(rest))
    return replace(report, findings=findings, notes=notes)


def _site_of_note(note: Note) -> Site:
    at = note.place
    return Site(SYNTAX_ERROR, SYNTAX_ERROR, "error", "", at.path, at.line, at.end_line, at.source or "")
