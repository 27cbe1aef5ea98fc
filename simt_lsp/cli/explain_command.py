"""`simt-lsp explain FILE:LINE`: why a line varies between threads, in words; `explain SYN101`: what a rule reports."""

from __future__ import annotations

import argparse
from dataclasses import replace

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.declared_elsewhere import declared_at, definitions_of
from analysis.features.explain import explain_line, render_explanation
from analysis.features.explain_launch import sites_on_line, with_launches
from analysis.features.hover_info import FunctionSubject
from analysis.features.launch_hover import kernel_subject
from analysis.features.launch_site import FunctionPlace, LaunchSite, launch_sites
from analysis.launches import launch_shapes
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.project_files import callers_of_file
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
    elsewhere: dict[FunctionPlace, FileAnalysis] = {}

    def with_definition(site: LaunchSite) -> LaunchSite:
        """A kernel that the file only declares is looked for in the project."""
        declared = None if site.kernel is None or site.kernel.is_definition else declared_at(analysis, site.kernel)
        if declared is None:
            return site
        paths = engine.definers(target.path, declared.name)
        others = [engine.analyze(path, callers_of_file(engine, path)).analysis for path in paths]
        found = [(one, other) for other in others for one in definitions_of(other, declared)]
        if len(found) != 1:
            return site
        ((definition, other),) = found
        elsewhere[definition.place] = other
        return replace(site, elsewhere=definition)

    def facts_of(kernel: FunctionPlace) -> FunctionSubject | None:
        if kernel in elsewhere:
            return kernel_subject(elsewhere[kernel], kernel)
        own = analysis if kernel.path == analysis.facts.path else engine.facts_within(analyzed, kernel.path)
        return None if own is None else kernel_subject(own, kernel)

    sites = tuple(map(with_definition, sites_on_line(analysis, sites, target.line)))
    print(render_explanation(with_launches(analysis, explanation, sites, facts_of)).rstrip("\n"))
    if options.exact or options.net is not None or options.states is not None:
        from simt_lsp.cli.exact_explanation import explain_paths

        explain_paths(options, analysis, target.line)
    return ExitStatus.CLEAN
