"""`simt-lsp check`: findings in files and folders, as text, JSON or SARIF."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from analysis.rules.wording import quantity
from simt_lsp.cli.arguments import OutputFormat
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.copies import with_copies
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.paths import BadPath, EmptyFolder, Found, SourceFile, expand, without_repeats
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import FileReport, Totals
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask
from simt_lsp.cli.setting_complaints import SettingComplaints
from simt_lsp.cli.terminal import progress, shows_progress, writer
from simt_lsp.cli.text_report import fixable_line, report_lines, summary_line
from simt_lsp.cli.version import version


def check(options: argparse.Namespace) -> ExitStatus:
    """The status is USAGE if a path, settings or a function cannot be read; the rest is checked all the same."""
    started = time.perf_counter()
    if options.diff and options.format != OutputFormat.TEXT.value:
        raise UsageError("--diff and --format both want standard output: give one of them")
    if options.unsafe_fixes and not (options.fix or options.diff):
        raise UsageError("--unsafe-fixes goes with --fix or --diff")
    task = _task(options)
    found = without_repeats(expand(options.paths))
    complain(found)
    complaints = SettingComplaints()
    reports = with_copies(complaints.of_reports(_reports(task, found, options)))
    if options.diff:
        status = _status_of_patch(Totals.of(reports))
        return ExitStatus.USAGE if complaints else status
    match OutputFormat(options.format):
        case OutputFormat.TEXT:
            totals = _write_text(reports, found, options, started)
        case OutputFormat.JSON:
            from simt_lsp.cli.json_report import json_report

            totals = _write(reports, json_report)
        case OutputFormat.SARIF:
            from simt_lsp.cli.sarif_report import sarif_report

            totals = _write(reports, sarif_report)
    if complaints or totals.unreadable or totals.failed:
        return ExitStatus.USAGE
    return ExitStatus.FOUND if totals.severities["error"] else ExitStatus.CLEAN


def _task(options: argparse.Namespace) -> FileTask[FileReport]:
    """Raises `UsageError`."""
    engine = engine_options(options, options.paths)
    if not options.confirm:
        if options.timeout is not None:
            raise UsageError("--timeout goes with --confirm")
        return FileTask(engine, finish=file_report, failed=failed_report)
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
                case EmptyFolder():
                    pass


def _results(task: FileTask[FileReport], files: Sequence[str], options: argparse.Namespace) -> Iterator[FileReport]:
    if not options.fix and not options.diff:
        return run_project(task, files, options.jobs)
    from simt_lsp.cli.fixed_files import file_fixer

    return map(file_fixer(task.options, files, options), files)


def _write_text(
    reports: Iterator[FileReport], found: Sequence[Found], options: argparse.Namespace, started: float
) -> Totals:
    told = {item.path for item in found if isinstance(item, BadPath)}
    write = writer(sys.stdout, options.color)
    if shows_progress() and sys.stdout.isatty():
        reports = iter(list(reports))  # on one terminal, text would tear the bar apart
    hints = options.verbose or options.select is not None  # hints are for editors, or for who asks for them
    seen: list[FileReport] = []
    for report in reports:
        if report.path not in told:  # on standard error
            write(report_lines(report, hints=hints, verbose=options.verbose))
        seen.append(report)
    totals = Totals.of(seen)
    write([summary_line(totals, time.perf_counter() - started, hints=hints, verbose=options.verbose)])
    fixable = fixable_line(totals, fixing=options.fix)
    if fixable is not None:
        write([fixable])
    return totals


def _write(reports: Iterator[FileReport], render: Callable[[Sequence[FileReport], str], str]) -> Totals:
    everything = list(reports)
    print(render(everything, version()))
    return Totals.of(everything)
