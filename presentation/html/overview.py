"""What a page begins with: what to look at first in a run, and the kernels where there are several."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.rules.wording import quantity
from presentation.advice import Advice, look_first
from presentation.html.markup import NOTHING, Markup, element
from presentation.html.parts import card, cell, heat, line_id, number_cell, table
from sim.report import words
from sim.report.model import KernelReport, PolicyReport


def first_card(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    rows = [_advice(advice, panel) for advice in look_first(report, run)]
    return card("What to look at first", element("ol", *rows, class_="advice"), kind="first-card")


def _advice(advice: Advice, panel: int) -> Markup:
    code = () if advice.code is None else (", ", element("code", advice.code))
    if advice.line is None:
        return element("li", advice.words, *code, ".")
    link = element("a", "show", class_="jump", href="#" + line_id(panel, advice.line), title=f"line {advice.line}")
    return element("li", advice.words, *code, ". ", link)


def kernels_card(reports: Sequence[KernelReport]) -> Markup:
    """Nothing on a page about one kernel."""
    if len(reports) < 2:
        return NOTHING
    rows = [_kernel_row(report, at) for at, report in enumerate(reports)]
    titles = ("Kernel", "SIMD efficiency#", "Warp instructions#", "Sectors#", "Bank conflicts#", "Faults#")
    listing = table(titles, rows, "kernels", "Kernels of this page")
    return card("Kernels", listing, kind="kernels-card", note=quantity(len(reports), "kernel"))


def _kernel_row(report: KernelReport, number: int) -> Markup:
    run = report.policies[0]
    efficiency = element("span", words.percent(run.simd_efficiency), class_="lanes")
    return element(
        "tr",
        cell(element("a", report.kernel, class_="kernel", href=f"#kernel-{number}")),
        number_cell(efficiency),
        number_cell(words.number(run.warp_instructions)),
        number_cell(words.number(run.requests.sectors)),
        number_cell(words.number(run.requests.bank_conflicts)),
        number_cell(words.number(len(run.faults)), kind="bad" if run.faults else "muted"),
        class_=f"heat {heat(run.simd_efficiency)}",
    )
