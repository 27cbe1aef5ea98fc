"""What a command has to say about one file: plain data that travels between processes.

Lines and columns count from 1, columns in Unicode code points; `end_column` is the column after the last one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from analysis.ir.record import record
from analysis.rules.diagnostic import Applicability, KernelShare, MoreFindings
from simt_lsp.run_check import RunCheck

OPAQUE: Final = "opaque"
"""The kind of the notes on what the analysis does not understand."""
SETTINGS: Final = "settings"
"""The kind of the notes on settings that were not taken."""
SYNTAX_ERROR: Final = "syntax-error"
"""The kind of the notes on functions that could not be read and are therefore not analysed."""
UNUSED_SUPPRESSION: Final = "unused-suppression"
"""The kind of the notes on `NOLINT` comments that say nothing."""
NEEDS_RUN: Final = "needs-run"
"""Of a repair that `--fix` writes, and applies where running the kernel before and after confirms it."""


@final
@record
class FileRange:
    """A stretch of a file; `source` is its first line without the line end, None when the text is not at hand."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    source: str | None


@final
@record
class RelatedRange:
    """A second place that explains a finding."""

    place: FileRange
    message: str


@final
@record
class Edit:
    """What stands at a place becomes `text`."""

    place: FileRange
    text: str


@final
@record
class OfferedFix:
    """How a finding can be repaired; `applicability` is a word of the contract: `safe`, `unsafe`, or `NEEDS_RUN`, which
    has no edits yet."""

    title: str
    applicability: str
    edits: tuple[Edit, ...]


@final
@record
class Told:
    """Where the same is said of the same code: the file and the line of the first finding."""

    path: str
    line: int


@final
@record
class Finding:
    """One diagnostic, resolved to lines; `severity`, `tier` and `consequence` are the words of the contract."""

    code: str
    name: str
    severity: str
    tier: str | None
    message: str
    function: str
    place: FileRange
    related: tuple[RelatedRange, ...]
    fix: OfferedFix | None
    consequence: str | None = None
    cost: KernelShare | None = None
    more: MoreFindings | None = None
    """What is not shown of the kernel."""
    run: RunCheck | None = None
    """What runs say of it, where it was asked for and the analysis could not decide."""
    digest: str = ""
    """Equal where the same is said of functions with the same text; empty where no function is known."""
    around: str = ""
    """One value for what stands around its line (`simt_lsp/gates/site.py`)."""
    copy_of: Told | None = None
    """Of a function that stands in several files: what was said of an earlier one (`copies.py`)."""


@final
@record
class Note:
    """Something about the file itself, such as a header that was not found, or a construct that is not understood."""

    kind: str
    message: str
    place: FileRange


@final
@record
class AppliedFix:
    """A repair that was made, of a finding of the rule `code`; `title` says what it did and how it was checked."""

    code: str
    name: str
    function: str
    title: str
    applicability: str


@final
@record
class FileReport:
    """All about one file; `error` says why there is nothing else.  The findings are those after the `fixes`.

    `unconfirmed`: of what the analysis could not decide, what no run confirms and is therefore not among the findings.
    """

    path: str
    lines: int = 0
    kernels: int = 0
    functions: int = 0
    findings: tuple[Finding, ...] = ()
    notes: tuple[Note, ...] = ()
    error: str | None = None
    fixes: tuple[AppliedFix, ...] = ()
    unconfirmed: tuple[Finding, ...] = ()
    baselined: int = 0
    """Findings that a baseline has and that are therefore not among the findings."""
    unchanged: int = 0
    """Findings that a change is not about and that are therefore not among the findings."""


@final
@record
class Totals:
    """What a run found, in numbers."""

    files: int
    lines: int
    kernels: int
    failed: int
    opaque: int
    unreadable: int
    """Functions with a syntax error: they are not analysed."""
    severities: dict[str, int]
    fixed: int
    """Repairs that were made."""
    fixable: dict[str, int]
    """Findings that are left and can be repaired, by applicability."""
    confirmed: int
    """Findings that a run shows and the analysis could not decide."""
    unconfirmed: int
    """Those that no run shows, or none in which nothing chosen decides it; shown or not."""
    copies: int
    """Findings, hints aside, that say again what was said of the same code in another file."""
    baselined: int
    """Findings that are not reported because a baseline has them."""
    unchanged: int
    """Findings that are not reported because the change is not about them."""

    @classmethod
    def of(cls, reports: Iterable[FileReport]) -> Totals:
        severities = {"error": 0, "warning": 0, "information": 0, "hint": 0}
        fixable = {**{one.value: 0 for one in Applicability}, NEEDS_RUN: 0}
        files = lines = kernels = failed = opaque = unreadable = fixed = confirmed = unconfirmed = copies = 0
        baselined = unchanged = 0
        for report in reports:
            files += 1
            lines += report.lines
            kernels += report.kernels
            failed += report.error is not None
            baselined += report.baselined
            unchanged += report.unchanged
            fixed += len(report.fixes)
            opaque += sum(1 for note in report.notes if note.kind == OPAQUE)
            unreadable += sum(1 for note in report.notes if note.kind == SYNTAX_ERROR)
            unconfirmed += len(report.unconfirmed)
            for finding in report.findings:
                severities[finding.severity] += 1
                copies += finding.copy_of is not None and finding.severity != "hint"
                if finding.fix is not None:
                    fixable[finding.fix.applicability] += 1
                if finding.run is not None:
                    confirmed += finding.run.is_confirmed
                    unconfirmed += not finding.run.is_confirmed
        return cls(
            files,
            lines,
            kernels,
            failed,
            opaque,
            unreadable,
            severities,
            fixed,
            fixable,
            confirmed,
            unconfirmed,
            copies,
            baselined,
            unchanged,
        )
