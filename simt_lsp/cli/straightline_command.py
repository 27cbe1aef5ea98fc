"""`simt-lsp straightline FILE[:KERNEL]`: index arithmetic before and after the scalar optimisations of compilers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.features.scalarization.report import callers_of
from analysis.features.straightline.data import report_data
from analysis.features.straightline.report import StraightlineReport, straightline_report
from analysis.features.straightline.text import report_lines
from simt_lsp.cli.chosen_functions import chosen_functions
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.targets import function_target
from simt_lsp.cli.terminal import Line, Style, writer


def straightline(options: argparse.Namespace) -> ExitStatus:
    target = function_target(options.place)
    analysis = analyzed_file(Engine(engine_options(options, [target.path])), target.path).analysis
    functions: Sequence[FunctionFacts] = chosen_functions(analysis, target.path, target.function)
    reports = [_report(analysis, function) for function in functions]
    if options.json:
        for report in reports:
            print(json.dumps(report_data(report)))
        return ExitStatus.CLEAN
    write = writer(sys.stdout, options.color)
    for index, report in enumerate(reports):
        lines = report_lines(report, all_code=options.all_steps)
        write(map(_styled, ["", *lines] if index else lines))
    return ExitStatus.CLEAN


def _report(analysis: FileAnalysis, function: FunctionFacts) -> StraightlineReport:
    report = straightline_report(analysis, function)
    if report is not None:
        return report
    callers = callers_of(analysis, function)
    if not callers:
        raise UsageError(f"{function.name} could not be analysed; simt-lsp check --verbose says why")
    raise UsageError(f"{function.name} is part of the code of its callers: name one of {', '.join(callers)}")


def _styled(text: str) -> Line:
    """Labels and titles stand out."""
    return ((text, Style.PLACE if text.endswith(":") and not text.startswith(" ") else Style.PLAIN),)
