"""What running a kernel in many ways found, and what was tried.

Words     A *launch* is shape and inputs, a *schedule* who goes first: the reconvergence policy and the order of warps.
          A *run* is one launch under one schedule.  A *site* is one finding at one place, however many runs show it.
Rules     An error does not depend on anything that was invented for a run: what does is a note that names it.
          No word here is about what did not run: `lines` and `reached` say how much that is, `left` what was planned.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from sim.launch.choices import Choice
from sim.report.model import RelatedPlace, SourcePlace
from sim.specification import WarpOrder

ORDER_DEPENDENT: Final = "order-dependent"
"""The kind of what no single run shows: two schedules leave different memory."""


class Severity(Enum):
    """In falling order; the values are words of the contract."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@final
@record
class Schedule:
    """Who goes first: within a warp and among warps."""

    policy: str
    order: WarpOrder = WarpOrder.TOGETHER

    @property
    def words(self) -> str:
        return self.policy if self.order is WarpOrder.TOGETHER else f"{self.policy}, {self.order.value}"


@final
@record
class LaunchTried:
    """`why` says how it differs from the first one."""

    grid: Index3
    block: Index3
    warp_size: int
    seed: int
    choices: tuple[Choice, ...]
    why: str

    @property
    def threads(self) -> int:
        (a, b, c), (x, y, z) = self.grid, self.block
        return a * b * c * x * y * z


@final
@record
class RunTried:
    """`launch` counts the launches of the kernel from 0; `stopped` says why the run ended before the program did."""

    launch: int
    schedule: Schedule
    warp_instructions: int
    stopped: str | None
    seconds: float


@final
@record
class Site:
    """One finding: `kind` is that of `simulate --json`, `place` where it stands.

    `seen` of the runs of the kernel show it; of these, the one with the fewest threads and the plainest schedule is the
    evidence: `launch` and `schedule`, with `block` and `thread` the first thread in it.
    """

    kind: str
    severity: Severity
    place: SourcePlace | None
    message: str
    block: Index3
    thread: Index3
    count: int
    related: tuple[RelatedPlace, ...]
    chosen: tuple[str, ...]
    seen: int
    launch: int
    schedule: Schedule


@final
@record
class KernelFindings:
    """`not_run` says why nothing ran; `left` what was planned and not run.

    `lines` are those with code, of the kernel and of all that it calls; of those `reached` ran in some run.
    """

    path: str
    kernel: str
    line: int
    launches: tuple[LaunchTried, ...] = ()
    runs: tuple[RunTried, ...] = ()
    sites: tuple[Site, ...] = ()
    lines: int = 0
    reached: int = 0
    not_run: str | None = None
    left: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def ended(self) -> int:
        """Runs that came to their end."""
        return sum(run.stopped is None for run in self.runs)

    def number(self, severity: Severity) -> int:
        return sum(site.severity is severity for site in self.sites)
