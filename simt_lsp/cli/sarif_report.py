"""Findings as SARIF 2.1.0, which code hosts and CI systems show beside the changed lines.

Rules    Paths below the current folder are relative to `SRCROOT`, which is that folder, so a report made on one machine
         fits the checkout on another.  Columns are Unicode code points, and `columnKind` says so.
         Of more than `MAX_RESULTS` the most severe are kept, and a notification says how many were left out.
         The fingerprints of results (`simt_lsp/gates/fingerprint.py`) stay when lines above them come or go.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from analysis.rules.documentation import DOCS, PROJECT, page_address, rule_documentation
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding as Rule
from simt_lsp.cli.report import SETTINGS, SYNTAX_ERROR, FileRange, FileReport, Finding, Note, OfferedFix, RelatedRange
from simt_lsp.cli.sites import sites_of
from simt_lsp.gates.fingerprint import fingerprints

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "simtFinding/v1"
AROUND = "simtSurroundings/v1"
"""Of the lines around a finding: tells equal lines of a function apart."""
MAX_RESULTS = 5_000
"""GitHub takes no more of a run into account, and refuses reports with more than 25,000."""
LEVELS: Mapping[str, str] = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}

Object = dict[str, object]


def sarif_report(reports: Sequence[FileReport], version: str) -> str:
    """The whole run as one SARIF log; ASCII only."""
    root = Path.cwd()
    found = [result for report in reports for result in _results(report, root)]
    results = _kept(found)
    run: Object = {
        "tool": {"driver": _driver(version)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": root.as_uri() + "/"}},
        "invocations": [_invocation(reports, root, len(found) - len(results))],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _kept(results: list[Object]) -> list[Object]:
    """As many as code hosts keep, the most severe, in their order."""
    if len(results) <= MAX_RESULTS:
        return results
    order = {"error": 0, "warning": 1, "note": 2}
    worst = sorted(range(len(results)), key=lambda number: order[str(results[number]["level"])])[:MAX_RESULTS]
    return [results[number] for number in sorted(worst)]


def _driver(version: str) -> Object:
    return {
        "name": "simt-lsp",
        "semanticVersion": version,
        "informationUri": PROJECT,
        "rules": [*(_rule(rule) for rule in RULES), _SYNTAX_ERROR_RULE],
    }


def _rule(rule: type[Rule]) -> Object:
    markdown = rule_documentation(rule)
    paragraphs = _paragraphs(markdown)
    return {
        "id": rule.code,
        "name": rule.slug,
        "shortDescription": {"text": paragraphs[0] if paragraphs else rule.slug},
        "fullDescription": {"text": " ".join(paragraphs[:2]) if paragraphs else rule.slug},
        "helpUri": page_address(rule.code),
        "help": {"text": markdown or rule.slug, "markdown": markdown or rule.slug},
        "defaultConfiguration": {"level": LEVELS[rule.severity.value]},
        "properties": {"tags": ["cuda", "gpu", rule.code[:3].lower()]},
    }


def _results(report: FileReport, root: Path) -> list[Object]:
    marks = fingerprints(sites_of(report))
    unread = [note for note in report.notes if note.kind == SYNTAX_ERROR]
    found = [_result(finding, mark, root) for finding, mark in zip(report.findings, marks, strict=False)]
    return [
        *found,
        *(_unreadable(note, mark, root) for note, mark in zip(unread, marks[len(found) :], strict=True)),
    ]


_ABOUT_SYNTAX_ERRORS = (
    "Mend the syntax error. If a CUDA compiler takes the text, the reader of simt-lsp does not know the construct."
)
_UNREAD = "A function that cannot be read is not analysed: nothing else is said about it."
_SYNTAX_ERROR_RULE: Object = {
    "id": SYNTAX_ERROR,
    "shortDescription": {"text": _UNREAD},
    "fullDescription": {"text": f"{_UNREAD} {_ABOUT_SYNTAX_ERRORS}"},
    "helpUri": f"{DOCS}/limitations.md",
    "help": {"text": _ABOUT_SYNTAX_ERRORS, "markdown": _ABOUT_SYNTAX_ERRORS},
    "defaultConfiguration": {"level": "error"},
}


def _unreadable(note: Note, fingerprint: str, root: Path) -> Object:
    return {
        "ruleId": SYNTAX_ERROR,
        "ruleIndex": len(RULES),
        "level": "error",
        "message": {"text": note.message},
        "locations": [_location(note.place, root)],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }


def _result(finding: Finding, fingerprint: str, root: Path) -> Object:
    result: Object = {
        "ruleId": finding.code,
        "ruleIndex": [rule.code for rule in RULES].index(finding.code),
        "level": LEVELS[finding.severity],
        "message": {"text": _text(finding)},
        "locations": [_location(finding.place, root, finding.function)],
        "partialFingerprints": {FINGERPRINT: fingerprint, **({AROUND: finding.around} if finding.around else {})},
    }
    if finding.related:
        result["relatedLocations"] = [
            _related(number, related, root) for number, related in enumerate(finding.related, start=1)
        ]
    if finding.fix is not None and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix, root)]
    properties: Object = {} if finding.tier is None else {"tier": finding.tier}
    if finding.consequence is not None:
        properties["consequence"] = finding.consequence
    if finding.fix is not None:
        properties["applicability"] = finding.fix.applicability
    if finding.run is not None:
        properties["run"] = finding.run.written()
    if properties:
        result["properties"] = properties
    return result


def _fix(fix: OfferedFix, root: Path) -> Object:
    """All edits are of the file of the finding."""
    replacements = [
        {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}} for edit in fix.edits
    ]
    change = {"artifactLocation": artifact(fix.edits[0].place.path, root), "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _text(finding: Finding) -> str:
    """With the run that confirms it: code hosts show nothing else."""
    more = finding.more
    hidden = "" if more is None or finding.cost is None else f" {more.message(finding.cost.kernel)}."
    return f"{finding.message}{hidden} ({finding.run.message})" if finding.run is not None else finding.message + hidden


def _location(place: FileRange, root: Path, function: str | None = None) -> Object:
    physical: Object = {"artifactLocation": artifact(place.path, root), "region": _region(place)}
    if place.source is not None and place.line == place.end_line:
        physical["contextRegion"] = {"startLine": place.line, "snippet": {"text": place.source}}
    location: Object = {"physicalLocation": physical}
    if function:
        location["logicalLocations"] = [{"name": function, "kind": "function"}]
    return location


def _region(place: FileRange) -> Object:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _related(number: int, related: RelatedRange, root: Path) -> Object:
    return {"id": number, **_location(related.place, root), "message": {"text": related.message}}


def artifact(path: str, root: Path) -> Object:
    absolute = Path(os.path.abspath(path))
    try:
        relative = absolute.relative_to(root)
    except ValueError:
        return {"uri": absolute.as_uri()}
    return {"uri": quote(os.fsencode(relative.as_posix())), "uriBaseId": "SRCROOT"}


def _invocation(reports: Sequence[FileReport], root: Path, left_out: int) -> Object:
    failed: list[Object] = [
        {
            "level": "error",
            "message": {"text": f"not analysed: {report.error}"},
            "locations": [{"physicalLocation": {"artifactLocation": artifact(report.path, root)}}],
        }
        for report in reports
        if report.error is not None
    ]
    said: list[Object] = []
    if left_out:
        message = f"{left_out:,} results of lower severity are left out: code hosts keep {MAX_RESULTS:,}"
        said.append({"level": "warning", "message": {"text": message}})
    invocation: Object = {"executionSuccessful": not failed, "toolExecutionNotifications": [*failed, *said]}
    settings = dict.fromkeys(note for report in reports for note in report.notes if note.kind == SETTINGS)
    if settings:
        invocation["toolConfigurationNotifications"] = [
            {"level": "warning", "message": {"text": note.message}, "locations": [_location(note.place, root)]}
            for note in settings
        ]
    return invocation


def _paragraphs(markdown: str) -> Sequence[str]:
    """The paragraphs of text, without headings and code, each on one line."""
    found = (paragraph.strip() for paragraph in markdown.split("\n\n"))
    return [" ".join(one.split()) for one in found if one and not one.startswith(("#", "```"))]
