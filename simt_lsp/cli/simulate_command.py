"""`simt-lsp simulate FILE[:KERNEL|:LINE]`: what happens when a kernel runs; what is not given is chosen."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from analysis.facts.model import FunctionFacts
from analysis.ir.record import record
from analysis.launches import Launch
from analysis.lower.program import DeviceFunction, Program
from analysis.lower.seen_kernels import kernel_at
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.kernel_runs import DeclaredOnly, KernelRun, run_elsewhere, runs_of
from simt_lsp.cli.one_file import analyzed_file
from simt_lsp.cli.project_files import callers_of_file
from simt_lsp.cli.targets import function_target, region_target
from simt_lsp.cli.terminal import Style, can_write, share_progress, writer

try:
    from presentation.html.editor_links import Editor
    from presentation.html.page import html_page
    from presentation.terminal.report import NARROWEST, WIDEST, WIDTH, in_ascii, report_lines
    from presentation.terminal.table import Tone
    from sim.launch.npy_files import write_arrays
    from sim.launch.planner import Planner
    from sim.refusals import LaunchError, Refusal
    from sim.report.assemble import report_kernel
    from sim.report.json_report import kernel_object
    from sim.report.model import KernelReport
    from sim.report.places import SourcePlaces
    from simt_lsp.cli.simulate_options import budget_of, policies_of, requests_of, warp_size_of
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "numpy":
        raise
    raise UsageError(
        f'simulate needs NumPy, which is not installed here: "{sys.executable}" -m pip install numpy'
    ) from None


def simulate(options: argparse.Namespace) -> ExitStatus:
    target, line = region_target(options.place)
    if options.policy is not None:
        policies_of(options, ())  # what is wrong is said before any file is read
    if options.editor_links is not None and options.html is None:
        raise UsageError("--editor-links goes with --html")
    engine = _engine(target.path, options)
    analyzed = analyzed_file(engine, target.path)
    before = _Before.of(options)
    try:
        runs = runs_of(analyzed.analysis, analyzed.path, target.function, line)
    except DeclaredOnly as wanted:
        analyzed, runs = _elsewhere(engine, analyzed.path, wanted)
    statuses: list[ExitStatus] = []
    shown: list[KernelReport] = []
    for run in runs:
        kernel = run.kernel
        report = _reported(*_in_its_size(engine, analyzed, run, options), options, alone=len(runs) == 1)
        if isinstance(report, ExitStatus):
            statuses.append(report)
            continue
        statuses.append(_status(report))
        if before is not None:
            other = before.report(kernel.item.name, run.launch, options)
            if isinstance(other, ExitStatus):
                statuses.append(other)
            else:
                report = replace(report, before=other)
        _write(report, options, alone=len(runs) == 1)
        if options.html is not None:
            shown.append(replace(report, arrays={}))
    if shown:
        _write_page(shown, options)
    return next((status for status in _WORST_FIRST if status in statuses), ExitStatus.CLEAN)


def _elsewhere(engine: Engine, path: str, wanted: DeclaredOnly) -> tuple[Analyzed, Sequence[KernelRun]]:
    """The kernel of a launch in the file of the project that defines it; raises `wanted` where no or several may."""
    found: list[tuple[Analyzed, Sequence[KernelRun]]] = []
    for other in engine.definers(path, wanted.declared.name):
        analyzed = analyzed_file(engine, other if os.path.isabs(path) else os.path.relpath(other))
        run = run_elsewhere(analyzed.analysis, wanted)
        found += [] if run is None else [(analyzed, [run])]
    if len(found) != 1:
        raise wanted
    return found[0]


@final
@record
class _Before:
    """The file of `--before`, and the kernel in it, where one is named."""

    path: str
    name: str | None
    engine: Engine
    analyzed: Analyzed

    @classmethod
    def of(cls, options: argparse.Namespace) -> _Before | None:
        """Raises `UsageError` for a file that cannot be read."""
        if options.before is None:
            return None
        target = function_target(options.before)
        engine = _engine(target.path, options)
        return cls(target.path, target.function, engine, analyzed_file(engine, target.path))

    def report(self, name: str, launch: Launch | None, options: argparse.Namespace) -> KernelReport | ExitStatus:
        """Of the version of the kernel `name`; raises `UsageError` where there is none."""
        (run,) = runs_of(self.analyzed.analysis, self.path, self.name or name, None)[:1]
        run = KernelRun(run.kernel, launch)
        report = _reported(*_in_its_size(self.engine, self.analyzed, run, options), options, alone=False)
        return report if isinstance(report, ExitStatus) else replace(report, arrays={})


_WORST_FIRST: Final = (ExitStatus.FOUND, ExitStatus.TRUNCATED, ExitStatus.REFUSED, ExitStatus.USAGE)


def _status(report: KernelReport) -> ExitStatus:
    """Of the policies together; a fault counts, however the run ended."""
    if any(run.faults for run in report.policies):
        return ExitStatus.FOUND
    return ExitStatus.TRUNCATED if any(run.truncated is not None for run in report.policies) else ExitStatus.CLEAN


# -- what is asked for -------------------------------------------------------------------------------------------------


def _engine(path: str, options: argparse.Namespace) -> Engine:
    return Engine(engine_options(options, [path]))


def _in_its_size(
    engine: Engine, analyzed: Analyzed, run: KernelRun, options: argparse.Namespace
) -> tuple[Engine, Analyzed, KernelRun]:
    """The kernel, in an analysis for the lanes of a warp that the settings want it to be simulated with."""
    settings = analyzed.setup.configuration.simulation.of(run.kernel.item.name)
    size = warp_size_of(options, settings, analyzed.setup.settings.warp_size)
    if size == analyzed.setup.settings.warp_size:
        return engine, analyzed, run
    resized = argparse.Namespace(**{**vars(options), "warp_size": size})
    engine = _engine(analyzed.path, resized)
    other = engine.analyze(analyzed.path, callers_of_file(engine, analyzed.path))
    kernel = kernel_at(other.analysis.program, run.kernel.item.path, run.kernel.item.span.start)
    assert kernel is not None, "the text is the same"
    return engine, other, KernelRun(kernel, run.launch)


# -- one kernel --------------------------------------------------------------------------------------------------------


def _reported(
    engine: Engine, analyzed: Analyzed, run: KernelRun, options: argparse.Namespace, *, alone: bool
) -> KernelReport | ExitStatus:
    """The report; for a kernel that cannot run a status, after it was said on standard error why.

    Raises `UsageError` for a launch that does not fit the only kernel.
    """
    kernel = run.kernel
    program, name = analyzed.analysis.program, f"{analyzed.path}:{kernel.item.name}"
    settings = analyzed.setup.configuration.simulation.of(kernel.item.name)
    policies = policies_of(options, settings)
    started = time.perf_counter()
    try:
        requests = requests_of(analyzed, kernel, options, settings)
        planner = Planner(
            program,
            kernel,
            requests,
            budget=budget_of(options, settings),
            havoc=options.havoc,
            launch=run.launch,
            elsewhere=analyzed.analysis.launches_elsewhere(kernel),
            leaves_out_launches=True,
        )
    except LaunchError as error:
        return _does_not_fit(f"{name}: {error}", alone=alone)
    try:
        with share_progress(kernel.item.name) as progress:
            return report_kernel(
                program,
                planner,
                policies,
                _facts(engine, analyzed, kernel),
                warp=options.warp,
                progress=progress,
                with_study=_studies(options),
                spent=time.perf_counter() - started,
            )
    except LaunchError as error:
        return _does_not_fit(f"{name}: {error}", alone=alone)
    except Refusal as refusal:
        place = _place(program, planner, refusal, analyzed.path)
        print(f"simt-lsp: refused: {place}: {refusal}{_advice(options, refusal)}", file=sys.stderr)
        return ExitStatus.REFUSED


def _facts(engine: Engine, analyzed: Analyzed, kernel: DeviceFunction) -> Sequence[FunctionFacts]:
    """Those of the kernel's file."""
    path = kernel.item.path
    if path == analyzed.analysis.facts.path:
        return analyzed.analysis.facts.functions
    own = engine.facts_within(analyzed, path, callers_of_file(engine, path))
    return () if own is None else own.facts.functions


