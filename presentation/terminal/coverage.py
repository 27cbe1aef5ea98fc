"""The lines of a kernel in the terminal, with how often warps came to each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from presentation.terminal.table import Line, Tone, clean, cut, table
from sim.report import words
from sim.report.model import CoveredLine, FileCoverage, KernelReport, PolicyReport

NEVER: Final = "never"
_IN_PART: Final = "in part"


def coverage_lines(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    """The kernel as it stands, then the lines with code of everything that it calls."""
    if not run.coverage.lines:
        return
    rows = [row for file in run.coverage.files for row in _rows(report, file)]
    yield from table(("coverage", "warps", "", ""), rows, width, right={0, 1}, stretch=3)
    yield ((f"  {words.lines_reached(run)}", Tone.WARNING if run.coverage.is_low else Tone.MUTED),)


def _rows(report: KernelReport, file: FileCoverage) -> Iterator[Line]:
    if file.path != report.path:
        for line in file.lines:
            place = f"{file.path.rpartition('/')[2]}:{line.line}"
            yield ((cut(clean(place), _WIDEST_PLACE), Tone.PLAIN), *_counts(line), ("", Tone.MUTED))
        return
    known = {line.line: line for line in file.lines}
    for number in _shown(report, file):
        line, text = known.get(number), clean(words.source_line(report, number).expandtabs(4)).rstrip()
        counts = (("", Tone.MUTED), ("", Tone.MUTED)) if line is None else _counts(line)
        tone = Tone.WARNING if line is not None and not line.reached else Tone.PLAIN
        yield ((str(number), Tone.MUTED), *counts, (text, tone))


def _shown(report: KernelReport, file: FileCoverage) -> Sequence[int]:
    """All lines of the kernel, and those with code of the functions around it."""
    lines = {line.line for line in file.lines} | set(range(report.first_line, report.last_line + 1))
    return sorted(line for line in lines if 0 < line <= len(report.source))


def _counts(line: CoveredLine) -> Line:
    if not line.reached:
        return ((NEVER, Tone.WARNING), ("", Tone.MUTED))
    part = _IN_PART if line.reached < line.places else ""
    return ((words.number(line.executed), Tone.PLAIN), (part, Tone.WARNING))


_WIDEST_PLACE: Final = 24
