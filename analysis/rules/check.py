"""All rules over one file."""

from __future__ import annotations

from analysis.facts.analyzer import FileAnalysis
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.settings import RuleSettings


def check(analysis: FileAnalysis, settings: RuleSettings) -> tuple[Diagnostic, ...]:
    """The diagnostics of the file by place, then code; what `NOLINT` comments suppress is left out."""
    raise NotImplementedError
