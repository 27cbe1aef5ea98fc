"""A report on straight-line optimisations as text: the steps with their counts, then the code."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.features.straightline.report import StraightlineReport
from analysis.straightline.counts import Counts
from analysis.straightline.listing import code_lines

BY_COMPILERS = "nvcc and clang take these steps themselves at -O2 and above (nvcc 13.0 all but speculative execution)"


def report_lines(report: StraightlineReport, *, all_code: bool) -> Iterator[str]:
    """Lines without line ends; `all_code`: the code before the first step and behind each of them."""
    result = report.result
    kind = "kernel" if report.is_kernel else "device function"
    yield f"{kind} {report.facts.name}, a warp of {report.warp_size} threads"
    if report.is_unrolled:
        yield "loops that run a small constant number of times are unrolled"
    yield f"  {'machine instructions, as the loops run':<42}{'of a thread':>14}{'of a warp':>14}"
    yield _row(report, "as written", result.before, None)
    before = result.before
    for stage in result.stages:
        yield _row(report, f"after {stage.step.value}", stage.counts, before)
        before = stage.counts
    if report.wide_divisions:
        number = "one division" if report.wide_divisions == 1 else f"{report.wide_divisions} divisions"
        yield f"  {number} of 64 bits stay: compilers test at run time whether 32 bits are enough"
    if result.stages:
        yield f"  {BY_COMPILERS}"
    if all_code:
        yield ""
        yield "as written:"
        yield from code_lines(result.original)
        for stage in result.stages:
            yield ""
            yield f"after {stage.step.value}:"
            yield from code_lines(stage.code)
    else:
        yield ""
        yield from code_lines(result.code)


def _row(report: StraightlineReport, name: str, counts: Counts, before: Counts | None) -> str:
    thread, warp = counts.of_thread, counts.of_warp(report.warp_size)
    if before is None:
        return f"  {name:<42}{thread:>14,}{warp:>14,}"
    saved = f"{thread - before.of_thread:+,}" if thread != before.of_thread else "same"
    return f"  {name:<42}{thread:>14,}{warp:>14,}  {saved}"
