"""All rules over one file."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FileProblem
from analysis.ir.instructions import FunctionId
from analysis.rules.barrier_survey import UnsafeBarrier, survey_barriers
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.registry import NAMES, RULES
from analysis.rules.rule import Finding, Fixable, Subject
from analysis.rules.settings import Off, RuleSettings
from analysis.rules.suppressions import RuleNames, Suppressions, read_suppressions

LOGGER: Final = logging.getLogger(__name__)


def check(
    analysis: FileAnalysis, settings: RuleSettings, cache: DiagnosticCache | None = None
) -> tuple[Diagnostic, ...]:
    """The diagnostics of the file by place, then code; what `NOLINT` comments suppress is left out.

    `cache` shares the work between versions of files.
    """
    active = _active_rules(settings)
    if cache is not None:
        cache.use(settings)
    suppressions = read_suppressions(analysis.document)
    found = {
        (diagnostic.start, diagnostic.end, diagnostic.code): diagnostic
        for diagnostic in _diagnostics(analysis, settings, active, cache)
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


def _diagnostics(
    analysis: FileAnalysis, settings: RuleSettings, active: _ActiveRules, cache: DiagnosticCache | None
) -> Iterator[Diagnostic]:
    unsafe: defaultdict[FunctionId, list[UnsafeBarrier]] = defaultdict(list)
    for barrier in survey_barriers(analysis):
        unsafe[barrier.function].append(barrier)
    for function in analysis.facts.functions:
        if not function.active:
            continue
        own = tuple(unsafe.get(function.id, ()))
        subject = Subject(analysis, function, own, settings.cost_threshold, settings.meld)

        def find(subject: Subject = subject) -> Iterator[Diagnostic]:
            return _found(subject, settings, active)

        yield from find() if cache is None else cache.of(analysis, function, own, find)


def _found(subject: Subject, settings: RuleSettings, active: _ActiveRules) -> Iterator[Diagnostic]:
    """A rule that fails is a defect of ours: it costs what it would have said of this function, and nothing else."""
    for rule, severity in active:
        try:
            yield from _of_rule(rule, severity, subject, settings)
        except Exception:
            LOGGER.exception("%s failed on %s in %s", rule.code, subject.function.id, subject.analysis.facts.path)


def _of_rule(
    rule: type[Finding], severity: Severity, subject: Subject, settings: RuleSettings
) -> tuple[Diagnostic, ...]:
    return tuple(
        _diagnostic(finding, severity, subject.function.name)
        for finding in rule.find(subject)
        if finding.site.path == subject.analysis.facts.path and settings.shows(finding.tier)
    )


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
        finding.fix() if isinstance(finding, Fixable) else None,
    )
