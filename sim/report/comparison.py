"""Two versions of a kernel, before and after: what changed in the counts, and in which lines.

Rules    Compared is the first policy of each.  Lines are paired where their text is the same, and where as many others
         took the place of some; of a line that stands in one version only, the other side is None.  Where the two did
         not run with the same launch and inputs, that is said: then the counts do not measure the change alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum
from typing import Final, final

from analysis.ir.record import record
from sim.report import words
from sim.report.model import KernelReport, PolicyReport

MOST_LINES: Final = 8


class Better(Enum):
    LESS = "less"
    MORE = "more"


@final
@record
class Measure:
    """One number of both; `is_share` for one between 0 and 1."""

    name: str
    before: float
    after: float
    better: Better = Better.LESS
    is_share: bool = False

    @property
    def change(self) -> float:
        """Above 0 where the second is better."""
        return self.before - self.after if self.better is Better.LESS else self.after - self.before

    def words(self) -> tuple[str, str, str]:
        """Before, after, and by how much it changed; nothing for what stayed."""
        before, after = (
            words.percent(value) if self.is_share else words.number(round(value)) for value in (self.before, self.after)
        )
        if self.before == self.after:
            return before, after, ""
        if self.is_share:
            return before, after, f"{(self.after - self.before) * 100:+.1f} points"
        by = f"{self.after / self.before - 1:+.1%}".replace("%", " %") if self.before else "new"
        return before, after, by


@final
@record
class LineChange:
    """Warp instructions of a line; its number is None in the version where it does not stand."""

    text: str
    before: int | None
    after: int | None
    instructions_before: int
    instructions_after: int


def measures(before: PolicyReport, after: PolicyReport) -> Sequence[Measure]:
    def of(name: str, one: float, other: float) -> Measure:
        return Measure(name, one, other)

    return (
        of("warp instructions", before.warp_instructions, after.warp_instructions),
        Measure("SIMD efficiency", before.simd_efficiency, after.simd_efficiency, Better.MORE, is_share=True),
        of("splits", _splits(before), _splits(after)),
        of("memory sectors", before.requests.sectors, after.requests.sectors),
        of("bank conflicts", before.requests.bank_conflicts, after.requests.bank_conflicts),
        of("faults", len(before.faults), len(after.faults)),
    )


def _splits(run: PolicyReport) -> int:
    return sum(branch.diverged for branch in run.branches)


def caveats(before: KernelReport, after: KernelReport) -> Iterator[str]:
    """Sentences on what makes the two no fair pair, and on whether they did the same."""
    other = {choice.name: choice.value for choice in before.choices}
    own = {choice.name: choice.value for choice in after.choices}
    changed = [name for name in {**other, **own} if other.get(name) != own.get(name)]
    if changed:
        told = "; ".join(
            f"{name}: {other.get(name, 'not there')} before, {own.get(name, 'not there')} after" for name in changed
        )
        yield f"The two ran with different launches or inputs ({told})."
    runs = before.policies[0], after.policies[0]
    if runs[0].policy != runs[1].policy:
        yield f"The policies differ: {runs[0].policy} before, {runs[1].policy} after."
    if any(run.truncated is not None for run in runs):
        yield "Not both came to their end."
    elif not changed:
        same = runs[0].memory_digest == runs[1].memory_digest
        yield "Both leave the same memory." if same else "They leave different memory."


def line_changes(before: KernelReport, after: KernelReport) -> Sequence[LineChange]:
    """Those of the kernels whose counts differ, the largest difference first."""
    counted = [
        {line.line: line.work.warp_instructions for line in report.policies[0].lines} for report in (before, after)
    ]
    found = [
        LineChange(
            _text(after, new) if new is not None else _text(before, old or 0),
            old,
            new,
            0 if old is None else counted[0].get(old, 0),
            0 if new is None else counted[1].get(new, 0),
        )
        for old, new in _pairs(before, after)
    ]
    changed = [one for one in found if one.instructions_before != one.instructions_after]
    return sorted(changed, key=lambda one: -abs(one.instructions_after - one.instructions_before))


def _pairs(before: KernelReport, after: KernelReport) -> Iterator[tuple[int | None, int | None]]:
    """Lines of the two kernels, from 1."""
    first, second = _lines(before), _lines(after)
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal" or (tag == "replace" and i_end - i == j_end - j):
            yield from zip(
                range(before.first_line + i, before.first_line + i_end),
                range(after.first_line + j, after.first_line + j_end),
                strict=True,
            )
        else:
            yield from ((before.first_line + at, None) for at in range(i, i_end))
            yield from ((None, after.first_line + at) for at in range(j, j_end))


def _lines(report: KernelReport) -> list[str]:
    return [line.strip() for line in report.source[report.first_line - 1 : report.last_line]]


def _text(report: KernelReport, line: int) -> str:
    return words.source_line(report, line).strip()
