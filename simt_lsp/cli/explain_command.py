"""`simt-lsp explain FILE:LINE`: why a line varies between threads, in words; `explain SYN101`: what a rule reports."""

from __future__ import annotations

import argparse

from analysis.features.explain import explain_line, render_explanation
from analysis.features.explain_launch import with_launches
from analysis.features.hover_info import FunctionSubject
from analysis.features.launch_hover import kernel_subject
from analysis.features.launch_site import FunctionPlace, launch_sites
from analysis.lower.launches import launch_shapes
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.targets import line_target


def explain(options: argparse.Namespace) -> ExitStatus:
    if ":" not in options.place:
        from simt_lsp.cli.rule_page import show_rule

        return show_rule(options.place)
    target = line_target(options.place)
    engine = Engine(engine_options(options, [target.path]))
    analyzed = analyzed_file(engine, target.path)
    analysis = analyzed.analysis
    count = analysis.document.lines.line_count
    if target.line > count:
        raise UsageError(f"{target.path} has {count} lines, there is no line {target.line}")
    explanation = explain_line(analysis, target.line, analyzed.setup.configuration.rules.meld)
    sites = launch_sites(analysis, launch_shapes(analysis.program.unit))

    def facts_of(kernel: FunctionPlace) -> FunctionSubject | None:
        own = analysis if kernel.path == analysis.facts.path else engine.facts_within(analyzed, kernel.path)
        return None if own is None else kernel_subject(own, kernel)

    print(render_explanation(with_launches(analysis, explanation, sites, facts_of)).rstrip("\n"))
    if options.exact or options.net is not None or options.states is not None:
        from simt_lsp.cli.exact_explanation import explain_paths

        explain_paths(options, analysis, target.line)
    return ExitStatus.CLEAN
