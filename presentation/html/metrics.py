"""Counts under the names of NVIDIA's profilers, folded away on the page."""

from __future__ import annotations

from presentation.html.markup import NOTHING, Markup, element
from presentation.html.parts import cell, number_cell, table
from presentation.terminal.metrics import NOTE, value_words
from sim.report.metrics import metrics
from sim.report.model import PolicyReport


def metrics_card(run: PolicyReport) -> Markup:
    if not run.warp_instructions:
        return NOTHING
    rows = [
        element("tr", cell(element("code", one.name)), number_cell(value_words(one.value)), cell(one.ours))
        for one in metrics(run)
    ]
    listing = table(("Metric", "Value#", "In this report"), rows, "metrics", "Counts as NVIDIA's profilers name them")
    summary = element("summary", "As NVIDIA's profilers name it")
    return element(
        "details", summary, listing, element("p", f"{NOTE}.".capitalize(), class_="muted"), class_="card folded metrics"
    )
