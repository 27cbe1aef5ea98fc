"""All rules over one file."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from analysis.facts.file_analysis import FileAnalysis, OtherArchitecture
from analysis.facts.model import FileProblem, FunctionFacts
from analysis.ir.instructions import FunctionId
from analysis.ir.pace import paced
from analysis.races.absent_model import Consequence
from analysis.rules.active_rules import ActiveRules, DeviceRules, active_rules, grouped
from analysis.rules.barrier_survey import UnsafeBarrier, survey_barriers
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.diagnostic_cache import DiagnosticCache, DiagnosticsUnderSettings
from analysis.rules.host_subject import HostSubject, host_findings, host_subjects
from analysis.rules.kernel_findings import dearest_of_each_kernel
from analysis.rules.other_architectures import LANES_PART, OF_PARTED_LANES, compiled_for, told_once
from analysis.rules.registry import NAMES, OF_COST
from analysis.rules.rule import DeviceRule, Finding, Subject, consequence_of, cost_of, fix_of, is_guess
from analysis.rules.settings import Off, RuleSettings
from analysis.rules.suppressions import RuleNames, Suppressions, read_suppressions
from analysis.rules.unlaunched_text import unlaunched_text

LOGGER: Final = logging.getLogger(__name__)

Answer = TypeVar("Answer")
Rule = TypeVar("Rule", bound=Finding)


def check(
    analysis: FileAnalysis, settings: RuleSettings, cache: DiagnosticCache | None = None
) -> tuple[Diagnostic, ...]:
    """The diagnostics of the file by place, then code; what `NOLINT` comments suppress is left out.

    Those with a price stand together for each kernel, the dearest first, and of many only the first ones.
    `cache` shares the work between versions of files.
    """
    kept = None if cache is None else cache.under(settings)
    active = grouped(active_rules(settings)) if kept is None else kept.rules
    suppressions = read_suppressions(analysis.document)
    architecture = analysis.program.unit.environment.architecture
    own = compiled_for(architecture, analysis, _diagnostics(analysis, settings, active, kept))
    others = [
        compiled_for(other.architecture, other.analysis, _for_other(other, analysis, settings, active, kept))
        for other in analysis.others
    ]
    found = told_once(own, others)
    shown = (one for one in found if not suppressions.cover(RuleNames(one.code, one.name), one.start))
    return dearest_of_each_kernel(shown, settings.findings_per_kernel)


def suppression_problems(analysis: FileAnalysis) -> tuple[FileProblem, ...]:
    """`NOLINTBEGIN` and `NOLINTEND` without a partner, to be shown with the problems of the file."""
    suppressions: Suppressions = read_suppressions(analysis.document)
    return suppressions.problems(NAMES)


def _diagnostics(
    analysis: FileAnalysis, settings: RuleSettings, active: ActiveRules, kept: DiagnosticsUnderSettings | None
) -> Iterator[Diagnostic]:
    for subject in subjects(analysis, settings):
        yield from _of_subject(subject, settings, active, kept)
    yield from _on_host(analysis, settings, active, kept)


def _for_other(
    other: OtherArchitecture,
    analysis: FileAnalysis,
    settings: RuleSettings,
    active: ActiveRules,
    kept: DiagnosticsUnderSettings | None,
) -> Iterator[Diagnostic]:
    """What is found for another architecture in functions that it compiles otherwise; the host has none."""
    if other.architecture < LANES_PART:
        parted = [one for one in active.of_device_code if one[0].code not in OF_PARTED_LANES]
        active = replace(active, of_device_code=parted)
    for subject in subjects(other.analysis, settings):
        if not other.analysis.is_same_in(analysis, subject.function):
            yield from _of_subject(subject, settings, active, kept)


def _of_subject(
    subject: Subject, settings: RuleSettings, active: ActiveRules, kept: DiagnosticsUnderSettings | None
) -> Iterator[Diagnostic]:
    of_one = partial(_found, subject, settings, active.of_one_function)
    of_all = partial(_found, subject, settings, active.of_device_code)
    if kept is None:
        yield from of_all()
        yield from of_one()
    else:
        yield from kept.of(subject.analysis, subject.function, subject.unsafe_barriers, of_all)
        yield from kept.of_function(subject.analysis, subject.function, of_one)


def _on_host(
    analysis: FileAnalysis, settings: RuleSettings, active: ActiveRules, kept: DiagnosticsUnderSettings | None
) -> Iterator[Diagnostic]:
    """What rules about host code find; a function of which they said nothing is not looked at again by those that ask
    for its text alone."""
    reading, counting = active.of_host_code, active.of_launches
    for subject in host_subjects(analysis) if reading or counting else ():
        name = subject.function.name

        def of_rule(
            rule: type[Finding], severity: Severity, subject: HostSubject = subject, name: str = name
        ) -> Sequence[Diagnostic]:
            found = [finding for finding in host_findings(rule, subject) if settings.shows(finding.tier)]
            return [diagnostic_of(finding, settings, severity, name) for finding in found]

        place = f"{name} in {analysis.facts.path}"
        yield from _guarded(counting, 2, of_rule, place)
        find = partial(_guarded, reading, 2, of_rule, place)
        yield from find() if kept is None else kept.of_host(subject, find)


def subjects(analysis: FileAnalysis, settings: RuleSettings) -> Iterator[Subject]:
    """The active functions of the file that could be read, in text order."""
    unsafe: defaultdict[FunctionId, list[UnsafeBarrier]] = defaultdict(list)
    for barrier in survey_barriers(analysis):
        unsafe[barrier.function].append(barrier)
    for function in paced(analysis.facts.functions, 20):
        if function.active and function.unreadable is None:
            own = tuple(unsafe.get(function.id, ()))
            yield Subject(analysis, function, own, settings.share_threshold, settings.meld, settings.tiers)


def _found(subject: Subject, settings: RuleSettings, active: DeviceRules) -> Iterator[Diagnostic]:
    def of_rule(rule: type[DeviceRule], severity: Severity) -> Sequence[Diagnostic]:
        return [
            of_what_runs(diagnostic_of(finding, settings, severity, subject.function.name), subject.function, settings)
            for finding in rule.find(subject)
            if finding.site.path == subject.analysis.facts.path and settings.shows(finding.tier)
        ]

    return of_each_rule(subject, active, of_rule)


def of_what_runs(found: Diagnostic, function: FunctionFacts, settings: RuleSettings) -> Diagnostic:
    """What it costs is a hint where only kernels run it that nothing launches, unless the settings say otherwise."""
    if function.unlaunched is None or found.code not in OF_COST:
        return found
    severity = settings.severity_of(RuleNames(found.code, found.name), Severity.HINT)
    reason = unlaunched_text(function.unlaunched)
    text = f"{found.message} {reason[0].upper()}{reason[1:]}."
    return replace(found, severity=found.severity if isinstance(severity, Off) else severity, message=text)


def of_each_rule(
    subject: Subject,
    active: Sequence[tuple[type[Rule], Severity]],
    of_rule: Callable[[type[Rule], Severity], Sequence[Answer]],
) -> Iterator[Answer]:
    """A rule that fails is a defect of ours: it costs what it would have said of this function, and nothing else."""
    weight = 2 + len(subject.function.accesses) // 2  # most rules look at each
    yield from _guarded(active, weight, of_rule, f"{subject.function.id} in {subject.analysis.facts.path}")


def _guarded(
    active: Sequence[tuple[type[Rule], Severity]],
    weight: int,
    of_rule: Callable[[type[Rule], Severity], Sequence[Answer]],
    place: str,
) -> Iterator[Answer]:
    for rule, severity in paced(active, weight):
        try:
            yield from of_rule(rule, severity)
        except Exception:
            LOGGER.exception("%s failed on %s", rule.code, place)


def diagnostic_of(finding: Finding, settings: RuleSettings, severity: Severity, function: str) -> Diagnostic:
    """`severity` is that of the rule; without a consequence it informs, as a guess it hints, unless settings differ."""
    consequence, is_hint = consequence_of(finding), is_guess(finding)
    if is_hint or consequence is Consequence.NOTHING:
        names = RuleNames(finding.code, finding.slug)
        found = settings.severity_of(names, Severity.HINT if is_hint else Severity.INFORMATION)
        severity = severity if isinstance(found, Off) else found
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
        fix_of(finding),
        consequence,
        cost_of(finding),
    )
