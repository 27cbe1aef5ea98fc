"""The page about a repository: its kernels as rows that can be sorted and filtered, then a section for each.

Safe     As the page about a run (`page.py`): everything from files is escaped, nothing is loaded, and the script makes
         no markup from text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.rules.wording import quantity
from presentation.html.markup import NOTHING, Content, Markup, element, joined
from presentation.html.page import HtmlParts, asset, document
from presentation.html.parts import bar, card, cell, number_cell, table
from sim.report.words import duration, index_words, number, shape
from sim.sanitize.model import Severity
from sim.sanitize.report import (
    Evidence,
    Finding,
    FoundBy,
    KernelSummary,
    Repository,
    RunSummary,
    SourceRange,
    Totals,
    short_name,
    verdict,
)

_BADGES: Final = {Severity.ERROR: "badge fault", Severity.WARNING: "badge warning", Severity.NOTE: "badge note"}
_WHO: Final = {
    FoundBy.STATIC: "proven or suspected without running",
    FoundBy.RUNS: "seen in runs",
    FoundBy.BOTH: "found without running and seen in runs",
}


def repository_page(found: Repository, version: str) -> str:
    """A complete document in UTF-8 that loads nothing from outside of it."""
    theme = element("button", type="button", class_="theme", aria_label="Switch between dark and light")
    title = element(
        "header",
        element(
            "div",
            element("h1", "sanitize"),
            element("p", f"simt-lsp {version} · {quantity(len(found.files), 'file')} · {found.seconds:.1f} s"),
        ),
    )
    sections = [_section(found, kernel, at) for at, kernel in enumerate(found.kernels)]
    body = element(
        "main",
        theme,
        title,
        _tiles(found.totals()),
        _overview(found),
        _without_kernel(found),
        _not_looked_at(found),
        *sections,
        class_="simt-report",
    )
    style = asset("report.css") + asset("sanitize.css")
    return document(HtmlParts("sanitize", body.text, style, asset("sanitize.js")))


def _tiles(totals: Totals) -> Markup:
    ran = totals.complete + totals.partly
    share = f"{100 * totals.reached // totals.lines} %" if totals.lines else "–"
    tiles = [
        ("Errors", number(totals.errors), "rest on nothing invented", "bad-tile" if totals.errors else ""),
        ("Warnings", number(totals.warnings), "", "warn-tile" if totals.warnings else ""),
        ("Notes", number(totals.notes), "may be the doing of chosen inputs", ""),
        ("Kernels run", f"{ran} of {totals.kernels}", f"{quantity(totals.runs, 'run')}", ""),
        ("Lines that ran", share, f"of {quantity(totals.lines, 'line')}; nothing is known of the others", ""),
    ]
    return element(
        "div",
        *(
            element(
                "div",
                element("span", title, class_="tile-title"),
                element("b", value),
                element("small", note),
                class_=f"tile {kind}".rstrip(),
            )
            for title, value, note, kind in tiles
        ),
        class_="tiles",
    )


# -- the table ---------------------------------------------------------------------------------------------------------


def _overview(found: Repository) -> Markup:
    longest = max((kernel.seconds for kernel in found.kernels), default=0.0)
    rows = [_row(found, kernel, at, longest) for at, kernel in enumerate(found.kernels)]
    titles = ("Kernel", "File", "Errors#", "Warnings#", "Notes#", "Runs#", "Lines#", "", "Time#", "", "Verdict")
    heads = [_head(title) for title in titles]
    listing = element(
        "div",
        element(
            "table",
            element("thead", element("tr", *heads)),
            element("tbody", *rows),
            class_="overview",
            aria_label="Kernels",
        ),
        class_="scroll",
    )
    controls = element(
        "div",
        element(
            "input", type="search", id="filter", placeholder="Filter by name, file or verdict", aria_label="Filter"
        ),
        element("label", element("input", type="checkbox", id="only-found"), " only with findings"),
        element("output", "", id="shown"),
        class_="controls",
    )
    return card("Kernels", controls, listing, kind="overview-card", note=quantity(len(found.kernels), "kernel"))


def _head(title: str) -> Markup:
    if not title:
        return element("th", scope="col")
    kind = {"class_": "num"} if title.endswith("#") else {}
    return element("th", element("button", title.removesuffix("#"), type="button", class_="sort"), scope="col", **kind)


def _row(found: Repository, kernel: KernelSummary, at: int, longest: float) -> Markup:
    findings = found.findings_of(kernel)
    counts = {one: sum(finding.severity is one for finding in findings) for one in Severity}
    share = f"{100 * kernel.reached // kernel.lines} %" if kernel.lines else "–"
    marks = {"data_found": ""} if counts[Severity.ERROR] or counts[Severity.WARNING] else {}
    return element(
        "tr",
        cell(element("a", kernel.name, class_="kernel", href=f"#kernel-{at}")),
        element("td", f"{kernel.path}:{kernel.line}", class_="path"),
        _number(counts[Severity.ERROR], "bad"),
        _number(counts[Severity.WARNING], "warn"),
        _number(counts[Severity.NOTE], ""),
        _number(len(kernel.runs), "muted"),
        _valued(f"{kernel.coverage:.4f}", share),
        element("td", bar(kernel.coverage), class_="bar-cell"),
        _valued(f"{kernel.seconds:.4f}", duration(kernel.seconds)),
        element("td", bar(kernel.seconds / longest if longest else 0.0), class_="bar-cell"),
        element("td", verdict(kernel, findings), class_="" if kernel.not_run is None else "warn"),
        **marks,
    )


def _number(count: int, kind: str) -> Markup:
    return element("td", number(count), class_=f"num {kind if count else 'muted'}".rstrip(), data_value=str(count))


def _valued(value: str, text: str) -> Markup:
    return element("td", text, class_="num", data_value=value)


# -- a section ---------------------------------------------------------------------------------------------------------


def _section(found: Repository, kernel: KernelSummary, at: int) -> Markup:
    findings = found.findings_of(kernel)
    head = element(
        "summary", element("code", kernel.name), f" · {kernel.path}:{kernel.line} · {verdict(kernel, findings)}"
    )
    parts: list[Markup] = [_sites(findings)]
    if kernel.runs:
        rows = [_run_row(run) for run in kernel.runs]
        titles = ("Launch", "Why", "Seed#", "Schedule", "Warp instructions#", "Time#", "End")
        parts += [element("h3", "Runs"), table(titles, rows, "runs", "Runs of this kernel")]
    if kernel.left:
        parts += [element("h3", "Left"), element("ul", *(element("li", one) for one in kernel.left))]
    if kernel.inputs:
        rows = [
            element("tr", cell(element("code", one.name)), cell(one.value), element("td", one.why, class_="muted"))
            for one in kernel.inputs
        ]
        parts += [
            element("h3", "Inputs"),
            table(("Name", "Value", "Why"), rows, "inputs", "Inputs of the first launch"),
        ]
    return element("details", head, *parts, id=f"kernel-{at}", class_="card one-kernel")


def _run_row(run: RunSummary) -> Markup:
    return element(
        "tr",
        cell(f"{shape(run.grid)} blocks of {shape(run.block)}"),
        element("td", run.why, class_="muted"),
        number_cell(str(run.seed)),
        cell(run.schedule.words),
        number_cell(number(run.warp_instructions)),
        number_cell(duration(run.seconds)),
        cell("whole" if run.stopped is None else element("span", run.stopped, class_="warn")),
    )


def _sites(findings: Sequence[Finding]) -> Markup:
    if not findings:
        return NOTHING
    return element("ul", *map(_site, findings), class_="sites")


def _site(finding: Finding) -> Markup:
    code: list[Content] = []
    if finding.place.source is not None:
        code.append(element("pre", finding.place.source.strip()))
    related = [
        element("p", f"{_position(one.place)}: {one.message}", class_="muted")
        for one in finding.related
        if one.place is not None
    ]
    rules = ", ".join(dict.fromkeys(f"{rule.code} {rule.name}" for rule in finding.rules))
    who = _WHO[finding.found_by] + (f" ({rules})" if rules else "")
    return element(
        "li",
        element("strong", finding.severity.value, class_=_BADGES[finding.severity]),
        " ",
        element("span", f"{finding.kind} · {_position(finding.place)}", class_="path"),
        element("p", finding.message),
        *code,
        *related,
        element("p", who + ("" if finding.evidence is None else f": {_evidence(finding.evidence)}"), class_="muted"),
    )


def _evidence(run: Evidence) -> str:
    words = f"{short_name(run.kernel)}, grid {shape(run.grid)}, block {shape(run.block)}, seed {run.seed}, under "
    words += f"{run.schedule.words}: thread {index_words(run.thread)} of block {index_words(run.block_index)}"
    return f"{words}; in {run.seen} of {quantity(run.runs, 'run')}"


def _position(place: SourceRange) -> str:
    return f"{place.path}:{place.line}:{place.column}"


# -- the rest ----------------------------------------------------------------------------------------------------------


def _without_kernel(found: Repository) -> Markup:
    """What rules say of functions that no kernel of the report is."""
    alone = [finding for finding in found.findings if not finding.kernels]
    return card("In functions", _sites(alone), kind="functions-card") if alone else NOTHING


def _not_looked_at(found: Repository) -> Markup:
    rows = [
        element("li", element("span", file.path, class_="path"), joined(": ", file.error))
        for file in found.files
        if file.error is not None
    ]
    return card("Not looked at", element("ul", *rows), kind="left-card") if rows else NOTHING
