"""`simt-lsp simulate FILE[:KERNEL]`: what happens when the kernel runs, with everything chosen that was not given."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from analysis.facts.functions import annotation_above
from analysis.ir.function import FunctionKind
from analysis.lower.program import DeviceFunction, Program
from simt_lsp.cli.command_options import engine_options
from simt_lsp.cli.engine import Analyzed, Engine, UnreadableError
from simt_lsp.cli.exit_status import ExitStatus, UsageError
from simt_lsp.cli.targets import function_target, functions_named
from simt_lsp.cli.terminal import Style, shows_progress, writer

try:
    from sim.launch.npy_files import write_arrays
    from sim.launch.planner import Planner
    from sim.launch.request import Request, requests_in_order
    from sim.launch.specification import Budget
    from sim.policies.protocol import PolicyFactory
    from sim.policies.registry import policies_named
    from sim.refusals import LaunchError, Refusal
    from sim.report.assemble import report_kernel
    from sim.report.html import html_page
    from sim.report.json_report import kernel_object
    from sim.report.model import KernelReport
    from sim.report.places import SourcePlaces
    from sim.report.text import Tone, report_lines
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.partition(".")[0] != "numpy":
        raise
    raise UsageError("simulate needs NumPy, which is not installed here: pip install 'simt-lsp[sim]'") from None


def simulate(options: argparse.Namespace) -> ExitStatus:
    target = function_target(options.place)
    policies = _policies(options.policy)
    try:
        analyzed = Engine(engine_options(options, [target.path])).analyze(target.path)
    except UnreadableError as error:
        raise UsageError(f"{target.path}: {error}") from error
    kernels = _kernels(analyzed.analysis.program, target.path, target.function)
    found_faults = False
    for kernel in kernels:
        report = _reported(analyzed, kernel, policies, options, alone=len(kernels) == 1)
        if report is None:
            continue
        found_faults |= any(run.faults for run in report.policies)
        _write(report, options, alone=len(kernels) == 1)
    return ExitStatus.FOUND if found_faults else ExitStatus.CLEAN


# -- what is asked for -------------------------------------------------------------------------------------------------


def _policies(text: str) -> Sequence[PolicyFactory]:
    try:
        return policies_named(name.strip() for name in text.split(",") if name.strip())
    except LaunchError as error:
        raise UsageError(f"--policy: {error}") from error


def _kernels(program: Program, path: str, name: str | None) -> Sequence[DeviceFunction]:
    """The kernels of the file that `#if` leaves in it, or those with this name."""
    kernels = [one for one in program.device_functions() if one.kind is FunctionKind.KERNEL and one.item.active]
    return functions_named(kernels, path, name, "kernel")


def _requests(analyzed: Analyzed, kernel: DeviceFunction, options: argparse.Namespace) -> Sequence[Request]:
    """The command line, then the comment above the kernel, then the settings."""
    arguments: dict[str, str] = {}
    for given in options.arg:
        name, equals, value = given.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--arg {given}: write NAME=VALUE, for example n=2048 or x=random(0,1)")
        arguments[name.strip()] = value.strip()
    block = analyzed.setup.settings.block
    extent = None if block is None or not options.block else (block.x, block.y, block.z)
    given = Request("given", options.grid, extent, options.shared, options.seed, arguments)
    text = analyzed.analysis.program.unit.text_of(kernel.item.path)
    annotation = None if text is None else annotation_above(text, kernel.item.span.start)
    return requests_in_order(given, annotation, os.path.dirname(kernel.item.path), block)


# -- one kernel --------------------------------------------------------------------------------------------------------


def _reported(
    analyzed: Analyzed,
    kernel: DeviceFunction,
    policies: Sequence[PolicyFactory],
    options: argparse.Namespace,
    *,
    alone: bool,
) -> KernelReport | None:
    """The report; None for a kernel among several that cannot run, which is said on standard error."""
    program, name = analyzed.analysis.program, f"{analyzed.path}:{kernel.item.name}"
    budget = Budget(seconds=options.timeout)
    if options.max_steps is not None:
        budget = Budget(options.max_steps, options.timeout)
    try:
        planner = Planner(program, kernel, _requests(analyzed, kernel, options), budget=budget, havoc=options.havoc)
    except LaunchError as error:
        return _refused(f"{name}: {error}", alone=alone)
    try:
        with _progress(kernel.item.name) as progress:
            return report_kernel(
                program, planner, policies, analyzed.analysis.facts.functions, warp=options.warp, progress=progress
            )
    except LaunchError as error:
        return _refused(f"{name}: {error}", alone=alone)
    except Refusal as refusal:
        place = _place(program, planner, refusal, analyzed.path)
        return _refused(f"{place}: {refusal}{_advice(options)}", alone=alone)


def _refused(problem: str, *, alone: bool) -> None:
    if alone:
        raise UsageError(problem)
    print(f"simt-lsp: {problem}", file=sys.stderr)


def _place(program: Program, planner: Planner, refusal: Refusal, path: str) -> str:
    found = SourcePlaces(program, planner.kernel).place(refusal.function, refusal.span)
    return path if found is None else f"{found.path if found.path != os.path.abspath(path) else path}:{found.line}"


def _advice(options: argparse.Namespace) -> str:
    return "" if options.havoc else "; --havoc fills its results with random values"


@contextmanager
def _progress(title: str) -> Generator[Callable[[float], bool] | None]:
    """A bar on standard error while a kernel runs, if that is a terminal."""
    if not shows_progress():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=1.0)

        def show(share: float) -> bool:
            bar.update(task, completed=share)
            return True

        yield show


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


def _write(report: KernelReport, options: argparse.Namespace, *, alone: bool) -> None:
    """One page per kernel: `report.html`, or `report-NAME.html` where the file has several."""
    if options.out is not None:
        try:
            write_arrays(os.path.join(options.out, report.kernel), report.arrays)
        except OSError as error:
            raise UsageError(f"--out {options.out}: {error.strerror or error}") from error
    if options.html is not None:
        stem, ending = os.path.splitext(options.html)
        path = options.html if alone else f"{stem}-{report.kernel}{ending}"
        try:
            with open(path, "w", encoding="utf-8") as page:
                page.write(html_page(report))
        except OSError as error:
            raise UsageError(f"--html {path}: {error.strerror or error}") from error
    if options.json:
        print(json.dumps(kernel_object(report)))
        return
    styled = (tuple((text, _STYLES[tone]) for text, tone in line) for line in report_lines(report))
    writer(sys.stdout, options.color)(((), *styled) if not alone else styled)
