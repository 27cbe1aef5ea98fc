"""What a reconvergence policy promises, so that a run under it can be held against more."""

from __future__ import annotations

from typing import Final

from sim.observers.protocol import Run

RECONVERGING: Final = frozenset(("ipdom", "counters", "min-pc", "path-list-depth"))


def keeps_together(run: Run) -> bool:
    """Whether lanes run together wherever the analysis proves that none of the warp is missing.

    Other policies let lanes of different iterations run together, or those of one iteration apart; so does min(PC)
    where it gives lanes turns of their own because others poll.
    """
    return run.policy in RECONVERGING and not (run.policy == "min-pc" and run.graph.polling)
