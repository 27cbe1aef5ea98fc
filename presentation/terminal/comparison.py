"""Before and after, for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from presentation.terminal.table import Line, Tone, clean, table
from sim.report import words
from sim.report.comparison import MOST_LINES, LineChange, Measure, caveats, line_changes, measures
from sim.report.model import KernelReport


def comparison_lines(report: KernelReport, width: int) -> Iterator[Line]:
    before = report.before
    if before is None:
        return
    rows = [_measure_row(one) for one in measures(before.policies[0], report.policies[0])]
    yield from table(("before and after", "before", "after", "change"), rows, width, right={1, 2, 3}, stretch=0)
    for sentence in caveats(before, report):
        for text in textwrap.wrap(clean(sentence), width - 2):
            yield (("  " + text, Tone.WARNING),)
    changed = [_line_row(one) for one in line_changes(before, report)[:MOST_LINES]]
    if changed:
        yield ()
        titles = ("changed lines", "now", "before", "after", "")
        yield from table(titles, changed, width, right={0, 1, 2, 3}, stretch=4)


def _measure_row(one: Measure) -> Line:
    before, after, change = one.words()
    tone = Tone.GOOD if one.change > 0 else Tone.BAD
    return ((one.name, Tone.PLAIN), (before, Tone.PLAIN), (after, Tone.PLAIN), (change, tone))


def _line_row(one: LineChange) -> Line:
    return (
        ("–" if one.before is None else str(one.before), Tone.PLAIN),
        ("–" if one.after is None else str(one.after), Tone.PLAIN),
        (words.number(one.instructions_before), Tone.PLAIN),
        (words.number(one.instructions_after), Tone.PLAIN),
        (clean(one.text), Tone.MUTED),
    )
