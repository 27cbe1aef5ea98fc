"""Stackless SIMT that the compiler manages: threads are together in convergent code only.

Wherever the analysis cannot prove that all lanes of a warp come along, each runs alone, even if they all branch the
same way.  The counts show what static convergence alone is worth.

Threads that are apart take turns, so a lock that is taken and let go in divergent code is handed on.  But where what
follows a spin loop is convergent, the holder waits there for those that spin: `while (!acquire()) {}` livelocks.

Source    Lee et al., CGO 2013, section 5.2; figure 4, "Compiler CA + VA + exit".
"""

from __future__ import annotations

from typing import ClassVar, final

from sim.policies.lone_threads import LoneThreads


@final
class Stackless(LoneThreads):
    name: ClassVar[str] = "stackless"

    def _stays_together(self, target: int) -> bool:
        return target in self._convergent
