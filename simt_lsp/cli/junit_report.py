"""Findings as JUnit XML, which CI systems show as failed tests.

Rules    A file is a suite.  Each of its findings is a failed test, or an error where something was not analysed; a file
         without findings is one test that passed.  Information and hints are told as output of a test that passed.
         Characters that XML does not have are written as U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, final
from xml.sax.saxutils import escape

from analysis.ir.record import record
from simt_lsp.cli.report import SYNTAX_ERROR, FileReport, Finding

_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Outcome(Enum):
    """What became of a test; the value is the element that says so."""

    PASSED = "system-out"
    FAILED = "failure"
    ERROR = "error"


@final
@record
class TestCase:
    """`text` is all that is said of it, `summary` the line that is shown first; both empty where it passed silently."""

    __test__ = False  # pytest would take it for a test

    name: str
    outcome: Outcome
    kind: str = ""
    summary: str = ""
    text: str = ""


@final
@record
class TestSuite:
    """All tests of one file or kernel."""

    __test__ = False

    name: str
    cases: tuple[TestCase, ...]


def junit_report(reports: Sequence[FileReport], *, hints: bool) -> str:
    """The findings of `check`."""
    return junit_text("simt-lsp check", [_suite(report, hints=hints) for report in reports])


def junit_text(name: str, suites: Iterable[TestSuite]) -> str:
    """An XML document."""
    suites = list(suites)
    every = [case for suite in suites for case in suite.cases]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_attributes(name, every)}>"]
    for suite in suites:
        lines.append(f"  <testsuite {_attributes(suite.name, suite.cases)}>")
        lines += [_case(case, suite.name) for case in suite.cases]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"])


def _suite(report: FileReport, *, hints: bool) -> TestSuite:
    if report.error is not None:
        failed = TestCase("is analysed", Outcome.ERROR, "not-analysed", report.error, report.error)
        return TestSuite(report.path, (failed,))
    cases = [_finding(finding) for finding in report.findings if hints or finding.severity != "hint"]
    cases += [
        TestCase(f"{note.kind} line {note.place.line}", Outcome.ERROR, note.kind, note.message, note.message)
        for note in report.notes
        if note.kind == SYNTAX_ERROR
    ]
    return TestSuite(report.path, tuple(cases) or (TestCase("no findings", Outcome.PASSED),))


def _finding(finding: Finding) -> TestCase:
    at = finding.place
    related = [f"{one.place.path}:{one.place.line}: {one.message}" for one in finding.related]
    source = [] if at.source is None else [f"    {at.source.strip()}"]
    run = [] if finding.run is None else [finding.run.message]
    place = f"{at.path}:{at.line}:{at.column}: {finding.severity} {finding.code} {finding.name}: {finding.message}"
    outcome = Outcome.FAILED if finding.severity in ("error", "warning") else Outcome.PASSED
    text = "\n".join([place, *source, *related, *run])
    return TestCase(f"{finding.code} {finding.name} line {at.line}", outcome, finding.code, finding.message, text)


def _attributes(name: str, cases: Sequence[TestCase]) -> str:
    failed = sum(case.outcome is Outcome.FAILED for case in cases)
    errors = sum(case.outcome is Outcome.ERROR for case in cases)
    return f'name={_quoted(name)} tests="{len(cases)}" failures="{failed}" errors="{errors}"'


def _case(case: TestCase, suite: str) -> str:
    head = f"    <testcase name={_quoted(case.name)} classname={_quoted(suite)}"
    if not case.text:
        return f"{head}/>"
    said = "" if case.outcome is Outcome.PASSED else f" type={_quoted(case.kind)} message={_quoted(case.summary)}"
    element = case.outcome.value
    return f"{head}>\n      <{element}{said}>{escape(_clean(case.text))}</{element}>\n    </testcase>"


def _quoted(text: str) -> str:
    entities = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return f'"{escape(_clean(text), entities)}"'


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
