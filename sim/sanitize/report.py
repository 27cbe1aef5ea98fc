"""What `sanitize` says of files: plain data that travels between processes and that every format is made of.

Lines and columns count from 1, columns in Unicode code points; `end_column` is the column after the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from typing import final

from analysis.ir.index3 import Index3
from analysis.ir.record import record
from analysis.rules.wording import quantity
from sim.launch.choices import Choice
from sim.sanitize.model import Schedule, Severity


@final
@record
class SourceRange:
    """A stretch of one line; `source` is that line, None where the text is not at hand."""

    path: str
    line: int
    column: int
    end_column: int
    source: str | None


@final
@record
class RelatedRange:
    """Another place that a finding is about, and what happens there."""

    place: SourceRange | None
    message: str


@final
@record
class StaticFinding:
    """What a rule of `check` says; a note where it is neither an error nor a warning to it.

    `is_allowed`: hardware since compute capability 7.0 allows what it reports.
    """

    code: str
    name: str
    severity: Severity
    message: str
    place: SourceRange
    related: tuple[RelatedRange, ...]
    function: str
    is_allowed: bool = False


class FoundBy(Enum):
    """Who says so; the values are words of the contract."""

    STATIC = "static"
    RUNS = "runs"
    BOTH = "both"


@final
@record
class Evidence:
    """The smallest run that shows a finding: `inputs` with all that was chosen, `thread` the first that it happens to.

    `seen` of `runs` runs of the kernel show it.  `schedule` is the plainest that does.
    """

    kernel: str
    grid: Index3
    block: Index3
    warp_size: int
    seed: int
    inputs: tuple[Choice, ...]
    schedule: Schedule
    block_index: Index3
    thread: Index3
    threads: int
    seen: int
    runs: int


@final
@record
class Finding:
    """One site: `kind` is that of a fault, or the name of a rule where only rules speak.

    `kernels` show it; `chosen` names the inputs that were chosen and may be behind it.
    """

    kind: str
    severity: Severity
    place: SourceRange
    message: str
    kernels: tuple[str, ...]
    related: tuple[RelatedRange, ...] = ()
    chosen: tuple[str, ...] = ()
    evidence: Evidence | None = None
    rules: tuple[StaticFinding, ...] = ()

    @property
    def found_by(self) -> FoundBy:
        if self.evidence is None:
            return FoundBy.STATIC
        return FoundBy.BOTH if self.rules else FoundBy.RUNS


@final
@record
class RunSummary:
    """`stopped` says why it ended before the program did."""

    grid: Index3
    block: Index3
    seed: int
    why: str
    schedule: Schedule
    warp_instructions: int
    stopped: str | None
    seconds: float


@final
@record
class KernelSummary:
    """One kernel: what was tried, and how many lines with code that reached.  `not_run` says why nothing ran."""

    path: str
    name: str
    line: int
    runs: tuple[RunSummary, ...]
    inputs: tuple[Choice, ...]
    lines: int
    reached: int
    not_run: str | None
    left: tuple[str, ...]
    seconds: float

    @property
    def ended(self) -> int:
        return sum(run.stopped is None for run in self.runs)

    @property
    def launches(self) -> int:
        return len({(run.grid, run.block, run.seed, run.why) for run in self.runs})

    @property
    def schedules(self) -> int:
        return len({run.schedule for run in self.runs})

    @property
    def coverage(self) -> float:
        return self.reached / self.lines if self.lines else 0.0


@final
@record
class FileSummary:
    """`error` says why the file was not looked at; `is_left`: only because the budget was over."""

    path: str
    kernels: tuple[KernelSummary, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    is_left: bool = False


@final
@record
class KernelPart:
    """What the runs of one kernel of a file found; `id` is that of the kernel in its program."""

    id: str
    summary: KernelSummary
    findings: tuple[Finding, ...]


@final
@record
class FileParts:
    """A file as it was looked at kernel by kernel; `merge.joined` makes a report of it.

    `kernels` has the ids of all in the order of the text, `waiting` those that nothing ran yet of, the first to run
    first, each with what is known of it.  `digest` is that of the text.
    """

    path: str
    digest: bytes = b""
    kernels: tuple[str, ...] = ()
    parts: tuple[KernelPart, ...] = ()
    waiting: tuple[KernelPart, ...] = ()
    rules: tuple[StaticFinding, ...] = ()
    error: str | None = None
    is_left: bool = False

    def with_parts(self, found: Iterable[KernelPart]) -> FileParts:
        """With what was found of kernels that waited."""
        parts = (*self.parts, *found)
        known = {part.id for part in parts}
        return replace(self, parts=parts, waiting=tuple(one for one in self.waiting if one.id not in known))


@final
@record
class Totals:
    """`complete` kernels had a run that came to its end, `partly` run ones had none; `seconds` are of the command."""

    files: int
    kernels: int
    complete: int
    partly: int
    not_run: int
    runs: int
    lines: int
    reached: int
    errors: int
    warnings: int
    notes: int
    failed: int
    left: int


@final
@record
class Repository:
    """All files of a command in the order of their paths; `findings` has each site once."""

    files: tuple[FileSummary, ...]
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def kernels(self) -> tuple[KernelSummary, ...]:
        return tuple(kernel for file in self.files for kernel in file.kernels)

    def findings_of(self, kernel: KernelSummary) -> Sequence[Finding]:
        name = kernel_name(kernel)
        return [finding for finding in self.findings if name in finding.kernels]

    def totals(self) -> Totals:
        kernels = self.kernels
        ran = [kernel for kernel in kernels if kernel.not_run is None]
        return Totals(
            files=len(self.files),
            kernels=len(kernels),
            complete=sum(kernel.ended > 0 for kernel in ran),
            partly=sum(kernel.ended == 0 for kernel in ran),
            not_run=len(kernels) - len(ran),
            runs=sum(len(kernel.runs) for kernel in ran),
            lines=sum(kernel.lines for kernel in kernels),
            reached=sum(kernel.reached for kernel in kernels),
            errors=_number(self.findings, Severity.ERROR),
            warnings=_number(self.findings, Severity.WARNING),
            notes=_number(self.findings, Severity.NOTE),
            failed=sum(file.error is not None and not file.is_left for file in self.files),
            left=sum(file.is_left for file in self.files),
        )


def kernel_name(kernel: KernelSummary) -> str:
    """Under which findings name a kernel: kernels of several files may be called the same."""
    return f"{kernel.path}:{kernel.name}:{kernel.line}"


def short_name(name: str) -> str:
    """The kernel alone, of a name that findings use."""
    return name.rpartition(":")[0].rpartition(":")[2]


def verdict(kernel: KernelSummary, findings: Sequence[Finding]) -> str:
    """What was found in what was tried, and no more: `no findings in 12 runs (4 launches, 3 schedules), 98 % of lines`.

    The share of lines is rounded down.
    """
    if kernel.not_run is not None:
        return f"not run: {kernel.not_run}"
    counts = [quantity(number, one.value) for one in Severity if (number := _number(findings, one))]
    tried = f"{quantity(len(kernel.runs), 'run')} ({quantity(kernel.launches, 'launch', 'launches')}, "
    tried += f"{quantity(kernel.schedules, 'schedule')})"
    cut = len(kernel.runs) - kernel.ended
    ended = f", {cut} of them cut off" if cut else ""
    share = (
        f"{100 * kernel.reached // kernel.lines} % of {quantity(kernel.lines, 'line')}" if kernel.lines else "no lines"
    )
    return f"{', '.join(counts) or 'no findings'} in {tried}{ended}, {share}"


def _number(findings: Iterable[Finding], severity: Severity) -> int:
    return sum(finding.severity is severity for finding in findings)
