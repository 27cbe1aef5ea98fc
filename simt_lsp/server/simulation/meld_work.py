"""One check of a melding, in the simulation process: the edit is made, both versions run, and what differs is said."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.functions import annotation_above
from analysis.lower.program import DeviceFunction
from analysis.refactor.meld.model import Opportunity, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from sim.equivalence.checked_meld import CheckedMeld, check_meld
from sim.equivalence.model import Confirmed, Figures, LaunchSummary, NotChecked, Refuted, Verdict
from sim.equivalence.words import verdict_words
from sim.launch.request import Request, requests_in_order
from sim.launch.specification import Budget
from simt_lsp.launch_requests import settings_requests
from simt_lsp.server.simulation.job import MeldJob
from simt_lsp.server.simulation.meld_outcome import MeldVerdict

if TYPE_CHECKING:
    from analysis.refactor.meld.model import Outcome


def melded(
    job: MeldJob,
    analysis: FileAnalysis,
    reanalyze: Callable[[bytes], FileAnalysis],
    *,
    started: float,
    progress: Callable[[float], None],
) -> dict[str, Any]:
    """The last frame of the job; `started` is when the time of the job began to count."""
    outcome = _outcome(job, analysis)
    match outcome:
        case None:
            return {"failed": f"the branch in {job.function} is not where it was", "log": None}
        case Refusal(message=message):
            return _refused(job, message)
        case Opportunity():
            pass
        case _:
            assert_never(outcome)

    def goes_on(share: float) -> bool:
        progress(share)
        return True

    left = max(job.seconds - (time.monotonic() - started), 0.0)
    checked = check_meld(
        analysis,
        outcome,
        job.settings,
        reanalyze=reanalyze,
        budget=Budget(seconds=left),
        progress=goes_on,
        requests_of=lambda kernel: _requests(job, kernel),
    )
    return _refused(job, checked.message) if isinstance(checked, Refusal) else {"melded": _object(checked)}


def _outcome(job: MeldJob, analysis: FileAnalysis) -> Outcome | None:
    function = next((one for one in analysis.facts.functions if one.start == job.start and one.active), None)
    outcomes = () if function is None else meld_outcomes(analysis, function, job.settings)
    return next((one for one in outcomes if job.start + one.branch.keyword.start == job.keyword), None)


def _requests(job: MeldJob, kernel: DeviceFunction) -> Sequence[Request]:
    """The comment above the kernel, then the settings."""
    folder = os.path.dirname(job.source.path)
    annotation = annotation_above(job.source.text, kernel.item.span.start)
    said = settings_requests(job.simulation.of(kernel.item.name), folder)
    return requests_in_order(Request("given"), annotation, folder, said, job.source.settings.block)


def _refused(job: MeldJob, message: str) -> dict[str, Any]:
    return {"refused": f"{job.function}: {message}", "place": None, "advice": None}


def _object(checked: CheckedMeld) -> dict[str, Any]:
    figures = checked.figures[0] if checked.figures else None
    return {
        "verdict": _verdict(checked.verdict).value,
        "title": checked.title,
        "message": verdict_words(checked.verdict),
        "edits": [[one.start, one.end, one.text] for one in checked.edit],
        "before": None if figures is None else _figures(figures.before),
        "after": None if figures is None else _figures(figures.after),
        "launch": None if checked.launch is None else _launch(checked.launch),
    }


def _verdict(verdict: Verdict) -> MeldVerdict:
    match verdict:
        case Confirmed():
            return MeldVerdict.CONFIRMED
        case Refuted():
            return MeldVerdict.REFUTED
        case NotChecked():
            return MeldVerdict.NOT_CHECKED
        case _:
            assert_never(verdict)


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "warpInstructions": figures.warp_instructions,
        "activeLanes": round(figures.active_lanes, 2),
        "memoryRequests": figures.memory_requests,
        "sectors": figures.sectors,
    }


def _launch(launch: LaunchSummary) -> dict[str, Any]:
    return {
        "kernel": launch.kernel,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "warpSize": launch.warp_size,
        "seed": launch.seed,
        "threads": launch.threads,
    }
