"""How a simulation ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, final

from analysis.ir.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sim.report.json_report import KernelObject, PolicyObject


@final
@record
class FileStamp:
    """A file that was read: the time of its last change in ns (0: it was not there) and its size in bytes."""

    path: str
    changed: int
    size: int


ReportText: TypeAlias = "Sequence[Sequence[Mapping[str, str]]]"
"""Lines of `{"text", "tone"}`; the tones are those of `presentation.terminal.report.Tone`."""


@final
@record
class Rendered:
    """A report as a page, and as lines of pieces with a tone."""

    html: str
    text: ReportText


@final
@record
class Finished:
    """The kernel ran; `html` is the report as a page, `text` as lines of pieces with a tone.

    It may still be running (`is_interim`): then this is what it has counted so far, and `if_stopped` what is shown of
    it once nothing goes on any more: a process that was stopped makes no other report.
    """

    report: KernelObject
    html: str
    text: ReportText
    files: tuple[FileStamp, ...]
    if_stopped: Rendered | None = None

    @property
    def is_interim(self) -> bool:
        return self.report["interim"]

    def stopped(self) -> Finished:
        """The same once the simulation was stopped, which was at its last policy: there will be no more of it."""
        shown = self.if_stopped or Rendered(self.html, self.text)
        runs = self.report["policies"]
        *_, last = runs
        policies = {policy: _cancelled(run) if policy == last else run for policy, run in runs.items()}
        return replace(
            self,
            report={**self.report, "policies": policies, "truncated": True, "interim": False},
            html=shown.html,
            text=shown.text,
            if_stopped=None,
        )


@final
@record
class RefusedPlace:
    """Where the construct stands that is not simulated: line and column from 1, in Unicode code points."""

    path: str
    line: int
    column: int


@final
@record
class Refused:
    """The simulator says why it does not run this kernel; `advice` says what to do, where there is something."""

    message: str
    place: RefusedPlace | None
    advice: str | None


@final
@record
class Failed:
    """The process could not do its work; `log` is for those who repair it."""

    message: str
    log: str | None = None


@final
@record
class Stopped:
    """The user wanted no more of it."""


def _cancelled(run: PolicyObject) -> PolicyObject:
    ended = run["truncated"]
    return {**run, "truncated": {"reason": "cancelled", "line": None if ended is None else ended["line"]}}


Outcome: TypeAlias = Finished | Refused | Failed | Stopped
