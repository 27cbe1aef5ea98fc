"""What a rule reports, as plain data: editors, the shell and CI print it each in their own way."""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.facts.model import Location
from analysis.ir.record import record
from analysis.races.absent_model import Consequence
from analysis.refactor.edit import Replacement
from analysis.verdict.barriers import Tier


class Severity(Enum):
    """How loud a diagnostic is; the names are those of LSP, in falling order."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@final
@record
class Related:
    """A second place that explains the first: the branch, the call, the read of the thread index."""

    location: Location
    message: str


class Applicability(Enum):
    """Whether a repair may be made without a question; the values are the words of reports."""

    SAFE = "safe"
    """It was checked to help and to change nothing else."""
    UNSAFE = "unsafe"
    """It may change what the code is meant to do, so that somebody has to look at it."""


@final
@record
class Fix:
    """A repair of what was found: in order, without overlaps, all or nothing."""

    title: str
    replacements: tuple[Replacement, ...]
    applicability: Applicability


@final
@record
class KernelShare:
    """What a finding takes of the issue slots of `kernel`, as a part of one; findings of a kernel are sorted by it."""

    kernel: str
    share: float


@final
@record
class MoreFindings:
    """Findings of the same kernel that are not shown, each of which takes less than `below` percent of it."""

    number: int
    below: int

    def message(self, kernel: str) -> str:
        return f"{self.number} more in `{kernel}`, {'each ' if self.number > 1 else ''}below {self.below} %"


@final
@record
class Diagnostic:
    """One finding at one site.

    `start`/`end` are byte offsets into the analysed file; `name` is the slug that `NOLINT(simt-...)` takes.
    `tier` is None for rules that state a property of the code and do not accuse it (DIV), unless all they have is an
    assumption about what is not known.
    `consequence`: of barriers that threads miss, what follows for those who wait.
    """

    code: str
    name: str
    severity: Severity
    tier: Tier | None
    start: int
    end: int
    message: str
    related: tuple[Related, ...]
    function: str
    fix: Fix | None = None
    consequence: Consequence | None = None
    cost: KernelShare | None = None
    """Of rules with a price."""
    more: MoreFindings | None = None
    """At the last one that is shown of a kernel with too many."""
    architectures: tuple[int, ...] = ()
    """Of what does not hold for the analysed one (or not so loudly): those for which it does."""
