"""One job: the text is analysed here again, then its kernel runs; of the server, this module, `meld_work.py`,
`barrier_work.py`, `confirm_work.py` and `edit_frames.py` alone import `sim`.

The page is made with every report: it costs a few milliseconds here, and who asks for it later need not run again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, assert_never

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.facts.settings import AnalysisSettings
from analysis.launches.annotation import annotation_above
from analysis.lower.program import DeviceFunction, Program
from analysis.lower.seen_kernels import kernel_at
from analysis.syntax.document import Document
from presentation.html.page import html_page
from presentation.terminal.report import report_lines
from sim.launch.planner import Planner
from sim.launch.request import Request, requests_in_order
from sim.policies.registry import policies_named
from sim.refusals import LaunchError, Refusal
from sim.report.assemble import report_kernel
from sim.report.interim import FIRST_SECONDS, Interim
from sim.report.json_report import kernel_object
from sim.report.model import KernelReport, TruncationReport
from sim.report.places import SourcePlaces
from sim.result import TruncationReason
from sim.specification import Budget
from simt_lsp.launch_requests import settings_requests
from simt_lsp.server.simulations.barrier_work import with_barriers
from simt_lsp.server.simulations.confirm_work import confirmed
from simt_lsp.server.simulations.job import BarrierJob, ConfirmJob, EditJob, Job, MeldJob, SimulationJob, SourceText
from simt_lsp.server.simulations.meld_work import melded
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache

HAVOC_ADVICE: Final = "simulating with havoc fills its results with random values"
LAUNCH_ADVICE: Final = (
    "give it with the command, in a comment above the kernel (// simt: block=256 n=2048), or in the settings"
)

Share = Callable[[float], None]


class Worker:
    """Does one job after the other, and keeps what it analysed."""

    def __init__(self) -> None:
        self._analyzer = Analyzer()
        self._cache = FileCache()

    def answer(
        self, job: Job, started: float, progress: Share, tell: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """The last frame of the job; `started` is when the time of the job began to count; `tell` gets what was counted
        so far, in the form of that frame."""
        match job:
            case SimulationJob():
                return self.simulated(job, started, progress, tell)
            case MeldJob() | BarrierJob():
                return self.edited(job, started, progress)
            case ConfirmJob():
                analysis = self._analysis(job.source, job.source.settings, job.source.text)
                return confirmed(job, analysis, started=started, progress=progress)
            case _:
                assert_never(job)

    def edited(self, job: EditJob, started: float, progress: Share) -> dict[str, Any]:
        """The last frame of a job that checks an edit."""

        def analyzed(text: bytes) -> FileAnalysis:
            return self._analysis(job.source, job.source.settings, text)

        analysis = analyzed(job.source.text)
        match job:
            case MeldJob():
                return melded(job, analysis, analyzed, started=started, progress=progress)
            case BarrierJob():
                return with_barriers(job, analysis, analyzed, started=started, progress=progress)
            case _:
                assert_never(job)

    def simulated(
        self, job: SimulationJob, started: float, progress: Share, tell: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """The last frame of a job that simulates."""
        deadline = started + job.seconds

        def in_time(share: float) -> bool:
            progress(share)
            return time.monotonic() < deadline

        def so_far(report: KernelReport) -> None:
            tell({**_finished(report), "stopped": _rendered(report.stopped())})

        interim = Interim(so_far, first=started + FIRST_SECONDS - time.monotonic())
        analysis = self._analysis(job.source, job.analysis_settings, job.source.text)
        kernel = kernel_at(analysis.program, job.path, job.start)
        if kernel is None:
            return {"failed": f"kernel {job.kernel} is not where it was", "log": None}
        try:
            policies = policies_named(job.policies)
            planner = Planner(
                analysis.program,
                kernel,
                _requests(job, analysis.program, kernel),
                budget=_budget(job),
                havoc=job.overrides.havoc,
                leaves_out_launches=True,
                launch=job.launch,
            )
        except LaunchError as error:
            return _not_launched(job, error)
        try:
            report = report_kernel(
                analysis.program,
                planner,
                policies,
                self._facts(job, analysis),
                progress=in_time,
                interim=interim,
                spent=time.monotonic() - started,
            )
        except LaunchError as error:
            return _not_launched(job, error) if time.monotonic() < deadline else _too_late(job)
        except Refusal as refusal:
            return _refused(job, SourcePlaces(analysis.program, planner.kernel), refusal)
        return _finished(_out_of_time(report))

    def _facts(self, job: SimulationJob, analysis: FileAnalysis) -> Sequence[FunctionFacts]:
        """Those of the kernel's file, as the analysed one that includes it sees it."""
        if job.path == job.source.path:
            return analysis.facts.functions
        text = analysis.program.unit.text_of(job.path) or b""
        within = replace(job.source, path=job.path, context=job.source.path, includers=())
        return self._analysis(within, job.analysis_settings, text).facts.functions

    def _analysis(self, source: SourceText, settings: AnalysisSettings, text: bytes) -> FileAnalysis:
        loader = DiskLoader(self._cache if source.on_disk else None, source.open_texts, lambda: source.files)
        return self._analyzer.analyze(
            source.path,
            Document.open(text),
            loader,
            settings,
            context=source.context,
            includers=source.includers,
        )


def _finished(report: KernelReport) -> dict[str, Any]:
    files = [[file.path, file.changed, file.size] for file in report.files]
    return {"report": kernel_object(report), **_rendered(report), "files": files}


def _rendered(report: KernelReport) -> dict[str, Any]:
    lines = [[{"text": text, "tone": tone.value} for text, tone in line] for line in report_lines(report)]
    return {"html": html_page(report), "text": lines}


def _requests(job: SimulationJob, program: Program, kernel: DeviceFunction) -> Sequence[Request]:
    """The client, then the comment above the kernel, then the settings.  Raises `LaunchError`."""
    asked = job.overrides
    given = Request("given", asked.grid, asked.block, asked.shared_bytes, asked.seed, asked.arguments)
    annotation = annotation_above(program.unit.text_of(job.path) or b"", kernel.item.span.start)
    if (
        annotation is not None
        and not job.source.on_disk
        and any("@" in text for text in annotation.parameters.values())
    ):
        raise LaunchError("the comment above the kernel names a file: save this text first, so it has a folder")
    folder = os.path.dirname(job.path)
    return requests_in_order(
        given, annotation, folder, settings_requests(job.launches, folder), job.source.settings.block
    )


def _budget(job: SimulationJob) -> Budget:
    return Budget(seconds=job.seconds) if job.max_steps is None else Budget(job.max_steps, job.seconds)


def _not_launched(job: SimulationJob, error: LaunchError) -> dict[str, Any]:
    return {"refused": f"{job.kernel}: {error}", "place": None, "advice": LAUNCH_ADVICE}


def _too_late(job: SimulationJob) -> dict[str, Any]:
    return {
        "refused": f"{job.kernel}: the time of {job.seconds:g} s was over before the kernel started",
        "place": None,
        "advice": "give more with `seconds`, or smaller arrays",
    }


def _refused(job: SimulationJob, places: SourcePlaces, refusal: Refusal) -> dict[str, Any]:
    place = places.place(refusal.function, refusal.span)
    where = "" if place is None else f"{os.path.basename(place.path)}:{place.line}: "
    advice = None if job.overrides.havoc or refusal.is_a_guess else HAVOC_ADVICE
    return {"refused": f"{where}{refusal}", "place": None if place is None else asdict(place), "advice": advice}


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
