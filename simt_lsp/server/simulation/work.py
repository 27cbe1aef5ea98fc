"""One job: the text is analysed here again, then its kernel runs; of the server, this module alone imports `sim`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.functions import annotation_above
from analysis.ir.function import FunctionKind
from analysis.lower.program import DeviceFunction, Program
from analysis.syntax.document import Document
from sim.launch.planner import Planner
from sim.launch.request import Request, requests_in_order
from sim.launch.specification import Budget
from sim.policies.registry import policies_named
from sim.refusals import LaunchError, Refusal
from sim.report.assemble import report_kernel
from sim.report.json_report import kernel_object
from sim.report.model import KernelReport, TruncationReport
from sim.report.places import SourcePlaces
from sim.result import TruncationReason
from simt_lsp.server.simulation.job import SimulationJob
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache

SHARE_OF_ONE_RUN: Final = 0.5
"""Of the time for everything: a launch that does not end is tried again with a smaller one."""


def simulated(job: SimulationJob, started: float, progress: Callable[[float], None]) -> dict[str, Any]:
    """The last frame of the process; `started` is when the time of the job began to count."""
    deadline = started + job.overrides.seconds
    analysis = _analysis(job)
    kernel = _kernel(analysis.program, job)
    if kernel is None:
        return {"failed": f"kernel {job.kernel} is not where it was", "log": None}

    def in_time(share: float) -> bool:
        progress(share)
        return time.monotonic() < deadline

    try:
        planner = Planner(
            analysis.program, kernel, _requests(job, kernel), budget=_budget(job),
            havoc=job.overrides.havoc,
        )  # fmt: skip
    except LaunchError as error:
        return {"refused": f"{job.kernel}: {error}", "line": None}
    try:
        report = report_kernel(
            analysis.program,
            planner,
            policies_named(job.overrides.policies),
            analysis.facts.functions,
            progress=in_time,
        )
    except LaunchError as error:
        return {"refused": f"{job.kernel}: {error}", "line": None}
    except Refusal as refusal:
        place = SourcePlaces(analysis.program, planner.kernel).place(refusal.function, refusal.span)
        here = place is not None and place.path == job.path
        where = "" if place is None else f"{os.path.basename(place.path)}:{place.line}: "
        return {"refused": f"{where}{refusal}", "line": place.line if place is not None and here else None}
    report = _out_of_time(report)
    return {"report": kernel_object(report), "html": _page(report) if job.overrides.html else None}


def _analysis(job: SimulationJob) -> FileAnalysis:
    loader = DiskLoader(FileCache() if job.on_disk else None, job.open_texts, lambda: job.files)
    return Analyzer().analyze(job.path, Document.open(job.text), loader, job.settings, context=job.context)


def _kernel(program: Program, job: SimulationJob) -> DeviceFunction | None:
    for function in program.device_functions():
        item = function.item
        if function.kind is FunctionKind.KERNEL and (item.path, item.span.start) == (job.path, job.start):
            return function
    return None


def _requests(job: SimulationJob, kernel: DeviceFunction) -> Sequence[Request]:
    """The client, then the comment above the kernel, then the settings.  Raises `LaunchError`."""
    asked = job.overrides
    given = Request("given", asked.grid, asked.block, asked.shared_bytes, asked.seed, asked.arguments)
    annotation = annotation_above(job.text, kernel.item.span.start)
    if annotation is not None and not job.on_disk and any("@" in text for text in annotation.parameters.values()):
        raise LaunchError("the comment above the kernel names a file: save this text first, so it has a folder")
    return requests_in_order(given, annotation, os.path.dirname(job.path), job.settings.block)


def _budget(job: SimulationJob) -> Budget:
    seconds = job.overrides.seconds * SHARE_OF_ONE_RUN
    steps = job.overrides.max_steps
    return Budget(seconds=seconds) if steps is None else Budget(steps, seconds)


def _page(report: KernelReport) -> str:
    from sim.report.html import html_page

    return html_page(report)


def _out_of_time(report: KernelReport) -> KernelReport:
    """A run is cancelled here for one reason: the time for everything is over."""
    return replace(
        report,
        policies=tuple(
            replace(run, truncated=TruncationReport(TruncationReason.TIME, run.truncated.place))
            if run.truncated is not None and run.truncated.reason is TruncationReason.CANCELLED
            else run
            for run in report.policies
        ),
    )
