"""Dynamic convergence preservation: threads of a warp that branch the same way stay together.

Only when they really part does each run alone, up to the next `syncwarp`.  No stack, and most of what static analysis
cannot prove is converged all the same: 97 % of the work of Lee's benchmarks at 4 lanes, less at 32.  Spin locks fare as
under `stackless`: a holder that comes to convergent code waits there for those that spin.

Source    Lee et al., CGO 2013, section 4.1 and figure 4.
"""

from __future__ import annotations

from typing import ClassVar, final

from sim.policies.lone_threads import LoneThreads


@final
class Preserve(LoneThreads):
    name: ClassVar[str] = "preserve"

    def _stays_together(self, target: int) -> bool:
        return True
