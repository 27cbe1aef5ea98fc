"""How much of a kernel ran: every line of it, and of what it calls, that has code, and how much of that ran.

A line that never ran says nothing about the program: a report on a run that reached few lines is no clean bill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sim.observers.places import FunctionSpan
from sim.observers.work import Work
from sim.report.model import Coverage, CoveredLine, FileCoverage
from sim.report.places import SourcePlaces


def coverage_of(
    work: Mapping[FunctionSpan, Work], arrivals: Mapping[FunctionSpan, int], places: SourcePlaces, path: str
) -> Coverage:
    """Inlined copies of a place count as one, which ran where one of them did."""
    files: dict[str, dict[int, dict[int, int]]] = {path: {}}
    for place in work:
        found = places.of(place)
        if found is not None:
            columns = files.setdefault(found.path, {}).setdefault(found.line, {})
            columns[found.column] = max(columns.get(found.column, 0), arrivals.get(place, 0))
    return Coverage(tuple(FileCoverage(name, tuple(_lines(lines))) for name, lines in files.items() if lines))


def _lines(found: Mapping[int, Mapping[int, int]]) -> Iterator[CoveredLine]:
    for line, columns in sorted(found.items()):
        counts = columns.values()
        yield CoveredLine(line, max(counts), len(counts), sum(count > 0 for count in counts))
