"""What a reconvergence policy promises, so that a run under it can be held against more."""

from __future__ import annotations

from typing import Final

from analysis.verdict.barriers import BarrierVerdict
from benchmarks.claims.subject import Subject
from sim.events import Run

RECONVERGING: Final = frozenset(("ipdom", "counters", "min-pc", "path-list-depth"))


def keeps_together(run: Run, subject: Subject) -> bool:
    """Whether lanes run together wherever the analysis proves that none of the warp is missing.

    Other policies let lanes of different iterations run together, or those of one iteration apart; so does min(PC)
    where it gives lanes turns of their own because others poll.  At a barrier that not all of a warp reach, some wait
    while the others go on.
    """
    polls = run.policy == "min-pc" and run.graph.polling
    waits_apart = any(site.verdict is not BarrierVerdict.CONVERGENT for site in subject.barriers)
    return run.policy in RECONVERGING and not polls and not waits_apart
