"""One check of a melding, in the simulation process: the edit is made, both versions run, and what differs is said."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, assert_never

from analysis.facts.file_analysis import FileAnalysis
from analysis.refactor.meld.model import Opportunity, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from sim.equivalence.checked_meld import check_meld
from sim.specification import Budget
from simt_lsp.server.simulations.edit_frames import edited_frame, refused_frame, requests_for
from simt_lsp.server.simulations.job import MeldJob

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
            return refused_frame(job, message)
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
        requests_of=lambda kernel: requests_for(job, kernel),
    )
    return (
        refused_frame(job, checked.message)
        if isinstance(checked, Refusal)
        else edited_frame(checked.title, checked.edit, checked.comparison)
    )


def _outcome(job: MeldJob, analysis: FileAnalysis) -> Outcome | None:
    function = next((one for one in analysis.facts.functions if one.start == job.start and one.active), None)
    outcomes = () if function is None else meld_outcomes(analysis, function, job.settings)
    return next((one for one in outcomes if job.start + one.branch.keyword.start == job.keyword), None)
