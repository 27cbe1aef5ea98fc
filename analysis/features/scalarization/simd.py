"""The vector form of a kernel for people and programs: lines with the places that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from analysis.features.scalarization.report import ScalarizationReport
from analysis.scalar.simd.emission import vectorised
from analysis.scalar.simd.model import NotVectorised, SimdCode


class SimdLineData(TypedDict):
    """One line; `source_line` counts from 1, `source_path` is None in the kernel's own file."""

    depth: int
    code: str
    target: str | None
    mask: str | None
    source_path: str | None
    source_line: int | None


class SimdData(TypedDict):
    """`lines` is None where the kernel has no such form; `refused` then says what stands in the way, and where."""

    kernel: str
    warp_size: int
    lines: list[SimdLineData] | None
    refused: str | None
    refused_line: int | None


def simd_view(report: ScalarizationReport) -> SimdCode | NotVectorised:
    """What the kernel is on a machine with vectors and masks."""
    shown = report.shown
    return vectorised(shown.function, report.control, shown.plan, shown.warp_size)


def simd_data(report: ScalarizationReport) -> SimdData:
    """The view as plain data."""
    found = simd_view(report)
    name, warp_size = report.facts.name, report.shown.warp_size
    if isinstance(found, NotVectorised):
        place = report.source_of(found.span)
        line = None if place is None else place.line
        return SimdData(kernel=name, warp_size=warp_size, lines=None, refused=found.construct, refused_line=line)
    lines: list[SimdLineData] = []
    for one in found.lines:
        place = report.source_of(one.span)
        lines.append(
            SimdLineData(
                depth=one.depth,
                code=one.code,
                target=one.target,
                mask=one.mask,
                source_path=None if place is None else place.path,
                source_line=None if place is None else place.line,
            )
        )
    return SimdData(kernel=name, warp_size=warp_size, lines=lines, refused=None, refused_line=None)


def simd_lines(report: ScalarizationReport) -> Iterator[str]:
    """The view as text: each line with the source that it stands for, where that changes."""
    found = simd_view(report)
    name, lanes = report.title, report.shown.warp_size
    if isinstance(found, NotVectorised):
        place = report.source_of(found.span)
        where = "" if place is None else f" (line {place.line}: {place.text})"
        yield f"{name} has no form of vectors and masks here: {found.construct}{where}"
        return
    yield f"{name}: vectors of {lanes} lanes (v), scalars of the warp (s), masks (m: who waits, p: who runs)"
    last: int | None = None
    for one in found.lines:
        place = report.source_of(one.span)
        line = None if place is None else place.line
        shown = "" if place is None or line == last else f"  # {place.line}: {place.text}"
        last = line if line is not None else last
        yield f"    {one.text}{shown}"
