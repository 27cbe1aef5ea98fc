"""`sanitize` as JUnit XML: a suite per file, a case per kernel, which fails with the findings that count.

Rules     A finding counts where `--fail-on` says so; the others stand in the output of the case.
          A finding that no kernel shows (rules speak of functions alone) fails a case named after the file.
          A kernel that did not run is skipped, with the reason; a file that was not looked at is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sim.sanitize.report import FileSummary, Finding, KernelSummary, Repository, verdict

_INVALID: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def junit_report(found: Repository, counted: Set[Finding]) -> str:
    suites = [_suite(found, file, counted) for file in found.files]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *suites, "</testsuites>"])


def _suite(found: Repository, file: FileSummary, counted: Set[Finding]) -> str:
    cases = [_case(file, kernel, found.findings_of(kernel), counted) for kernel in file.kernels]
    alone = [one for one in found.findings if not one.kernels and one.place.path == file.path]
    if alone:
        cases.append(_element(file.path, "functions", 0.0, _outcome(alone, counted), "", file.path))
    if file.error is not None:
        kind = "skipped" if file.is_left else "error"
        cases.append(_element(file.path, "file", 0.0, f"<{kind} message={_quoted(file.error)}/>", "", file.path))
    counts = {kind: sum(f"<{kind}" in case for case in cases) for kind in ("failure", "error", "skipped")}
    head = f'<testsuite name={_quoted(file.path)} tests={_quoted(str(len(cases)))} failures="{counts["failure"]}"'
    head += f' errors="{counts["error"]}" skipped="{counts["skipped"]}">'
    return "\n".join([head, *cases, "</testsuite>"])


def _case(file: FileSummary, kernel: KernelSummary, findings: Sequence[Finding], counted: Set[Finding]) -> str:
    if kernel.not_run is not None and not any(one in counted for one in findings):
        outcome = f"<skipped message={_quoted(kernel.not_run)}/>"
    else:
        outcome = _outcome(findings, counted)
    name = f"{kernel.name} (line {kernel.line})"
    return _element(file.path, name, kernel.seconds, outcome, verdict(kernel, findings), kernel.path)


def _outcome(findings: Sequence[Finding], counted: Set[Finding]) -> str:
    told = [one for one in findings if one in counted]
    if not told:
        return ""
    first = told[0]
    text = "\n".join(map(_words, told))
    return f"<failure type={_quoted(first.kind)} message={_quoted(_words(first))}>{_text(text)}</failure>"


def _words(finding: Finding) -> str:
    place = finding.place
    return f"{place.path}:{place.line}:{place.column}: {finding.severity.value} {finding.kind}: {finding.message}"


def _element(suite: str, name: str, seconds: float, outcome: str, output: str, path: str) -> str:
    head = f'<testcase classname={_quoted(suite)} name={_quoted(name)} file={_quoted(path)} time="{seconds:.3f}">'
    said = f"<system-out>{_text(output)}</system-out>" if output else ""
    return f"{head}{outcome}{said}</testcase>"


def _quoted(text: str) -> str:
    return quoteattr(_INVALID.sub("\N{REPLACEMENT CHARACTER}", text))


def _text(text: str) -> str:
    return escape(_INVALID.sub("\N{REPLACEMENT CHARACTER}", text))
