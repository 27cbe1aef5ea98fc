"""One finding that the analysis could not decide, held against runs in the simulation process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from analysis.facts.file_analysis import FileAnalysis
from analysis.rules.undecided import undecided_findings
from sim.confirm.confirm import confirm
from simt_lsp.checked_by_runs import run_check
from simt_lsp.server.simulations.edit_frames import requests_for
from simt_lsp.server.simulations.job import ConfirmJob


def confirmed(
    job: ConfirmJob, analysis: FileAnalysis, *, started: float, progress: Callable[[float], None]
) -> dict[str, Any]:
    """The last frame of the job; `started` is when the time of the job began to count."""
    wanted = job.code, job.start, job.end
    for finding in undecided_findings(analysis, job.rules):
        if (finding.diagnostic.code, finding.diagnostic.start, finding.diagnostic.end) != wanted:
            continue

        def goes_on(share: float) -> bool:
            progress(share)
            return True

        left = max(job.seconds - (time.monotonic() - started), 0.0)
        (verdict,) = confirm(
            analysis,
            [finding],
            seconds=left,
            progress=goes_on,
            requests_of=lambda kernel: requests_for(job, kernel),
        )
        return {"run": run_check(verdict).written()}
    return {"failed": f"{job.code} is not where it was", "log": None}
