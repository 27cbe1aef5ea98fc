"""What runs counted for the place of a hover: a branch, an access to memory, the kernel's name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.syntax.line_index import PositionEncoding
from simt_lsp.server.simulations.comparison import comparison, speaks_of
from simt_lsp.server.simulations.results import Placed
from simt_lsp.server.simulations.words import access_lines, branch_lines, counted_access, kernel_lines, line_lines
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from sim.report.json_report import KernelObject


def branch_hover(view: View, start: int) -> list[str]:
    """For the branch whose keyword stands at a byte offset; empty where nothing was counted."""
    return _told(
        line
        for report, then, column in _places(view, start)
        for line in branch_lines(report, then, column)
    )  # fmt: skip


def access_hover(view: View, start: int, end: int) -> list[str]:
    """For the accesses to memory in an expression: the first that was counted in it, and whether that is what the
    analysis says."""
    return _told(
        line
        for report, then, column in _places(view, start)
        for line in (
            *access_lines(report, then, column, column + _width(view, start, end)),
            *_comparisons(view, report, start, then, column),
        )
    )


def _comparisons(view: View, report: KernelObject, start: int, line: int, column: int) -> Iterator[str]:
    """Of an access that begins exactly there, so that the numbers are its own; the first policy speaks."""
    from analysis.features.access_hover import accesses_at

    function = view.analysis.facts.function_at(start)
    run = next(iter(report["policies"].values()))
    counted = counted_access(report, run, line, column, column + 1)
    if function is None or counted is None:
        return
    launches = [inlined.root.divergence.launch for inlined in view.analysis.views(function)]
    here = next((one for one in run["lines"] if one["line"] == line), None)
    accesses = [one for one in accesses_at(view.analysis, function, start) if function.start + one.span.start == start]
    if len(accesses) != 1:  # `a[i] += 1`: the counts of both are one number
        return
    request = accesses[0].request
    if request is not None and all(speaks_of(request, launch, report) for launch in launches):
        remark = comparison(accesses[0], counted, here)
        if remark is not None:
            yield remark


def line_hover(view: View, start: int) -> list[str]:
    """For the line of a byte offset."""
    return _told(line for report, then, _ in _places(view, start) for line in line_lines(report, then))


def kernel_hover(view: View, start: int) -> list[str]:
    """For the kernel whose definition begins at a byte offset."""
    line = view.analysis.document.lines.line_of(start)
    return _told(
        words
        for result in view.known.placed()
        if result.line == line and (report := result.report) is not None
        for words in kernel_lines(report)
    )


def _places(view: View, start: int) -> Iterator[tuple[KernelObject, int, int]]:
    """The reports that have a line which stands here now, with that line and the column there (both from 1)."""
    results = view.known.placed()
    if not results:
        return
    line, column = view.analysed.item.document.lines.position(start, PositionEncoding.UTF32)
    for result in results:
        report = result.report
        if report is not None and result.line is not None and (then := _line_then(result, line)) is not None:
            yield report, then, column + 1


def _line_then(result: Placed, line: int) -> int | None:
    """The line of the report (from 1) that stands at `line` (from 0) now."""
    return next(
        (now for now in _lines(result) if result.line_now(now) == line), None
    )  # fmt: skip


def _lines(result: Placed) -> set[int]:
    report = result.report
    if report is None:
        return set()
    runs = report["policies"].values()
    return {one["line"] for run in runs for one in (*run["branches"], *run["lines"])}


def _width(view: View, start: int, end: int) -> int:
    """In code points; to the end of the line for what ends in another one."""
    lines = view.analysed.item.document.lines
    first, column = lines.position(start, PositionEncoding.UTF32)
    last, until = lines.position(max(start, end), PositionEncoding.UTF32)
    return until - column if first == last else 1 << 20


def _told(lines: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(lines))
