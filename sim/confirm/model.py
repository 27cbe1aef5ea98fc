"""What runs of kernels say of a finding that the analysis could not decide.

Words     A run *fits* if the inputs that were chosen for it do not end in faults of another kind: what comes after such
          a fault is no word about the program.
Rules     `Confirmed` is a claim about runs that were made, with one of them as its evidence.  None of the others says
          that the finding is wrong: inputs that nobody tried may still show it.
"""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from sim.launch.choices import Choice
from sim.report.model import FaultReport


@final
@record
class Sighting:
    """A run of `kernel` that shows what a finding claims; `choices` are all that was not given to it."""

    kernel: str
    path: str
    grid: Index3
    block: Index3
    warp_size: int
    seed: int
    choices: tuple[Choice, ...]
    fault: FaultReport


@final
@record
class Confirmed:
    """It happens: in a run in which nothing chosen decides it, or in all `runs` with different choices."""

    sighting: Sighting
    runs: int


@final
@record
class DependsOnChoices:
    """It happens in `seen` of `runs` that fit, and what was chosen (`names`) may decide that it does."""

    sighting: Sighting
    seen: int
    runs: int
    names: tuple[str, ...]


@final
@record
class NotSeen:
    """It does not happen in any of the runs that fit; one at least."""

    runs: int


@final
@record
class NotRun:
    """No run fits; why."""

    reason: str


RunVerdict: TypeAlias = Confirmed | DependsOnChoices | NotSeen | NotRun
