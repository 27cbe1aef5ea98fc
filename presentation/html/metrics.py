"""Counts under the names of NVIDIA's profilers, folded away on the page, and what their rules would say of them."""

from __future__ import annotations

from presentation.html.markup import NOTHING, Markup, element
from presentation.html.parts import cell, number_cell, table
from presentation.terminal.metrics import NOTE, ours, value_words
from sim.report import words
from sim.report.metrics import Metric, metrics
from sim.report.model import KernelReport, PolicyReport
from sim.report.profile_rules import profile_advice


def advice_card(report: KernelReport, run: PolicyReport) -> Markup:
    """What Nsight Compute's rules would say; nothing where none of them would."""
    found = profile_advice(report, run)
    if not found:
        return NOTHING
    rows = [
        element(
            "tr",
            cell(one.title, element("br"), element("code", one.rule)),
            cell(one.message),
            cell(element("code", one.metric), f", wanted: {one.wanted}"),
            cell(", ".join(words.place_in(report.path, place) for place in one.places)),
        )
        for one in found
    ]
    listing = table(("Rule", "What it finds", "Metric", "Most of it"), rows, "advice", "Advice as of Nsight Compute")
    return element("section", element("h2", "As Nsight Compute would advise"), listing, class_="card")


def metrics_card(run: PolicyReport) -> Markup:
    if not run.warp_instructions:
        return NOTHING
    rows = [
        element("tr", cell(element("code", one.name)), number_cell(value_words(one.value)), cell(_ours(one)))
        for one in metrics(run)
    ]
    listing = table(("Metric", "Value#", "In this report"), rows, "metrics", "Counts as NVIDIA's profilers name them")
    summary = element("summary", "As NVIDIA's profilers name it")
    return element(
        "details", summary, listing, element("p", f"{NOTE}.".capitalize(), class_="muted"), class_="card folded metrics"
    )


def _ours(metric: Metric) -> str:
    return ours(metric) if metric.differs is None else f"{ours(metric)}: {metric.differs}"
