"""What the jobs that check an edit have in common: what is asked of launches, and their last frame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, assert_never

from analysis.launches.annotation import annotation_above
from analysis.lower.program import DeviceFunction
from analysis.refactor.edit import Replacement
from sim.equivalence.model import Comparison, Confirmed, Figures, LaunchSummary, NotChecked, Refuted, Verdict
from sim.equivalence.words import verdict_words
from sim.launch.request import Request, requests_in_order
from simt_lsp.launch_requests import settings_requests
from simt_lsp.server.simulations.edit_outcome import EditVerdict
from simt_lsp.server.simulations.job import ConfirmJob, EditJob


def requests_for(job: EditJob | ConfirmJob, kernel: DeviceFunction) -> Sequence[Request]:
    """The comment above the kernel, then the settings."""
    folder = os.path.dirname(job.source.path)
    annotation = annotation_above(job.source.text, kernel.item.span.start)
    said = settings_requests(job.simulation.of(kernel.item.name), folder)
    return requests_in_order(Request("given"), annotation, folder, said, job.source.settings.block)


def refused_frame(job: EditJob, message: str) -> dict[str, Any]:
    return {"refused": f"{job.function}: {message}", "place": None, "advice": None}


def edited_frame(title: str, edit: Sequence[Replacement], comparison: Comparison) -> dict[str, Any]:
    figures, launch = comparison.figures[0] if comparison.figures else None, comparison.launch
    edited = {
        "verdict": _verdict(comparison.verdict).value,
        "title": title,
        "message": verdict_words(comparison.verdict),
        "edits": [[one.start, one.end, one.text] for one in edit],
        "before": None if figures is None else _figures(figures.before),
        "after": None if figures is None else _figures(figures.after),
        "launch": None if launch is None else _launch(launch),
    }
    return {"edited": edited}


def _verdict(verdict: Verdict) -> EditVerdict:
    match verdict:
        case Confirmed():
            return EditVerdict.CONFIRMED
        case Refuted():
            return EditVerdict.REFUTED
        case NotChecked():
            return EditVerdict.NOT_CHECKED
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