def _studies(options: argparse.Namespace) -> bool:
    return (options.json or options.html is not None) if options.study is None else options.study


def _does_not_fit(problem: str, *, alone: bool) -> ExitStatus:
    if alone:
        raise UsageError(problem)
    print(f"simt-lsp: {problem}", file=sys.stderr)
    return ExitStatus.USAGE


def _place(program: Program, planner: Planner, refusal: Refusal, path: str) -> str:
    found = SourcePlaces(program, planner.kernel).place(refusal.function, refusal.span)
    return path if found is None else f"{found.path if found.path != os.path.abspath(path) else path}:{found.line}"


def _advice(options: argparse.Namespace, refusal: Refusal) -> str:
    return "" if options.havoc or refusal.is_a_guess else "; --havoc fills its results with random values"


# -- output ------------------------------------------------------------------------------------------------------------


_STYLES: Final = {
    Tone.PLAIN: Style.PLAIN,
    Tone.TITLE: Style.PLACE,
    Tone.HEADING: Style.HINT,
    Tone.GOOD: Style.GOOD,
    Tone.WARNING: Style.WARNING,
    Tone.BAD: Style.ERROR,
    Tone.MUTED: Style.MARGIN,
}


def _width() -> int:
    """Of the terminal, as far as tables can use it; the same everywhere for what is piped on."""
    if not sys.stdout.isatty():
        return WIDTH
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


def _write(report: KernelReport, options: argparse.Namespace, *, alone: bool) -> None:
    if options.out is not None:
        try:
            write_arrays(os.path.join(options.out, report.kernel), report.arrays)
        except OSError as error:
            raise UsageError(f"--out {options.out}: {error.strerror or error}") from error
    if options.json:
        print(json.dumps(kernel_object(report)))
        return
    lines = report_lines(
        report,
        _width(),
        with_study=bool(options.study),
        with_coverage=options.coverage,
        with_metrics=options.metrics,
    )
    if not can_write("·×█", sys.stdout):
        lines = map(in_ascii, lines)
    styled = (tuple((text, _STYLES[tone]) for text, tone in line) for line in lines)
    writer(sys.stdout, options.color)(((), *styled) if not alone else styled)


def _write_page(reports: Sequence[KernelReport], options: argparse.Namespace) -> None:
    """One page for all kernels, under the name that was asked for."""
    editor = None if options.editor_links is None else Editor(options.editor_links)
    try:
        with open(options.html, "w", encoding="utf-8") as page:
            page.write(html_page(*reports, editor=editor))
    except OSError as error:
        raise UsageError(f"--html {options.html}: {error.strerror or error}") from error
