"""`simt-lsp meld FILE[:FUNCTION[:LINE]]`: divergent arms that can be one sequence, checked by running both."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Final

from analysis.facts.model import FunctionFacts
from analysis.lower.program import DeviceFunction
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.patch import replace_file, unified_diff
from simt_lsp.cli.paths import displayed
from simt_lsp.cli.targets import functions_named, region_target
from simt_lsp.cli.terminal import writer

try:
    from sim.equivalence.model import Gap, NotChecked, NotFewer, Refuted
    from simt_lsp.cli.meld_regions import ConsideredBranch, Melder
    from simt_lsp.cli.meld_report import MeldReport
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "numpy":
        raise
    raise UsageError(
        f'meld needs NumPy, which is not installed here: "{sys.executable}" -m pip install numpy'
    ) from None


def meld(options: argparse.Namespace) -> ExitStatus:
    target, line = region_target(options.place)
    if options.diff and options.json:
        raise UsageError("--diff and --json both want standard output: give one of them")
    engine = Engine(engine_options(options, [target.path]), edited=True)
    analyzed = analyzed_file(engine, target.path)
    melder = Melder(engine, options)
    wanted = melder.found(analyzed, _functions(analyzed, target.function))
    if line is not None:
        wanted = _on_line(analyzed, wanted, line)
    regions = melder.checked(analyzed, wanted)
    report = MeldReport(analyzed, regions, options.unchecked, line is not None or options.all_branches)
    applied: Sequence[ConsideredBranch] = ()
    if options.diff or options.write:
        text, applied = melder.applied(analyzed, regions, again=line is None)
        _write(report, text, applied, options)
    if options.json:
        print(json.dumps({"regions": report.objects(), "applied": len(applied) if options.write else 0}))
    elif not options.diff:
        writer(sys.stdout, options.color)(report.lines())
    return _status(regions, options, is_one=line is not None)


def _functions(analyzed: Analyzed, name: str | None) -> Sequence[FunctionFacts]:
    """The functions of the file that `#if` leaves in it, or those with this name."""
    compiled = [one for one in analyzed.analysis.program.device_functions() if one.item.active]
    named: Sequence[DeviceFunction] = compiled
    if name is not None:
        named = functions_named(compiled, analyzed.path, name, "device function")
    wanted = {one.id for one in named}
    return [one for one in analyzed.analysis.facts.functions if one.id in wanted]


def _on_line(analyzed: Analyzed, regions: Sequence[ConsideredBranch], line: int) -> Sequence[ConsideredBranch]:
    """The branches whose keyword stands on the line, else the innermost around it."""
    lines = analyzed.analysis.document.lines
    if line > lines.line_count:
        raise UsageError(f"{analyzed.path} has {lines.line_count} lines, there is no line {line}")
    there = [region for region in regions if lines.line_of(region.start) + 1 == line]
    if there:
        return there
    around = [
        region
        for region in regions
        if lines.line_of(region.start) < line <= lines.line_of(region.function.start + region.branch.extent.end - 1) + 1
    ]
    if not around:
        raise UsageError(f"no divergent branch stands on line {line} of {analyzed.path}")
    return [max(around, key=lambda region: region.start)]


def _write(report: MeldReport, text: bytes, applied: Sequence[ConsideredBranch], options: argparse.Namespace) -> None:
    analyzed = report.analyzed
    before = analyzed.analysis.document.text
    if options.diff:
        sys.stdout.buffer.write(unified_diff(before, text, displayed(analyzed.analysis.facts.path)))
        sys.stdout.buffer.flush()
    elif text != before:
        replace_file(analyzed.path, before, text)
    if not applied:
        print(f"simt-lsp: {analyzed.path}: nothing to meld ({report.counts()})", file=sys.stderr)
    for region in applied:
        title = "" if region.checked is None else region.checked.title
        verb = "melded" if options.write else "melds"
        print(f"simt-lsp: {verb} in {region.function.name}: {title}", file=sys.stderr)


def _status(regions: Sequence[ConsideredBranch], options: argparse.Namespace, *, is_one: bool) -> ExitStatus:
    """Of all regions together, the gravest."""
    verdicts = [region.checked.verdict for region in regions if region.checked is not None]
    if any(isinstance(one, Refuted) and not isinstance(one.evidence, NotFewer) for one in verdicts):
        return ExitStatus.FOUND
    if any(isinstance(one, NotChecked) and one.gap in _CUT_SHORT for one in verdicts):
        return ExitStatus.TRUNCATED
    if is_one and not any(region.is_offered(unchecked=options.unchecked) for region in regions):
        return ExitStatus.REFUSED
    return ExitStatus.CLEAN


_CUT_SHORT: Final = (Gap.TRUNCATED, Gap.CANCELLED)
