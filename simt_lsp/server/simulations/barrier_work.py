"""One check of a repair of barriers, in the simulation process: the edit is drafted, and both versions run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from analysis.facts.file_analysis import FileAnalysis
from sim.equivalence.checked_barriers import NoBarriers, check_barriers
from sim.specification import Budget
from simt_lsp.server.simulations.edit_frames import edited_frame, refused_frame, requests_for
from simt_lsp.server.simulations.job import BarrierJob


def with_barriers(
    job: BarrierJob,
    analysis: FileAnalysis,
    reanalyze: Callable[[bytes], FileAnalysis],
    *,
    started: float,
    progress: Callable[[float], None],
) -> dict[str, Any]:
    """The last frame of the job; `started` is when the time of the job began to count."""
    function = next((one for one in analysis.facts.functions if one.start == job.start and one.active), None)
    if function is None:
        return {"failed": f"{job.function} is not where it was", "log": None}

    def goes_on(share: float) -> bool:
        progress(share)
        return True

    left = max(job.seconds - (time.monotonic() - started), 0.0)
    checked = check_barriers(
        analysis,
        function,
        job.goal,
        job.place,
        reanalyze,
        budget=Budget(seconds=left),
        progress=goes_on,
        requests_of=lambda kernel: requests_for(job, kernel),
    )
    if isinstance(checked, NoBarriers):
        return refused_frame(job, checked.message)
    return edited_frame(checked.title, checked.edit, checked.comparison)
