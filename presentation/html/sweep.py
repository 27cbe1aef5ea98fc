"""The page about a sweep: what became of its points, how each kernel scales, and what melding saves.

Rules    A point of a plot is the mean over all rows that share its place: seeds, and axes that are no size.  The axis
         of sizes is the one along which most values differ: threads of the launch, or a number that was given.
         Rows are plain data by the names of `sim/sweep/columns.py`.
Safe     As the page about a run (`page.py`): everything from files is escaped, nothing is loaded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, final

from analysis.ir.record import record
from analysis.rules.wording import quantity
from presentation.html.markup import NOTHING, Markup, element, joined
from presentation.html.page import HtmlParts, asset, document
from presentation.html.parts import card, cell, number_cell, table
from sim.report import words
from sim.sweep.model import Form, Outcome

SweptRow: TypeAlias = Mapping[str, Any]

WIDTH: Final = 640
HEIGHT: Final = 260
LEFT: Final = 64
BOTTOM: Final = 34
TOP: Final = 10
RIGHT: Final = 30
COLOURS: Final = 8
MOST_LISTED: Final = 200


@final
@record
class _Group:
    """The rows of one kernel with one size of warps."""

    path: str
    kernel: str
    kernel_id: str
    warp_size: int
    rows: Sequence[SweptRow]


@final
@record
class _Line:
    """One series: places on both axes, in the order of the first; `shade` is its colour, dashed for melded kernels."""

    label: str
    shade: int
    is_dashed: bool
    points: Sequence[tuple[float, float]]


@final
@record
class _Scale:
    """From values to places between `low` and `high`, in pixels."""

    values: tuple[float, float]
    pixels: tuple[float, float]
    is_logarithmic: bool

    def at(self, value: float) -> float:
        low, high = (self._scaled(one) for one in self.values)
        share = 0.5 if high == low else (self._scaled(value) - low) / (high - low)
        return self.pixels[0] + share * (self.pixels[1] - self.pixels[0])

    def ticks(self) -> Sequence[float]:
        low, high = self.values
        if not self.is_logarithmic:
            return [low + (high - low) * part / 4 for part in range(5)]
        base = 2.0 if high / low < 64 else 10.0
        first, last = math.floor(math.log(low, base) + 1e-9), math.ceil(math.log(high, base) - 1e-9)
        step = max(1, (last - first) // 6)
        return [base**power for power in range(first, last + 1, step) if low <= base**power * (1 + 1e-9)]

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.is_logarithmic else value


def sweep_page(rows: Sequence[SweptRow]) -> str:
    """A complete document in UTF-8 that loads nothing from outside of it."""
    groups = _groups(rows)
    kernels = len({(group.path, group.kernel_id) for group in groups})
    theme = element("button", type="button", class_="theme", aria_label="Switch between dark and light")
    title = element(
        "div",
        element("h1", "sweep"),
        element("p", f"{quantity(len(rows), 'run')} of {quantity(kernels, 'kernel')}", class_="launch"),
    )
    body = element(
        "main",
        theme,
        element("header", title),
        _outcome_card(groups),
        *(element("div", _kernel_card(group), id=f"kernel-{at}") for at, group in enumerate(groups)),
        _meld_card(groups),
        _reason_card(rows),
        class_="simt-report sweep",
    )
    style = asset("report.css") + asset("sweep.css")
    return document(HtmlParts("sweep – simt-lsp", body.text, style, asset("report.js")))


def _groups(rows: Iterable[SweptRow]) -> Sequence[_Group]:
    found: dict[tuple[str, str, str, int], list[SweptRow]] = {}
    for row in rows:
        found.setdefault((row["path"], row["kernel"], row["kernel_id"], row["warp_size"]), []).append(row)
    return [_Group(*key, of_key) for key, of_key in sorted(found.items())]


def _outcome_card(groups: Sequence[_Group]) -> Markup:
    shown = [outcome for outcome in Outcome if any(row["outcome"] == outcome.value for g in groups for row in g.rows)]
    titles = ("Kernel", "File", "Lanes of a warp#", "Runs#", *(f"{outcome.value.capitalize()}#" for outcome in shown))
    rows: list[Markup] = []
    for at, group in enumerate(groups):
        counts = [sum(row["outcome"] == outcome.value for row in group.rows) for outcome in shown]
        cells = [
            number_cell(words.number(count), kind=_kind(outcome) if count else "muted")
            for outcome, count in zip(shown, counts, strict=True)
        ]
        rows.append(
            element(
                "tr",
                cell(element("a", group.kernel, class_="kernel", href=f"#kernel-{at}")),
                cell(element("span", group.path, class_="path")),
                number_cell(str(group.warp_size)),
                number_cell(words.number(len(group.rows))),
                *cells,
            )
        )
    return card("Outcomes", table(titles, rows, "outcomes", "Outcomes by kernel"), kind="outcome-card")


def _kind(outcome: Outcome) -> str:
    return "bad" if outcome in (Outcome.FAULTS, Outcome.FAILED) else ""


# -- plots -------------------------------------------------------------------------------------------------------------


def _kernel_card(group: _Group) -> Markup:
    at = f"{group.kernel}, warps of {group.warp_size}"
    ran = [row for row in group.rows if row["warp_instructions"] is not None and row["warp_instructions"] > 0]
    if not ran:
        return card(at, element("p", "Nothing ran.", class_="empty"), kind="kernel-card")
    name, size_of = _size_axis(ran)
    efficiency = _lines(ran, size_of, "simd_efficiency")
    instructions = _lines(ran, size_of, "warp_instructions")
    plots = element(
        "div",
        _plot("SIMD efficiency", name, efficiency, (0.0, 1.0), words.percent),
        _plot("Warp instructions", name, instructions, None, lambda value: words.number(round(value))),
        class_="plots",
    )
    note = f"means over {quantity(len(ran), 'run')}; over {name}"
    return card(at, _legend(efficiency), plots, kind="kernel-card", note=note)


def _size_axis(rows: Sequence[SweptRow]) -> tuple[str, Callable[[SweptRow], float | None]]:
    """The name of the axis with the most values, and the value of a row on it."""

    def threads(row: SweptRow) -> float | None:
        return row["threads"]

    candidates: list[tuple[str, Callable[[SweptRow], float | None]]] = [("threads", threads)]
    names = dict.fromkeys(name for row in rows for name in json.loads(row["asked_arguments"]))
    candidates += [(name, _argument(name)) for name in names]
    return max(candidates, key=lambda one: len({one[1](row) for row in rows if one[1](row) is not None}))


def _argument(name: str) -> Callable[[SweptRow], float | None]:
    def value(row: SweptRow) -> float | None:
        try:
            number = float(json.loads(row["asked_arguments"])[name])
        except (KeyError, ValueError):
            return None
        return number if math.isfinite(number) and number > 0 else None

    return value


def _lines(rows: Sequence[SweptRow], size_of: Callable[[SweptRow], float | None], column: str) -> Sequence[_Line]:
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    found: dict[tuple[str, str], dict[float, list[float]]] = {}
    for row in rows:
        size = size_of(row)
        if size is not None:
            found.setdefault((row["policy"], row["form"]), {}).setdefault(size, []).append(float(row[column]))
    return [
        _Line(
            policy if form == Form.AS_WRITTEN.value else f"{policy}, {form}",
            policies.index(policy) % COLOURS,
            form != Form.AS_WRITTEN.value,
            [(size, sum(values) / len(values)) for size, values in sorted(sizes.items())],
        )
        for (policy, form), sizes in found.items()
    ]


def _plot(
    title: str, axis: str, lines: Sequence[_Line], values: tuple[float, float] | None, spelled: Callable[[float], str]
) -> Markup:
    """`values` bound the upward axis; None: it is logarithmic, and holds what there is."""
    sizes = [size for line in lines for size, _ in line.points]
    heights = [value for line in lines for _, value in line.points]
    across = _Scale((min(sizes), max(sizes)), (LEFT, WIDTH - RIGHT), is_logarithmic=True)
    span = (min(heights), max(heights)) if values is None else values
    up = _Scale(span, (HEIGHT - BOTTOM, TOP), is_logarithmic=values is None)
    drawing = element(
        "svg",
        *_frame(across, up, spelled),
        *(_drawn(line, across, up, axis, spelled) for line in lines),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        class_="plot",
        role="img",
        aria_label=f"{title} over {axis}",
    )
    return element("figure", element("figcaption", f"{title} over {axis}"), drawing)


def _frame(across: _Scale, up: _Scale, spelled: Callable[[float], str]) -> Iterable[Markup]:
    for value in up.ticks():
        if not up.values[0] * (1 - 1e-9) <= value <= up.values[1] * (1 + 1e-9):
            continue
        y = up.at(value)
        yield _segment((LEFT, y), (WIDTH - RIGHT, y), "grid")
        yield element("text", spelled(value), x=str(LEFT - 6), y=f"{y + 4:.1f}", class_="tick upward")
    for value in across.ticks():
        if value > across.values[1] * (1 + 1e-9):
            continue
        x = across.at(value)
        yield _segment((x, TOP), (x, HEIGHT - BOTTOM), "grid")
        yield element("text", _short(value), x=f"{x:.1f}", y=str(HEIGHT - BOTTOM + 18), class_="tick")


def _short(value: float) -> str:
    return words.number(round(value)) if value >= 1 else f"{value:g}"


def _segment(start: tuple[float, float], end: tuple[float, float], kind: str) -> Markup:
    (x1, y1), (x2, y2) = start, end
    return element("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=kind)


def _drawn(line: _Line, across: _Scale, up: _Scale, axis: str, spelled: Callable[[float], str]) -> Markup:
    places = [(across.at(size), up.at(value)) for size, value in line.points]
    path = element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in places), class_="series")
    dots = [
        element(
            "circle",
            element("title", f"{line.label}: {spelled(value)} at {_short(size)} {axis}"),
            cx=f"{x:.1f}",
            cy=f"{y:.1f}",
            r="3",
        )
        for (x, y), (size, value) in zip(places, line.points, strict=True)
    ]
    return element("g", path, *dots, class_=f"line-{line.shade}{' dashed' if line.is_dashed else ''}")


def _legend(lines: Sequence[_Line]) -> Markup:
    keys = [
        element(
            "span",
            element(
                "svg",
                element("line", x1="0", y1="5", x2="24", y2="5", class_="series"),
                viewBox="0 0 24 10",
                class_=f"swatch line-{line.shade}{' dashed' if line.is_dashed else ''}",
                aria_hidden="true",
            ),
            line.label,
        )
        for line in lines
    ]
    return element("p", *keys, class_="series-legend")


# -- tables ------------------------------------------------------------------------------------------------------------


def _meld_card(groups: Sequence[_Group]) -> Markup:
    """Sums over the launches that ran in both forms; nothing where no kernel has two."""
    rows: list[Markup] = []
    for group in groups:
        before, after = (_counted(group, form) for form in (Form.AS_WRITTEN, Form.MELDED))
        for policy in dict.fromkeys(row["policy"] for row in group.rows):
            both = [key for key in before if key in after and key[0] == policy]
            written, melded = (sum(side[key]["warp_instructions"] for key in both) for side in (before, after))
            if not both or not written:
                continue
            same = sum(before[key]["memory_digest"] == after[key]["memory_digest"] for key in both)
            rows.append(
                element(
                    "tr",
                    cell(group.kernel),
                    number_cell(str(group.warp_size)),
                    cell(policy),
                    number_cell(words.number(written)),
                    number_cell(words.number(melded)),
                    number_cell(f"{(written - melded) / written * 100:.1f} %"),
                    number_cell(f"{same} of {len(both)}", kind="" if same == len(both) else "bad"),
                )
            )
    if not rows:
        return NOTHING
    titles = ("Kernel", "Lanes of a warp#", "Policy", "As written#", "Melded#", "Saved#", "Same memory#")
    note = "warp instructions of all launches that ran in both forms"
    return card("Melding", table(titles, rows, "melding", "What melding saves"), kind="meld-card", note=note)


def _counted(group: _Group, form: Form) -> Mapping[tuple[str, ...], SweptRow]:
    """The rows of a form that ended, by policy and launch."""
    ended = (Outcome.CLEAN.value, Outcome.FAULTS.value)
    return {
        (row["policy"], str(row["seed"]), *(str(row[f"asked_{name}"]) for name in _ASKED)): row
        for row in group.rows
        if row["form"] == form.value and row["outcome"] in ended
    }


_ASKED: Final = ("grid", "block", "arguments", "shared")


def _reason_card(rows: Sequence[SweptRow]) -> Markup:
    """Points without a clean run, alike ones together."""
    found: dict[tuple[str, ...], int] = {}
    for row in rows:
        if row["outcome"] not in (Outcome.CLEAN.value, Outcome.NOT_MELDED.value):
            why = row["reason"] or ", ".join(json.loads(row["faults"]))
            key = row["kernel"], row["outcome"], why, row["form"]
            found[key] = found.get(key, 0) + 1
    if not found:
        return NOTHING
    ordered = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    listed = [
        element("tr", cell(kernel), cell(outcome), cell(form), cell(why), number_cell(words.number(count)))
        for (kernel, outcome, why, form), count in ordered[:MOST_LISTED]
    ]
    note = "" if len(ordered) <= MOST_LISTED else f"the first {MOST_LISTED} of {len(ordered)}"
    titles = ("Kernel", "Outcome", "Form", "Why", "Runs#")
    listing = joined(table(titles, listed, "reasons", "Runs that were not clean"))
    return card("Runs that were not clean", listing, kind="reason-card", note=note)
