"""`simt-lsp check`: findings in files and folders, as text, JSON, SARIF, JUnit or annotations."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final, TextIO

from analysis.rules.diagnostic import KernelShare, MoreFindings
from analysis.rules.wording import quantity
from simt_lsp.cli.arguments import OutputFormat
from simt_lsp.cli.changed_since import commit_of, of_the_change
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.copies import with_copies
from simt_lsp.cli.engine import Keeping
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.gates import baseline_of, fail_on_of, tell_left, without_known, write_baseline
from simt_lsp.cli.output import output_to
from simt_lsp.cli.paths import BadPath, EmptyFolder, ExcludedFile, Found, SourceFile, expand, without_repeats
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import (
    Edit,
    FileRange,
    FileReport,
    Finding,
    Note,
    OfferedFix,
    RelatedRange,
    Totals,
)
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from simt_lsp.cli.setting_complaints import SettingComplaints
from simt_lsp.cli.sites import sites_of
from simt_lsp.cli.statistics import Statistics, statistics_lines
from simt_lsp.cli.terminal import progress, shows_progress, writer
from simt_lsp.cli.text_report import fixable_lines, report_lines, summary_line
from simt_lsp.cli.version import version
from simt_lsp.workspace.excluded import ExcludedFiles


def check(options: argparse.Namespace) -> ExitStatus:
    """The status is USAGE if a path, settings or a function cannot be read; the rest is checked all the same."""
    started = time.perf_counter()
    _refuse_what_does_not_go_together(options)
    task = _task(options)
    fails, baseline = fail_on_of(options), baseline_of(options)
    commit = None if options.changed_since is None else commit_of(options.changed_since, options.paths)
    found = without_repeats(expand(options.paths, ExcludedFiles(lambda _: task.options.overrides)))
    complain(found)
    complaints = SettingComplaints()
    reports = complaints.of_reports(_reports(task, found, options))
    if options.diff:
        status = _status_of_patch(Totals.of(reports))
        return ExitStatus.USAGE if complaints else _unless_zero(status, options)
    if options.write_baseline is not None:
        everything = list(reports)
        write_baseline(options.write_baseline, everything)
        return ExitStatus.USAGE if complaints or _say_failed(everything, found) else ExitStatus.CLEAN
    if baseline is not None:
        reports = without_known(reports, baseline)
    if commit is not None:
        reports = iter(of_the_change([*reports], commit, task, options.jobs))
    with output_to(options.output) as stream:
        seen = _write(stream, with_copies(reports), found, options)
        totals = Totals.of(seen)
        line = summary_line(totals, time.perf_counter() - started, hints=_hints(options), verbose=options.verbose)
        if options.format == OutputFormat.TEXT.value:
            writer(stream, options.color)([line, *fixable_lines(totals, fixing=options.fix)])
    if options.output is not None:
        writer(sys.stderr, options.color)([line])
    if baseline is not None and options.verbose:
        tell_left(baseline, options.baseline)
    if complaints or totals.unreadable or totals.failed:
        return ExitStatus.USAGE
    is_failed = any(fails.any_of(sites_of(report)) for report in seen)
    return _unless_zero(ExitStatus.FOUND if is_failed else ExitStatus.CLEAN, options)


def _refuse_what_does_not_go_together(options: argparse.Namespace) -> None:
    """Raises `UsageError`."""
    if options.diff and options.format != OutputFormat.TEXT.value:
        raise UsageError("--diff and --format both want standard output: give one of them")
    if options.diff and options.output is not None:
        raise UsageError("--diff writes to standard output: leave out --output")
    if options.unsafe_fixes and not (options.fix or options.diff):
        raise UsageError("--unsafe-fixes goes with --fix or --diff")
    if options.statistics and options.format not in (OutputFormat.TEXT.value, OutputFormat.JSON.value):
        raise UsageError(f"--statistics goes with the formats text and json, not with {options.format}")
    if options.baseline is not None and options.write_baseline is not None:
        raise UsageError("--write-baseline writes all findings, --baseline leaves some out: give one of them")
    some = options.baseline is not None or options.write_baseline is not None or options.changed_since is not None
    if (options.fix or options.diff) and some:
        raise UsageError("fixes are made of all findings: leave out baselines and --changed-since")
    if options.write_baseline is not None and options.changed_since is not None:
        raise UsageError("--write-baseline writes all findings: leave out --changed-since")


KEEPING: Final = Keeping(
    "check",
    frozenset(
        (one.__module__, one.__qualname__)
        for one in (
            FileReport,
            Finding,
            FileRange,
            RelatedRange,
            Note,
            OfferedFix,
            Edit,
            KernelShare,
            MoreFindings,
        )
    ),
)
"""A report without runs rests on nothing but the analysis."""


def _unless_zero(status: ExitStatus, options: argparse.Namespace) -> ExitStatus:
    return ExitStatus.CLEAN if options.exit_zero and status is ExitStatus.FOUND else status


def _say_failed(reports: Sequence[FileReport], found: Sequence[Found]) -> bool:
    """Whether there are files that could not be analysed; of paths that lead nowhere it was said already."""
    told = {item.path for item in found if isinstance(item, BadPath)}
    failed = [report for report in reports if report.error is not None]
    for report in failed:
        if report.path not in told:
            print(f"simt-lsp: {report.path}: not analysed: {report.error}", file=sys.stderr)
    return bool(failed)


def _task(options: argparse.Namespace) -> FileTask[FileReport]:
    """Raises `UsageError`."""
    engine = engine_options(options, options.paths)
    if not options.confirm:
        if options.timeout is not None:
            raise UsageError("--timeout goes with --confirm")
        return FileTask(engine, finish=file_report, failed=failed_report, keeping=KEEPING)
    if options.fix or options.diff:
        raise UsageError("--confirm and --fix or --diff are for two commands: give one of them")
    try:
        from simt_lsp.cli.confirmed_files import DEFAULT_SECONDS, confirming
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        raise UsageError(
            f'--confirm needs NumPy, which is not installed here: "{sys.executable}" -m pip install numpy'
        ) from None
    seconds = options.timeout or DEFAULT_SECONDS
    return FileTask(engine, finish=confirming(seconds), failed=failed_report, seconds=2 * seconds + 120.0)


def _status_of_patch(totals: Totals) -> ExitStatus:
    """A file that could not be repaired is said on standard error as well: the patch has standard output."""
    print(f"simt-lsp: {quantity(totals.fixed, 'fix', 'fixes')} in the patch", file=sys.stderr)
    if totals.failed:
        print(f"simt-lsp: {quantity(totals.failed, 'file')} not analysed", file=sys.stderr)
        return ExitStatus.USAGE
    return ExitStatus.FOUND if totals.fixed else ExitStatus.CLEAN


def failed_report(path: str, reason: str) -> FileReport:
    return FileReport(path, error=reason)


def complain(found: Sequence[Found]) -> None:
    """Say on standard error which paths lead nowhere."""
    for item in found:
        match item:
            case BadPath(path=path, reason=reason):
                print(f"simt-lsp: {path}: {reason}; check the spelling and the permissions", file=sys.stderr)
            case EmptyFolder(path=path):
                print(f"simt-lsp: {path}: no CUDA files in this folder (.cu, .cuh, .hip)", file=sys.stderr)
            case ExcludedFile(path=path):
                print(f"simt-lsp: {path}: left out by --exclude or the settings", file=sys.stderr)
            case SourceFile():
                pass


def _reports(task: FileTask[FileReport], found: Sequence[Found], options: argparse.Namespace) -> Iterator[FileReport]:
    """One report per file or bad path, in the order of the command line."""
    files = [item.path for item in found if isinstance(item, SourceFile)]
    with progress("checking", len(files)) as advance:
        results = _results(task, files, options)
        for item in found:
            match item:
                case SourceFile():
                    yield next(results)
                    advance()
                case BadPath(path=path, reason=reason):
                    yield failed_report(path, reason)
                case EmptyFolder() | ExcludedFile():
                    pass


def _results(task: FileTask[FileReport], files: Sequence[str], options: argparse.Namespace) -> Iterator[FileReport]:
    if not options.fix and not options.diff:
        return run_project(task, files, options.jobs)
    from simt_lsp.cli.fixed_files import file_fixer

    return map(file_fixer(task.options, files, options), files)


def _hints(options: argparse.Namespace) -> bool:
    """Hints are for editors, or for who asks for them."""
    return options.verbose or options.select is not None


def _write(
    stream: TextIO, reports: Iterator[FileReport], found: Sequence[Found], options: argparse.Namespace
) -> Sequence[FileReport]:
    """What was written, but for the last lines of a text."""
    if options.format == OutputFormat.TEXT.value and not options.statistics:
        return _write_text(stream, reports, found, options)
    everything = list(reports)
    if options.format == OutputFormat.TEXT.value:
        _say_failed(everything, found)
        writer(stream, options.color)(statistics_lines(Statistics.of(everything, hints=_hints(options))))
    elif text := _rendered(everything, options):
        print(text, file=stream)
    return everything


def _rendered(reports: Sequence[FileReport], options: argparse.Namespace) -> str:
    match OutputFormat(options.format):
        case OutputFormat.JSON:
            from simt_lsp.cli.json_report import json_report

            counted = Statistics.of(reports, hints=True) if options.statistics else None
            return json_report(reports, version(), counted)
        case OutputFormat.SARIF:
            from simt_lsp.cli.sarif_report import sarif_report

            return sarif_report(reports, version())
        case OutputFormat.GITHUB:
            from simt_lsp.cli.github_report import github_report

            return github_report(reports, hints=_hints(options))
        case OutputFormat.JUNIT:
            from simt_lsp.cli.junit_report import junit_report

            return junit_report(reports, hints=_hints(options))
        case OutputFormat.TEXT:
            raise AssertionError("text is written as it comes")


def _write_text(
    stream: TextIO, reports: Iterator[FileReport], found: Sequence[Found], options: argparse.Namespace
) -> Sequence[FileReport]:
    told = {item.path for item in found if isinstance(item, BadPath)}
    write = writer(stream, options.color)
    if shows_progress() and stream.isatty():
        reports = iter(list(reports))  # on one terminal, text would tear the bar apart
    seen: list[FileReport] = []
    for report in reports:
        if report.path not in told:  # on standard error
            write(report_lines(report, hints=_hints(options), verbose=options.verbose))
        seen.append(report)
    return seen
