"""Findings that the analysis could not decide, with what a run would show if they are right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.rules.active_rules import active_rules
from analysis.rules.check import diagnostic_of, of_each_rule, subjects
from analysis.rules.diagnostic import Diagnostic, Severity
from analysis.rules.registry import RULES
from analysis.rules.rule import Finding, Subject, Testable, device_findings
from analysis.rules.run_claim import RunClaim
from analysis.rules.settings import RuleSettings
from analysis.rules.suppressions import RuleNames, read_suppressions
from analysis.verdict.barriers import Tier

_Key: TypeAlias = tuple[int, int, str]
"""Where the diagnostic begins and ends, and its code."""


@final
@record
class Undecided:
    """`function` is the one that the finding belongs to: a kernel, or what kernels call."""

    diagnostic: Diagnostic
    function: FunctionFacts
    claim: RunClaim


def undecided_findings(analysis: FileAnalysis, settings: RuleSettings) -> tuple[Undecided, ...]:
    """Those of the rules that are selected, shown or not, by place, then code; one for each place and code.

    What is suppressed is left out, and what is proven at the same place.
    """
    suppressions = read_suppressions(analysis.document)
    decided: set[_Key] = set()
    found: dict[_Key, Undecided] = {}
    for one in _testable(analysis, replace(settings, tiers=frozenset(Tier))):
        diagnostic = one.diagnostic
        if suppressions.cover(RuleNames(diagnostic.code, diagnostic.name), diagnostic.start):
            continue
        key = diagnostic.start, diagnostic.end, diagnostic.code
        if diagnostic.tier is Tier.PROVEN:
            decided.add(key)
        elif key not in found or diagnostic.tier is Tier.POSSIBLE:
            found[key] = one
    return tuple(found[key] for key in sorted(found.keys() - decided))


def _testable(analysis: FileAnalysis, settings: RuleSettings) -> Iterator[Undecided]:
    """The findings of all tiers that a run can say something about."""
    rules = [(rule, severity) for rule, severity in active_rules(settings) if issubclass(rule, Testable)]
    for subject in subjects(analysis, settings):

        def of_rule(rule: type[Finding], severity: Severity, subject: Subject = subject) -> Sequence[Undecided]:
            return [
                Undecided(diagnostic_of(finding, settings, severity, subject.function.name), subject.function, claim)
                for finding in device_findings(rule, subject)
                if finding.tier is not None and finding.site.path == analysis.facts.path
                if isinstance(finding, Testable) and (claim := finding.claim()) is not None
            ]

        yield from of_each_rule(subject, rules, of_rule)


def may_be_run(diagnostic: Diagnostic) -> bool:
    """Can a run say something about it that the analysis could not?"""
    return diagnostic.tier in (Tier.POSSIBLE, Tier.ASSUMED) and diagnostic.code in _TESTABLE_CODES


_TESTABLE_CODES: Final = frozenset(rule.code for rule in RULES if issubclass(rule, Testable))
