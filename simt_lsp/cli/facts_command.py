"""`simt-lsp facts PATHS…`: everything known about each file, one JSON object per line.

Rules    Every path yields exactly one line, in order; a folder yields one for each of its CUDA files.
         What cannot be read or analysed yields `{"path": …, "error": …}` and does not stop the rest; the command
         succeeds all the same, because the reader of the lines sees which files failed.
         Each line is flushed, so a reader at the other end of a pipe can keep step.
"""

from __future__ import annotations

import argparse
import json
import sys

from analysis.features.facts_json import facts_object
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Analyzed
from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.paths import BadPath, EmptyFolder, ExcludedFile, SourceFile, expand
from simt_lsp.cli.project_files import run_project
from simt_lsp.cli.report import Note
from simt_lsp.cli.run_files import FileTask
from simt_lsp.cli.setting_complaints import SettingComplaints, setting_notes


def facts(options: argparse.Namespace) -> ExitStatus:
    task = FileTask(engine_options(options, options.paths), finish=facts_line, failed=error_line)
    found = list(expand(options.paths))
    files = [item.path for item in found if isinstance(item, SourceFile)]
    lines = run_project(task, files, options.jobs)
    complaints = SettingComplaints()
    for item in found:
        match item:
            case SourceFile():
                line, notes = next(lines)
                complaints.say(notes)
            case BadPath(path=path, reason=reason):
                line, _ = error_line(path, reason)
            case EmptyFolder(path=path):
                line, _ = error_line(path, "no CUDA files in this folder")
            case ExcludedFile(path=path):  # the setting is about findings: facts are told of what is named
                continue
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return ExitStatus.CLEAN


def facts_line(analyzed: Analyzed) -> tuple[str, tuple[Note, ...]]:
    """ASCII only, so that no terminal or pipe can break it; and what is wrong with the settings."""
    facts = facts_object(analyzed.analysis, analyzed.diagnostics)
    return json.dumps({**facts, "path": analyzed.path}), setting_notes(analyzed.setup.problems)


def error_line(path: str, reason: str) -> tuple[str, tuple[Note, ...]]:
    return json.dumps({"path": path, "error": reason}), ()
