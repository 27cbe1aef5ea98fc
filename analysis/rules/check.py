"""All rules over one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FileProblem
from analysis.rules.barrier_survey import survey_barriers
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.registry import NAMES, RULES
from analysis.rules.rule import Finding, Subject
from analysis.rules.settings import Off, RuleSettings
from analysis.rules.suppressions import RuleNames, Suppressions, read_suppressions


def check(analysis: FileAnalysis, settings: RuleSettings) -> tuple[Diagnostic, ...]:
    """The diagnostics of the file by place, then code; what `NOLINT` comments suppress is left out."""
    active = _active_rules(settings)
    suppressions = read_suppressions(analysis.document)
    found = {
        (diagnostic.start, diagnostic.end, diagnostic.code): diagnostic
        for diagnostic in _diagnostics(analysis, settings, active)
        if not suppressions.cover(RuleNames(diagnostic.code, diagnostic.name), diagnostic.start)
    }
    return tuple(found[key] for key in sorted(found))


def suppression_problems(analysis: FileAnalysis) -> tuple[FileProblem, ...]:
    """`NOLINTBEGIN` and `NOLINTEND` without a partner, to be shown with the problems of the file."""
    suppressions: Suppressions = read_suppressions(analysis.document)
    return suppressions.problems(NAMES)


_ActiveRules = Sequence[tuple[type[Finding], Severity]]


def _active_rules(settings: RuleSettings) -> _ActiveRules:
    active: list[tuple[type[Finding], Severity]] = []
    for rule, names in zip(RULES, NAMES, strict=True):
        severity = settings.severity_of(names, rule.severity)
        if not isinstance(severity, Off):
            active.append((rule, severity))
    return active


def _diagnostics(analysis: FileAnalysis, settings: RuleSettings, active: _ActiveRules) -> Iterator[Diagnostic]:
    unsafe = survey_barriers(analysis)
    for function in analysis.facts.functions:
        if not function.active:
            continue
        own = tuple(barrier for barrier in unsafe if barrier.function == function.id)
        subject = Subject(analysis, function, own, settings.cost_threshold)
        for rule, severity in active:
            for finding in rule.find(subject):
                if finding.site.path == analysis.facts.path and settings.shows(finding.tier):
                    yield _diagnostic(finding, severity, function.name)


def _diagnostic(finding: Finding, severity: Severity, function: str) -> Diagnostic:
    return Diagnostic(
        finding.code,
        finding.slug,
        severity,
        finding.tier,
        finding.site.start,
        finding.site.end,
        finding.message(),
        finding.related(),
        function,
    )
