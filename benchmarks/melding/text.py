"""The study as text: one block of lines per kernel, the thresholds after all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from analysis.ir.index3 import Index3
from benchmarks.melding.paper import figures_of
from benchmarks.melding.remarks import GENERAL, remark_on
from benchmarks.melding.rows import Line, lines_of
from benchmarks.melding.study import Comparison, SubjectStudy

TITLES: Final = ("block", "method", "issued", "of before", "speed-up", "paper", "ALU", "shared", "global")


def study_text(studies: Sequence[SubjectStudy], warp_sizes: Sequence[int]) -> str:
    lines = [*HEADING, "", *GENERAL]
    for study in studies:
        for warp_size in warp_sizes:
            lines += ["", *_subject_lines(study, warp_size)]
        lines += [f"  {line}" for line in remark_on(study.subject)]
    for warp_size in warp_sizes:
        lines += ["", *_threshold_lines(studies, warp_size)]
    return "\n".join(lines)


HEADING: Final = (
    "issued     warp instructions; `of before` is their share of those of the original",
    "speed-up   issue slots of the original by those of the melded kernel; `paper` is the paper's in time, on 64 lanes",
    "ALU        active lanes of arithmetic instructions by lanes issued",
    "shared, global   requests of warps to shared and to all other memory, by those of the original",
)


def _subject_lines(study: SubjectStudy, warp_size: int) -> Iterator[str]:
    paper = figures_of(study.subject).utilisation
    known = "" if paper is None else f"; the paper's ALU utilisation: {paper.before} % before, {paper.after} % after"
    yield f"{study.subject}, warps of {warp_size}{known}"
    rows: list[tuple[str, ...]] = [TITLES]
    for comparison in study.comparisons:
        if comparison.warp_size == warp_size:
            rows += _rows(comparison)
    yield from _aligned(rows)


def _rows(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    block = shape_text(comparison.block)
    for line in lines_of(comparison):
        yield (block, variants_text(line), *_numbers(line))
        block = ""


def _numbers(line: Line) -> tuple[str, ...]:
    is_before = line.before is None
    return (
        f"{line.counts.issued:,}",
        "" if is_before else f"{line.issued_share:.0%}",
        "" if is_before else f"{line.speed_up:.2f}",
        paper_text(line),
        f"{line.counts.utilisation:.0%}",
        share_text(line.shared_share),
        share_text(line.global_share),
    )


def variants_text(line: Line) -> str:
    names = ", ".join(variant.value for variant in line.variants)
    if line.before is not None:
        return names
    return f"before; also {names}" if names else "before"


def paper_text(line: Line) -> str:
    known = [
        f"{name} {value:.2f}"
        for name, value in (("darm", line.darm_in_paper), ("fusion", line.fusion_in_paper))
        if value is not None
    ]
    return ", ".join(known)


def share_text(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def shape_text(block: Index3) -> str:
    """`256`, or `16x16`."""
    used = block[: max(1, sum(extent > 1 for extent in block))]
    return "x".join(map(str, used))


def _threshold_lines(studies: Sequence[SubjectStudy], warp_size: int) -> Iterator[str]:
    yield f"speed-up by DARM in issue slots for each threshold, warps of {warp_size}"
    curves = [curve for study in studies for curve in study.curves if curve.warp_size == warp_size]
    if not curves:
        return
    thresholds: Mapping[float, float] = curves[0].speed_ups
    rows = [
        ("kernel", "block", *(f"{threshold:.1f}" for threshold in thresholds)),
        *((curve.subject, shape_text(curve.block), *_two_digits(curve.speed_ups.values())) for curve in curves),
    ]
    yield from _aligned(rows)


def _two_digits(values: Iterable[float]) -> Iterator[str]:
    return (f"{value:.2f}" for value in values)


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The first two columns to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()
