"""Files with their repairs: written, or as a patch on standard output; what was done is said on standard error.

Rules    Headers are judged by the callers that `check` finds, as they all were before the first file was repaired.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from simt_lsp.cli.engine import Analyzed, Engine, EngineOptions, UnreadableError, absolute_path
from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.fixes import Fixed, fixed
from simt_lsp.cli.patch import replace_file, unified_diff
from simt_lsp.cli.project_files import callers_of_files
from simt_lsp.cli.report import FileReport
from simt_lsp.cli.resolve import displayed, file_report
from simt_lsp.cli.run_files import internal_error


def file_fixer(
    options: EngineOptions, paths: Sequence[str], arguments: argparse.Namespace
) -> Callable[[str], FileReport]:
    """The function that repairs one of `paths`.  It reports what is left, with a patch what was found."""
    engine = Engine(options, edited=True)
    callers = callers_of_files(engine, paths, arguments.jobs)

    def fix(path: str) -> FileReport:
        try:
            analyzed = engine.analyze(path, callers.get(absolute_path(path)))
            done = fixed(engine, analyzed, unsafe=arguments.unsafe_fixes)
            if arguments.diff:
                _print_patch(analyzed, done)
            elif done.applied:
                replace_file(path, analyzed.analysis.document.text, done.analyzed.analysis.document.text)
        except (UnreadableError, UsageError) as error:
            return FileReport(path, error=str(error))
        except Exception as error:  # a defect of ours costs this file, is reported with it, and not hidden
            return FileReport(path, error=internal_error(error))
        _tell(path, done, verb="would fix" if arguments.diff else "fixed")
        return replace(file_report(analyzed if arguments.diff else done.analyzed), fixes=done.applied)

    return fix


def _print_patch(before: Analyzed, done: Fixed) -> None:
    name = displayed(before.analysis.facts.path)
    sys.stdout.buffer.write(unified_diff(before.analysis.document.text, done.analyzed.analysis.document.text, name))
    sys.stdout.buffer.flush()


def _tell(path: str, done: Fixed, *, verb: str) -> None:
    for one in done.applied:
        print(f"simt-lsp: {path}: {verb} {one.code} in {one.function}: {one.title}", file=sys.stderr)
    for one in done.withheld:
        print(f"simt-lsp: {path}:{one.line}: {one.code} is not fixed: {one.reason}", file=sys.stderr)
