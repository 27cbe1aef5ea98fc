"""The study of a run on the page: how converged it was, what registers held, what scalar code would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from presentation.html.markup import NOTHING, Markup, element
from presentation.html.parts import card, cell, number_cell, table
from presentation.terminal.study import CONVERGENCE_WORDS, COUNTS
from sim.observers.convergence import Convergence
from sim.observers.register_kinds import KindCount
from sim.observers.scalar_activity import Executed, Source
from sim.report import words
from sim.report.model import KernelReport
from sim.report.study import Study

_SHADES: Final = {
    Convergence.BY_SHAPE: "shade-1",
    Convergence.BY_VARIANCE: "shade-2",
    Convergence.BY_EXITS: "shade-3",
    Convergence.DYNAMIC: "shade-4",
    Convergence.DIVERGED: "shade-5",
}


def study_card(report: KernelReport) -> Markup:
    study = report.study
    if study is None:
        return NOTHING
    parts = element("div", _convergence(study), _registers(study), _activity(study), class_="study")
    return card(
        "Convergence and scalarization", parts, kind="study-card", note=f"under {study.policy}, in a run of its own"
    )


def _convergence(study: Study) -> Markup:
    segments: list[Markup] = []
    start = 0.0
    for kind, _ in study.convergence.kinds:
        share = study.convergence.share(kind) * 100
        title = element("title", f"{CONVERGENCE_WORDS[kind]}: {words.percent(share / 100)}")
        place = {"x": f"{start:.2f}", "y": "0", "width": f"{share:.2f}", "height": "10"}
        segments.append(element("rect", title, class_=_SHADES[kind], **place))
        start += share
    label = "Thread instructions by convergence"
    drawing = element(
        "svg", *segments, class_="stack", viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=label
    )
    rows = [
        element(
            "tr",
            cell(element("i", class_=f"key {_SHADES[kind]}"), " ", CONVERGENCE_WORDS[kind]),
            number_cell(words.percent(study.convergence.share(kind))),
            number_cell(words.number(count.thread_instructions), kind="muted"),
        )
        for kind, count in study.convergence.kinds
    ]
    best = element(
        "tr",
        cell("converged under the best possible schedule"),
        number_cell(words.oracle_share(study.oracle)),
        number_cell(words.number(study.oracle.total), kind="muted"),
    )
    listing = table(("Convergence", "Share#", "Thread instructions#"), [*rows, best], "convergence", label)
    return element("div", drawing, listing)


def _registers(study: Study) -> Markup:
    rows = [
        _register_row("Reads", "by tags", study.tags.reads),
        _register_row("Reads", "by values", study.values.reads),
        _register_row("Results", "by tags", study.tags.results),
        _register_row("Results", "by values", study.values.results),
    ]
    titles = ("Registers of warps", "Uniform#", "Affine#", "Of#")
    return element("div", table(titles, rows, "registers", "Uniform and affine registers"))


def _register_row(what: str, how: str, count: KindCount) -> Markup:
    return element(
        "tr",
        cell(what, " ", element("small", how)),
        number_cell(words.percent(count.uniform_share)),
        number_cell(words.percent(count.affine_share)),
        number_cell(words.number(count.uniform + count.affine + count.generic), kind="muted"),
    )


def _activity(study: Study) -> Markup:
    scalarized, conventional = study.activity.scalarized, study.activity.conventional
    before = sum(conventional.values(), Executed())
    saved = study.activity.saved()
    rows = [
        *(_activity_row(source.value, _counts(scalarized[source])) for source in Source),
        _activity_row("conventional code", _counts(before), "total"),
        _activity_row("saved", [words.percent(saved[name]) for name in COUNTS], "total"),
    ]
    titles = ("Scalarized code", *(f"{name.capitalize()}#" for name in COUNTS))
    return element("div", table(titles, rows, "activity", "Counts of scalarized code by source"), class_="wide")


def _counts(executed: Executed) -> Sequence[str]:
    return [words.number(getattr(executed, name)) for name in COUNTS]


def _activity_row(title: str, counts: Sequence[str], kind: str = "") -> Markup:
    return element("tr", element("th", title, scope="row"), *(number_cell(count) for count in counts), class_=kind)
