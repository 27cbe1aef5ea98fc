"""Findings as text: the place, what is wrong, the source with a caret, and the places that explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from analysis.rules.diagnostic import Applicability
from analysis.rules.wording import quantity
from simt_lsp.cli.report import (
    NEEDS_RUN,
    SETTINGS,
    SYNTAX_ERROR,
    UNUSED_SUPPRESSION,
    FileRange,
    FileReport,
    Finding,
    Note,
    Totals,
)
from simt_lsp.cli.terminal import Line, Style

TAB = "    "
ALWAYS_SHOWN = ("internal", "too-large", SYNTAX_ERROR, UNUSED_SUPPRESSION)
"""Notes on functions that were not analysed, and on suppressions that say nothing."""
SEVERITY_STYLES = {
    "error": Style.ERROR,
    "warning": Style.WARNING,
    "information": Style.INFORMATION,
    "hint": Style.HINT,
}


def report_lines(report: FileReport, *, hints: bool = True, verbose: bool = False) -> Iterator[Line]:
    """The findings of one file, each followed by an empty line; then notes about the file.

    Without `verbose` these are the ones about functions that were not analysed, and nothing of what no run confirms.
    What is wrong with settings stands on standard error.
    """
    shown = [finding for finding in report.findings if hints or finding.severity != "hint"]
    for finding in shown:
        if finding.copy_of is None:
            yield from finding_lines(finding)
            yield ()
    for path, number in Counter(finding.copy_of.path for finding in shown if finding.copy_of is not None).items():
        same = f": {quantity(number, 'finding')} as in {path}: the same code"
        yield (f"{report.path}: ", Style.PLACE), ("note", Style.NOTE), (same, Style.PLAIN)
        yield ()
    for finding in report.unconfirmed:
        if verbose:
            yield from finding_lines(finding)
            yield ()
    for note in report.notes:
        if (verbose and note.kind != SETTINGS) or note.kind in ALWAYS_SHOWN:
            yield from note_lines(note)
            yield ()
    if report.error is not None:
        yield (report.path, Style.PLACE), (": not analysed: ", Style.ERROR), (report.error, Style.PLAIN)
        yield ()


def finding_lines(finding: Finding) -> Iterator[Line]:
    """`path:line:column: severity CODE name: message`, the source, the related places; no line twice in a row."""
    is_plain = finding.tier in (None, "proven") or (finding.run is not None and finding.run.is_confirmed)
    tier = "" if is_plain else f" ({finding.tier})"
    yield (
        (position(finding.place), Style.PLACE),
        (f"{finding.severity} ", SEVERITY_STYLES[finding.severity]),
        (f"{finding.code} {finding.name}", Style.PLACE),
        (f": {finding.message}{tier}", Style.PLAIN),
    )
    yield from excerpt(finding.place)
    shown = finding.place
    for related in finding.related:
        yield (position(related.place), Style.PLAIN), ("note", Style.NOTE), (f": {related.message}", Style.PLAIN)
        if (related.place.path, related.place.line) != (shown.path, shown.line):
            yield from excerpt(related.place)
        shown = related.place
    if finding.more is not None and finding.cost is not None:
        more = f": {finding.more.message(finding.cost.kernel)} (--all-findings)"
        yield (position(finding.place), Style.PLAIN), ("note", Style.NOTE), (more, Style.PLAIN)
    if finding.run is not None:
        yield (position(finding.place), Style.PLAIN), ("run", Style.NOTE), (f": {finding.run.message}", Style.PLAIN)


def note_lines(note: Note) -> Iterator[Line]:
    yield (position(note.place), Style.PLACE), (note.kind, Style.NOTE), (f": {note.message}", Style.PLAIN)
    yield from excerpt(note.place)


def excerpt(place: FileRange) -> Iterator[Line]:
    """The first line of a place with carets under it; long lines keep the part around the place."""
    if place.source is None:
        return
    number = f"{place.line:>6} "
    start, end = place.column - 1, place.end_column - 1 if place.end_line == place.line else len(place.source)
    before, marked, after = place.source[:start], place.source[start:end], place.source[end:]
    before, marked, after = _shortened(before, marked, after)
    yield (f"{number}| ", Style.MARGIN), (_visible(before + marked + after), Style.PLAIN)
    caret = "^" * max(1, _width(_visible(marked)))
    yield (" " * len(number) + "| ", Style.MARGIN), (" " * _width(_visible(before)), Style.PLAIN), (caret, Style.CARET)


def summary_line(totals: Totals, seconds: float, *, hints: bool = True, verbose: bool = False) -> Line:
    """`2 errors, 1 warning in 5 files (7 kernels, 243 lines, 0.1 s)`, then how to see what was not shown."""
    named = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}
    parts = [quantity(number, named[severity]) for severity, number in totals.severities.items() if number]
    found = ", ".join(parts) or "no findings"
    style = Style.ERROR if totals.severities["error"] or totals.unreadable else Style.GOOD if not parts else Style.PLAIN
    failed = f", {quantity(totals.unreadable, 'function')} not analysed" if totals.unreadable else ""
    failed += f", {quantity(totals.failed, 'file')} not analysed" if totals.failed else ""
    size = f"{quantity(totals.kernels, 'kernel')}, {quantity(totals.lines, 'line')}, {seconds:.1f} s"
    opaque = f"; {quantity(totals.opaque, 'place')} not understood" if totals.opaque else ""
    unseen = ["the hints"] if totals.severities["hint"] and not hints else []
    unseen += ["these places" if totals.opaque > 1 else "this place"] if totals.opaque and not verbose else []
    how = f"; --verbose shows {' and '.join(unseen)}" if unseen else ""
    files = quantity(totals.files - totals.failed, "file")
    fixed = f"; {quantity(totals.fixed, 'fix', 'fixes')} applied" if totals.fixed else ""
    tested = totals.confirmed + totals.unconfirmed
    run = f"; {totals.confirmed} of {quantity(tested, 'undecided finding')} confirmed by runs" if tested else ""
    copies = f"; {totals.copies} in copies of code, told once" if totals.copies else ""
    known = f"; {totals.baselined} in the baseline" if totals.baselined else ""
    known += f"; {totals.unchanged} not of this change" if totals.unchanged else ""
    return (found, style), (f" in {files}{failed} ({size}){known}{copies}{fixed}{run}{opaque}{how}", Style.PLAIN)


def fixable_lines(totals: Totals, *, fixing: bool) -> list[Line]:
    """`2 can be fixed with --fix, 1 more with --fix --unsafe-fixes`; none where there is nothing to say.

    `fixing`: what --fix could do was done, and it was said of each repair why it was not made.
    """
    safe, unsafe, needs_run = (
        totals.fixable[kind] for kind in (Applicability.SAFE.value, Applicability.UNSAFE.value, NEEDS_RUN)
    )
    ways: list[str] = []
    if safe and not fixing:
        ways.append(f"{safe} can be fixed with --fix")
    if needs_run and not fixing:
        ways.append(f"{needs_run} {_again('with --fix', ways)} where a run confirms it")
    if unsafe:
        ways.append(f"{unsafe} {_again('with --fix --unsafe-fixes', ways)}")
    return [((", ".join(ways), Style.PLAIN),)] if ways else []


def _again(how: str, ways: Sequence[str]) -> str:
    return f"more {how}" if ways else f"can be fixed {how}"


def position(place: FileRange) -> str:
    return f"{place.path}:{place.line}:{place.column}: "


MAX_CONTEXT = 100
"""The most characters shown on each side of a place, half of those inside it; generated lines can be very long."""


def _shortened(before: str, marked: str, after: str) -> tuple[str, str, str]:
    if len(before) > MAX_CONTEXT:
        before = "..." + before[-MAX_CONTEXT:]
    if len(after) > MAX_CONTEXT:
        after = after[:MAX_CONTEXT] + "..."
    return before, marked[: 2 * MAX_CONTEXT], after


def _visible(text: str) -> str:
    """Tabs at one width and no control characters, which a terminal would obey."""
    text = text.replace("\t", TAB)
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _width(text: str) -> int:
    """The columns `text` takes on a terminal: East Asian wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    import unicodedata

    widths = (
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
    return sum(widths)
