"""Plots as inline SVG: grouped bars with marks beside them, and small panels of lines.

Everything is drawn with classes that the page's style colours, and every shape has a title to hover over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final, final

from analysis.ir.record import record
from presentation.html.markup import Markup, element

WIDTH: Final = 1200.0
MOST_BAR: Final = 13.0
GAP: Final = 14.0
LEFT: Final = 44.0
TOP: Final = 10.0
HEIGHT: Final = 220.0
BOTTOM: Final = 34.0


@final
@record
class Bar:
    """`kind` is a class of the style; a bar without a value is left out, its place stays."""

    kind: str
    value: float | None
    title: str


@final
@record
class Mark:
    """A figure of somebody else's, drawn across the bar number `at`."""

    at: int
    value: float
    title: str


@final
@record
class Group:
    name: str
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...] = ()


@final
@record
class Axis:
    """From `low` to `high`; bars start at `base`."""

    low: float
    high: float
    ticks: tuple[float, ...]
    base: float = 0.0
    form: str = "{:g}"

    def place(self, value: float) -> float:
        """Downwards from the top of the plot, 0 to 1."""
        inside = min(max(value, self.low), self.high)
        return 1 - (inside - self.low) / (self.high - self.low)


def grouped_bars(groups: Sequence[Group], axis: Axis, label: str) -> Markup:
    shapes = [*_grid(axis)]
    width = (WIDTH - LEFT) / max(1, len(groups))
    for number, group in enumerate(groups):
        shapes += _group(group, LEFT + number * width, width, axis)
    box = f"0 0 {WIDTH:.0f} {TOP + HEIGHT + BOTTOM:.0f}"
    return element("svg", *shapes, class_="plot", viewBox=box, role="img", aria_label=label)


def _grid(axis: Axis) -> Iterator[Markup]:
    for tick in axis.ticks:
        at = f"{TOP + axis.place(tick) * HEIGHT:.1f}"
        kind = "line base" if tick == axis.base else "line"
        yield element("line", class_=kind, x1=f"{LEFT:.0f}", x2=f"{WIDTH:.0f}", y1=at, y2=at)
        yield element("text", axis.form.format(tick), class_="tick", x=f"{LEFT - 6:.0f}", y=at)


def _group(group: Group, left: float, width: float, axis: Axis) -> Iterator[Markup]:
    """Its bars in the middle of the room that it has."""
    size = min(MOST_BAR, (width - GAP) / max(1, len(group.bars)))
    middle = left + width / 2
    start = middle - size * len(group.bars) / 2
    for number, bar in enumerate(group.bars):
        if bar.value is not None:
            yield _bar(bar, bar.value, start + number * size, size, axis)
    for mark in group.marks:
        yield _mark(mark, start + mark.at * size, size, axis)
    yield element("text", group.name, class_="name", x=f"{middle:.1f}", y=f"{TOP + HEIGHT + 16:.0f}")


def _bar(bar: Bar, value: float, left: float, size: float, axis: Axis) -> Markup:
    end, base = axis.place(value) * HEIGHT, axis.place(axis.base) * HEIGHT
    return element(
        "rect",
        element("title", bar.title),
        class_=f"bar-{bar.kind}",
        x=f"{left + 0.5:.1f}",
        y=f"{TOP + min(end, base):.1f}",
        width=f"{size - 1:.1f}",
        height=f"{max(abs(end - base), 1.0):.1f}",
    )


def _mark(mark: Mark, left: float, size: float, axis: Axis) -> Markup:
    at = f"{TOP + axis.place(mark.value) * HEIGHT:.1f}"
    ends = {"x1": f"{left - 1:.1f}", "x2": f"{left + size + 1:.1f}", "y1": at, "y2": at}
    return element("line", element("title", mark.title), class_="mark", **ends)


# -- panels ------------------------------------------------------------------------------------------------------------

PANEL_WIDTH: Final = 200.0
PANEL_HEIGHT: Final = 110.0
PANEL_LEFT: Final = 32.0
PANEL_TOP: Final = 22.0
PANEL_BOTTOM: Final = 22.0


@final
@record
class Line:
    """One value for each place of the panel's axis; None where there is none."""

    kind: str
    name: str
    values: tuple[float | None, ...]


@final
@record
class Panel:
    name: str
    places: tuple[str, ...]
    lines: tuple[Line, ...] = field(default_factory=tuple[Line, ...])


def panel(drawn: Panel, axis: Axis) -> Markup:
    """A small plot with its own title; lines in one scale over all panels can be compared."""
    inner = PANEL_WIDTH - PANEL_LEFT - 12
    steps = max(1, len(drawn.places) - 1)
    across = [PANEL_LEFT + inner * number / steps for number in range(len(drawn.places))]
    shapes = [element("text", drawn.name, class_="panel-name", x=f"{PANEL_LEFT:.0f}", y="14")]
    for tick in axis.ticks:
        at = f"{_down(axis, tick):.1f}"
        kind = "line base" if tick == axis.base else "line"
        shapes.append(element("line", class_=kind, x1=f"{PANEL_LEFT:.0f}", x2=f"{PANEL_WIDTH - 6:.0f}", y1=at, y2=at))
        shapes.append(element("text", axis.form.format(tick), class_="tick", x=f"{PANEL_LEFT - 5:.0f}", y=at))
    for place, at in zip(drawn.places, across, strict=True):
        shapes.append(
            element("text", place, class_="place-name", x=f"{at:.1f}", y=f"{PANEL_TOP + PANEL_HEIGHT + 15:.0f}")
        )
    for line in drawn.lines:
        shapes += _line(line, drawn.places, across, axis)
    height = PANEL_TOP + PANEL_HEIGHT + PANEL_BOTTOM
    return element(
        "svg", *shapes, class_="panel", viewBox=f"0 0 {PANEL_WIDTH:.0f} {height:.0f}", role="img", aria_label=drawn.name
    )


def _line(line: Line, places: Sequence[str], across: Sequence[float], axis: Axis) -> Iterator[Markup]:
    points = [
        (at, _down(axis, value), f"{line.name}, {place}: {value:.2f}")
        for at, value, place in zip(across, line.values, places, strict=True)
        if value is not None
    ]
    if len(points) > 1:
        yield element(
            "polyline", class_=f"curve-{line.kind}", points=" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        )
    for x, y, title in points:
        yield element(
            "circle", element("title", title), class_=f"dot-{line.kind}", cx=f"{x:.1f}", cy=f"{y:.1f}", r="2.6"
        )


def _down(axis: Axis, value: float) -> float:
    return PANEL_TOP + axis.place(value) * PANEL_HEIGHT
