"""The drawings of the page: the histogram as SVG, the timeline as data for the page's script."""

from __future__ import annotations

import json

from analysis.rules.wording import quantity
from presentation.html.markup import NOTHING, Markup, element, joined
from presentation.html.parts import card, heat
from sim.report import words
from sim.report.model import KernelReport, PolicyReport, SourcePlace, TimelineReport


def histogram_card(report: KernelReport, run: PolicyReport) -> Markup:
    counts = run.histogram.warp_instructions
    total = sum(counts)
    if not total:
        return NOTHING
    most = max(counts)
    bars = [_column(at, count, most, total, report.warp_size) for at, count in enumerate(counts) if at]
    label = f"Active lanes of {quantity(total, 'warp instruction')}; {run.histogram.mean:.1f} on average"
    drawing = element(
        "svg",
        *bars,
        viewBox=f"0 0 {report.warp_size} 100",
        preserveAspectRatio="none",
        class_="histogram",
        role="img",
        aria_label=label,
    )
    marks = [
        element("span", str(lanes))
        for lanes in (1, *range(report.warp_size // 4, report.warp_size + 1, report.warp_size // 4))
    ]
    axis = element("div", *marks, class_="axis", aria_hidden="true")
    return card("Active lanes", drawing, axis, kind="lanes-card", note=f"{run.histogram.mean:.1f} on average")


def _column(lanes: int, count: int, most: int, total: int, warp_size: int) -> Markup:
    """One bar with room to hover over above it; what occurs at all is visible."""
    height = max(count / most * 100, 1.5) if count else 0.0
    title = f"{quantity(lanes, 'lane')}: {quantity(count, 'instruction')}, {words.percent(count / total)}"
    return element(
        "g",
        element("title", title),
        element("rect", class_="room", x=str(lanes - 1), y="0", width="1", height="100"),
        element(
            "rect", class_="fill", x=f"{lanes - 0.9:.2f}", y=f"{100 - height:.2f}", width="0.8", height=f"{height:.2f}"
        ),
        class_=f"heat {heat(lanes / warp_size)}",
    )


def timeline_card(report: KernelReport, run: PolicyReport, panel: int) -> Markup:
    timeline = run.timeline
    if not timeline.steps:
        return card(
            "Lanes over time", element("p", "No step of this warp was recorded.", class_="empty"), kind="timeline-card"
        )
    note = f"block {words.number(timeline.block)}, warp {timeline.warp}, {quantity(len(timeline.steps), 'step')}"
    if timeline.omitted:
        note += f" of {words.number(len(timeline.steps) + timeline.omitted)}"
    canvas = element(
        "canvas",
        tabindex="0",
        role="slider",
        aria_label=f"Active lanes of each step, {note}",
        aria_valuemin="1",
        aria_valuemax=str(len(timeline.steps)),
        aria_valuenow="1",
    )
    figure = element(
        "figure",
        element("div", element("div", canvas, class_="spacer"), class_="viewport"),
        element("p", "Point at a step or use the arrow keys; click to see its line.", class_="readout", role="status"),
        class_="timeline",
        data_panel=str(panel),
        data_timeline=_timeline_data(report, timeline),
    )
    return card("Lanes over time", _tools(), figure, kind="timeline-card", note=note)


def _tools() -> Markup:
    legend = element(
        "span",
        element("i", class_="key active"),
        "active ",
        element("i", class_="key waiting"),
        "waiting ",
        element("i", class_="key gone"),
        "has left",
        class_="legend",
    )
    buttons = [
        element("button", text, type="button", class_="zoom", data_zoom=kind, aria_label=label)
        for text, kind, label in (
            ("−", "out", "Smaller steps"),
            ("+", "in", "Larger steps"),
            ("Fit", "fit", "All steps"),
        )
    ]
    return element("div", legend, *buttons, class_="tools")


def _timeline_data(report: KernelReport, timeline: TimelineReport) -> str:
    """`places` as [label, line or 0], without a label for what stands nowhere in the source.

    `steps` as [index of the place, active lanes, lanes that have not left], the masks as hexadecimal text.
    """
    places: dict[SourcePlace | None, int] = {}
    steps: list[tuple[int, str, str]] = []
    for step, place in zip(timeline.steps, timeline.places, strict=True):
        spot = None if place is None else SourcePlace(place.path, place.line, 1)
        at = places.setdefault(spot, len(places))
        steps.append((at, f"{step.active:x}", f"{step.running:x}"))
    labels = [_place_label(report, place) for place in places]
    data = {"warpSize": timeline.warp_size, "places": labels, "steps": steps}
    return json.dumps(data, separators=(",", ":"))


def _place_label(report: KernelReport, place: SourcePlace | None) -> tuple[str, int]:
    if place is None:
        return "", 0
    if place.path == report.path:
        return f"line {place.line}", place.line
    return f"{place.path.rpartition('/')[2]}:{place.line}", 0


def tiles(run: PolicyReport) -> Markup:
    """The figures that matter most, large."""
    calm = sum(branch.never_diverged for branch in run.branches)
    split = sum(branch.diverged > 0 for branch in run.branches)
    requests = run.requests
    beyond = requests.sectors / requests.ideal_sectors if requests.ideal_sectors else 1.0
    return element(
        "div",
        _tile(
            "SIMD efficiency",
            words.percent(run.simd_efficiency),
            "of lanes active",
            f"heat {heat(run.simd_efficiency)} main",
        ),
        _tile(
            "Warp instructions",
            words.number(run.warp_instructions),
            quantity(run.thread_instructions, "thread instruction"),
        ),
        _tile(
            "Branches that split",
            f"{split} of {len(run.branches)}",
            f"{calm} that may split did not" if calm else "counted by source branch",
            "warn-tile" if split else "",
        ),
        _tile(
            "Memory sectors",
            words.number(requests.sectors),
            _sector_words(requests.sectors, requests.ideal_sectors),
            "warn-tile" if beyond >= 1.5 else "",
        ),
        _tile(
            "Bank conflicts",
            words.number(requests.bank_conflicts),
            quantity(requests.bank_passes, "pass", "passes") if requests.bank_passes else "no shared memory used",
            "warn-tile" if requests.bank_conflicts else "",
        ),
        _tile(
            "Faults",
            words.number(len(run.faults)),
            _fault_words(run),
            "bad-tile" if run.faults else "",
        ),
        *(
            (
                _tile(
                    "Lines that ran",
                    f"{words.number(run.coverage.reached)} of {words.number(run.coverage.lines)}",
                    "nothing is known of the others",
                    "warn-tile" if run.coverage.is_low else "",
                ),
            )
            if run.coverage.reached < run.coverage.lines
            else ()
        ),
        class_="tiles",
    )


def _fault_words(run: PolicyReport) -> str:
    if run.faults:
        return "see below"
    return "none in the lines that ran" if run.coverage.is_low else "none found in this run"


def _sector_words(sectors: int, ideal: int) -> str:
    if not sectors:
        return "no global memory used"
    return (
        f"{words.ratio(sectors / ideal)} the ideal {words.number(ideal)}"
        if sectors > ideal > 0
        else "as few as possible"
    )


def _tile(title: str, value: str, note: str, kind: str = "") -> Markup:
    return element(
        "div",
        joined(element("span", title, class_="tile-title"), element("b", value), element("small", note)),
        class_=f"tile {kind}".rstrip(),
    )
