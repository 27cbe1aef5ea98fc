"""Findings as one JSON object, for scripts: everything the text says, with the same names as `facts`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from simt_lsp.cli.report import FileRange, FileReport, Finding, Note, OfferedFix, Totals
from simt_lsp.cli.sites import site_of
from simt_lsp.cli.statistics import Statistics, statistics_object
from simt_lsp.gates.fingerprint import fingerprints


def json_report(reports: Sequence[FileReport], version: str, statistics: Statistics | None = None) -> str:
    """The whole run, indented; ASCII only, so that no terminal or pipe can break it."""
    counted: dict[str, object] = {} if statistics is None else {"statistics": statistics_object(statistics)}
    return json.dumps(
        {
            "tool": {"name": "simt-lsp", "version": version},
            "files": [_file(report) for report in reports],
            "summary": asdict(Totals.of(reports)),
            **counted,
        },
        indent=2,
    )


def _file(report: FileReport) -> dict[str, object]:
    if report.error is not None:
        return {"path": report.path, "error": report.error}
    marks = fingerprints(map(site_of, report.findings))
    return {
        "path": report.path,
        "lines": report.lines,
        "kernels": report.kernels,
        "functions": report.functions,
        "diagnostics": [
            {**_finding(finding), "fingerprint": mark} for finding, mark in zip(report.findings, marks, strict=True)
        ],
        "notes": [_note(note) for note in report.notes],
        "fixes": [asdict(fix) for fix in report.fixes],
        "unconfirmed": [_finding(finding) for finding in report.unconfirmed],
    }


def _finding(finding: Finding) -> dict[str, object]:
    cost = finding.cost
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "tier": finding.tier,
        "consequence": finding.consequence,
        "function": finding.function,
        "message": finding.message,
        **_region(finding.place),
        "related": [
            {"path": related.place.path, "message": related.message, **_region(related.place)}
            for related in finding.related
        ],
        "fix": None if finding.fix is None else _fix(finding.fix),
        "share": None if cost is None else {"of": cost.kernel, "expected": round(cost.share, 4)},
        "more": None if finding.more is None else {"findings": finding.more.number, "below": finding.more.below / 100},
        "copy_of": None if finding.copy_of is None else asdict(finding.copy_of),
        "run": None if finding.run is None else finding.run.written(),
    }


def _fix(fix: OfferedFix) -> dict[str, object]:
    edits = [{"text": edit.text, **_region(edit.place)} for edit in fix.edits]
    return {"title": fix.title, "applicability": fix.applicability, "edits": edits}


def _note(note: Note) -> dict[str, object]:
    return {"kind": note.kind, "path": note.place.path, "message": note.message, **_region(note.place)}


def _region(place: FileRange) -> dict[str, object]:
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
