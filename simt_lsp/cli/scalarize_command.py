"""`simt-lsp scalarize FILE[:KERNEL]`: what one register and one operation per warp would do for."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.features.scalarization.data import report_data
from analysis.features.scalarization.report import ScalarizationReport, callers_of, scalarization_report
from analysis.features.scalarization.simd import simd_data, simd_lines
from analysis.features.scalarization.text import report_lines
from simt_lsp.cli.chosen_functions import chosen_functions
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.targets import function_target
from simt_lsp.cli.terminal import Line, Style, writer


def scalarize(options: argparse.Namespace) -> ExitStatus:
    target = function_target(options.place)
    analysis = analyzed_file(Engine(engine_options(options, [target.path])), target.path).analysis
    functions = chosen_functions(analysis, target.path, target.function)
    reports = [_report(analysis, function, options.exit_optimization) for function in functions]
    if options.view == "simd":
        return _as_vectors(options, reports)
    if options.json:
        for report in reports:
            print(json.dumps(report_data(report)))
        return ExitStatus.CLEAN
    write = writer(sys.stdout, options.color)
    for index, report in enumerate(reports):
        lines = report_lines(report, with_source=options.source, conventional=options.conventional)
        write(map(_styled, ["", *lines] if index else lines))
    return ExitStatus.CLEAN


def _as_vectors(options: argparse.Namespace, reports: Sequence[ScalarizationReport]) -> ExitStatus:
    if options.json:
        for report in reports:
            print(json.dumps(simd_data(report)))
        return ExitStatus.CLEAN
    write = writer(sys.stdout, options.color)
    for index, report in enumerate(reports):
        lines = tuple(simd_lines(report))
        write(map(_styled, ["", *lines] if index else lines))
    return ExitStatus.CLEAN


def _report(analysis: FileAnalysis, function: FunctionFacts, exit_optimization: bool) -> ScalarizationReport:
    report = scalarization_report(analysis, function, exit_optimization=exit_optimization)
    if report is not None:
        return report
    callers = callers_of(analysis, function)
    if not callers:
        raise UsageError(f"{function.name} could not be analysed; simt-lsp check --verbose says why")
    raise UsageError(f"{function.name} is part of the code of its callers: name one of {', '.join(callers)}")


def _styled(text: str) -> Line:
    """Labels and scalar instructions stand out."""
    code, mark, comment = text.partition(" # ")
    return tuple(_styled_code(code)) + (((mark + comment, Style.MARGIN),) if mark else ())


def _styled_code(text: str) -> Iterator[tuple[str, Style]]:
    if text.startswith("    @s "):
        yield text[:6], Style.GOOD
        yield text[6:], Style.PLAIN
    else:
        yield text, Style.PLACE if text.endswith(":") and not text.startswith(" ") else Style.PLAIN
