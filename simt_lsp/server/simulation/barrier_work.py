"""One check of barriers, in the simulation process: they are inserted, both versions run, and what differs is said."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, assert_never

from analysis.facts.file_analysis import FileAnalysis
from sim.equivalence.checked_barriers import NoBarriers, check_order, check_reconvergence
from sim.launch.specification import Budget
from simt_lsp.server.simulation.edit_frames import edited_frame, refused_frame, requests_for
from simt_lsp.server.simulation.job import BarrierGoal, BarrierJob


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

    match job.goal:
        case BarrierGoal.ORDER:
            check = partial(check_order, analysis, function, reanalyze)
        case BarrierGoal.RECONVERGE:
            check = partial(check_reconvergence, analysis, function, job.keyword, reanalyze)
        case _:
            assert_never(job.goal)
    left = max(job.seconds - (time.monotonic() - started), 0.0)
    checked = check(budget=Budget(seconds=left), progress=goes_on, requests_of=lambda kernel: requests_for(job, kernel))
    if isinstance(checked, NoBarriers):
        return refused_frame(job, checked.message)
    return edited_frame(checked.title, checked.edit, checked.comparison)
