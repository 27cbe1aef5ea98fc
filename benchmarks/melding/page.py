"""The study as a page: one file with plots, that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from benchmarks.melding import text
from benchmarks.melding.charts import Axis, Bar, Group, Line, Mark, Panel, grouped_bars, panel
from benchmarks.melding.paper import figures_of
from benchmarks.melding.remarks import remark_on
from benchmarks.melding.rows import lines_of
from benchmarks.melding.study import Comparison, SubjectStudy, Variant, best_block
from presentation.html.markup import Markup, element, joined
from presentation.html.parts import card, cell, number_cell, table

TITLE: Final = "Melding: what it does to the kernels of the paper"
SPEED_UPS: Final = Axis(0.6, 2.4, (0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4), base=1.0, form="{:.1f}")
SHARES: Final = Axis(0.0, 1.4, (0.0, 0.25, 0.5, 0.75, 1.0, 1.25), form="{:.0%}")
UTILISATION: Final = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), form="{:.0%}")
PANEL_SPEED_UPS: Final = Axis(0.8, 2.2, (0.8, 1.0, 1.4, 1.8, 2.2), base=1.0, form="{:.1f}")


def study_page(studies: Sequence[SubjectStudy], warp_sizes: Sequence[int]) -> str:
    body = element(
        "div",
        element("header", element("div", element("h1", TITLE), _introduction())),
        *(part for warp_size in warp_sizes for part in _of_warp_size(studies, warp_size)),
        _tables(studies, warp_sizes),
        class_="simt-report melding",
    )
    head = joined(
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width"),
        element("title", TITLE),
        element("style", Markup(_style())),
    )
    return "<!doctype html>\n" + element("html", element("head", head), element("body", body), lang="en").text + "\n"


def _style() -> str:
    """That of simulation reports, with the colours of the plots."""
    report = files("presentation.html").joinpath("assets/report.css").read_text("utf-8")
    return report + Path(__file__).with_name("page.css").read_text("utf-8")


def _introduction() -> Markup:
    return element(
        "p",
        "Speed-ups are issue slots of the original by those of the melded kernel; the paper's are times on a GPU with "
        "64 lanes. Black marks are the paper's figures. Plots of single kernels show the block size with the best "
        "speed-up by DARM.",
    )


def _of_warp_size(studies: Sequence[SubjectStudy], warp_size: int) -> Iterator[Markup]:
    chosen = [_best(study, warp_size) for study in studies]
    yield _card("Speed-up by method", _speed_ups(chosen), warp_size, _legend(*(variant.value for variant in Variant)))
    yield _card("ALU utilisation", _utilisation(chosen), warp_size, _legend("before", "darm"))
    yield _card("Requests to memory after DARM", _requests(chosen), warp_size, _legend("shared", "global"))
    yield _card(
        "Speed-up by block size",
        _panels([_block_panel(study, warp_size) for study in studies]),
        warp_size,
        _legend("darm", "fusion", "best", "paper"),
    )
    yield _card(
        "Speed-up by threshold",
        _panels([_threshold_panel(study, warp_size) for study in studies]),
        warp_size,
        _legend("darm"),
    )


def _card(title: str, drawing: Markup, warp_size: int, legend: Markup) -> Markup:
    return card(f"{title}, warps of {warp_size}", legend, drawing, kind="melding-card")


def _legend(*kinds: str) -> Markup:
    return element(
        "p", *(element("span", element("i", class_=f"key bar-{kind}"), f" {kind} ") for kind in kinds), class_="legend"
    )


def _best(study: SubjectStudy, warp_size: int) -> Comparison:
    return best_block(comparison for comparison in study.comparisons if comparison.warp_size == warp_size)


def _speed_ups(chosen: Sequence[Comparison]) -> Markup:
    groups: list[Group] = []
    for comparison in chosen:
        bars = [Bar(variant.value, comparison.speed_up(variant), _title(comparison, variant)) for variant in Variant]
        paper = figures_of(comparison.subject)
        known = (
            (Variant.DARM, paper.darm_at(comparison.threads)),
            (Variant.FUSION, paper.fusion_at(comparison.threads)),
        )
        marks = [
            Mark(
                list(Variant).index(variant), value, f"{comparison.subject}, {variant.value} in the paper: {value:.2f}"
            )
            for variant, value in known
            if value is not None
        ]
        groups.append(Group(comparison.subject, tuple(bars), tuple(marks)))
    return grouped_bars(groups, SPEED_UPS, "Speed-up by method for each kernel")


def _title(comparison: Comparison, variant: Variant) -> str:
    value = comparison.speed_up(variant)
    return f"{comparison.subject}, block {text.shape_text(comparison.block)}, {variant.value}: {value:.2f}"


def _utilisation(chosen: Sequence[Comparison]) -> Markup:
    groups: list[Group] = []
    for comparison in chosen:
        values = (comparison.before.utilisation, comparison.after[Variant.DARM].utilisation)
        bars = [
            Bar(kind, value, f"{comparison.subject} {when}: {value:.0%}")
            for kind, when, value in zip(("before", "darm"), ("before", "after"), values, strict=True)
        ]
        paper = figures_of(comparison.subject).utilisation
        marks = (
            []
            if paper is None
            else [
                Mark(0, paper.before / 100, f"{comparison.subject} before, in the paper: {paper.before} %"),
                Mark(1, paper.after / 100, f"{comparison.subject} after, in the paper: {paper.after} %"),
            ]
        )
        groups.append(Group(comparison.subject, tuple(bars), tuple(marks)))
    return grouped_bars(groups, UTILISATION, "ALU utilisation before and after DARM")


def _requests(chosen: Sequence[Comparison]) -> Markup:
    groups: list[Group] = []
    for comparison in chosen:
        before, after = comparison.before, comparison.after[Variant.DARM]
        pairs = (
            ("shared", before.shared_requests, after.shared_requests),
            ("global", before.global_requests, after.global_requests),
        )
        bars = [
            Bar(kind, new / old if old else None, f"{comparison.subject}, {kind}: {old:,} before, {new:,} after")
            for kind, old, new in pairs
        ]
        groups.append(Group(comparison.subject, tuple(bars)))
    return grouped_bars(groups, SHARES, "Requests to memory after DARM, by those before")


def _block_panel(study: SubjectStudy, warp_size: int) -> Markup:
    found = [comparison for comparison in study.comparisons if comparison.warp_size == warp_size]
    paper = figures_of(study.subject)
    lines = [
        Line(variant.value, variant.value, tuple(comparison.speed_up(variant) for comparison in found))
        for variant in (Variant.BEST, Variant.FUSION, Variant.DARM)
    ]
    lines.append(Line("paper", "DARM in the paper", tuple(paper.darm_at(comparison.threads) for comparison in found)))
    places = tuple(text.shape_text(comparison.block) for comparison in found)
    return panel(Panel(study.subject, places, tuple(lines)), PANEL_SPEED_UPS)


def _threshold_panel(study: SubjectStudy, warp_size: int) -> Markup:
    (curve,) = (curve for curve in study.curves if curve.warp_size == warp_size)
    places = tuple(f"{threshold:.1f}" for threshold in curve.speed_ups)
    lines = (Line("darm", "darm", tuple(curve.speed_ups.values())),)
    return panel(Panel(f"{study.subject}, block {text.shape_text(curve.block)}", places, lines), PANEL_SPEED_UPS)


def _panels(panels: Sequence[Markup]) -> Markup:
    return element("div", *panels, class_="panels")


def _tables(studies: Sequence[SubjectStudy], warp_sizes: Sequence[int]) -> Markup:
    parts = [_subject_table(study, warp_sizes) for study in studies]
    return card("All figures", *parts, kind="melding-card")


def _subject_table(study: SubjectStudy, warp_sizes: Sequence[int]) -> Markup:
    titles = ("Warp", "Block", "Method", "Issued#", "Of before#", "Speed-up#", "Paper", "ALU#", "Shared#", "Global#")
    rows = [
        row for comparison in study.comparisons if comparison.warp_size in warp_sizes for row in _table_rows(comparison)
    ]
    remarks = [element("p", remark) for remark in (" ".join(remark_on(study.subject)),) if remark]
    listing = table(titles, rows, "melding-table", study.subject)
    return element("details", element("summary", study.subject), *remarks, listing)


def _table_rows(comparison: Comparison) -> Iterator[Markup]:
    for line in lines_of(comparison):
        is_before = line.before is None
        yield element(
            "tr",
            cell(str(comparison.warp_size) if is_before else ""),
            cell(text.shape_text(comparison.block) if is_before else ""),
            cell(text.variants_text(line)),
            number_cell(f"{line.counts.issued:,}"),
            number_cell("" if is_before else f"{line.issued_share:.0%}"),
            number_cell("" if is_before else f"{line.speed_up:.2f}"),
            cell(text.paper_text(line)),
            number_cell(f"{line.counts.utilisation:.0%}"),
            number_cell(text.share_text(line.shared_share)),
            number_cell(text.share_text(line.global_share)),
        )
