"""Which `NOLINT(simt-...)` say nothing: no rule is called so, or there is nothing to suppress.

Rules    Only names that are ours are looked at: with `simt-` before them, or the exact code or name of a rule.  Globs,
         exclusions and a bare `NOLINT` speak to other tools as well and are never called unused.
         Unused means that the rule, asked for findings of every tier, has none there; rules
         that speak above a price are not asked.  That is said
         only where it can be known: the rule is on, and each function that the suppression touches was read and
         understood as a whole, with no `#if` in it that may leave out what the suppression is for, nor a question for
         the architecture.
Cost     The named rules, once more, on the functions of a file that has such a suppression.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, FunctionKind
from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from analysis.rules.active_rules import active_rules
from analysis.rules.check import subjects
from analysis.rules.host_subject import host_findings, host_subjects
from analysis.rules.registry import NAMES
from analysis.rules.rule import Finding, device_findings
from analysis.rules.settings import RuleSettings
from analysis.rules.suppressions import NamedRule, named_rules
from analysis.verdict.barriers import Tier

_PRICED: Final = ("DIV", "MEM")
"""Beginnings of the codes of rules that speak above a price: a suppression of theirs may be for another setting."""
_PREFIX: Final = "simt-"
_LOGGER: Final = logging.getLogger(__name__)


@final
@record
class SuppressionFinding:
    """A name in a suppression that says nothing; `removal` takes it away."""

    start: int
    end: int
    message: str
    is_known: bool
    """Whether a rule is called so."""
    removal: tuple[Replacement, ...]


def unused_suppressions(analysis: FileAnalysis, settings: RuleSettings) -> tuple[SuppressionFinding, ...]:
    """In the order of the text."""
    named = [*named_rules(analysis.document)]
    if not named:
        return ()
    rules = {rule.code: rule for rule, _ in active_rules(settings)}
    found: list[SuppressionFinding] = []
    for one in named:
        codes = [rule.code for rule in NAMES if one.name in rule.spellings()]
        message: str | None = None
        if not codes:
            message = _unknown(one.name)
        elif codes[0] in rules and _is_unused(analysis, settings, rules[codes[0]], one):
            message = f"Nothing to suppress: `{one.name}` reports nothing here."
        if message is not None:
            found.append(SuppressionFinding(one.start, one.end, message, bool(codes), one.removal))
    return tuple(found)


def _unknown(name: str) -> str | None:
    """None for names that may be those of other tools."""
    if not name.startswith(_PREFIX):
        return None
    spellings = [spelling for rule in NAMES for spelling in rule.spellings() if spelling.startswith(_PREFIX)]
    close = get_close_matches(name, spellings, n=1) or get_close_matches(_PREFIX + name[5:].upper(), spellings, n=1)
    return f"No rule is called `{name}`" + (f"; did you mean `{close[0]}`?" if close else ".")


def _is_unused(analysis: FileAnalysis, settings: RuleSettings, rule: type[Finding], one: NamedRule) -> bool:
    functions = analysis.facts.functions
    touched = [facts for facts in functions if facts.start < one.range_end and one.range_start < facts.end]
    if (
        rule.code.startswith(_PRICED)
        or one.range_start == one.range_end
        or not touched
        or not all(_is_known(analysis, facts) for facts in _askable(functions, touched))
    ):
        return False
    everything = replace(settings, tiers=frozenset(Tier))
    try:
        return not any(
            one.range_start <= finding.site.start < one.range_end and finding.site.path == analysis.facts.path
            for subject in subjects(analysis, everything)
            for finding in device_findings(rule, subject)
        ) and not _is_of_host(analysis, rule, one)
    except Exception:  # a defect of ours: then it is not known
        _LOGGER.exception("%s failed in %s", rule.code, analysis.facts.path)
        return False


def _is_of_host(analysis: FileAnalysis, rule: type[Finding], one: NamedRule) -> bool:
    return any(
        one.range_start <= finding.site.start < one.range_end
        for subject in host_subjects(analysis)
        for finding in host_findings(rule, subject)
    )


def _askable(functions: Sequence[FunctionFacts], touched: Sequence[FunctionFacts]) -> Sequence[FunctionFacts]:
    """Whose findings may stand in `touched`: of a function that is called, a caller may say something."""
    return touched if all(facts.kind is FunctionKind.KERNEL for facts in touched) else functions


def _is_known(analysis: FileAnalysis, facts: FunctionFacts) -> bool:
    whole = facts.active and facts.unreadable is None and not facts.is_too_large and not facts.cut_off
    text = analysis.document.text[facts.start : facts.end]
    return whole and not facts.opaque and not any(asked in text for asked in _LEAVING_OUT)


_LEAVING_OUT: Final = (b"#if", b"__CUDA_ARCH__", b"NV_IF_", b"NV_DISPATCH_TARGET")
"""Where one stands, what the suppression is for may be read elsewhere alone."""
