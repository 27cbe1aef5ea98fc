"""Counts under the names of NVIDIA's profilers, folded away on the page."""

from __future__ import annotations

from sim.report.html_markup import NOTHING, Markup, element
from sim.report.html_parts import cell, number_cell, table
from sim.report.metrics import metrics
from sim.report.model import PolicyReport
from sim.report.text_metrics import NOTE, value_words


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
