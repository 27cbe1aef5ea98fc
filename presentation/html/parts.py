"""What several sections of the page have in common: links to lines, bars, tables, cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from presentation.html.markup import Content, Markup, element, joined
from sim.report import words
from sim.report.model import KernelReport, SourcePlace


def line_id(panel: int, line: int) -> str:
    return f"p{panel}-line-{line}"


def place_link(report: KernelReport, panel: int, place: SourcePlace | None, text: str) -> Markup:
    """Goes to the line in the source of this panel; plain text for a place in another file."""
    if place is None or place.path != report.path:
        where = words.place_in(report.path, place)
        return element("span", element("span", where, class_="place"), " ", element("code", text), class_="jump-not")
    return line_link(panel, place.line, text)


def line_link(panel: int, line: int, text: str) -> Markup:
    return element(
        "a",
        element("span", str(line), class_="place"),
        " ",
        element("code", text),
        class_="jump",
        href="#" + line_id(panel, line),
        title=text,
    )


def heat(efficiency: float) -> str:
    """The class of one of eleven colours, from `heat-0` (nearly all lanes idle) to `heat-10` (none)."""
    return f"heat-{min(max(int(efficiency * 10 + 1e-9), 0), 10)}"


def bar(share: float, kind: str = "") -> Markup:
    """A bar as wide as its share of the cell; drawn, since the page's policy forbids styles in attributes."""
    width = f"{min(max(share, 0.0), 1.0) * 100:.1f}"
    return element(
        "svg",
        element("rect", class_="track", width="100", height="10"),
        element("rect", class_="fill", width=width, height="10"),
        class_=f"bar {kind}".rstrip(),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def table(titles: Sequence[str], rows: Iterable[Markup], kind: str, label: str) -> Markup:
    """A title that ends in `#` heads a column of numbers."""
    heads = [
        element("th", title.removesuffix("#"), scope="col", **({"class_": "num"} if title.endswith("#") else {}))
        for title in titles
    ]
    return element(
        "div",
        element(
            "table",
            element("thead", element("tr", *heads)),
            element("tbody", *rows),
            class_=kind,
            aria_label=label,
        ),
        class_="scroll",
    )


def cell(*content: Content) -> Markup:
    return element("td", *content)


def number_cell(*content: Content, kind: str = "") -> Markup:
    return element("td", *content, class_=f"num {kind}".rstrip())


def card(title: str, *content: Content, kind: str, note: str = "") -> Markup:
    heading = element("h2", title, *([element("small", note)] if note else []))
    return element("section", heading, joined(*content), class_=f"card {kind}", aria_label=title)
