"""The report as a page: one file that needs nothing else, or its parts for a view that brings its own frame.

Safe     Everything from the kernel's file is escaped; the page's own policy (Content-Security-Policy) allows exactly
         one style and one script, by their hashes, and no request at all.  The script makes no markup from text.
Parts    An editor's web view takes body, style and script apart and puts its own nonce on the last two.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import final

from analysis.ir.record import record
from presentation.html.charts import histogram_card, tiles, timeline_card
from presentation.html.comparison import comparison_card
from presentation.html.editor_links import Editor
from presentation.html.markup import NOTHING, Markup, element
from presentation.html.metrics import advice_card, metrics_card
from presentation.html.overview import first_card, kernels_card
from presentation.html.source import source_card
from presentation.html.study import study_card
from presentation.html.tables import (
    branch_card,
    fault_card,
    input_card,
    memory_card,
    note_card,
    policy_card,
    printed_card,
)
from presentation.html.terms import terms_card
from sim.report import words
from sim.report.model import KernelReport, PolicyReport


@final
@record
class HtmlParts:
    """`body` is one element of class `simt-report`; `style` and `script` are plain text without their elements."""

    title: str
    body: str
    style: str
    script: str


def html_parts(*reports: KernelReport, editor: Editor | None = None) -> HtmlParts:
    title = f"{', '.join(report.kernel for report in reports)} – simulation"
    return HtmlParts(title, _body(reports, editor).text, asset("report.css"), asset("report.js"))


def html_page(*reports: KernelReport, nonce: str | None = None, editor: Editor | None = None) -> str:
    """A complete document in UTF-8 that loads nothing from outside of it; one article for each report.

    With a `nonce` (fresh random text of a frame that wants one, base64) the policy names it instead of hashes.  With an
    `editor`, the numbers of lines open it.
    """
    return document(html_parts(*reports, editor=editor), nonce)


def document(parts: HtmlParts, nonce: str | None = None) -> str:
    """The page around its parts."""
    style, script = (
        (_digest(parts.style), _digest(parts.script)) if nonce is None else (f"nonce-{nonce}", f"nonce-{nonce}")
    )
    policy = f"default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
    marks = {} if nonce is None else {"nonce": nonce}
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", parts.title),
        element("style", Markup(parts.style), **marks),
    )
    body = element("body", Markup(parts.body), element("script", Markup(parts.script), **marks))
    return f"<!doctype html>\n{element('html', head, body, lang='en').text}\n"


def _body(reports: Sequence[KernelReport], editor: Editor | None) -> Markup:
    theme = element("button", type="button", class_="theme", aria_label="Switch between dark and light")
    articles: list[Markup] = []
    panel = 0
    for at, report in enumerate(reports):
        articles.append(_article(report, at, panel, editor))
        panel += len(report.policies)
    return element("main", theme, kernels_card(reports), *articles, terms_card(), class_="simt-report")


def _article(report: KernelReport, number: int, panel: int, editor: Editor | None) -> Markup:
    """`panel` is the number of its first panel on the page."""
    panels = [_panel(report, run, panel + at, editor, is_hidden=at > 0) for at, run in enumerate(report.policies)]
    return element(
        "article",
        _header(report, panel, editor),
        comparison_card(report),
        policy_card(report, panel),
        *panels,
        study_card(report),
        input_card(report),
        id=f"kernel-{number}",
        aria_label=report.kernel,
    )


def _header(report: KernelReport, panel: int, editor: Editor | None) -> Markup:
    place = f"{report.path}:{report.first_line}"
    if editor is not None:
        place = element("a", place, class_="editor", href=editor.address(report.path, report.first_line))
    title = element(
        "div",
        element("h1", report.kernel),
        element("p", place, class_="path"),
        element("p", words.launch_words(report), f" · simulated {words.time_words(report)}", class_="launch"),
    )
    return element("header", title, _tabs(report, panel))


def _tabs(report: KernelReport, panel: int) -> Markup:
    if len(report.policies) == 1:
        return element("p", f"policy {report.policies[0].policy}", class_="policy-name")
    tabs = [
        element(
            "button",
            run.policy,
            type="button",
            role="tab",
            id=f"tab-{panel + at}",
            aria_controls=f"panel-{panel + at}",
            aria_selected="false" if at else "true",
            tabindex="-1" if at else "0",
        )
        for at, run in enumerate(report.policies)
    ]
    return element("div", *tabs, class_="tabs", role="tablist", aria_label="Policy")


def _panel(report: KernelReport, run: PolicyReport, panel: int, editor: Editor | None, *, is_hidden: bool) -> Markup:
    stopped = words.truncation(run)
    main = element("div", source_card(report, run, panel, editor), histogram_card(report, run), class_="side")
    side = element("div", branch_card(report, run, panel), memory_card(report, run, panel), class_="side")
    return element(
        "section",
        tiles(run),
        element("p", stopped, class_="notice", role="note") if stopped else NOTHING,
        first_card(report, run, panel),
        fault_card(report, run, panel),
        note_card(report, run, panel),
        element("div", main, side, class_="columns"),
        timeline_card(report, run, panel),
        printed_card(run),
        advice_card(report, run),
        metrics_card(run),
        id=f"panel-{panel}",
        class_="panel",
        role="tabpanel" if len(report.policies) > 1 else "group",
        aria_label=f"Policy {run.policy}",
        **({"hidden": ""} if is_hidden else {}),
    )


@cache
def asset(name: str) -> str:
    """The text of a style or a script."""
    return files("presentation.html").joinpath("assets", name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
