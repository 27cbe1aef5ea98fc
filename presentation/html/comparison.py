"""Before and after, on the page."""

from __future__ import annotations

from presentation.html.markup import NOTHING, Markup, element
from presentation.html.parts import card, cell, number_cell, table
from sim.report import words
from sim.report.comparison import MOST_LINES, LineChange, Measure, caveats, line_changes, measures
from sim.report.model import KernelReport


def comparison_card(report: KernelReport) -> Markup:
    before = report.before
    if before is None:
        return NOTHING
    rows = [_measure_row(one) for one in measures(before.policies[0], report.policies[0])]
    totals = table(("", "Before#", "After#", "Change#"), rows, "comparison", "Before and after")
    said = [element("p", sentence, class_="muted") for sentence in caveats(before, report)]
    changed = [_line_row(one) for one in line_changes(before, report)[:MOST_LINES]]
    titles = ("Line before#", "Line now#", "Instructions before#", "Instructions after#", "Source")
    lines = table(titles, changed, "changed-lines", "Lines whose counts changed most") if changed else NOTHING
    return card("Before and after", totals, *said, lines, kind="comparison-card", note=f"{before.path} → {report.path}")


def _measure_row(one: Measure) -> Markup:
    before, after, change = one.words()
    kind = "good" if one.change > 0 else "bad" if one.change < 0 else "muted"
    return element(
        "tr",
        element("th", f"{one.name[0].upper()}{one.name[1:]}", scope="row"),
        number_cell(before),
        number_cell(after),
        number_cell(change, kind=kind),
    )


def _line_row(one: LineChange) -> Markup:
    return element(
        "tr",
        number_cell("–" if one.before is None else str(one.before), kind="muted"),
        number_cell("–" if one.after is None else str(one.after)),
        number_cell(words.number(one.instructions_before)),
        number_cell(words.number(one.instructions_after)),
        cell(element("code", one.text)),
    )
