"""A report on scalarization as text: the listing, then a table for the function and one for each loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from analysis.features.scalarization.report import ScalarizationReport
from analysis.ir.source import Span
from analysis.scalar.collange_shares import TagKind
from analysis.scalar.counts import Activity, Comparison, Share
from analysis.scalar.listing import labels, listing
from analysis.scalar.machine import Execution, MachineFunction
from analysis.scalar.scalarize import Scalarization

MAX_SOURCE = 60
"""Characters of a source line beside the listing."""
TAG_WORDS = {
    TagKind.CONSTANT: "constant",
    TagKind.UNIFORM: "uniform",
    TagKind.AFFINE: "affine in the lane",
    TagKind.UNKNOWN: "unknown",
}


def report_lines(report: ScalarizationReport, *, with_source: bool, conventional: bool) -> Iterator[str]:
    """Lines without line ends; `conventional`: the code before scalarization as well."""
    kind = "kernel" if report.is_kernel else "device function"
    yield f"{kind} {report.title}, a warp of {report.shown.warp_size} threads"
    yield from _assumptions(report)
    if conventional:
        yield from _code("conventional code", report, report.shown.conventional, with_source)
    yield from _code("scalarized code", report, report.shown.scalarized, with_source)
    yield ""
    yield from _table("the whole code, each instruction once", report.by_warp_size, lambda result: result.whole)
    yield from _registers(report.by_warp_size)
    names = labels(report.shown.scalarized)
    for index, loop in enumerate(report.shown.loops):
        place = _line_of_loop(report, index)
        yield ""
        yield from _table(
            f"one iteration of the loop at {names[loop.header]}{place}",
            report.by_warp_size,
            lambda result, index=index: result.loops[index].comparison,
        )
    yield ""
    shares = report.shown.collange
    yield f"values the instructions compute: {_shares(shares.results)}"
    yield f"operands they read: {_shares(shares.operands)}"


def _assumptions(report: ScalarizationReport) -> Iterator[str]:
    if report.shown.plan.assumes_rows:
        yield "assumes rows of threads that are multiples of the warp: no launch of a known shape was found"
    if not report.is_kernel:
        yield "assumes that whole warps call it together"


def _code(title: str, report: ScalarizationReport, function: MachineFunction, with_source: bool) -> Iterator[str]:
    def source(span: Span) -> str | None:
        found = report.source_of(span) if with_source else None
        if found is None:
            return None
        text = found.text if len(found.text) <= MAX_SOURCE else found.text[: MAX_SOURCE - 1] + "…"
        place = f"{found.line}" if found.path is None else f"{found.path.rpartition('/')[2]}:{found.line}"
        return f"{place}: {text}"

    yield ""
    yield f"{title}:"
    yield from listing(function, source)


def _line_of_loop(report: ScalarizationReport, index: int) -> str:
    header = report.shown.loops[index].header
    block = report.shown.function.blocks[header]
    for item in (block.terminator, *block.instructions):
        found = report.source_of(item.span)
        if found is not None:
            return f" (line {found.line})" if found.path is None else f" ({found.path}:{found.line})"
    return ""


# -- tables -----------------------------------------------------------------------------------------------------------


def _table(
    title: str, results: Sequence[Scalarization], comparison: Callable[[Scalarization], Comparison]
) -> Iterator[str]:
    """Columns are warp sizes; `73 of 352` is 73 with scalarization where there were 352 without."""
    yield f"{title}:"
    yield _row("threads in a warp", [str(result.warp_size) for result in results])
    compared = [comparison(result) for result in results]
    yield _row("instructions", [f"{c.scalarized.issued} of {c.conventional.issued}" for c in compared])
    for execution in Execution:
        yield _row(f"  {execution.value}", [str(c.scalarized.instructions[execution]) for c in compared])
    yield _row("  added, removed", [f"+{c.added} -{c.removed}" for c in compared])
    measures: tuple[tuple[str, Callable[[Activity], Share]], ...] = (
        ("operations", lambda activity: activity.operations),
        ("register reads", lambda activity: activity.reads),
        ("register writes", lambda activity: activity.writes),
        ("addresses", lambda activity: activity.addresses),
        ("data elements", lambda activity: activity.data),
    )
    for name, share in measures:
        cells = [
            f"{share(c.scalarized).per_warp(size)} of {share(c.conventional).per_warp(size)}"
            for c, size in zip(compared, (result.warp_size for result in results), strict=True)
        ]
        yield _row(name, cells)


def _registers(results: Sequence[Scalarization]) -> Iterator[str]:
    cells = [
        f"{r.scalar_registers.per_warp(r.warp_size)} of {r.conventional_registers.per_warp(r.warp_size)}"
        for r in results
    ]
    yield _row("registers of a warp", cells)
    yield _row("  shared", [str(r.scalar_registers.once) for r in results])
    yield _row("  of each thread", [f"{r.scalar_registers.each} of {r.conventional_registers.each}" for r in results])


def _row(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<20}" + "".join(f"{cell:>16}" for cell in cells)


def _shares(counts: Mapping[TagKind, int]) -> str:
    total = sum(counts.values())
    if not total:
        return "none"
    return ", ".join(f"{100 * counts[kind] / total:.0f} % {TAG_WORDS[kind]}" for kind in TagKind)
