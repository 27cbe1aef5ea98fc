"""What of the findings of `check` is reported, and what fails: `--baseline`, `--write-baseline`, `--fail-on`.

Rules    Findings in the baseline are counted and not reported.  What is written into a baseline is all that is
         found, hints included, with the rules and tiers of that run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from analysis.rules.registry import RULES
from analysis.rules.wording import quantity
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.output import write_file
from simt_lsp.cli.report import SYNTAX_ERROR, FileReport
from simt_lsp.cli.sites import sites_of, with_sites
from simt_lsp.gates.baseline import BadBaseline, Baseline, baseline_text
from simt_lsp.gates.fail_on import ERRORS, SEVERITIES, FailOn, fail_on


def baseline_of(options: argparse.Namespace) -> Baseline | None:
    """What is known already; raises `UsageError`."""
    if options.baseline is None:
        return None
    try:
        return Baseline.read(options.baseline)
    except BadBaseline as error:
        raise UsageError(f"--baseline {options.baseline}: {error}") from error


def without_known(reports: Iterable[FileReport], baseline: Baseline) -> Iterator[FileReport]:
    """The reports without findings that the baseline has."""
    for report in reports:
        known = baseline.known(sites_of(report), report.path)
        yield replace(with_sites(report, [not one for one in known]), baselined=sum(known))


def tell_left(baseline: Baseline, path: str) -> None:
    """On standard error, what the baseline has and was not found."""
    for entry in baseline.left():
        where = f" in {entry.function}" if entry.function else ""
        print(f"simt-lsp: {path}: {entry.path}: {entry.rule}{where} is no longer found", file=sys.stderr)


def write_baseline(path: str, reports: Iterable[FileReport]) -> None:
    """All findings of the reports; raises `UsageError`."""
    found = [(report.path, sites_of(report)) for report in reports]
    write_file(path, baseline_text(path, found))
    number = sum(len(sites) for _, sites in found)
    files = sum(bool(sites) for _, sites in found)
    print(f"simt-lsp: {path}: {quantity(number, 'finding')} in {quantity(files, 'file')}", file=sys.stderr)


def fail_on_of(options: argparse.Namespace) -> FailOn:
    """Which findings fail; raises `UsageError`."""
    if options.fail_on is None:
        return ERRORS
    words = [word.strip() for value in options.fail_on for word in value.split(",") if word.strip()]
    rules = [*((rule.code, rule.slug) for rule in RULES), (SYNTAX_ERROR, SYNTAX_ERROR)]
    try:
        return fail_on(words, rules)
    except ValueError as error:
        known = ", ".join(reversed(SEVERITIES))
        raise UsageError(f"--fail-on: '{error}' is neither a rule nor one of {known}") from error
