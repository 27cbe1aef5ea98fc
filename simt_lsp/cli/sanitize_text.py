"""`sanitize` for people: each finding with its line and the run that shows it, what did not run, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.rules.wording import quantity
from sim.report.words import choice_words, index_words, shape
from sim.sanitize.model import Severity
from sim.sanitize.report import (
    Evidence,
    Finding,
    FoundBy,
    KernelSummary,
    Repository,
    SourceRange,
    Totals,
    short_name,
    verdict,
)
from simt_lsp.cli.report import FileRange
from simt_lsp.cli.terminal import Line, Style
from simt_lsp.cli.text_report import excerpt

STYLES: Final = {Severity.ERROR: Style.ERROR, Severity.WARNING: Style.WARNING, Severity.NOTE: Style.NOTE}
_MOST_KERNELS: Final = 3
_MOST_INPUTS: Final = 6


def text_lines(found: Repository, *, verbose: bool) -> Iterator[Line]:
    """Notes, and a line for each kernel, with `verbose` alone."""
    for finding in found.findings:
        if verbose or finding.severity is not Severity.NOTE:
            yield from finding_lines(finding)
            yield ()
    for kernel in found.kernels:
        if verbose or kernel.not_run is not None or not kernel.ended:
            yield _kernel_line(kernel, found.findings_of(kernel))
        if verbose:
            yield from ((("    left: ", Style.NOTE), (one, Style.PLAIN)) for one in kernel.left)
    for file in found.files:
        if file.error is not None:
            style = Style.NOTE if file.is_left else Style.ERROR
            yield (file.path, Style.PLACE), (": not looked at: ", style), (file.error, Style.PLAIN)
    yield from summary_lines(found, verbose=verbose)


def finding_lines(finding: Finding) -> Iterator[Line]:
    codes = ", ".join(dict.fromkeys(rule.code for rule in finding.rules))
    yield (
        (_position(finding.place), Style.PLACE),
        (f"{finding.severity.value} ", STYLES[finding.severity]),
        (f"{codes} {finding.kind}".strip() if finding.found_by is FoundBy.STATIC else finding.kind, Style.PLACE),
        (f": {finding.message}", Style.PLAIN),
    )
    yield from _excerpt(finding.place)
    shown = finding.place
    for related in finding.related:
        if related.place is None:
            continue
        yield (_position(related.place), Style.PLAIN), ("note", Style.NOTE), (f": {related.message}", Style.PLAIN)
        if (related.place.path, related.place.line) != (shown.path, shown.line):
            yield from _excerpt(related.place)
        shown = related.place
    if finding.found_by is FoundBy.BOTH:
        for rule in finding.rules:
            said = f" {rule.code} {rule.name}: {rule.message}"
            yield (_position(rule.place), Style.PLAIN), ("rule", Style.NOTE), (said, Style.PLAIN)
    if finding.evidence is not None:
        words = _evidence(finding.evidence, finding.kernels)
        yield (_position(finding.place), Style.PLAIN), ("run", Style.NOTE), (f": {words}", Style.PLAIN)


def _evidence(run: Evidence, kernels: Sequence[str]) -> str:
    """`k (grid 1, block 128, seed 1) under ipdom: thread 5 of block 0 and 31 more; in 7 of 8 runs; n = 256`."""
    more = f" and {quantity(run.threads - 1, 'more thread')}" if run.threads > 1 else ""
    who = f"thread {index_words(run.thread)} of block {index_words(run.block_index)}{more}"
    launch = f"grid {shape(run.grid)}, block {shape(run.block)}, seed {run.seed}"
    words = f"{short_name(run.kernel)} ({launch}) under {run.schedule.words}: {who}; "
    words += f"in {run.seen} of {quantity(run.runs, 'run')}"
    others = [short_name(name) for name in kernels if name != run.kernel]
    if others:
        words += f"; also in {', '.join(others[:_MOST_KERNELS])}"
        words += f" and {len(others) - _MOST_KERNELS} more" if len(others) > _MOST_KERNELS else ""
    inputs = {one.name: one for one in run.inputs if one.is_chosen and one.name not in ("grid", "block")}
    return f"{words}; with {choice_words(list(inputs)[:_MOST_INPUTS], inputs)}" if inputs else words


def _kernel_line(kernel: KernelSummary, findings: Sequence[Finding]) -> Line:
    return (
        (f"{kernel.path}:{kernel.line}: ", Style.PLACE),
        (kernel.name, Style.NOTE),
        (
            f": {verdict(kernel, findings)}",
            Style.PLAIN,
        ),
    )


def summary_lines(found: Repository, *, verbose: bool) -> Iterator[Line]:
    """`2 errors, 1 warning in 12 of 13 kernels (4 files, 96 runs, 97 % of 410 lines, 5.2 s); 1 kernel not run`."""
    totals = found.totals()
    is_clean = not (totals.errors or totals.warnings or totals.notes)
    style = Style.ERROR if totals.errors else Style.GOOD if is_clean else Style.PLAIN
    yield (counts_words(totals), style), (tried_words(totals, found.seconds), Style.PLAIN)
    if totals.notes and not verbose:
        told = "--verbose shows the notes: what may be the doing of inputs that were chosen"
        yield ((told, Style.PLAIN),)


def counts_words(totals: Totals) -> str:
    counts = ((totals.errors, "error"), (totals.warnings, "warning"), (totals.notes, "note"))
    return ", ".join(quantity(number, word) for number, word in counts if number) or "no findings"


def tried_words(totals: Totals, seconds: float) -> str:
    ran = totals.complete + totals.partly
    kernels = quantity(ran, "kernel") if ran == totals.kernels else f"{ran} of {quantity(totals.kernels, 'kernel')}"
    share = f", {100 * totals.reached // totals.lines} % of {quantity(totals.lines, 'line')}" if totals.lines else ""
    words = f" in {kernels} ({quantity(totals.files, 'file')}, {quantity(totals.runs, 'run')}{share}, {seconds:.1f} s)"
    if totals.partly:
        words += f"; {quantity(totals.partly, 'kernel')} cut off in every run"
    if totals.not_run:
        words += f"; {quantity(totals.not_run, 'kernel')} not run"
    if totals.left:
        words += f"; {quantity(totals.left, 'file')} left: the budget was over"
    return words + (f"; {quantity(totals.failed, 'file')} not analysed" if totals.failed else "")


def _position(place: SourceRange) -> str:
    return f"{place.path}:{place.line}:{place.column}: "


def _excerpt(place: SourceRange) -> Iterator[Line]:
    return excerpt(FileRange(place.path, place.line, place.column, place.line, place.end_column, place.source))
